//! Seconds of a cycle beside the least its arithmetic takes, and of local fits on more threads.

use std::hint::black_box;
use std::time::Instant;

use kernels::Spectrum;
use kernels::simd::{Lanes, Pack, Simd, Task};
use ndarray::{Array1, Array2};
use rayon::ThreadPoolBuilder;
use serde_json::{Value, json};
use ssgp_vb::{
    Cycle, FitOptions, Gaussian, LocalOptions, LocalSsgpVb, Priors, Sampling, SparseSpectrum,
    Start, draw_frequencies,
};

use crate::Failure;
use crate::data::split;
use crate::scores::number;

/// The fastest of `repeats` calls.
fn fastest(repeats: usize, mut work: impl FnMut()) -> f64 {
    let time = |work: &mut dyn FnMut()| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64()
    };
    (0..repeats).map(|_| time(&mut work)).fold(f64::INFINITY, f64::min)
}

/// The fewest seconds between two accepted cycles: what a busy machine disturbs least.
fn shortest(trace: &[Cycle]) -> f64 {
    let pairs = trace.windows(2).filter(|pair| pair.iter().all(|cycle| cycle.accepted));
    pairs.map(|pair| pair[1].seconds - pair[0].seconds).fold(f64::INFINITY, f64::min)
}

/// Wavy rows in [−1, 1].
fn rows(n: usize, d: usize) -> (Array2<f64>, Array1<f64>) {
    let step = |j: usize| (2.0 + j as f64).sqrt().fract();
    let x = Array2::from_shape_fn((n, d), |(i, j)| 2.0 * ((i + 1) as f64 * step(j)).fract() - 1.0);
    let y = x.outer_iter().map(|row| (2.0 * row.sum()).sin()).collect();
    (x, y)
}

/// One cycle of Algorithm 2 on one thread: both passes, both products and the scale integrals.
pub(crate) fn cycle(spec: &Value) -> Result<Value, Failure> {
    let (n, d, m) = (number(spec, "n", 567), number(spec, "d", 9), number(spec, "m", 50));
    let (x, y) = rows(n, d);
    let s = draw_frequencies(Spectrum::default(), Sampling::Random, m, d, 1);
    let problem = SparseSpectrum::new(&x, &y, &s, &Priors::default())?;
    let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        let start = Start::Isotropic { mean: 0.5, variance: 0.05 };
        let options = FitOptions { tolerance: 0.0, max_cycles: 120, ..FitOptions::default() };
        let run = problem.run(&start, &options, &mut ())?;
        let per_cycle = shortest(&run.trace);
        let lambda = Gaussian::isotropic(d, 0.5, 0.05);
        let expectations = problem.expectations(&lambda)?;
        let alpha = problem.update_alpha(&expectations, 1.0, 1.0)?;
        let first = fastest(40, || drop(black_box(problem.expectations(&lambda).ok())));
        let second =
            fastest(40, || drop(black_box(problem.lambda_gradient(&lambda, &alpha, 1.0).ok())));
        let floor = Floor::measured(n, d, m, times_worked_out(n, m));
        let once = Floor::measured(n, d, m, 1.0);
        Ok(json!({
            "n": n, "d": d, "m": m, "cycle_s": per_cycle, "expectations_s": first,
            "gradient_s": second, "floor_exp_s": floor.pairs.0, "floor_products_s": floor.pairs.1,
            "floor_rest_s": floor.rest, "over_floor": per_cycle / floor.total(),
            "over_pairs": per_cycle / floor.pairs(), "over_once": per_cycle / once.total(),
            "simd": Simd::detect().name(),
        }))
    })
}

/// Exponentials that a cycle keeps from pass 1 for pass 2, at most: what `passes/kept.rs` allows.
const MOST_KEPT: usize = 1 << 18;

/// Seconds that the exponentials and the matrix products of one cycle take at the speed at which this
/// processor does them alone, from registers: nothing is loaded, stored or waited for.
///
/// Counted for eight rows at a time, with P = M(M + 1)/2 pairs of spectral points:
///
/// | | powers | multiply-adds |
/// | --- | --- | --- |
/// | each time that exponentials of pairs are worked out | 2 P | P D, the covariance c = g_r'g_l |
/// | E(Z)'E(Z) and E(Z)'y | | M(2M + 1) + 2M |
/// | K S, then S'(K S) | | the fewer of P D + M D² (half of K, all of the square) and M² D + M D(D + 1)/2 |
/// | S'u | | M D |
/// | features: power, sine and cosine, g = L't and t'μ | 3 M | M (D(D + 1)/2 + D) |
///
/// and once a cycle (2M)³/2 multiply-adds for Cholesky factor and inverse of order 2M.
///
/// Exponentials are worked out once where a cycle keeps them, else in both passes: a cycle that wrote down
/// and read more than the cache near a core holds would wait for memory longer than for them.
/// Two to a pair, e^c and e^(−c): the second as a reciprocal would take the divider as long as a power takes.
/// A sine or a cosine counts as one power. Left out is whatever is neither, above all some 30 operations of a pair
/// in the two passes: sines and cosines of sums and differences, sums over rows, and what they are multiplied by.
struct Floor {
    /// The exponentials of pairs, and the products: all of those of the two passes but the features'.
    pairs: (f64, f64),
    /// The features, and Cholesky factor and inverse.
    rest: f64,
}

