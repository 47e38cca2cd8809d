//! Bernoulli features and tags.

use std::hint::select_unpredictable;

use super::joint::{Joint, Mode};
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
    weights: Weights,
    /// The terms of features that are absent from every row.
    absent: Vec<Term>,
    /// Whether no value is impossible.
    regular: bool,
    /// Whether a cell that is missing means 0, as it does for tags.
    blank_is_zero: bool,
}

/// log p(x | c) = Σ log(1 − θ_j) + Σ x_j s_j with s_j = log θ_j − log(1 − θ_j); where only differences matter, less those of the first
/// class, whose own are 0: one product less for each row.
struct Weights {
    /// The first class that has any.
    first: usize,
    /// s, a row of `width` for each class.
    slope: Vec<f64>,
    /// What a missing cell takes back, a row of `width` for each class: log(1 − θ), or 0 where missing means 0.
    zero: Vec<f64>,
    /// Σ log(1 − θ) over the columns of the batch, for each class.
    zeros: Vec<f64>,
}

impl Weights {
    fn new(terms: &[[Term; 2]], width: usize, classes: usize, blank_is_zero: bool) -> Self {
        let taken = |[zero, _]: &[Term; 2]| if blank_is_zero { 0.0 } else { zero.log };
        let sum = |row: &[[Term; 2]]| row.iter().map(|[zero, _]| zero.log).sum();
        let rows = |class: usize| &terms[class * width..(class + 1) * width];
        Self {
            first: 0,
            slope: terms.iter().map(|[zero, one]| one.log - zero.log).collect(),
            zero: terms.iter().map(taken).collect(),
            zeros: (0..classes).map(|class| sum(rows(class))).collect(),
        }
    }

    /// Less the first class.
    fn relative(self, width: usize) -> Self {
        let less = |values: &[f64], width: usize| {
            values.iter().enumerate().map(|(at, value)| value - values[at % width.max(1)]).collect()
        };
        Self {
            first: usize::from(self.zeros.len() > 1),
            slope: less(&self.slope, width),
            zero: less(&self.zero, width),
            zeros: less(&self.zeros, 1),
        }
    }
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
    pub(super) fn of_cells(&self, mode: Mode, places: &[usize]) -> LocalBinary {
        self.local(mode, places, &[], false)
    }

    /// For tags at `places`, and with those `absent` from the batch, which count as 0 in every row.
    pub(super) fn of_tags(&self, mode: Mode, places: &[usize], absent: &[usize]) -> LocalBinary {
        self.local(mode, places, absent, true)
    }

    fn local(
        &self,
        mode: Mode,
        places: &[usize],
        absent: &[usize],
        blank_is_zero: bool,
    ) -> LocalBinary {
        let terms: Vec<[Term; 2]> =
            self.terms.iter().flat_map(|row| places.iter().map(|&at| row[at])).collect();
        let sum = |row: &Vec<[Term; 2]>| {
            absent.iter().fold(Term::default(), |sum, &at| Term {
                log: sum.log + row[at][0].log,
                order: sum.order + row[at][0].order,
            })
        };
        let width = places.len();
        let absolute = Weights::new(&terms, width, self.terms.len(), blank_is_zero);
        LocalBinary {
            width,
            weights: match mode {
                Mode::Absolute => absolute,
                Mode::Relative => absolute.relative(width),
            },
            absent: self.terms.iter().map(sum).collect(),
            regular: terms.iter().flatten().all(|term| term.order == 0.0),
            blank_is_zero,
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
        if self.absent.iter().any(|term| term.log != 0.0 || term.order != 0.0) {
            for row in 0..rows {
                let terms = self.absent.iter().enumerate();
                terms.for_each(|(class, term)| joint.add(row, class, *term, 1.0));
            }
        }
        if self.width == 0 {
            return Ok(());
        }
        if !self.regular {
            return (0..rows).try_for_each(|row| self.add_cells(joint, row, block.row(row)));
        }
        let weights = &self.weights;
        if simd::run(AreBinary::<false> { block, rows }) {
            simd::run(Products::<false> { weights, block, rows, joint });
        } else if simd::run(AreBinary::<true> { block, rows }) {
            simd::run(Products::<true> { weights, block, rows, joint });
        } else {
            return (0..rows).try_for_each(|row| self.add_cells(joint, row, block.row(row)));
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

/// Whether every cell of a block is 0 or 1, or with `MISSING` none at all, without leaving early: at the speed at which memory hands over the cells, which the
/// products then find in the cache.
struct AreBinary<'k, const MISSING: bool> {
    block: Block<'k>,
    rows: usize,
}

impl<const MISSING: bool> Kernel for AreBinary<'_, MISSING> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let mut found = 0;
        for piece in 0..self.block.pieces(self.rows) {
            for cell in self.block.piece(piece, self.rows) {
                found |= oddness::<MISSING>(*cell);
            }
        }
        found == 0
    }
}

/// Not 0 unless the cell is 0, 1 or perhaps missing: x² − x is 0 for 0 and 1 alone, and NaN for infinity.
#[inline(always)]
fn oddness<const MISSING: bool>(cell: f64) -> u64 {
    let odd = cell * cell - cell;
    match MISSING {
        true => select_unpredictable(cell.is_nan(), 0.0, odd).to_bits(),
        false => odd.to_bits(),
    }
}

/// Adds Σ log(1 − θ) + Σ x_j s_j over the cells that are there to the values of a [`Joint`]. Without `MISSING`, all cells are there.
struct Products<'k, const MISSING: bool> {
    weights: &'k Weights,
    block: Block<'k>,
    rows: usize,
    joint: &'k mut Joint,
}

impl<const MISSING: bool> Kernel for Products<'_, MISSING> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { weights, block, rows, joint } = self;
        let (n, values, width) = (joint.n_classes, joint.all_values(), block.width);
        for class in weights.first..n {
            let at = class * width..(class + 1) * width;
            let (slope, zero) = (&weights.slope[at.clone()], &weights.zero[at]);
            for (row, values) in values.chunks_exact_mut(n).take(rows).enumerate() {
                let product = product::<MISSING>(block.row(row), slope, zero);
                values[class] += weights.zeros[class] + product;
            }
        }
    }
}

/// Σ x_j s_j in four lanes, less `zero` where a cell is missing.
#[inline(always)]
fn product<const MISSING: bool>(cells: &[f64], slope: &[f64], zero: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (whole, rest) = cells.as_chunks::<LANES>();
    let (slopes, slope_rest) = slope.as_chunks::<LANES>();
    let (zeros, zero_rest) = zero.as_chunks::<LANES>();
    for ((cells, slope), zero) in whole.iter().zip(slopes).zip(zeros) {
        lanes = std::array::from_fn(|lane| {
            lanes[lane] + term::<MISSING>(cells[lane], slope[lane], zero[lane])
        });
    }
    for (lane, cell) in rest.iter().enumerate() {
        lanes[lane] += term::<MISSING>(*cell, slope_rest[lane], zero_rest[lane]);
    }
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

/// x s, or with `MISSING` −`zero` where x is missing.
#[inline(always)]
fn term<const MISSING: bool>(cell: f64, slope: f64, zero: f64) -> f64 {
    match MISSING {
        true => select_unpredictable(cell.is_nan(), -zero, cell * slope),
        false => cell * slope,
    }
}
