//! What is kept of the rows: sufficient statistics, free of any smoothing.

mod counts;
mod gather;
mod group;
mod moments;
mod ones;
mod table;
mod tally;

pub(crate) use counts::{Counts, is_count};
pub(crate) use gather::{Gathered, gather};
pub(crate) use group::Group;
pub(crate) use moments::Moments;
pub(crate) use ones::{Ones, Tags};
pub(crate) use table::Table;
pub(crate) use tally::Tally;

use crate::batch::Block;

/// The statistics of one feature in one class: a commutative monoid under [`combine`](Self::combine).
pub(crate) trait Cell: Copy + Default + Send + Sync + PartialEq {
    /// Adds the statistics of other rows.
    fn combine(&mut self, other: &Self);

    /// Takes the statistics of some of its rows out; false when they cannot have been in.
    fn remove(&mut self, other: &Self) -> bool;

    /// Multiplies every row's weight.
    fn scale(&mut self, factor: f64);

    /// Whether no cell of positive weight was seen.
    fn is_empty(&self) -> bool;

    /// Whether some rows could have these statistics.
    fn is_valid(&self) -> bool;
}

/// A cell its kind cannot have: row and column within the block.
#[derive(Debug, PartialEq)]
pub(crate) struct BadCell {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) found: f64,
}

/// How blocks of rows become statistics.
pub(crate) trait Observe: Cell {
    /// Space that is used again from block to block.
    type Scratch: Default;

    /// Adds a block to a table of as many columns; an error leaves the table in an undefined state.
    fn observe(
        table: &mut Table<Self>,
        block: Block<'_>,
        group: &Group<'_>,
        scratch: &mut Self::Scratch,
    ) -> Result<(), BadCell>;
}

/// Subtracts weights: what rounding leaves of fractional weights that add up to nothing is nothing.
pub(crate) fn remainder(from: f64, taken: f64) -> Option<f64> {
    let left = from - taken;
    let rounding = 1e-9 * from.abs();
    if left.abs() <= rounding { Some(0.0) } else { (left > 0.0).then_some(left) }
}
