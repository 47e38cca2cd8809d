//! Mean and sum of squared deviations.

use serde::{Deserialize, Serialize};

use super::{BadCell, Cell, Group, Observe, Table, remainder};
use crate::batch::Block;
use crate::levels;
use crate::simd::{self, Kernel, LANES};

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
                let before = *self;
                self.shift(-self.difference(other) * other.n / n);
                let delta = self.difference(other);
                let taken = other.m2 + delta * delta * n * other.n / self.n;
                let left = self.m2 - taken;
                // Deviations that were never there: such cells were not learned.
                let offset = 1e-12 * before.mean.abs().max(other.mean.abs());
                if left < -(1e-6 * self.m2.max(other.m2) + self.n * offset * offset) {
                    *self = before;
                    return false;
                }
                // What is left of a variance of zero is rounding, on either side of it.
                self.m2 = if left > 1e-12 * self.m2 { left } else { 0.0 };
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

/// Sums of a block by slot and column, as deviations from a guess of the mean.
#[derive(Default)]
pub(crate) struct Scratch {
    guess: Vec<f64>,
    n: Vec<f64>,
    sum: Vec<f64>,
    squares: Vec<f64>,
}

impl Observe for Moments {
    type Scratch = Scratch;

    /// One pass over the deviations from the mean so far. Columns whose mean in the block turns out not to be near are done again about their
    /// own mean, so that an offset common to the cells costs no digits.
    fn observe(
        table: &mut Table<Self>,
        block: Block<'_>,
        group: &Group<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), BadCell> {
        let width = block.width;
        scratch.reset(table, group, width);
        scratch.guess_from_first_rows(table, block, group);
        simd::run(Sum::<false> { block, group, scratch: &mut *scratch });
        let complete = scratch.squares.iter().all(|squares| is_small(*squares));
        if complete {
            scratch.n.chunks_exact_mut(width).zip(group.totals).for_each(|(n, w)| n.fill(*w));
        } else {
            scratch.reset_sums(group.classes.len() * width);
            simd::run(Sum::<true> { block, group, scratch: &mut *scratch });
        }
        let mut sorted = None;
        for (slot, &class) in group.classes.iter().enumerate() {
            for (column, cell) in table.row(class).iter_mut().enumerate() {
                let found = match scratch.moments(slot * width + column) {
                    Some(found) => found,
                    None => {
                        let rows = sorted.get_or_insert_with(|| group.sorted());
                        in_two_passes(block, &rows[slot], column)?
                    }
                };
                cell.combine(&found);
            }
        }
        Ok(())
    }
}

/// Whether a sum of squares comes of cells that are numbers and not too large.
fn is_small(squares: f64) -> bool {
    squares < LARGEST * LARGEST
}

impl Scratch {
    fn reset(&mut self, table: &mut Table<Moments>, group: &Group<'_>, width: usize) {
        self.guess.clear();
        for &class in group.classes {
            self.guess.extend(table.row(class).iter().map(|cell| cell.mean));
        }
        self.reset_sums(group.classes.len() * width);
    }

    fn reset_sums(&mut self, length: usize) {
        for sums in [&mut self.n, &mut self.sum, &mut self.squares] {
            sums.clear();
            sums.resize(length, 0.0);
        }
    }

    /// Where the table has no mean yet, the first cell of the block is the guess.
    fn guess_from_first_rows(
        &mut self,
        table: &mut Table<Moments>,
        block: Block<'_>,
        group: &Group<'_>,
    ) {
        let mut new = |class: &usize| table.row(*class).iter().any(Moments::is_empty);
        if !group.classes.iter().any(&mut new) {
            return;
        }
        group.each_row(|row, slot, _| {
            let cells = table.row(group.classes[slot]).iter().zip(block.row(row));
            let guesses = &mut self.guess[slot * block.width..];
            for (guess, (known, &cell)) in guesses.iter_mut().zip(cells) {
                // A cell that will be refused must not hide behind itself.
                if known.is_empty() && *guess == 0.0 && cell.abs() <= LARGEST {
                    *guess = cell;
                }
            }
        });
    }

