//! What holds for every data set.

use crate::support::{data, near, near_all};
use kernels::Spectrum;
use ndarray::Array1;
use proptest::prelude::*;
use ssgp_vb::{
    Algorithm, Factors, FitOptions, Gaussian, Priors, Run, Sampling, ScaleFactor, SparseSpectrum,
    Start, Status, draw_frequencies,
};

fn problem(n: usize, d: usize, m: usize, seed: u64) -> SparseSpectrum {
    let (x, y) = data(n, d);
    let s = draw_frequencies(Spectrum::default(), Sampling::Random, m, d, seed);
    let y = &y - y.mean().unwrap();
    SparseSpectrum::new(&x, &y, &s, &Priors::default()).unwrap()
}

fn run(problem: &SparseSpectrum, algorithm: Algorithm, max_cycles: usize) -> Run {
    let options = FitOptions { algorithm, max_cycles, ..FitOptions::default() };
    problem.run(&Start::Isotropic { mean: 0.5, variance: 0.05 }, &options, &mut ()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn accepted_bounds_never_fall(n in 2..60_usize, d in 1..4_usize, m in 1..8_usize, seed in 0..99_u64) {
        let run = run(&problem(n, d, m, seed), Algorithm::Adaptive, 60);
        prop_assert!(run.is_monotone());
        prop_assert!(run.bound.is_finite());
    }

    /// The simplified bound of a cycle is the general one there.
    #[test]
    fn the_bound_of_a_run_is_that_of_its_factors(n in 2..40_usize, d in 1..4_usize, m in 1..6_usize, seed in 0..99_u64) {
        let problem = problem(n, d, m, seed);
        for algorithm in [Algorithm::Plain, Algorithm::Adaptive] {
            let run = run(&problem, algorithm, 15);
            let bound = problem.bound(&run.factors).unwrap();
            prop_assert!((bound - run.bound).abs() <= 1e-8 * (1.0 + bound.abs()), "{bound} {}", run.bound);
        }
    }

    /// q(α) and the scales are coordinate optima: moving any of them lowers the bound.
    #[test]
    fn conjugate_updates_are_optimal(n in 3..30_usize, m in 1..5_usize, seed in 0..99_u64, factor in 0.9..1.1_f64) {
        let problem = problem(n, 2, m, seed);
        let run = run(&problem, Algorithm::Adaptive, 5);
        let worse = |factors: Factors| problem.bound(&factors).unwrap() <= run.bound + 1e-9 * run.bound.abs();
        let moved = Factors { c_sigma: run.factors.c_sigma * factor, ..run.factors.clone() };
        prop_assert!(worse(moved));
        let moved = Factors { c_gamma: run.factors.c_gamma * factor, ..run.factors.clone() };
        prop_assert!(worse(moved));
    }

    #[test]
    fn moments_of_scales_lie_between_those_of_gamma_laws(p in -1.0..1e6_f64, q in -10.0..6.0_f64, r in -8.0..8.0_f64) {
        let (q, r, a) = (10f64.powf(q), 10f64.powf(r), 0.5 * (p + 3.0));
        let found = ScaleFactor::new(p, q, r).unwrap();
        let slack = 1e-12;
        prop_assert!(found.inverse_square * q >= (a - 1.0) * (1.0 - slack));
        prop_assert!(found.inverse_square * q <= a * (1.0 + slack));
        prop_assert!(found.square * found.inverse_square >= 1.0 - slack, "Jensen");
        prop_assert!(found.log_h.is_finite());
    }
}

#[test]
fn the_adaptive_algorithm_needs_fewer_cycles_on_ten_seeds() {
    let (mut plain, mut adaptive) = (0, 0);
    for seed in 0..10 {
        let problem = problem(80, 2, 8, seed);
        plain += run(&problem, Algorithm::Plain, 2000).cycles;
        adaptive += run(&problem, Algorithm::Adaptive, 2000).cycles;
    }
    assert!(plain > 3 * adaptive / 2, "{plain} against {adaptive}");
}

/// Where all exponents are far below zero the passes change their arithmetic; results do not.
#[test]
fn expectations_of_wide_posteriors_agree_with_sums_of_angles() {
    let (x, y) = data(9, 2);
    let s = draw_frequencies(Spectrum::default(), Sampling::Random, 3, 2, 4);
    let problem = SparseSpectrum::new(&(&x * 9.0), &y, &s, &Priors::default()).unwrap();
    for variance in [0.3, 40.0] {
        let lambda = Gaussian::isotropic(2, 0.7, variance);
        let found = problem.expectations(&lambda).unwrap();
        let expected = |combination: &dyn Fn(usize) -> Array1<f64>| -> (f64, f64) {
            (0..9).fold((0.0, 0.0), |(cos, sin), i| {
                let t = combination(i);
                let angle = 0.7 * t.sum();
                let weight = (-0.5 * variance * t.mapv(|t| t * t).sum()).exp();
                (cos + weight * angle.cos(), sin + weight * angle.sin())
            })
        };
        let t = |i: usize, r: usize| &s.row(r) * &(&x.row(i) * 9.0);
        for r in 0..3 {
            for l in 0..3 {
                let minus = expected(&|i| t(i, r) - t(i, l));
                let plus = expected(&|i| t(i, r) + t(i, l));
                let at = |a: usize, b: usize| found.second_moment[[a, b]];
                near("cos cos", at(r, l), 0.5 * (minus.0 + plus.0), 1e-12);
                near("sin sin", at(3 + r, 3 + l), 0.5 * (minus.0 - plus.0), 1e-12);
                near("cos sin", at(r, 3 + l), 0.5 * (plus.1 - minus.1), 1e-12);
            }
        }
    }
}

#[test]
fn results_have_the_same_bits_for_any_number_of_threads() {
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let run = run(&problem(700, 3, 12, 1), Algorithm::Adaptive, 12);
            let numbers = run.factors.lambda.covariance.iter().chain(&run.factors.alpha.mean);
            numbers.map(|value| value.to_bits()).collect::<Vec<_>>()
        })
    };
    assert_eq!(bits(1), bits(2));
    assert_eq!(bits(1), bits(5));
}

#[test]
fn a_run_goes_on_from_its_factors() {
    let problem = problem(50, 2, 6, 3);
    let first = run(&problem, Algorithm::Adaptive, 10);
    let start = Start::Factors(Box::new(first.factors.clone()));
    let options = FitOptions { tolerance: 1e-10, max_cycles: 2000, ..FitOptions::default() };
    let second = problem.run(&start, &options, &mut ()).unwrap();
    near("bound at the start", second.trace[0].bound, first.bound, 1e-9 * first.bound.abs());
    assert!(second.bound >= first.bound && second.status == Status::Converged);
    let whole =
        problem.run(&Start::Isotropic { mean: 0.5, variance: 0.05 }, &options, &mut ()).unwrap();
    near_all("μ", &second.factors.lambda.mean, &whole.factors.lambda.mean, 1e-2);
}
