//! How often a feature was 1.

use serde::{Deserialize, Serialize};

use super::{BadCell, Cell, Group, Observe, Table, remainder};
use crate::batch::Block;
use crate::kind::is_binary;
use crate::levels::MISSING;
use crate::simd::{self, Kernel, LANES};

/// Weight of the cells that are 1, and of all cells seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ones {
    pub(crate) ones: f64,
    pub(crate) n: f64,
}

/// Weight of the rows that have a tag; a row without it needs no mention.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tags {
    pub(crate) ones: f64,
}

impl Cell for Ones {
    fn combine(&mut self, other: &Self) {
        self.ones += other.ones;
        self.n += other.n;
    }

    fn remove(&mut self, other: &Self) -> bool {
        let left = remainder(self.n, other.n).zip(remainder(self.ones, other.ones));
        // As many zeros must be there too; rounding is allowed for as in `remainder`.
        let left = left.filter(|(n, ones)| *ones <= *n * (1.0 + 1e-9));
        left.map(|(n, ones)| *self = Self { ones, n }).is_some()
    }

    fn scale(&mut self, factor: f64) {
        self.ones *= factor;
        self.n *= factor;
    }

    fn is_empty(&self) -> bool {
        self.n == 0.0
    }

    fn is_valid(&self) -> bool {
        self.n.is_finite() && self.ones >= 0.0 && self.ones <= self.n * (1.0 + 1e-9)
    }
}

impl Cell for Tags {
    fn combine(&mut self, other: &Self) {
        self.ones += other.ones;
    }

    fn remove(&mut self, other: &Self) -> bool {
        remainder(self.ones, other.ones).map(|ones| self.ones = ones).is_some()
    }

    fn scale(&mut self, factor: f64) {
        self.ones *= factor;
    }

    fn is_empty(&self) -> bool {
        self.ones == 0.0
    }

    fn is_valid(&self) -> bool {
        self.ones.is_finite() && self.ones >= 0.0
    }
}

/// Sums by slot and column.
#[derive(Default)]
pub(crate) struct Scratch {
    ones: Vec<f64>,
    /// Not zero in columns with a cell that is neither 0 nor 1.
    odd: Vec<u64>,
}

impl Scratch {
    /// Sums of the cells of each slot; `None` unless every cell of the block is 0 or 1.
    fn sums(&mut self, block: Block<'_>, group: &Group<'_>) -> Option<&[f64]> {
        self.ones.clear();
        self.ones.resize(group.classes.len() * block.width, 0.0);
        self.odd.clear();
        self.odd.resize(block.width, 0);
        simd::run(Sum { block, group, scratch: &mut *self });
        let regular = self.odd.iter().all(|odd| *odd == 0);
        (regular && self.ones.iter().all(|sum| sum.is_finite())).then_some(&*self.ones)
    }
}

/// Adds a block to the sums.
struct Sum<'k> {
    block: Block<'k>,
    group: &'k Group<'k>,
    scratch: &'k mut Scratch,
}

impl Kernel for Sum<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let width = self.block.width;
        let Scratch { ones, odd } = self.scratch;
        let whole = width - width % LANES;
        // A closure for each row would not be compiled for the instruction set.
        for (row, &slot) in self.group.slots.iter().enumerate() {
            if slot == MISSING {
                continue;
            }
            let (at, weight) = (slot as usize * width, self.group.weight(row));
            let (cells, ones) = (self.block.row(row), &mut ones[at..at + width]);
            for at in (0..whole).step_by(LANES) {
                add::<LANES>(cells, weight, ones, odd, at);
            }
            for at in whole..width {
                add::<1>(cells, weight, ones, odd, at);
            }
        }
    }
}

/// Adds `W` cells from column `at` on.
#[inline(always)]
#[expect(
    clippy::float_cmp,
    reason = "x² = x holds exactly for 0 and 1, and for +∞, whose sum is not finite"
)]
fn add<const W: usize>(cells: &[f64], weight: f64, ones: &mut [f64], odd: &mut [u64], at: usize) {
    let (Some(cells), Some(ones), Some(odd)) = (
        cells[at..].first_chunk::<W>(),
        ones[at..].first_chunk_mut::<W>(),
        odd[at..].first_chunk_mut::<W>(),
    ) else {
        return;
    };
    *ones = std::array::from_fn(|lane| ones[lane] + weight * cells[lane]);
    *odd =
        std::array::from_fn(|lane| odd[lane] | u64::from(cells[lane] * cells[lane] != cells[lane]));
}

impl Observe for Ones {
    type Scratch = Scratch;

    fn observe(
        table: &mut Table<Self>,
        block: Block<'_>,
        group: &Group<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), BadCell> {
        let Some(sums) = scratch.sums(block, group) else {
            return cell_by_cell(block, group, |class, column, weight, cell| {
                if let Some(one) = cell {
                    table.at(class, column).combine(&Self { ones: weight * one, n: weight });
                }
            });
        };
        let slots = group.classes.iter().zip(group.totals).zip(sums.chunks_exact(block.width));
        for ((&class, &n), sums) in slots {
            let cells = table.row(class).iter_mut().zip(sums);
            cells.for_each(|(cell, &ones)| cell.combine(&Self { ones, n }));
        }
        Ok(())
    }
}

impl Observe for Tags {
    type Scratch = Scratch;

    fn observe(
        table: &mut Table<Self>,
        block: Block<'_>,
        group: &Group<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), BadCell> {
        let Some(sums) = scratch.sums(block, group) else {
            return cell_by_cell(block, group, |class, column, weight, cell| {
                table.at(class, column).ones += weight * cell.unwrap_or(0.0);
            });
        };
        for (&class, sums) in group.classes.iter().zip(sums.chunks_exact(block.width)) {
            table.row(class).iter_mut().zip(sums).for_each(|(cell, ones)| cell.ones += ones);
        }
        Ok(())
    }
}

/// For blocks with missing or wrong cells: `add` is given class, column, weight and the cell, `None` where it is missing.
fn cell_by_cell(
    block: Block<'_>,
    group: &Group<'_>,
    mut add: impl FnMut(usize, usize, f64, Option<f64>),
) -> Result<(), BadCell> {
    let mut bad = None;
    group.each_row(|row, slot, weight| {
        for (column, &found) in block.row(row).iter().enumerate() {
            let cell = (!found.is_nan()).then_some(found);
            if cell.is_some_and(|cell| !is_binary(cell)) {
                bad.get_or_insert(BadCell { row, column, found });
            }
            add(group.classes[slot], column, weight, cell);
        }
    });
    bad.map_or(Ok(()), Err)
}
