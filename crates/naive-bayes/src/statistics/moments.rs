//! Mean and sum of squared deviations.

use serde::{Deserialize, Serialize};

use super::{BadCell, Cell, Group, Observe, Table, remainder};
use crate::batch::Block;

/// Largest magnitude accepted: its square, times a weight, summed over any number of rows, is finite.
pub(crate) const LARGEST: f64 = 1e140;

/// Weight, mean and sum of squared deviations of the cells seen.
///
/// ```text
/// combine: n = n_a + n_b, δ = mean_b − mean_a, mean = mean_a + δ n_b/n, M2 = M2_a + M2_b + δ² n_a n_b/n
/// ```
///
/// Source: Chan, Golub & LeVeque (1983), eq. 2.1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moments {
    pub(crate) n: f64,
    pub(crate) mean: f64,
    /// What `mean` lacks of the mean: with it, no order or grouping of the rows costs digits where deviations are small beside the mean.
    low: f64,
    pub(crate) m2: f64,
}

impl Moments {
    /// Of cells with a mean of `centre` + `off`.
    fn new(n: f64, centre: f64, off: f64, m2: f64) -> Self {
        let mut moments = Self { n, mean: centre, low: 0.0, m2 };
        moments.shift(off);
        moments
    }

    /// Moves the mean, keeping what rounding takes from it.
    fn shift(&mut self, by: f64) {
        let by = self.low + by;
        let mean = self.mean + by;
        // Knuth's two-sum: mean + low is the unrounded sum.
        let added = mean - self.mean;
        self.low = (self.mean - (mean - added)) + (by - added);
        self.mean = mean;
    }

    /// The other mean less this one.
    fn difference(&self, other: &Self) -> f64 {
        (other.mean - self.mean) + (other.low - self.low)
    }

    /// Variance with divisor n; NaN without cells.
    pub(crate) fn variance(&self) -> f64 {
        self.m2 / self.n
    }
}

impl Cell for Moments {
    fn combine(&mut self, other: &Self) {
        if self.n == 0.0 {
            *self = *other;
        } else if other.n > 0.0 {
            let n = self.n + other.n;
            let (delta, share) = (self.difference(other), other.n / n);
            self.shift(delta * share);
            self.m2 += other.m2 + delta * delta * self.n * share;
            self.n = n;
        }
    }

    fn remove(&mut self, other: &Self) -> bool {
        match remainder(self.n, other.n) {
            None => return false,
            Some(0.0) => *self = Self::default(),
            Some(n) => {
                self.shift(-self.difference(other) * other.n / n);
                let delta = self.difference(other);
                let taken = other.m2 + delta * delta * n * other.n / self.n;
                // Rounding can leave a variance of zero slightly below it.
                self.m2 = (self.m2 - taken).max(0.0);
                self.n = n;
            }
        }
        true
    }

    fn scale(&mut self, factor: f64) {
        self.n *= factor;
        self.m2 *= factor;
    }

    fn is_empty(&self) -> bool {
        self.n == 0.0
    }

    fn is_valid(&self) -> bool {
        let positive = |value: f64| value.is_finite() && value >= 0.0;
        positive(self.n)
            && positive(self.m2)
            && self.mean.abs() <= LARGEST
            && self.low.abs() <= self.mean.abs()
    }
}

/// Sums by slot and column.
#[derive(Default)]
pub(crate) struct Scratch {
    n: Vec<f64>,
    /// Sums of the cells in the first pass, the means from there on.
    mean: Vec<f64>,
    sum: Vec<f64>,
    squares: Vec<f64>,
    peak: Vec<f64>,
}

impl Observe for Moments {
    type Scratch = Scratch;

