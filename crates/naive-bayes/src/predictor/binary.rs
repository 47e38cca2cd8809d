//! Bernoulli features and tags.

use super::joint::{Joint, Mode};
use super::term::Term;
use crate::batch::Block;
use crate::shards;
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
        let (width, weights) = (self.width, &self.weights);
        match simd::run(Products { width, weights, block, rows, joint: &mut *joint }) {
            None => Ok(()),
            Some(row) => self.add_cells(joint, row, block.row(row)),
        }
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

/// Adds Σ log(1 − θ) + Σ x_j s_j to the values of a [`Joint`]; the result is the first row with a cell that is refused, if any: the values
/// are then of no use.
struct Products<'k> {
    width: usize,
    weights: &'k Weights,
    block: Block<'k>,
    rows: usize,
    joint: &'k mut Joint,
}

/// A set of the rows of a block.
type Rows = u128;
const _: () = assert!(shards::BLOCK <= Rows::BITS as usize);

impl Kernel for Products<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn call(self) -> Option<usize> {
        let Self { width, weights, block, rows, joint } = self;
        let (n, values) = (joint.n_classes, joint.all_values());
        let Weights { first, slope, zeros, .. } = weights;
        // Rows whose cells are not all 0 and 1.
        let mut odd: Rows = 0;
        for (row, values) in values.chunks_exact_mut(n).take(rows).enumerate() {
            let cells = block.row(row);
            match checked_product(cells, &slope[first * width..(first + 1) * width]) {
                Some(product) => values[*first] += zeros[*first] + product,
                None => odd |= 1 << row,
            }
        }
        for class in first + 1..n {
            let slope = &slope[class * width..(class + 1) * width];
            for (row, values) in values.chunks_exact_mut(n).take(rows).enumerate() {
                if odd >> row & 1 == 0 {
                    values[class] += zeros[class] + product(block.row(row), slope);
                }
            }
        }
        while odd != 0 {
            let row = odd.trailing_zeros() as usize;
            odd &= odd - 1;
            let cells = block.row(row);
            if !cells_are_binary(cells) {
                return Some(row);
            }
            for (class, value) in values[row * n..][..n].iter_mut().enumerate().skip(*first) {
                *value += zeros[class] + weights.product_of_present(cells, class, width);
            }
        }
        None
    }
}

impl Weights {
    /// Σ x_j s_j over the cells that are there, less log(1 − θ) of the others unless missing means 0.
    #[inline(always)]
    fn product_of_present(&self, cells: &[f64], class: usize, width: usize) -> f64 {
        let at = class * width;
        let (slope, zero) = (&self.slope[at..at + width], &self.zero[at..at + width]);
        let mut lanes = [0.0; LANES];
        let whole = width - width % LANES;
        for first in (0..whole).step_by(LANES) {
            for (lane, at) in lanes.iter_mut().zip(first..) {
                *lane += if cells[at].is_nan() { -zero[at] } else { cells[at] * slope[at] };
            }
        }
        for at in whole..width {
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

/// The same sum where every cell is 0 or 1; `None` when in doubt.
///
/// x² has the bits of x for 0 and 1, and for infinity and NaN, with which the sum is not finite.
#[inline(always)]
fn checked_product(cells: &[f64], slope: &[f64]) -> Option<f64> {
    let (mut lanes, mut odd) = ([0.0; 4], [0_u64; 4]);
    let (whole, rest) = cells.as_chunks::<4>();
    let (slopes, slope_rest) = slope.as_chunks::<4>();
    for (cells, slope) in whole.iter().zip(slopes) {
        for lane in 0..4 {
            lanes[lane] += cells[lane] * slope[lane];
            odd[lane] |= (cells[lane] * cells[lane]).to_bits() ^ cells[lane].to_bits();
        }
    }
    let mut last = 0.0;
    for (cell, slope) in rest.iter().zip(slope_rest) {
        last += cell * slope;
        odd[0] |= (cell * cell).to_bits() ^ cell.to_bits();
    }
    let sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + last;
    ((odd[0] | odd[1] | odd[2] | odd[3]) == 0 && sum.is_finite()).then_some(sum)
}
