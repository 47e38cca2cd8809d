//! Pass 2: the gradient of the expected log-likelihood in q(λ).

use std::ops::Range;

use kernels::simd::{Lanes, Pack, Simd, Task};
use ndarray::{Array1, Array2, ArrayRef1};

use super::features::{Features, Lambda};
use super::pair::{Angles, Pair};
use super::{quarters, shards};
use crate::points::Points;

/// The gradient of y'E(Z)μ_α − ½⟨E(Z'Z), M⟩ in the mean `[D]` and the covariance `[D, D]` of q(λ).
///
/// `y` in packs, `weights` μ_α `[2M]`, `moment` M `[2M, 2M]`. With
///
/// ```text
/// W± , V, K = W⁺ − W⁻ of each point and pair, see the mathematics of the book,
/// u_r = y (B_r E sin… − A_r E sin_r) − ½ Σ_l V_rl,   k_r = −½ y (A_r E cos_r + B_r E sin_r) + ¼ Σ_l (W⁻ + W⁺)_rl
/// d/dμ = Σ_i x_i ∘ S'u_i,   d/dΣ = Σ_i x_i x_i' ∘ S'(diag k_i + ¼ K_i) S
/// ```
///
/// Costs N M(M + 1) exponentials and N M²(1.5 D + 22) multiply-adds.
pub(crate) fn lambda_gradient(
    lambda: &Lambda,
    points: &Points,
    y: &[Pack],
    weights: &ArrayRef1<f64>,
    moment: &Array2<f64>,
) -> (Array1<f64>, Array2<f64>) {
    let d = lambda.d;
    let coefficients: Vec<[f64; 4]> = quarters(moment).into_iter().map(signed).collect();
    let weights: Vec<f64> = weights.to_vec();
    let sums = shards(points.groups()).reduce(
        |groups| {
            let (coefficients, weights) = (&coefficients[..], &weights[..]);
            Simd::detect().run(Gradient { lambda, points, y, weights, coefficients, groups })
        },
        |mut sum, part| {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            sum
        },
    );
    let sums = sums.unwrap_or_else(|| vec![0.0; d + d * d]);
    let mean = sums[..d].iter().copied().collect();
    let lower = |j: usize, k: usize| sums[d + j.max(k) * d + j.min(k)];
    (mean, Array2::from_shape_fn((d, d), |(j, k)| lower(j, k)))
}

/// P⁻ = Mcc + Mss, P⁺ = Mcc − Mss, Q⁺ = Mcs + Msc, Q⁻ = Msc − Mcs of a pair.
pub(super) fn signed([cc, ss, cs, sc]: [f64; 4]) -> [f64; 4] {
    [cc + ss, cc - ss, cs + sc, sc - cs]
}

struct Gradient<'a> {
    lambda: &'a Lambda,
    points: &'a Points,
    y: &'a [Pack],
    weights: &'a [f64],
    coefficients: &'a [[f64; 4]],
    groups: Range<usize>,
}

/// What one group of points leaves behind before the products.
struct Scratch {
    /// K `[M, M]`.
    k: Vec<Pack>,
    /// Row sums of V and of W⁻ + W⁺, `[M]`.
    v: Vec<Pack>,
    w: Vec<Pack>,
    /// A row of K S `[D]`, and S'(diag k + ¼ K)S `[D, D]`, lower triangle.
    row: Vec<Pack>,
    square: Vec<Pack>,
    /// S'u `[D]`.
    linear: Vec<Pack>,
}

impl Task for Gradient<'_> {
    /// d/dμ, then d/dΣ row by row (lower triangle).
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<V: Lanes>(self) -> Vec<f64> {
        let (m, d) = (self.lambda.m, self.lambda.d);
        let room = |length: usize| vec![Pack::ZERO; length];
        let mut scratch = Scratch {
            k: room(m * m),
            v: room(m),
            w: room(m),
            row: room(d),
            square: room(d * d),
            linear: room(d),
        };
        let mut features = Features::new(self.lambda, 1);
        let mut sums = room(d + d * d);
        for group in self.groups.clone() {
            features.fill::<V>(self.lambda, self.points, group..group + 1);
            if features.near {
                scratch.pairs::<V, true>(&features, self.coefficients);
            } else {
                scratch.pairs::<V, false>(&features, self.coefficients);
            }
            scratch.products::<V>(&self, &features, &self.y[group]);
            scratch.add_to::<V>(self.points.group(group), &mut sums);
        }
        sums.iter().map(Pack::sum).collect()
    }
}

impl Scratch {
    /// K and the row sums.
    #[inline(always)]
    fn pairs<V: Lanes, const NEARBY: bool>(
        &mut self,
        features: &Features,
        coefficients: &[[f64; 4]],
    ) {
        let m = features.m;
        self.v.fill(Pack::ZERO);
        self.w.fill(Pack::ZERO);
        for r in 0..m {
            let own = Terms::<V>::new::<NEARBY>(features, r, r, &coefficients[r * m + r]);
            own.minus.store(&mut self.k[r * m + r]);
            let mut v = V::load(&self.v[r]).add(own.even);
            let mut w = V::load(&self.w[r]).add(own.plus);
            for l in r + 1..m {
                let terms = Terms::<V>::new::<NEARBY>(features, r, l, &coefficients[r * m + l]);
                terms.minus.store(&mut self.k[r * m + l]);
                terms.minus.store(&mut self.k[l * m + r]);
                v = v.add(terms.odd.add(terms.even));
                w = w.add(terms.plus);
                V::load(&self.v[l]).add(terms.even.sub(terms.odd)).store(&mut self.v[l]);
                V::load(&self.w[l]).add(terms.plus).store(&mut self.w[l]);
            }
            v.store(&mut self.v[r]);
            w.store(&mut self.w[r]);
        }
    }

