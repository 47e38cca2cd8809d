//! Pass 1: E(Z) and the sum over points of Cov(Z).

use std::ops::Range;

use kernels::simd::{LANES, Lanes, Simd, Task};
use ndarray::{Array2, s};

use super::features::{Features, Lambda};
use super::pair::{Beside, TILE, tile_mut};
use super::{blocks, shards};
use crate::points::Points;

/// Groups whose features are in memory at a time.
const BLOCK: usize = 8;

/// E(Z) `[N, 2M]` and Σᵢ Cov(Zᵢ) `[2M, 2M]` over q(λ).
///
/// ```text
/// C∓ = w_r w_l (e^(±c) − 1) cos(a_r ∓ a_l),   S∓ the same with sines
/// Cov(cos_r, cos_l) = ½ (C⁻ + C⁺),   Cov(sin_r, sin_l) = ½ (C⁻ − C⁺),   Cov(cos_r, sin_l) = ½ (S⁺ − S⁻)
/// ```
///
/// Costs N M(M + 1) exponentials and N M²(D + 10)/2 multiply-adds.
pub(crate) fn covariance_sum(lambda: &Lambda, points: &Points) -> (Array2<f64>, Array2<f64>) {
    let m = lambda.m;
    let partials = shards(points.groups())
        .map(|groups| Simd::detect().run(Covariance { lambda, points, groups }));
    let mut mean = Array2::zeros((points.n, 2 * m));
    let mut sums = vec![[0.0; 4]; m * m];
    let mut row = 0;
    for (rows, partial) in partials {
        mean.slice_mut(s![row..row + rows.nrows(), ..]).assign(&rows);
        row += rows.nrows();
        for (sum, part) in sums.iter_mut().flatten().zip(partial.iter().flatten()) {
            *sum += part;
        }
    }
    (mean, assembled(&sums, m))
}

/// The symmetric matrix from, for each pair r ≤ l at l M + r, the sums for differences (cos, sin) and for sums
/// of angles (cos, sin).
fn assembled(sums: &[[f64; 4]], m: usize) -> Array2<f64> {
    let mut matrix = Array2::zeros((2 * m, 2 * m));
    for r in 0..m {
        for l in r..m {
            let [cos_minus, sin_minus, cos_plus, sin_plus] = sums[l * m + r].map(|sum| 0.5 * sum);
            let (cc, ss) = (cos_minus + cos_plus, cos_minus - cos_plus);
            let (cs, sc) = (sin_plus - sin_minus, sin_plus + sin_minus);
            for (row, column, value) in
                [(r, l, cc), (m + r, m + l, ss), (r, m + l, cs), (l, m + r, sc)]
            {
                matrix[[row, column]] = value;
                matrix[[column, row]] = value;
            }
        }
    }
    matrix
}

struct Covariance<'a> {
    lambda: &'a Lambda,
    points: &'a Points,
    groups: Range<usize>,
}

impl Task for Covariance<'_> {
    type Output = (Array2<f64>, Vec<[f64; 4]>);

    #[inline(always)]
    fn run<V: Lanes>(self) -> Self::Output {
        let m = self.lambda.m;
        let mut features = Features::new(self.lambda, BLOCK.min(self.groups.len()));
        let first = self.groups.start * LANES;
        let n = (self.groups.end * LANES).min(self.points.n) - first;
        let mut mean = Array2::zeros((n, 2 * m));
        let mut sums = vec![[0.0; 4]; m * m];
        for block in blocks(self.groups, BLOCK) {
            let row = block.start * LANES - first;
            features.fill::<V>(self.lambda, self.points, block);
            write_means(&features, row, &mut mean);
            if features.near {
                add_pairs::<V, true>(&features, &mut sums);
            } else {
                add_pairs::<V, false>(&features, &mut sums);
            }
        }
        (mean, sums)
    }
}

fn write_means(features: &Features, row: usize, mean: &mut Array2<f64>) {
    let m = features.m;
    for (i, mut row) in mean.outer_iter_mut().skip(row).take(features.groups * LANES).enumerate() {
        let group = &features.mean[i / LANES * m..(i / LANES + 1) * m];
        for (r, [cos, sin]) in group.iter().enumerate() {
            row[r] = cos.0[i % LANES];
            row[m + r] = sin.0[i % LANES];
        }
    }
}

/// Sums over the groups of the block, for each pair r ≤ l: a tile of r stays in the nearest memory
/// while l walks by.
#[inline(always)]
fn add_pairs<V: Lanes, const NEARBY: bool>(features: &Features, sums: &mut [[f64; 4]]) {
    for first in (0..features.m).step_by(TILE) {
        for l in first..features.m {
            match TILE.min(l + 1 - first) {
                1 => add_tile::<V, NEARBY, 1>(features, first, l, sums),
                2 => add_tile::<V, NEARBY, 2>(features, first, l, sums),
                3 => add_tile::<V, NEARBY, 3>(features, first, l, sums),
                _ => add_tile::<V, NEARBY, TILE>(features, first, l, sums),
            }
        }
    }
}

/// The pairs of the `W` spectral points from `first` on with l.
#[inline(always)]
fn add_tile<V: Lanes, const NEARBY: bool, const W: usize>(
    features: &Features,
    first: usize,
    l: usize,
    sums: &mut [[f64; 4]],
) {
    let mut totals = [[V::splat(0.0); 4]; W];
    for b in 0..features.groups {
        let row = Beside::<V, W>::new::<NEARBY>(features, (first, l, b));
        for (i, total) in totals.iter_mut().enumerate() {
            let (pair, angles) = row.pair::<NEARBY>(i);
            total[0] = pair.minus.mul_add(angles.cos_minus, total[0]);
            total[1] = pair.minus.mul_add(angles.sin_minus, total[1]);
            total[2] = pair.plus.mul_add(angles.cos_plus, total[2]);
            total[3] = pair.plus.mul_add(angles.sin_plus, total[3]);
        }
    }
    let sums = tile_mut::<_, W>(sums, l * features.m + first);
    for (sum, total) in sums.iter_mut().flatten().zip(totals.as_flattened()) {
        *sum += total.sum();
    }
}
