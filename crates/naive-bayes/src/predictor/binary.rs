//! Bernoulli features and tags.

use super::joint::Joint;
use super::term::Term;
use crate::batch::Block;
use crate::simd::{self, Kernel, LANES};
use crate::statistics::{BadCell, Ones, Table};

/// log θ and log(1 − θ), θ = (k + α)/(n + 2α).
#[derive(Debug, Clone)]
pub(super) struct BinaryTable {
    /// By class, then feature: of 0 and of 1.
    terms: Vec<Vec<[Term; 2]>>,
}

/// The table for the columns of a batch.
pub(super) struct LocalBinary {
    width: usize,
    terms: Vec<[Term; 2]>,
    /// log θ − log(1 − θ), a row of `width` for each class.
    slope: Vec<f64>,
    /// What a missing cell takes back, a row of `width` for each class: log(1 − θ), or 0 where missing means 0.
    zero: Vec<f64>,
    /// Σ log(1 − θ) over the columns of the batch, for each class.
    zeros: Vec<f64>,
    /// The terms of features that are absent from every row.
    absent: Vec<Term>,
    /// Whether no value is impossible.
    regular: bool,
    /// Whether a cell that is missing means 0, as it does for tags.
    blank_is_zero: bool,
}

impl BinaryTable {
    pub(super) fn new(table: &Table<Ones>, classes: &[usize], alpha: f64) -> Self {
        let terms = |cell: &Ones| {
            let Ones { ones, n } = *cell;
            // Zeros are not negative but for rounding of fractional weights.
            [(n - ones).max(0.0), ones].map(|count| Term::smoothed(count, n, alpha, 2.0))
        };
        let row = |&class: &usize| {
            (0..table.width()).map(|feature| terms(table.get(class, feature))).collect()
        };
        Self { terms: classes.iter().map(row).collect() }
    }

    /// The terms of 0 and 1.
    pub(super) fn terms(&self, class: usize, feature: usize) -> [Term; 2] {
        self.terms[class][feature]
    }

    /// For Bernoulli features at `places`.
    pub(super) fn of_cells(&self, places: &[usize]) -> LocalBinary {
        let local = self.of_tags(places, &[]);
        let zero = local.terms.iter().map(|[zero, _]| zero.log).collect();
        LocalBinary { blank_is_zero: false, zero, ..local }
    }

    /// For tags at `places`, and with those `absent` from the batch, which count as 0 in every row.
    pub(super) fn of_tags(&self, places: &[usize], absent: &[usize]) -> LocalBinary {
        let terms: Vec<[Term; 2]> =
            self.terms.iter().flat_map(|row| places.iter().map(|&at| row[at])).collect();
        let slope = terms.iter().map(|[zero, one]| one.log - zero.log).collect();
        let zeros = self.terms.iter().map(|row| places.iter().map(|&at| row[at][0].log).sum());
        let sum = |row: &Vec<[Term; 2]>| {
            absent.iter().fold(Term::default(), |sum, &at| Term {
                log: sum.log + row[at][0].log,
                order: sum.order + row[at][0].order,
            })
        };
        let regular = terms.iter().flatten().all(|term| term.order == 0.0);
        let (zeros, absent) = (zeros.collect(), self.terms.iter().map(sum).collect());
        LocalBinary {
            width: places.len(),
            zero: vec![0.0; terms.len()],
            slope,
            zeros,
            absent,
            regular,
            blank_is_zero: true,
            terms,
        }
    }
}

impl LocalBinary {
    pub(super) fn add(
        &self,
        joint: &mut Joint,
        block: Block<'_>,
        rows: usize,
    ) -> Result<(), BadCell> {
        if self.absent.iter().any(|term| term.log != 0.0) {
            for row in 0..rows {
                let terms = self.absent.iter().enumerate();
                terms.for_each(|(class, term)| joint.add(row, class, *term, 1.0));
            }
        }
        if self.width == 0 {
            return Ok(());
        }
        if self.regular {
            simd::run(Products { table: self, block, rows, joint: &mut *joint });
        }
        for row in 0..rows {
            let (values, products) = joint.values_and_scratch(row);
            // NaN marks rows with a cell that is refused.
            if self.regular && !products[0].is_nan() {
                for ((value, zeros), product) in values.iter_mut().zip(&self.zeros).zip(products) {
                    *value += zeros + product;
                }
            } else {
                self.add_cells(joint, row, block.row(row))?;
            }
        }
        Ok(())
    }