    /// Two passes over the block while it is in the cache: the second takes deviations from the block's own mean, so that an offset
    /// common to the cells costs no digits.
    fn observe(
        table: &mut Table<Self>,
        block: Block<'_>,
        group: &Group<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), BadCell> {
        let width = block.width;
        scratch.reset(group.classes.len() * width, width);
        for (row, slot, weight) in group.rows() {
            let slot = slot * width;
            add(block.row(row), weight, &mut scratch.mean[slot..][..width], &mut scratch.peak);
        }
        let missing = scratch.mean.iter().any(|sum| !sum.is_finite());
        if scratch.peak.iter().any(|&peak| peak > LARGEST) {
            return Err(too_large(block, group));
        }
        if missing {
            scratch.sums_of_present_cells(block, group);
        } else {
            scratch.n.chunks_exact_mut(width).zip(group.totals).for_each(|(n, w)| n.fill(*w));
        }
        scratch.divide();
        for (row, slot, weight) in group.rows() {
            let range = slot * width..(slot + 1) * width;
            let (mean, sum) = (&scratch.mean[range.clone()], &mut scratch.sum[range.clone()]);
            let squares = &mut scratch.squares[range];
            match missing {
                true => deviate_present(block.row(row), weight, mean, sum, squares),
                false => deviate(block.row(row), weight, mean, sum, squares),
            }
        }
        scratch.add_to(table, group.classes, width);
        Ok(())
    }
}

impl Scratch {
    fn reset(&mut self, length: usize, width: usize) {
        for sums in [&mut self.n, &mut self.mean, &mut self.sum, &mut self.squares] {
            sums.clear();
            sums.resize(length, 0.0);
        }
        self.peak.clear();
        self.peak.resize(width, 0.0);
    }

    fn sums_of_present_cells(&mut self, block: Block<'_>, group: &Group<'_>) {
        self.mean.fill(0.0);
        for (row, slot, weight) in group.rows() {
            let slot = slot * block.width;
            for (column, cell) in block.row(row).iter().enumerate() {
                if !cell.is_nan() {
                    self.n[slot + column] += weight;
                    self.mean[slot + column] += weight * cell;
                }
            }
        }
    }

    fn divide(&mut self) {
        let sums = self.mean.iter_mut().zip(&self.n).filter(|(_, n)| **n > 0.0);
        sums.for_each(|(sum, n)| *sum /= n);
    }

    fn add_to(&self, table: &mut Table<Moments>, classes: &[usize], width: usize) {
        for (slot, &class) in classes.iter().enumerate() {
            for (column, cell) in table.row(class).iter_mut().enumerate() {
                let at = slot * width + column;
                let n = self.n[at];
                if n > 0.0 {
                    let off = self.sum[at] / n;
                    // Non-negative but for rounding.
                    let m2 = (self.squares[at] - self.sum[at] * off).max(0.0);
                    cell.combine(&Moments::new(n, self.mean[at], off, m2));
                }
            }
        }
    }
}

fn add(row: &[f64], weight: f64, sum: &mut [f64], peak: &mut [f64]) {
    for ((cell, sum), peak) in row.iter().zip(sum).zip(peak) {
        *sum += weight * cell;
        let size = cell.abs();
        *peak = if size > *peak { size } else { *peak };
    }
}

fn deviate(row: &[f64], weight: f64, mean: &[f64], sum: &mut [f64], squares: &mut [f64]) {
    for (((cell, mean), sum), squares) in row.iter().zip(mean).zip(sum).zip(squares) {
        let deviation = cell - mean;
        let weighted = weight * deviation;
        *sum += weighted;
        *squares += weighted * deviation;
    }
}

fn deviate_present(row: &[f64], weight: f64, mean: &[f64], sum: &mut [f64], squares: &mut [f64]) {
    for (((cell, mean), sum), squares) in row.iter().zip(mean).zip(sum).zip(squares) {
        let deviation = if cell.is_nan() { 0.0 } else { cell - mean };
        let weighted = weight * deviation;
        *sum += weighted;
        *squares += weighted * deviation;
    }
}

fn too_large(block: Block<'_>, group: &Group<'_>) -> BadCell {
    let cells = group.rows().flat_map(|(row, ..)| {
        block.row(row).iter().enumerate().map(move |(column, &found)| BadCell {
            row,
            column,
            found,
        })
    });
    let mut bad = cells.filter(|cell| cell.found.abs() > LARGEST);
    bad.next().unwrap_or(BadCell { row: 0, column: 0, found: f64::INFINITY })
}
