//! Pass 3: what predictions need of E(Z) and Cov(Z).

use std::ops::Range;

use kernels::simd::{LANES, Lanes, Pack, Simd, Task};
use ndarray::{Array1, Array2, ArrayRef2};

use super::features::{Features, Lambda};
use super::pair::{Beside, TILE, tile};
use super::{quarters, shards, signed_pairs};
use crate::gaussian::Gaussian;
use crate::points::Points;

/// E(Z) `[T, 2M]`; costs T M exponentials.
pub(crate) fn means(lambda: &Lambda, points: &Points) -> Array2<f64> {
    let parts = shards(points.groups(), lambda.m)
        .map(|groups| Simd::detect().run(Means { lambda, points, groups }));
    let m = lambda.m;
    let mut rows = Array2::zeros((points.n, 2 * m));
    for (index, features) in parts.into_iter().flatten().enumerate() {
        for i in 0..LANES.min(points.n - index * LANES) {
            for (r, [cos, sin]) in features.iter().enumerate() {
                rows[[index * LANES + i, r]] = cos.0[i];
                rows[[index * LANES + i, m + r]] = sin.0[i];
            }
        }
    }
    rows
}

struct Means<'a> {
    lambda: &'a Lambda,
    points: &'a Points,
    groups: Range<usize>,
}

impl Task for Means<'_> {
    /// For each group the means of all features.
    type Output = Vec<Vec<[Pack; 2]>>;

    #[inline(always)]
    fn run<V: Lanes>(self) -> Self::Output {
        let mut features = Features::new(self.lambda, 1);
        let mut rows = Vec::with_capacity(self.groups.len());
        for group in self.groups {
            features.fill::<V>(self.lambda, self.points, group..group + 1);
            rows.push(features.mean.clone());
        }
        rows
    }
}

/// ⟨Cov(Z_t), M⟩ of each point `[T]`; costs T M(M + 1) exponentials.
pub(crate) fn variances(lambda: &Lambda, points: &Points, moment: &Array2<f64>) -> Array1<f64> {
    let coefficients = signed_pairs(moment);
    let parts = shards(points.groups(), lambda.m).map(|groups| {
        Simd::detect().run(Quadratic { lambda, points, coefficients: &coefficients, groups })
    });
    parts.into_iter().flatten().take(points.n).collect()
}

struct Quadratic<'a> {
    lambda: &'a Lambda,
    points: &'a Points,
    coefficients: &'a [[f64; 4]],
    groups: Range<usize>,
}

impl Task for Quadratic<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<V: Lanes>(self) -> Vec<f64> {
        let mut features = Features::new(self.lambda, 1);
        let mut values = Vec::with_capacity(self.groups.len() * LANES);
        for group in self.groups {
            features.fill::<V>(self.lambda, self.points, group..group + 1);
            let mut sum = Pack::ZERO;
            if features.near {
                group_sum::<V, true>(&features, self.coefficients).store(&mut sum);
            } else {
                group_sum::<V, false>(&features, self.coefficients).store(&mut sum);
            }
            values.extend(sum.0);
        }
        values
    }
}

/// ½ Σ over r and l of the pairs' terms; off the diagonal each pair stands for two.
#[inline(always)]
fn group_sum<V: Lanes, const NEARBY: bool>(features: &Features, coefficients: &[[f64; 4]]) -> V {
    let (m, half) = (features.m, V::splat(0.5));
    let mut sum = V::splat(0.0);
    for first in (0..m).step_by(TILE) {
        for l in first..m {
            let sums = match TILE.min(l - first) {
                0 => V::splat(0.0),
                1 => tile_sum::<V, NEARBY, 1>(features, first, l, coefficients),
                2 => tile_sum::<V, NEARBY, 2>(features, first, l, coefficients),
                3 => tile_sum::<V, NEARBY, 3>(features, first, l, coefficients),
                _ => tile_sum::<V, NEARBY, TILE>(features, first, l, coefficients),
            };
            sum = sum.add(sums);
        }
    }
    for r in 0..m {
        sum = tile_sum::<V, NEARBY, 1>(features, r, r, coefficients).mul_add(half, sum);
    }
    sum
}

