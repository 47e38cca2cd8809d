//! Blocks of vectors in single precision.

use crate::block::Block;
use crate::simd::{LANES, Pack, SINGLES, SinglePack};

/// A block of vectors, each contiguous, filled up with zeros and divided by a power of two so that
/// its largest entry is about 1.
#[derive(Debug)]
pub(super) struct SingleBlock {
    /// Packs in a column.
    pub(super) length: usize,
    pub(super) columns: usize,
    /// Column by column.
    pub(super) packs: Vec<SinglePack>,
    /// What each column has been divided by.
    scales: Vec<f64>,
}

impl SingleBlock {
    pub(super) fn zeros(length: usize, columns: usize) -> Self {
        let packs = vec![SinglePack::ZERO; length * columns];
        Self { length, columns, packs, scales: vec![1.0; columns] }
    }

    pub(super) fn of(v: &Block) -> Self {
        let mut block = Self::zeros(v.length.div_ceil(2), v.columns);
        for column in 0..v.columns {
            let from = &v.packs[column * v.length..][..v.length];
            let scale = power_of_two(from.iter().flat_map(|pack| pack.0));
            block.scales[column] = scale;
            let to = &mut block.packs[column * block.length..];
            for (index, pack) in from.iter().enumerate() {
                let half = &mut to[index / 2].0[index % 2 * LANES..];
                half.iter_mut().zip(pack.0).for_each(|(to, from)| *to = (from / scale) as f32);
            }
        }
        block
    }

    /// Zeros in double precision, for sums over tiles.
    pub(super) fn sums(&self) -> Block {
        Block::zeros(self.length * SINGLES, self.columns)
    }

    pub(super) fn clear(&mut self) {
        self.packs.fill(SinglePack::ZERO);
    }

    /// Adds to groups of `y` from `first` on.
    pub(super) fn add_to(&self, y: &mut Block, first: usize) {
        for column in 0..self.columns {
            let from = &self.packs[column * self.length..][..self.length];
            let to = &mut y.packs[column * y.length..][..y.length];
            for (pair, pack) in to[2 * first..].chunks_exact_mut(2).zip(from) {
                add(pair, pack);
            }
        }
    }

    /// Sums of products with this block times what it was divided by.
    pub(super) fn unscaled(&self, mut sums: Block) -> Block {
        for (column, scale) in sums.packs.chunks_exact_mut(sums.length.max(1)).zip(&self.scales) {
            column.iter_mut().flat_map(|pack| &mut pack.0).for_each(|value| *value *= scale);
        }
        sums
    }
}

/// Adds sixteen numbers to two packs.
#[inline(always)]
pub(super) fn add(pair: &mut [Pack], pack: &SinglePack) {
    let sums = pair.iter_mut().flat_map(|pack| &mut pack.0);
    sums.zip(pack.0).for_each(|(sum, value)| *sum += f64::from(value));
}

/// The power of two at or below the largest magnitude; 1 where there is none.
fn power_of_two(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.map(f64::abs).fold(0.0, f64::max);
    let power = f64::from_bits(largest.to_bits() & !((1 << 52) - 1));
    if power.is_normal() { power } else { 1.0 }
}
