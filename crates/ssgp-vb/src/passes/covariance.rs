//! Pass 1: E(Z) and the sum over points of Cov(Z).

use std::ops::Range;

use kernels::simd::{LANES, Lanes, Pack, Simd, Task};
use ndarray::{Array2, s};

use super::features::{Features, Lambda};
use super::pair::{Pair, products};
use super::{blocks, shards};
use crate::points::Points;

/// Groups whose features are in memory at a time.
const BLOCK: usize = 8;

/// E(Z) `[N, 2M]` and Σᵢ Cov(Zᵢ) `[2M, 2M]` over q(λ).
///
/// ```text
/// Cov(cos_r, cos_l) = excess cos_r cos_l + cross sin_r sin_l
/// Cov(sin_r, sin_l) = excess sin_r sin_l + cross cos_r cos_l
/// Cov(cos_r, sin_l) = excess cos_r sin_l − cross sin_r cos_l
/// ```
///
/// Costs N M(M + 1) exponentials and N M²(D + 14)/2 multiply-adds.
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

/// The symmetric matrix from the quarters of its pairs r ≤ l.
fn assembled(sums: &[[f64; 4]], m: usize) -> Array2<f64> {
    let mut matrix = Array2::zeros((2 * m, 2 * m));
    for r in 0..m {
        for l in r..m {
            let [cc, ss, cs, sc] = sums[r * m + l];
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
            add_pairs::<V>(&features, &mut sums);
        }
        (mean, sums)
    }
}

fn write_means(features: &Features, row: usize, mean: &mut Array2<f64>) {
    let (m, groups) = (features.m, features.groups);
    let rows = mean.nrows().min(row + groups * LANES) - row;
    let columns = |packs: &[Pack], r: usize, i: usize| packs[r * groups + i / LANES].0[i % LANES];
    for i in 0..rows {
        for r in 0..m {
            mean[[row + i, r]] = columns(&features.mean_cos, r, i);
            mean[[row + i, m + r]] = columns(&features.mean_sin, r, i);
        }
    }
}

#[inline(always)]
fn add_pairs<V: Lanes>(features: &Features, sums: &mut [[f64; 4]]) {
    let m = features.m;
    for r in 0..m {
        for l in r..m {
            let mut total = [V::splat(0.0); 4];
            for b in 0..features.groups {
                add_pair::<V>(features, r, l, b, &mut total);
            }
            for (sum, total) in sums[r * m + l].iter_mut().zip(total) {
                *sum += total.sum();
            }
        }
    }
}

#[inline(always)]
fn add_pair<V: Lanes>(features: &Features, r: usize, l: usize, b: usize, total: &mut [V; 4]) {
    let (at_r, at_l) = (r * features.groups + b, l * features.groups + b);
    let both = |at: usize| (V::load(&features.cos[at]), V::load(&features.sin[at]));
    let halves = V::load(&features.half[at_r]).add(V::load(&features.half[at_l]));
    let pair = Pair::<V>::new(features.g(r, b), features.g(l, b), halves);
    let [cc, ss, cs, sc] = products(both(at_r), both(at_l));
    let minus = V::splat(0.0).sub(pair.cross);
    total[0] = pair.excess.mul_add(cc, pair.cross.mul_add(ss, total[0]));
    total[1] = pair.excess.mul_add(ss, pair.cross.mul_add(cc, total[1]));
    total[2] = pair.excess.mul_add(cs, minus.mul_add(sc, total[2]));
    total[3] = pair.excess.mul_add(sc, minus.mul_add(cs, total[3]));
}
