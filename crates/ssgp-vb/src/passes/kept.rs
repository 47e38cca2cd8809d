//! What pass 1 leaves to the rest of a cycle, in memory that the next cycle takes over.

use kernels::simd::{LANES, Lanes, Pack, Simd, Task};
use linalg_cg::Shards;
use ndarray::{Array2, Axis};

use super::covariance::{BLOCK, Partial};
use super::features::Features;
use super::gradient::Scratch;
use super::pair::{TILE, tile};
use crate::points::Points;

/// Most packs that exponentials of pairs may take: with more of them than the cache near a core holds, it is quicker
/// to work them out again.
const MAX_PACKS: usize = 1 << 15;

/// E(Z), and where there is room the exponentials of all pairs, shard by shard.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(super) shards: Vec<Shard>,
    /// Whether pass 2 comes next at the same q(λ).
    for_gradient: bool,
}

/// What is kept of the groups of one shard, and the memory in which passes work on it.
#[derive(Debug, Default)]
pub(super) struct Shard {
    /// E cos and E sin, group by group, `[groups][M]`.
    pub(super) means: Vec<[Pack; 2]>,
    /// [`Pair::keep`](super::pair::Pair::keep) in the order in which pass 1 walks: blocks of groups, tiles, l, groups, r.
    pub(super) pairs: Vec<[Pack; 2]>,
    /// Whether `pairs` are those of this q(λ).
    pub(super) recallable: bool,
    pub(super) features: Features,
    pub(super) sums: Partial,
    pub(super) scratch: Scratch,
}

impl Kept {
    /// For a gradient at the same q(λ); without it (the default) no exponentials are kept.
    pub(crate) fn for_gradient() -> Self {
        Self { for_gradient: true, ..Self::default() }
    }

    /// Makes room for `shards`.
    pub(super) fn fit(&mut self, shards: Shards) {
        self.shards.resize_with(shards.len(), Shard::default);
    }

    /// Whether exponentials are to be kept.
    pub(super) fn keeps(&self, groups: usize, m: usize) -> bool {
        self.for_gradient && groups * m * (m + 1) <= MAX_PACKS
    }

    /// E(Z) `[N, 2M]`.
    pub(crate) fn mean_rows(&self, points: &Points, m: usize) -> Array2<f64> {
        let groups = self.shards.iter().flat_map(|shard| shard.means.chunks_exact(m));
        let mut rows = Array2::zeros((points.n, 2 * m));
        for (mut rows, group) in rows.axis_chunks_iter_mut(Axis(0), LANES).zip(groups) {
            for (i, mut row) in rows.outer_iter_mut().enumerate() {
                for (r, [cos, sin]) in group.iter().enumerate() {
                    row[r] = cos.0[i];
                    row[m + r] = sin.0[i];
                }
            }
        }
        rows
    }

    /// ‖y − E(Z) `weights`‖², `y` in packs and `weights` `[2M]`.
    pub(crate) fn residual_square(&self, y: &[Pack], weights: &[f64]) -> f64 {
        let groups = |shard: &Shard| shard.means.len() * 2 / weights.len();
        let mut first = 0;
        let squares = self.shards.iter().map(|shard| {
            let y = &y[first..first + groups(shard)];
            first += groups(shard);
            Simd::detect().run(Residual { means: &shard.means, y, weights })
        });
        squares.sum()
    }
}

struct Residual<'a> {
    means: &'a [[Pack; 2]],
    y: &'a [Pack],
    weights: &'a [f64],
}

impl Task for Residual<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Lanes>(self) -> f64 {
        let m = self.weights.len() / 2;
        let (of_cos, of_sin) = self.weights.split_at(m);
        let mut square = V::splat(0.0);
        for (y, means) in self.y.iter().zip(self.means.chunks_exact(m)) {
            let mut values = [V::splat(0.0); 2];
            for ((mean, a), b) in means.iter().zip(of_cos).zip(of_sin) {
                values[0] = V::load(&mean[0]).mul_add(V::splat(*a), values[0]);
                values[1] = V::load(&mean[1]).mul_add(V::splat(*b), values[1]);
            }
            let left = V::load(y).sub(values[0].add(values[1]));
            square = left.mul_add(left, square);
        }
        let mut sum = Pack::ZERO;
        square.store(&mut sum);
        sum.sum()
    }
}

/// The exponentials of one group among those of its shard.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recalled<'a> {
    block: &'a [[Pack; 2]],
    groups: usize,
    b: usize,
    m: usize,
}

impl<'a> Recalled<'a> {
    /// Of the group that is `index` in the shard of `groups` groups.
    pub(super) fn new(pairs: &'a [[Pack; 2]], index: usize, groups: usize, m: usize) -> Self {
        let first = index - index % BLOCK;
        let block = &pairs[first * (m * (m + 1) / 2)..];
        Self { block, groups: BLOCK.min(groups - first), b: index % BLOCK, m }
    }

    /// Of the `W` spectral points from r on, which are of one tile, with l.
    #[inline(always)]
    pub(super) fn row<const W: usize>(&self, r: usize, l: usize) -> &'a [[Pack; 2]; W] {
        let i = r % TILE;
        let (before, width) = walked(self.m, r - i, l);
        tile::<_, W>(self.block, before * self.groups + self.b * width + i)
    }
}

/// How many pairs of a group come before those of the tile that begins with `first` with l, and how many those are.
#[inline(always)]
fn walked(m: usize, first: usize, l: usize) -> (usize, usize) {
    let before = |points: usize| points * (points + 1) / 2;
    let later = l - first;
    let tiles = first * m - before(first) + first;
    match later.checked_sub(TILE) {
        None => (tiles + before(later), later + 1),
        Some(beyond) => (tiles + before(TILE) + beyond * TILE, TILE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs of all tiles one after another, none left out.
    #[test]
    fn positions_follow_the_walk() {
        for m in [1, 3, 4, 7, 10] {
            let mut count = 0;
            for first in (0..m).step_by(TILE) {
                for l in first..m {
                    let width = TILE.min(l + 1 - first);
                    assert_eq!(walked(m, first, l), (count, width), "M {m}, tile {first}, l {l}");
                    count += width;
                }
            }
            assert_eq!(count, m * (m + 1) / 2);
        }
    }
}