    /// The moments of a slot and column; `None` when the guess was so far off that digits are lost.
    fn moments(&self, at: usize) -> Option<Moments> {
        let (n, sum, squares) = (self.n[at], self.sum[at], self.squares[at]);
        if n == 0.0 {
            return is_small(squares).then(Moments::default);
        }
        let off = sum / n;
        // Not below zero but for rounding.
        let m2 = (squares - sum * off).max(0.0);
        // Within four deviations of the guess.
        let near = sum * off <= 16.0 * m2;
        (near && is_small(squares)).then(|| Moments::new(n, self.guess[at], off, m2))
    }
}

/// Adds a block to the sums; with `MISSING`, cells that are not numbers count for nothing.
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
        let Scratch { guess, n, sum, squares } = self.scratch;
        let whole = width - width % LANES;
        // A closure for each row would not be compiled for the instruction set.
        for (row, &slot) in self.group.slots.iter().enumerate() {
            if slot == levels::MISSING {
                continue;
            }
            let (at, weight) = (slot as usize * width, self.group.weight(row));
            let (cells, guess) = (self.block.row(row), &guess[at..at + width]);
            let sums = (&mut n[at..at + width], &mut sum[at..at + width]);
            let squares = &mut squares[at..at + width];
            for at in (0..whole).step_by(LANES) {
                add::<LANES, MISSING>(cells, weight, guess, sums.0, sums.1, squares, at);
            }
            for at in whole..width {
                add::<1, MISSING>(cells, weight, guess, sums.0, sums.1, squares, at);
            }
        }
    }
}

/// Adds `W` cells from column `at` on.
#[inline(always)]
fn add<const W: usize, const MISSING: bool>(
    cells: &[f64],
    weight: f64,
    guess: &[f64],
    n: &mut [f64],
    sum: &mut [f64],
    squares: &mut [f64],
    at: usize,
) {
    let (Some(cells), Some(guess)) =
        (cells[at..].first_chunk::<W>(), guess[at..].first_chunk::<W>())
    else {
        return;
    };
    let (Some(sum), Some(squares), Some(n)) = (
        sum[at..].first_chunk_mut::<W>(),
        squares[at..].first_chunk_mut::<W>(),
        n[at..].first_chunk_mut::<W>(),
    ) else {
        return;
    };
    let deviation: [f64; W] = std::array::from_fn(|lane| {
        let deviation = cells[lane] - guess[lane];
        if MISSING && deviation.is_nan() { 0.0 } else { deviation }
    });
    if MISSING {
        *n = std::array::from_fn(|lane| n[lane] + if cells[lane].is_nan() { 0.0 } else { weight });
    }
    *sum = std::array::from_fn(|lane| sum[lane] + weight * deviation[lane]);
    *squares =
        std::array::from_fn(|lane| squares[lane] + weight * deviation[lane] * deviation[lane]);
}

/// The moments of a column in some rows about their own mean; cells that are too large are refused.
fn in_two_passes(
    block: Block<'_>,
    rows: &[(usize, f64)],
    column: usize,
) -> Result<Moments, BadCell> {
    let cells = rows.iter().map(|&(row, weight)| (row, weight, block.row(row)[column]));
    let present = cells.filter(|(.., cell)| !cell.is_nan());
    let (mut n, mut sum) = (0.0, 0.0);
    for (row, weight, found) in present.clone() {
        if found.abs() > LARGEST {
            return Err(BadCell { row, column, found });
        }
        n += weight;
        sum += weight * found;
    }
    if n == 0.0 {
        return Ok(Moments::default());
    }
    let mean = sum / n;
    let (mut off, mut squares) = (0.0, 0.0);
    for (_, weight, cell) in present {
        let deviation = cell - mean;
        off += weight * deviation;
        squares += weight * deviation * deviation;
    }
    // Not below zero but for rounding.
    Ok(Moments::new(n, mean, off / n, (squares - off * off / n).max(0.0)))
}