    /// S'u and S'(diag k + ¼ K)S.
    #[inline(always)]
    fn products<V: Lanes>(&mut self, pass: &Gradient<'_>, features: &Features, y: &Pack) {
        let (m, d) = (features.m, features.d);
        self.linear.fill(Pack::ZERO);
        self.square.fill(Pack::ZERO);
        let y = V::load(y);
        for r in 0..m {
            let frequency = pass.lambda.frequency(r);
            let (a, b) = (V::splat(pass.weights[r]), V::splat(pass.weights[m + r]));
            let (cos, sin) = (V::load(&features.mean_cos[r]), V::load(&features.mean_sin[r]));
            let (v, w) = (V::load(&self.v[r]), V::load(&self.w[r]));
            let slope = b.mul(cos).sub(a.mul(sin));
            let value = a.mul(cos).mul_add(V::splat(1.0), b.mul(sin));
            let u = y.mul(slope).sub(v.mul(V::splat(0.5)));
            let k = w.mul(V::splat(0.25)).sub(y.mul(value).mul(V::splat(0.5)));
            row_times::<V>(&self.k[r * m..(r + 1) * m], &pass.lambda.frequencies, &mut self.row);
            for (row, s) in self.row.iter_mut().zip(frequency) {
                V::load(row).mul_add(V::splat(0.25), k.mul(V::splat(*s))).store(row);
            }
            for (j, s) in frequency.iter().enumerate() {
                let s = V::splat(*s);
                u.mul_add(s, V::load(&self.linear[j])).store(&mut self.linear[j]);
                let square = &mut self.square[j * d..=j * d + j];
                for (square, row) in square.iter_mut().zip(&self.row) {
                    V::load(row).mul_add(s, V::load(square)).store(square);
                }
            }
        }
    }

    /// x ∘ S'u and xx' ∘ S'(diag k + ¼ K)S.
    #[inline(always)]
    fn add_to<V: Lanes>(&self, x: &[Pack], sums: &mut [Pack]) {
        let d = x.len();
        let (mean, covariance) = sums.split_at_mut(d);
        for j in 0..d {
            let own = V::load(&x[j]);
            own.mul_add(V::load(&self.linear[j]), V::load(&mean[j])).store(&mut mean[j]);
            for (k, other) in x[..=j].iter().enumerate() {
                let (at, both) = (j * d + k, own.mul(V::load(other)));
                let sum = both.mul_add(V::load(&self.square[at]), V::load(&covariance[at]));
                sum.store(&mut covariance[at]);
            }
        }
    }
}

/// W⁻ + W⁺, W⁺ − W⁻, and V in the part that changes its sign with the order of the pair and the
/// part that does not.
struct Terms<V> {
    plus: V,
    minus: V,
    odd: V,
    even: V,
}

impl<V: Lanes> Terms<V> {
    #[inline(always)]
    fn new<const NEARBY: bool>(
        features: &Features,
        r: usize,
        l: usize,
        coefficients: &[f64; 4],
    ) -> Self {
        let pair = Pair::<V>::new::<NEARBY>(features, r, l, 0);
        let angles = Angles::<V>::new::<NEARBY>(features, r, l, 0);
        let [p_minus, p_plus, q_plus, q_minus] = coefficients.map(V::splat);
        let (minus, plus) = (pair.minus.add(pair.weight), pair.plus.add(pair.weight));
        let Angles { cos_minus, sin_minus, cos_plus, sin_plus } = angles;
        let w_minus = minus.mul(p_minus.mul_add(cos_minus, q_minus.mul(sin_minus)));
        let w_plus = plus.mul(p_plus.mul_add(cos_plus, q_plus.mul(sin_plus)));
        Self {
            plus: w_plus.add(w_minus),
            minus: w_plus.sub(w_minus),
            odd: minus.mul(q_minus.mul(cos_minus).sub(p_minus.mul(sin_minus))),
            even: plus.mul(q_plus.mul(cos_plus).sub(p_plus.mul(sin_plus))),
        }
    }
}

/// `out` = Σ_l `row`_l s_l, as many columns at a time as registers hold.
#[inline(always)]
fn row_times<V: Lanes>(row: &[Pack], frequencies: &[f64], out: &mut [Pack]) {
    let d = out.len();
    let mut first = 0;
    while first < d {
        let width = if d - first > 10 { 8 } else { d - first };
        let target = &mut out[first..first + width];
        let from = &frequencies[first..];
        match width {
            1 => columns::<V, 1>(row, from, d, target),
            2 => columns::<V, 2>(row, from, d, target),
            3 => columns::<V, 3>(row, from, d, target),
            4 => columns::<V, 4>(row, from, d, target),
            5 => columns::<V, 5>(row, from, d, target),
            6 => columns::<V, 6>(row, from, d, target),
            7 => columns::<V, 7>(row, from, d, target),
            8 => columns::<V, 8>(row, from, d, target),
            9 => columns::<V, 9>(row, from, d, target),
            _ => columns::<V, 10>(row, from, d, target),
        }
        first += width;
    }
}

#[inline(always)]
fn columns<V: Lanes, const J: usize>(row: &[Pack], from: &[f64], d: usize, out: &mut [Pack]) {
    let mut sums = [V::splat(0.0); J];
    for (l, k) in row.iter().enumerate() {
        let k = V::load(k);
        let frequency = &from[l * d..l * d + J];
        for j in 0..J {
            sums[j] = k.mul_add(V::splat(frequency[j]), sums[j]);
        }
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        sum.store(out);
    }
}
