//! How often a feature was 1.

use serde::{Deserialize, Serialize};

use super::{BadCell, Cell, Group, Observe, Table, remainder};
use crate::{batch::Block, kind::is_binary};

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
    /// Sums of all cells; whether every one of them is 0 or 1.
    fn add(&mut self, block: Block<'_>, group: &Group<'_>) -> bool {
        let width = block.width;
        self.ones.clear();
        self.ones.resize(group.classes.len() * width, 0.0);
        self.odd.clear();
        self.odd.resize(width, 0);
        for (row, slot, weight) in group.rows() {
            add(block.row(row), weight, &mut self.ones[slot * width..][..width], &mut self.odd);
        }
        self.odd.iter().all(|odd| *odd == 0)
    }
}

#[expect(
    clippy::float_cmp,
    reason = "x² = x holds exactly for 0 and 1, and for +∞, whose sum is not finite"
)]
fn add(row: &[f64], weight: f64, ones: &mut [f64], odd: &mut [u64]) {
    for ((cell, ones), odd) in row.iter().zip(ones).zip(odd) {
        *ones += weight * cell;
        *odd |= u64::from(cell * cell != *cell);
    }
}

impl Observe for Ones {
    type Scratch = Scratch;

    fn observe(
        table: &mut Table<Self>,
        block: Block<'_>,
        group: &Group<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), BadCell> {
        let regular = scratch.add(block, group);
        if !regular || scratch.ones.iter().any(|sum| !sum.is_finite()) {
            return cell_by_cell(block, group, |class, column, weight, cell| {
                if let Some(one) = cell {
                    table.at(class, column).combine(&Self { ones: weight * one, n: weight });
                }
            });
        }
        for (slot, (&class, &n)) in group.classes.iter().zip(group.totals).enumerate() {
            let sums = &scratch.ones[slot * block.width..];
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
        let regular = scratch.add(block, group);
        if !regular || scratch.ones.iter().any(|sum| !sum.is_finite()) {
            return cell_by_cell(block, group, |class, column, weight, cell| {
                table.at(class, column).ones += weight * cell.unwrap_or(0.0);
            });
        }
        for (slot, &class) in group.classes.iter().enumerate() {
            let sums = &scratch.ones[slot * block.width..];
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
    for (row, slot, weight) in group.rows() {
        for (column, &found) in block.row(row).iter().enumerate() {
            let cell = (!found.is_nan()).then_some(found);
            if cell.is_some_and(|cell| !is_binary(cell)) {
                return Err(BadCell { row, column, found });
            }
            add(group.classes[slot], column, weight, cell);
        }
    }
    Ok(())
}
