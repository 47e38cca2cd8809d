//! What is done with a strip of single precision.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use super::block::{SingleBlock, add};
use crate::block::Block;
use crate::simd::{Lanes, SINGLES, SinglePack, SingleSquare, Singles, Task};

/// Adds a strip's part of a product with V to Y, and its mirror image's to `mirror`.
///
/// ```text
/// y_i += Σ_j k_ij v_j,   and off the diagonal squares y_j += Σ_i k_ij v_i
/// ```
///
/// The order of summation of a column is the same whatever other columns there are.
pub(super) struct SingleMultiply<'a> {
    pub(super) k: &'a [SingleSquare],
    /// V at the rows and at the columns of the strip's tile.
    pub(super) v: [&'a SingleBlock; 2],
    /// The group of columns that the first square belongs to.
    pub(super) first: usize,
    /// The group of rows that the strip is.
    pub(super) row: usize,
    /// Whether the first square lies on the diagonal and is its own mirror image.
    pub(super) diagonal: bool,
    /// Y at the rows of the tile.
    pub(super) y: &'a mut Block,
    /// Y at the columns of the tile.
    pub(super) mirror: &'a mut SingleBlock,
}

impl Task for SingleMultiply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        match V::ROWS {
            8 => self.by_rows::<V::Single, 8>(),
            4 => self.by_rows::<V::Single, 4>(),
            _ => self.by_rows::<V::Single, 2>(),
        }
    }
}

impl SingleMultiply<'_> {
    #[inline(always)]
    fn by_rows<S: Singles, const R: usize>(mut self) {
        let columns = self.mirror.columns;
        for first in (0..columns - columns % 2).step_by(2) {
            self.columns::<S, R, 2>(first);
        }
        if columns % 2 == 1 {
            self.columns::<S, R, 1>(columns - 1);
        }
    }

    /// `C` columns from `first` on.
    #[inline(always)]
    fn columns<S: Singles, const R: usize, const C: usize>(&mut self, first: usize) {
        let mut sums = [SinglePack::ZERO; C];
        for row in (0..SINGLES).step_by(R) {
            self.rows::<S, R, C>(first, row, &mut sums);
        }
        for (c, sums) in sums.iter().enumerate() {
            let start = (first + c) * self.y.length + 2 * self.row;
            add(&mut self.y.packs[start..start + 2], sums);
        }
    }

    /// `C` columns from `first` on by `R` rows from `row` on.
    #[inline(always)]
    fn rows<S: Singles, const R: usize, const C: usize>(
        &mut self,
        first: usize,
        row: usize,
        sums: &mut [SinglePack; C],
    ) {
        let length = self.mirror.length;
        let v = &self.v[1].packs[first * length..(first + C) * length];
        let mirror = &mut self.mirror.packs[first * length..(first + C) * length];
        let mut here = [&SinglePack::ZERO; C];
        for c in 0..C {
            here[c] = &self.v[0].packs[(first + c) * self.v[0].length + self.row];
        }
        let mut totals = [[S::splat(0.0); R]; C];
        for (group, square) in self.k.iter().enumerate() {
            let column = self.first + group;
            let mut k = [S::splat(0.0); R];
            for r in 0..R {
                k[r] = S::load(&square[row + r]);
            }
            for c in 0..C {
                let there = S::load(&v[c * length + column]);
                for r in 0..R {
                    totals[c][r] = k[r].mul_add(there, totals[c][r]);
                }
            }
            if group > 0 || !self.diagonal {
                for c in 0..C {
                    let y = &mut mirror[c * length + column];
                    let mut total = S::load(y);
                    for r in 0..R {
                        total = k[r].mul_add(S::broadcast(here[c].0[row + r]), total);
                    }
                    total.store(y);
                }
            }
        }
        for c in 0..C {
            S::sums(&totals[c], &mut sums[c].0[row..row + R]);
        }
    }
}
