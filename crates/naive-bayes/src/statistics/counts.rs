//! Sums of counts.

use serde::{Deserialize, Serialize};

use super::{BadCell, Cell, Group, Observe, Table, remainder};
use crate::{batch::Block, documents::LARGEST_COUNT, special::ln_factorial};

/// Weight of the cells seen, their sum, and the sum of log x!, which the evidence needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) n: f64,
    pub(crate) sum: f64,
    pub(crate) ln_factorials: f64,
}

impl Cell for Counts {
    fn combine(&mut self, other: &Self) {
        self.n += other.n;
        self.sum += other.sum;
        self.ln_factorials += other.ln_factorials;
    }

    fn remove(&mut self, other: &Self) -> bool {
        let left = remainder(self.n, other.n).zip(remainder(self.sum, other.sum));
        let Some((n, sum)) = left.filter(|(n, sum)| *n > 0.0 || *sum == 0.0) else {
            return false;
        };
        // A sum of logarithms is not exact: what is left where nothing can be is rounding.
        let rest = (self.ln_factorials - other.ln_factorials).max(0.0);
        *self = Self { n, sum, ln_factorials: if sum == 0.0 { 0.0 } else { rest } };
        true
    }

    fn scale(&mut self, factor: f64) {
        self.n *= factor;
        self.sum *= factor;
        self.ln_factorials *= factor;
    }

    fn is_empty(&self) -> bool {
        self.n == 0.0
    }

    fn is_valid(&self) -> bool {
        [self.n, self.sum, self.ln_factorials]
            .iter()
            .all(|value| value.is_finite() && *value >= 0.0)
            && (self.n > 0.0 || self.sum == 0.0)
    }
}

impl Observe for Counts {
    type Scratch = ();

    fn observe(
        table: &mut Table<Self>,
        block: Block<'_>,
        group: &Group<'_>,
        (): &mut (),
    ) -> Result<(), BadCell> {
        let mut bad = None;
        group.each_row(|row, slot, weight| {
            let cells = table.row(group.classes[slot]).iter_mut().zip(block.row(row));
            for (column, (cell, &found)) in cells.enumerate() {
                if is_count(found) {
                    let ln_factorials = weight * ln_factorial(found);
                    cell.combine(&Self { n: weight, sum: weight * found, ln_factorials });
                } else if !found.is_nan() {
                    bad.get_or_insert(BadCell { row, column, found });
                }
            }
        });
        bad.map_or(Ok(()), Err)
    }
}

/// Whether a cell is a whole number that can be counted with.
pub(crate) fn is_count(cell: f64) -> bool {
    (0.0..=LARGEST_COUNT).contains(&cell) && cell.fract() == 0.0
}
