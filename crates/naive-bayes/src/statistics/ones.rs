//! How often a feature was 1.

use serde::{Deserialize, Serialize};

use super::{BadCell, Cell, Group, Observe, Table, remainder};
use crate::batch::Block;
use crate::kind::is_binary;
use crate::levels;
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
    n: Vec<f64>,
    ones: Vec<f64>,
    /// Not zero when there may be a cell that is neither 0 nor 1.
    odd: u64,
}

impl Scratch {
    /// Adds a block; the error is a cell that is neither 0 nor 1 nor missing.
    fn observe(&mut self, block: Block<'_>, group: &Group<'_>) -> Result<(), BadCell> {
        self.reset(block, group);
        simd::run(Sum::<false> { block, group, scratch: &mut *self });
        if self.is_regular() {
            let n = self.n.chunks_exact_mut(block.width).zip(group.totals);
            n.for_each(|(n, total)| n.fill(*total));
            return Ok(());
        }
        self.reset(block, group);
        simd::run(Sum::<true> { block, group, scratch: &mut *self });
        if self.is_regular() { Ok(()) } else { Err(first_bad(block, group)) }
    }

    fn reset(&mut self, block: Block<'_>, group: &Group<'_>) {
        for sums in [&mut self.n, &mut self.ones] {
            sums.clear();
            sums.resize(group.classes.len() * block.width, 0.0);
        }
        self.odd = 0;
    }

    /// Whether no cell was other than it may be.
    fn is_regular(&self) -> bool {
        self.odd == 0 && self.ones.iter().all(|sum| sum.is_finite())
    }
}

/// Adds a block to the sums; with `MISSING`, cells that are not numbers count for nothing, else they are odd.
struct Sum<'k, const MISSING: bool> {
    block: Block<'k>,
    group: &'k Group<'k>,
    scratch: &'k mut Scratch,
}

impl<const MISSING: bool> Kernel for Sum<'_, MISSING> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let width = self.block.width;
        let Scratch { n, ones, odd: found } = self.scratch;
        let mut odd = [0; LANES];
        let whole = width - width % LANES;
        // A closure for each row would not be compiled for the instruction set.
        for (row, &slot) in self.group.slots.iter().enumerate() {
            if slot == levels::MISSING {
                continue;
            }
            let (at, weight) = (slot as usize * width, self.group.weight(row));
            let cells = self.block.row(row);
            let (n, ones) = (&mut n[at..at + width], &mut ones[at..at + width]);
            for at in (0..whole).step_by(LANES) {
                add::<LANES, MISSING>(cells, weight, n, ones, &mut odd, at);
            }
            for at in whole..width {
                add::<1, MISSING>(cells, weight, n, ones, &mut odd, at);
            }
        }
        *found = odd.into_iter().fold(0, |all, odd| all | odd);
    }
}

/// Adds `W` cells from column `at` on.
#[inline(always)]
#[expect(
    clippy::float_cmp,
    reason = "x² = x holds exactly for 0 and 1, and for +∞, whose sum is not finite, as that of NaN"
)]
fn add<const W: usize, const MISSING: bool>(
    cells: &[f64],
    weight: f64,
    n: &mut [f64],
    ones: &mut [f64],
    odd: &mut [u64; LANES],
    at: usize,
) {
    let (Some(cells), Some(n)) = (cells[at..].first_chunk::<W>(), n[at..].first_chunk_mut::<W>())
    else {
        return;
    };
    let Some(ones) = ones[at..].first_chunk_mut::<W>() else { return };
    for lane in 0..W {
        let there = !MISSING || !cells[lane].is_nan();
        let cell = if there { cells[lane] } else { 0.0 };
        if MISSING {
            n[lane] += if there { weight } else { 0.0 };
        }
        ones[lane] += weight * cell;
        odd[lane] |= if MISSING {
            u64::from(cell * cell != cell)
        } else {
            // The bits differ for −0 too, which the other pass forgives.
            (cell * cell).to_bits() ^ cell.to_bits()
        };
    }
}

/// The first cell, by rows, that is neither 0 nor 1 nor missing.
fn first_bad(block: Block<'_>, group: &Group<'_>) -> BadCell {
    let mut bad = None;
    group.each_row(|row, _, _| {
        for (column, &found) in block.row(row).iter().enumerate() {
            if !found.is_nan() && !is_binary(found) {
                bad.get_or_insert(BadCell { row, column, found });
            }
        }
    });
    bad.unwrap_or(BadCell { row: 0, column: 0, found: f64::NAN })
}

impl Observe for Ones {
    type Scratch = Scratch;

    fn observe(
        table: &mut Table<Self>,
        block: Block<'_>,
        group: &Group<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), BadCell> {
        scratch.observe(block, group)?;
        let sums = scratch.ones.iter().zip(&scratch.n);
        let mut cells = sums.map(|(&ones, &n)| Self { ones, n });
        for &class in group.classes {
            table.row(class).iter_mut().zip(&mut cells).for_each(|(cell, new)| cell.combine(&new));
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
        scratch.observe(block, group)?;
        for (&class, sums) in group.classes.iter().zip(scratch.ones.chunks_exact(block.width)) {
            table.row(class).iter_mut().zip(sums).for_each(|(cell, ones)| cell.ones += ones);
        }
        Ok(())
    }
}