    fn add_cells(&self, joint: &mut Joint, row: usize, cells: &[f64]) -> Result<(), BadCell> {
        for (column, &found) in cells.iter().enumerate() {
            let which = match found {
                _ if found.is_nan() && self.blank_is_zero => 0,
                _ if found.is_nan() => continue,
                0.0 => 0,
                1.0 => 1,
                _ => return Err(BadCell { row, column, found }),
            };
            for class in 0..joint.n_classes {
                joint.add(row, class, self.terms[class * self.width + column][which], 1.0);
            }
        }
        Ok(())
    }
}

/// Fills the scratch of a [`Joint`] with Σ x_j s_j, and with NaN for rows with a cell that is neither 0 nor 1 nor missing.
struct Products<'k> {
    table: &'k LocalBinary,
    block: Block<'k>,
    rows: usize,
    joint: &'k mut Joint,
}

impl Kernel for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (width, n) = (self.table.width, self.joint.n_classes);
        let out = self.joint.scratch(self.rows);
        for (class, slope) in self.table.slope.chunks_exact(width).enumerate() {
            for row in 0..self.rows {
                out[row * n + class] = product(self.block.row(row), slope);
            }
        }
        for row in 0..self.rows {
            let (cells, out) = (self.block.row(row), &mut out[row * n..(row + 1) * n]);
            if !cells_are_binary(cells) {
                out[0] = f64::NAN;
            } else if out[0].is_nan() {
                for (class, out) in out.iter_mut().enumerate() {
                    *out = self.table.product_of_present(cells, class);
                }
            }
        }
    }
}

impl LocalBinary {
    /// Σ x_j s_j over the cells that are there, less log(1 − θ) of the others unless missing means 0.
    #[inline(always)]
    fn product_of_present(&self, cells: &[f64], class: usize) -> f64 {
        let at = class * self.width;
        let (slope, zero) = (&self.slope[at..at + self.width], &self.zero[at..at + self.width]);
        let mut lanes = [0.0; LANES];
        let whole = self.width - self.width % LANES;
        for first in (0..whole).step_by(LANES) {
            for (lane, at) in lanes.iter_mut().zip(first..) {
                *lane += if cells[at].is_nan() { -zero[at] } else { cells[at] * slope[at] };
            }
        }
        for at in whole..self.width {
            lanes[0] += if cells[at].is_nan() { -zero[at] } else { cells[at] * slope[at] };
        }
        (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
    }
}

/// Whether every cell is 0, 1 or missing, without leaving early: vectors are faster than branches.
#[inline(always)]
#[expect(clippy::float_cmp, reason = "x² = x holds exactly for 0 and 1; +∞ is excluded beside it")]
fn cells_are_binary(cells: &[f64]) -> bool {
    let odd = |cell: f64| u64::from((cell * cell != cell) & !cell.is_nan()) | u64::from(cell > 1.0);
    let mut lanes = [0; 4];
    let (whole, rest) = cells.as_chunks::<4>();
    for cells in whole {
        for lane in 0..4 {
            lanes[lane] |= odd(cells[lane]);
        }
    }
    rest.iter().fold(lanes[0] | lanes[1] | lanes[2] | lanes[3], |found, &cell| found | odd(cell))
        == 0
}

/// Σ x_j s_j in four lanes.
#[inline(always)]
fn product(cells: &[f64], slope: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let (whole, rest) = cells.as_chunks::<4>();
    let (slopes, slope_rest) = slope.as_chunks::<4>();
    for (cells, slope) in whole.iter().zip(slopes) {
        for lane in 0..4 {
            lanes[lane] += cells[lane] * slope[lane];
        }
    }
    let rest: f64 = rest.iter().zip(slope_rest).map(|(cell, slope)| cell * slope).sum();
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + rest
}