/// The terms of the `W` spectral points from `first` on with l.
#[inline(always)]
fn tile_sum<V: Lanes, const NEARBY: bool, const W: usize>(
    features: &Features,
    first: usize,
    l: usize,
    coefficients: &[[f64; 4]],
) -> V {
    let coefficients = tile::<_, W>(coefficients, l * features.m + first);
    let mut sum = V::splat(0.0);
    let row = Beside::<V, W>::new::<NEARBY>(features, (first, l, 0));
    for (i, coefficients) in coefficients.iter().enumerate() {
        let (pair, angles) = (&row.pairs[i], row.angles(i));
        let [p_minus, p_plus, q_plus, q_minus] = coefficients.map(V::splat);
        let minus = p_minus.mul_add(angles.cos_minus, q_minus.mul(angles.sin_minus));
        let plus = p_plus.mul_add(angles.cos_plus, q_plus.mul(angles.sin_plus));
        sum = pair.minus.mul_add(minus, pair.plus.mul_add(plus, sum));
    }
    sum
}

/// ⟨Cov(Z(a), Z(b)), M⟩ for each pair of rows of `x`, over q(λ);
/// `[T, T]`. One pair of rows costs M² D; it is for joint predictions at a few points.
pub(crate) fn joint_covariance(
    frequencies: &ArrayRef2<f64>,
    lambda: &Gaussian,
    x: &ArrayRef2<f64>,
    moment: &Array2<f64>,
) -> Array2<f64> {
    let quarters = quarters(moment);
    let rows: Vec<Row> = (0..x.nrows()).map(|i| Row::new(frequencies, lambda, x, i)).collect();
    let mut joint = Array2::zeros((x.nrows(), x.nrows()));
    for i in 0..x.nrows() {
        for j in 0..=i {
            let value = Row::covariance(&rows[i], &rows[j], &quarters);
            joint[[i, j]] = value;
            joint[[j, i]] = value;
        }
    }
    joint
}

/// The angles of one row: t `[M][D]`, Σt, and variance and angle of each.
struct Row {
    t: Vec<Vec<f64>>,
    sigma_t: Vec<Vec<f64>>,
    variance: Vec<f64>,
    angle: Vec<f64>,
}

impl Row {
    fn new(frequencies: &ArrayRef2<f64>, lambda: &Gaussian, x: &ArrayRef2<f64>, i: usize) -> Self {
        let Gaussian { mean, covariance } = lambda;
        let scaled = |s: ndarray::ArrayView1<'_, f64>| (&s * &x.row(i)).to_vec();
        let t: Vec<Vec<f64>> = frequencies.outer_iter().map(scaled).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let times = |t: &Vec<f64>| -> Vec<f64> {
            covariance.outer_iter().map(|row| row.iter().zip(t).map(|(a, b)| a * b).sum()).collect()
        };
        let sigma_t: Vec<Vec<f64>> = t.iter().map(times).collect();
        let variance = t.iter().zip(&sigma_t).map(|(t, sigma)| dot(t, sigma)).collect();
        let angle = t.iter().map(|t| t.iter().zip(mean).map(|(t, m)| t * m).sum()).collect();
        Self { t, sigma_t, variance, angle }
    }

    fn covariance(left: &Self, right: &Self, quarters: &[[f64; 4]]) -> f64 {
        let m = left.t.len();
        let mut sum = 0.0;
        for r in 0..m {
            let (sin_r, cos_r) = left.angle[r].sin_cos();
            for l in 0..m {
                let (sin_l, cos_l) = right.angle[l].sin_cos();
                let c: f64 = left.t[r].iter().zip(&right.sigma_t[l]).map(|(a, b)| a * b).sum();
                let large =
                    (-0.5 * (left.variance[r] + right.variance[l]) + c.abs()).min(0.0).exp();
                let lost = -(-c.abs()).exp_m1();
                let excess = 0.5 * large * lost * lost;
                let cross = (0.5 * large * lost * (2.0 - lost)).copysign(c);
                let [m_cc, m_ss, m_cs, m_sc] = quarters[r * m + l];
                let (cc, ss) = (cos_r * cos_l, sin_r * sin_l);
                let (cs, sc) = (cos_r * sin_l, sin_r * cos_l);
                sum += excess * (cc * m_cc + ss * m_ss + cs * m_cs + sc * m_sc);
                sum += cross * (ss * m_cc + cc * m_ss - sc * m_cs - cs * m_sc);
            }
        }
        sum
    }
}
