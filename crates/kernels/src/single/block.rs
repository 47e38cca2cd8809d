//! Blocks of vectors in single precision.

use ndarray::parallel::prelude::*;
use ndarray::{ArrayRef2, ArrayView1, Axis};

use super::groups;
use crate::block::Block;
use crate::simd::{Pack, SINGLES, SinglePack};
use crate::tiles::TILE;

/// A block of vectors at the rows of a tile, each contiguous and filled up with zeros.
#[derive(Debug)]
pub(super) struct SingleBlock {
    /// Packs in a column.
    pub(super) length: usize,
    /// Column by column.
    pub(super) packs: Vec<SinglePack>,
    pub(super) columns: usize,
}

impl SingleBlock {
    pub(super) fn zeros(length: usize, columns: usize) -> Self {
        Self { length, columns, packs: vec![SinglePack::ZERO; length * columns] }
    }

    /// The columns of `v [N, C]`, each divided by its scale, a block for each tile's rows.
    pub(super) fn tiles(v: &ArrayRef2<f64>, scales: &[f64]) -> Vec<Self> {
        let tiles = v.axis_chunks_iter(Axis(0), TILE).into_par_iter();
        tiles.map(|rows| Self::of(&rows, scales)).collect()
    }

    fn of(v: &ArrayRef2<f64>, scales: &[f64]) -> Self {
        let mut block = Self::zeros(groups(v.nrows()), v.ncols());
        for (index, (column, scale)) in v.columns().into_iter().zip(scales).enumerate() {
            let packs = &mut block.packs[index * block.length..][..block.length];
            for (row, value) in column.iter().enumerate() {
                packs[row / SINGLES].0[row % SINGLES] = (value / scale) as f32;
            }
        }
        block
    }

    /// Zeros in double precision, for sums over tiles.
    pub(super) fn sums(&self) -> Block {
        Block::zeros(self.length * SINGLES, self.columns)
    }

    /// Adds to sums at the same rows.
    pub(super) fn add_to(&self, y: &mut Block) {
        for (pair, pack) in y.packs.chunks_exact_mut(2).zip(&self.packs) {
            add(pair, pack);
        }
    }
}

/// Of each column the power of two that leaves its largest entry about 1.
pub(super) fn scales(v: &ArrayRef2<f64>) -> Vec<f64> {
    let largest = |column: ArrayView1<'_, f64>| {
        power_of_two(column.iter().fold(0.0, |most, value| value.abs().max(most)))
    };
    v.columns().into_iter().map(largest).collect()
}

/// Multiplies each column by its scale.
pub(super) fn scale(y: &mut Block, scales: &[f64]) {
    for (column, scale) in y.packs.chunks_exact_mut(y.length).zip(scales) {
        column.iter_mut().flat_map(|pack| &mut pack.0).for_each(|value| *value *= scale);
    }
}

/// Adds sixteen numbers to two packs.
#[inline(always)]
pub(super) fn add(pair: &mut [Pack], pack: &SinglePack) {
    let sums = pair.iter_mut().flat_map(|pack| &mut pack.0);
    sums.zip(pack.0).for_each(|(sum, value)| *sum += f64::from(value));
}

/// The power of two at or below a magnitude; 1 where there is none.
fn power_of_two(magnitude: f64) -> f64 {
    let power = f64::from_bits(magnitude.to_bits() & !((1 << 52) - 1));
    if power.is_normal() { power } else { 1.0 }
}
