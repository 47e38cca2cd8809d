//! Pass 1: E(Z), and sums over points of Cov(Z) and of products of E(Z).

use std::ops::Range;
use std::slice::IterMut;

use kernels::simd::{LANES, Lanes, Pack, Simd, Task};
use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::features::{Features, Lambda};
use super::kept::{Kept, Shard};
use super::pair::{Beside, TILE, tile, tile_mut};
use super::{blocks, grow, shards};
use crate::points::Points;

/// Groups whose features are in memory at a time: with 10 spectral points, what the nearest cache holds.
pub(super) const BLOCK: usize = 4;

/// Sums over points of what a cycle needs of the features.
pub(crate) struct Sums {
    /// Σᵢ Cov(Zᵢ) `[2M, 2M]`.
    pub(crate) covariance: Array2<f64>,
    /// E(Z)'E(Z) `[2M, 2M]`.
    pub(crate) products: Array2<f64>,
    /// E(Z)'y `[2M]`.
    pub(crate) cross: Array1<f64>,
}

/// Σᵢ Cov(Zᵢ), E(Z)'E(Z) and E(Z)'y over q(λ), `y` in packs; E(Z) itself is in `kept`.
///
/// ```text
/// C∓ = w_r w_l (e^(±c) − 1) cos(a_r ∓ a_l),   S∓ the same with sines
/// Cov(cos_r, cos_l) = ½ (C⁻ + C⁺),   Cov(sin_r, sin_l) = ½ (C⁻ − C⁺),   Cov(cos_r, sin_l) = ½ (S⁺ − S⁻)
/// ```
///
/// Costs N M(M + 1) exponentials and N M²(D + 14)/2 multiply-adds.
pub(crate) fn covariance_sum(
    lambda: &Lambda,
    points: &Points,
    y: &[Pack],
    kept: &mut Kept,
) -> Sums {
    let m = lambda.m;
    let shards = shards(points.groups(), lambda.m);
    let keep = kept.keeps(points.groups(), m);
    kept.fit(shards);
    kept.shards.par_iter_mut().enumerate().with_max_len(1).for_each(|(index, shard)| {
        let groups = shards.rows(index);
        Simd::detect().run(Covariance { lambda, points, y, keep, groups, shard });
    });
    let mut sum = Partial::default();
    sum.clear(m);
    kept.shards.iter().for_each(|shard| sum.add(&shard.sums));
    let cross = (0..2 * m).map(|column| sum.cross[column % m][column / m]).collect();
    let products = symmetric(m, |at| sum.products[at]);
    Sums { covariance: symmetric(m, |at| separated(sum.covariance[at])), products, cross }
}

/// The same sums for each pair r ≤ l at l M + r, and for each spectral point.
#[derive(Debug, Default)]
pub(super) struct Partial {
    /// For differences (cos, sin) and for sums of angles (cos, sin).
    covariance: Vec<[f64; 4]>,
    /// cos–cos, sin–sin, cos_r–sin_l, sin_r–cos_l.
    products: Vec<[f64; 4]>,
    cross: Vec<[f64; 2]>,
}

impl Partial {
    /// Zeros for M spectral points.
    fn clear(&mut self, m: usize) {
        for pairs in [&mut self.covariance, &mut self.products] {
            pairs.clear();
            pairs.resize(m * m, [0.0; 4]);
        }
        self.cross.clear();
        self.cross.resize(m, [0.0; 2]);
    }

    fn add(&mut self, other: &Self) {
        let add = |sums: &mut [f64], parts: &[f64]| {
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        };
        add(self.covariance.as_flattened_mut(), other.covariance.as_flattened());
        add(self.products.as_flattened_mut(), other.products.as_flattened());
        add(self.cross.as_flattened_mut(), other.cross.as_flattened());
    }
}

/// cos–cos, sin–sin, cos_r–sin_l, sin_r–cos_l from differences and sums of angles.
fn separated(sums: [f64; 4]) -> [f64; 4] {
    let [cos_minus, sin_minus, cos_plus, sin_plus] = sums.map(|sum| 0.5 * sum);
    [cos_minus + cos_plus, cos_minus - cos_plus, sin_plus - sin_minus, sin_plus + sin_minus]
}

/// The symmetric matrix `[2M, 2M]` from the entries of each pair r ≤ l at l M + r.
fn symmetric(m: usize, entries: impl Fn(usize) -> [f64; 4]) -> Array2<f64> {
    let mut matrix = Array2::zeros((2 * m, 2 * m));
    for r in 0..m {
        for l in r..m {
            let [cc, ss, cs, sc] = entries(l * m + r);
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
    y: &'a [Pack],
    /// Whether there is room for the exponentials.
    keep: bool,
    groups: Range<usize>,
    shard: &'a mut Shard,
}

impl Task for Covariance<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Shard { means, pairs, recallable, features, sums, .. } = self.shard;
        let (m, mut keep) = (self.lambda.m, self.keep);
        features.fit(self.lambda, BLOCK.min(self.groups.len()));
        sums.clear(m);
        means.clear();
        let of_group = m * (m + 1) / 2;
        grow(pairs, if keep { self.groups.len() * of_group } else { 0 }, [Pack::ZERO; 2]);
        let mut slots = pairs.iter_mut();
        for block in blocks(self.groups, BLOCK) {
            features.fill::<V>(self.lambda, self.points, block.clone());
            // Far pairs have weights besides; one block of them, and the shard is worked out again.
            keep &= features.near;
            let covariance = &mut sums.covariance;
            match (features.near, keep) {
                (true, true) => add_pairs::<V, true, true>(features, covariance, &mut slots),
                (true, false) => add_pairs::<V, true, false>(features, covariance, &mut slots),
                (false, _) => add_pairs::<V, false, false>(features, covariance, &mut slots),
            }
            add_products::<V>(features, &mut sums.products);
            add_cross::<V>(features, &self.y[block], &mut sums.cross);
            means.extend_from_slice(&features.mean[..features.groups * m]);
        }
        *recallable = keep;
    }
}

