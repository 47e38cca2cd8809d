//! What is done with a strip of single precision.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use super::SingleStrip;
use super::block::{SingleBlock, add};
use crate::block::Block;
use crate::simd::{Lanes, SINGLES, SinglePack, SingleSquare, Singles, Task};

/// Adds a strip's part of a product with V to Y, and its mirror image's to `mirror`, which is for
/// the columns of one tile.
///
/// ```text
/// y_i += Σ_j k_ij v_j,   and off the diagonal squares y_j += Σ_i k_ij v_i
/// ```
///
/// The order of summation of a column is the same whatever other columns there are.
pub(super) struct SingleMultiply<'a> {
    pub(super) strip: &'a SingleStrip,
    pub(super) k: &'a [SingleSquare],
    pub(super) v: &'a SingleBlock,
    pub(super) y: &'a mut Block,
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
        let columns = self.v.columns;
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
            let start = (first + c) * self.y.length + 2 * self.strip.rows;
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
        let (v_length, length) = (self.v.length, self.mirror.length);
        let v = &self.v.packs[first * v_length..(first + C) * v_length];
        let mirror = &mut self.mirror.packs[first * length..(first + C) * length];
        let (rows, start) = (self.strip.rows, self.strip.columns.start);
        let tile = start - start % length;
        let mut totals = [[S::splat(0.0); R]; C];
        for (square, column) in self.k.iter().zip(self.strip.columns.clone()) {
            let mut k = [S::splat(0.0); R];
            for r in 0..R {
                k[r] = S::load(&square[row + r]);
            }
            for c in 0..C {
                let there = S::load(&v[c * v_length + column]);
                for r in 0..R {
                    totals[c][r] = k[r].mul_add(there, totals[c][r]);
                }
            }
            if column != rows {
                for c in 0..C {
                    let here = &v[c * v_length + rows];
                    let y = &mut mirror[c * length + column - tile];
                    let mut total = S::load(y);
                    for r in 0..R {
                        total = k[r].mul_add(S::broadcast(here.0[row + r]), total);
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
