//! Blocks of vectors as inner loops read them.

use ndarray::parallel::prelude::*;
use ndarray::{ArrayRef2, Axis};

use crate::points::groups;
use crate::simd::{LANES, Pack};
use crate::tiles::TILE;

/// A block of C vectors of equal length, each contiguous in packs and filled up with zeros.
///
/// A product with a block treats its columns one by one, so a column's bits do not depend on the
/// columns beside it.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// Packs in a column.
    pub(crate) length: usize,
    pub(crate) columns: usize,
    /// Column by column.
    pub(crate) packs: Vec<Pack>,
}

impl Block {
    pub(crate) fn zeros(n: usize, columns: usize) -> Self {
        let length = groups(n);
        Self { length, columns, packs: vec![Pack::ZERO; length * columns] }
    }

    /// The columns of `v [N, C]`.
    pub(crate) fn of(v: &ArrayRef2<f64>) -> Self {
        let mut block = Self::zeros(v.nrows(), v.ncols());
        for (index, column) in v.columns().into_iter().enumerate() {
            let packs = &mut block.packs[index * block.length..][..block.length];
            for (row, &value) in column.iter().enumerate() {
                packs[row / LANES].0[row % LANES] = value;
            }
        }
        block
    }

    /// The columns of `v [N, C]`, a block for each tile's rows.
    pub(crate) fn tiles(v: &ArrayRef2<f64>) -> Vec<Self> {
        v.axis_chunks_iter(Axis(0), TILE).into_par_iter().map(|rows| Self::of(&rows)).collect()
    }

    /// Writes the columns into `target [N, C]`.
    pub(crate) fn write(&self, target: &mut ArrayRef2<f64>) {
        for (index, mut column) in target.columns_mut().into_iter().enumerate() {
            let packs = &self.packs[index * self.length..];
            for (row, value) in column.iter_mut().enumerate() {
                *value = packs[row / LANES].0[row % LANES];
            }
        }
    }
}