/// E(Z)'y of the block.
#[inline(always)]
fn add_cross<V: Lanes>(features: &Features, y: &[Pack], sums: &mut [[f64; 2]]) {
    for (r, sums) in sums.iter_mut().enumerate() {
        let mut totals = [V::splat(0.0); 2];
        for (b, y) in y.iter().enumerate() {
            let [cos, sin] = &features.mean[features.at(r, b)];
            totals[0] = V::load(y).mul_add(V::load(cos), totals[0]);
            totals[1] = V::load(y).mul_add(V::load(sin), totals[1]);
        }
        sums.iter_mut().zip(totals).for_each(|(sum, total)| *sum += total.sum());
    }
}

/// E(Z)'E(Z) of the block.
#[inline(always)]
fn add_products<V: Lanes>(features: &Features, sums: &mut [[f64; 4]]) {
    for first in (0..features.m).step_by(TILE) {
        for l in first..features.m {
            match TILE.min(l + 1 - first) {
                1 => add_product_tile::<V, 1>(features, first, l, sums),
                2 => add_product_tile::<V, 2>(features, first, l, sums),
                3 => add_product_tile::<V, 3>(features, first, l, sums),
                _ => add_product_tile::<V, TILE>(features, first, l, sums),
            }
        }
    }
}

#[inline(always)]
fn add_product_tile<V: Lanes, const W: usize>(
    features: &Features,
    first: usize,
    l: usize,
    sums: &mut [[f64; 4]],
) {
    let mut totals = [[V::splat(0.0); 4]; W];
    for b in 0..features.groups {
        let [cos_l, sin_l] = &features.mean[features.at(l, b)];
        let (cos_l, sin_l) = (V::load(cos_l), V::load(sin_l));
        let left = tile::<_, W>(&features.mean, features.at(first, b));
        for (total, [cos_r, sin_r]) in totals.iter_mut().zip(left) {
            let (cos_r, sin_r) = (V::load(cos_r), V::load(sin_r));
            total[0] = cos_r.mul_add(cos_l, total[0]);
            total[1] = sin_r.mul_add(sin_l, total[1]);
            total[2] = cos_r.mul_add(sin_l, total[2]);
            total[3] = sin_r.mul_add(cos_l, total[3]);
        }
    }
    add_totals::<V, W>(&totals, &mut sums[l * features.m + first..]);
}

/// Adds the sum of each vector: the eight of two pairs in one.
#[inline(always)]
fn add_totals<V: Lanes, const W: usize>(totals: &[[V; 4]; W], sums: &mut [[f64; 4]]) {
    let sums = tile_mut::<_, W>(sums, 0);
    for (sums, totals) in sums.chunks_mut(2).zip(totals.chunks(2)) {
        let (mut rows, mut found) = ([Pack::ZERO; LANES], Pack::ZERO);
        rows.iter_mut().zip(totals.as_flattened()).for_each(|(row, total)| total.store(row));
        V::sums(&rows).store(&mut found);
        sums.as_flattened_mut().iter_mut().zip(found.0).for_each(|(sum, found)| *sum += found);
    }
}

/// Sums over the groups of the block, for each pair r ≤ l: a tile of r stays in the nearest memory
/// while l walks by. With `KEEP` the exponentials are written down on the way.
#[inline(always)]
fn add_pairs<V: Lanes, const NEARBY: bool, const KEEP: bool>(
    features: &Features,
    sums: &mut [[f64; 4]],
    slots: &mut IterMut<'_, [Pack; 2]>,
) {
    for first in (0..features.m).step_by(TILE) {
        for l in first..features.m {
            let at = (first, l);
            match TILE.min(l + 1 - first) {
                1 => add_tile::<V, NEARBY, KEEP, 1>(features, at, sums, slots),
                2 => add_tile::<V, NEARBY, KEEP, 2>(features, at, sums, slots),
                3 => add_tile::<V, NEARBY, KEEP, 3>(features, at, sums, slots),
                _ => add_tile::<V, NEARBY, KEEP, TILE>(features, at, sums, slots),
            }
        }
    }
}

/// The pairs of the `W` spectral points from `first` on with l.
#[inline(always)]
fn add_tile<V: Lanes, const NEARBY: bool, const KEEP: bool, const W: usize>(
    features: &Features,
    (first, l): (usize, usize),
    sums: &mut [[f64; 4]],
    slots: &mut IterMut<'_, [Pack; 2]>,
) {
    let mut totals = [[V::splat(0.0); 4]; W];
    for b in 0..features.groups {
        let row = Beside::<V, W>::new::<NEARBY>(features, (first, l, b));
        for (i, total) in totals.iter_mut().enumerate() {
            let (pair, angles) = (&row.pairs[i], row.angles(i));
            total[0] = pair.minus.mul_add(angles.cos_minus, total[0]);
            total[1] = pair.minus.mul_add(angles.sin_minus, total[1]);
            total[2] = pair.plus.mul_add(angles.cos_plus, total[2]);
            total[3] = pair.plus.mul_add(angles.sin_plus, total[3]);
            if KEEP && let Some(slot) = slots.next() {
                pair.keep(slot);
            }
        }
    }
    add_totals::<V, W>(&totals, &mut sums[l * features.m + first..]);
}