impl Floor {
    /// With the exponentials of pairs worked out `times` times.
    fn measured(n: usize, d: usize, m: usize, times: f64) -> Self {
        let (exp, fma) = unit_seconds();
        let packs = n.div_ceil(8) as f64;
        let (d, m) = (d as f64, m as f64);
        let pairs = m * (m + 1.0) / 2.0;
        let moments = m * (2.0 * m + 1.0) + 2.0 * m;
        let square = (pairs * d + m * d * d).min(m * m * d + m * d * (d + 1.0) / 2.0);
        let products = times * pairs * d + moments + square + m * d;
        let features = 3.0 * m * exp + m * (d * (d + 1.0) / 2.0 + d) * fma;
        let factor_and_inverse = (2.0 * m).powi(3) / 2.0 / 8.0;
        Self {
            pairs: (times * 2.0 * pairs * packs * exp, products * packs * fma),
            rest: packs * features + factor_and_inverse * fma,
        }
    }

    fn pairs(&self) -> f64 {
        self.pairs.0 + self.pairs.1
    }

    fn total(&self) -> f64 {
        self.pairs() + self.rest
    }
}

/// How often a cycle works out the exponentials of pairs.
fn times_worked_out(n: usize, m: usize) -> f64 {
    let exponentials = n.div_ceil(8) * 8 * m * (m + 1);
    if exponentials <= MOST_KEPT { 1.0 } else { 2.0 }
}

/// Seconds of eight powers of two, and of eight multiply-adds.
fn unit_seconds() -> (f64, f64) {
    let count = 1 << 14;
    let simd = Simd::detect();
    let exp = fastest(25, || {
        black_box(simd.run(Exponentials(black_box(count))));
    });
    let fma = fastest(25, || {
        black_box(simd.run(MultiplyAdds(black_box(count))));
    });
    let unit = (8 * count) as f64;
    (exp / unit, fma / unit)
}

/// Eight independent powers a round.
struct Exponentials(usize);

impl Task for Exponentials {
    type Output = Pack;

    #[inline(always)]
    fn run<V: Lanes>(self) -> Pack {
        let mut at: [V; 8] = std::array::from_fn(|i| V::splat(0.1 * i as f64));
        let mut sum = V::splat(0.0);
        for _ in 0..self.0 {
            for value in &mut at {
                *value = value.add(V::splat(1e-4));
                sum = sum.add(value.exp2_neg());
            }
        }
        let mut out = Pack::ZERO;
        sum.store(&mut out);
        out
    }
}

/// Eight independent multiply-adds a round.
struct MultiplyAdds(usize);

impl Task for MultiplyAdds {
    type Output = Pack;

    #[inline(always)]
    fn run<V: Lanes>(self) -> Pack {
        let mut sums: [V; 8] = std::array::from_fn(|i| V::splat(i as f64));
        let (a, b) = (V::splat(0.999), V::splat(1e-3));
        for _ in 0..self.0 {
            for sum in &mut sums {
                *sum = sum.mul_add(a, b);
            }
        }
        let mut out = Pack::ZERO;
        let total = sums.into_iter().reduce(|a, b| a.add(b));
        total.unwrap_or(a).store(&mut out);
        out
    }
}

/// Local predictions on one thread and on two.
pub(crate) fn threads(spec: &Value) -> Result<Value, Failure> {
    let split = split(spec["set"].as_str().ok_or("`set` names a data set")?, 0)?;
    let options = LocalOptions { neighbours: number(spec, "k", 60), ..LocalOptions::default() };
    let model = LocalSsgpVb::condition(&split.x, &split.y, &options)?;
    let time = |threads: usize| -> Result<f64, Failure> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(pool.install(|| fastest(3, || drop(black_box(model.predict(&split.x_new, &()).ok())))))
    };
    let (one, two) = (time(1)?, time(2)?);
    let queries = split.x_new.nrows();
    Ok(json!({"queries": queries, "one_s": one, "two_s": two, "speedup": one / two}))
}
