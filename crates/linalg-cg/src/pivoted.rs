//! Partial Cholesky factorisation with the greedy choice of pivots.

use ndarray::{Array1, Array2, ArrayRef1, ArrayView1, ArrayViewMut2, Axis, Zip, s};
use rayon::prelude::*;

/// Rows updated together.
const ROWS: usize = 1024;

/// A partial factorisation of a positive semidefinite matrix.
///
/// ```text
/// A ≈ F Fᵀ,   diag(A − F Fᵀ) ≥ 0
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PivotedCholesky {
    /// The factor F, `[N, R]`. Rows of earlier pivots are exactly zero.
    pub factor: Array2<f64>,
    /// The pivots in the order chosen, `R` of them.
    pub pivots: Vec<usize>,
    /// `tr(A − F Fᵀ)` after each step, `R` of them.
    pub trace_residual: Vec<f64>,
    /// `diag(A − F Fᵀ)` at the end, `[N]`; exactly zero at the pivots.
    pub residual_diag: Array1<f64>,
}

impl PivotedCholesky {
    /// The rank R reached.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }
}

/// Greedy pivoted Cholesky of a matrix known by its diagonal and by columns on demand.
///
/// ```text
/// p_k = argmaxᵢ dᵢ (ties: lowest i),   f_k = (a_{p_k} − F F_{p_k}ᵀ) / √d_{p_k},   d ← d − f_k²
/// ```
///
/// `diagonal [N]`; `column(p)` returns column p, `[N]`. Stops at `max_rank`, once
/// `tr(A − F Fᵀ) ≤ tolerance` (absolute, the matrix's units), or when the largest dᵢ left is
/// rounding, at most `N ε max diagonal`. For a covariance, dᵢ is the variance of point i given the
/// pivots. Cost: R columns and N R² flops; memory N R.
/// Source: Harbrecht, Peters & Schneider (2012), algorithm 1.
///
/// # Panics
/// When `column` returns another length than N.
///
/// ```
/// let a = ndarray::array![[1.0, 0.5], [0.5, 4.0]];
/// let partial = linalg_cg::pivoted_cholesky(&a.diag(), |p| a.column(p).to_owned(), 1, 0.0);
/// assert_eq!(partial.pivots, [1]);
/// assert_eq!(partial.factor, ndarray::array![[0.25], [2.0]]);
/// ```
#[must_use]
pub fn pivoted_cholesky(
    diagonal: &ArrayRef1<f64>,
    mut column: impl FnMut(usize) -> Array1<f64>,
    max_rank: usize,
    tolerance: f64,
) -> PivotedCholesky {
    let n = diagonal.len();
    let rounding = n as f64 * f64::EPSILON * diagonal.fold(0.0, |max: f64, d| max.max(*d));
    let mut partial = Partial::new(diagonal, max_rank.min(n));
    while partial.pivots.len() < max_rank.min(n) && partial.residual.sum() > tolerance {
        match largest(&partial.residual) {
            Some(pivot) if partial.residual[pivot] > rounding => partial.step(pivot, column(pivot)),
            _ => break,
        }
    }
    partial.finish()
}

/// The factorisation so far; the factor has room for every step.
struct Partial {
    factor: Array2<f64>,
    pivots: Vec<usize>,
    trace_residual: Vec<f64>,
    residual: Array1<f64>,
}

impl Partial {
    fn new(diagonal: &ArrayRef1<f64>, max_rank: usize) -> Self {
        Self {
            factor: Array2::zeros((diagonal.len(), max_rank)),
            pivots: Vec::new(),
            trace_residual: Vec::new(),
            residual: diagonal.to_owned(),
        }
    }

    fn step(&mut self, pivot: usize, column: Array1<f64>) {
        assert!(column.len() == self.residual.len(), "column {pivot} has {} rows", column.len());
        let (k, root) = (self.pivots.len(), self.residual[pivot].sqrt());
        let known = self.factor.slice(s![pivot, ..k]).to_owned();
        add_column(self.factor.view_mut(), k, &column, &known.view(), root);
        for used in &self.pivots {
            self.factor[[*used, k]] = 0.0;
        }
        self.factor[[pivot, k]] = root;
        self.pivots.push(pivot);
        let added = self.factor.column(k);
        // A variance that rounds below zero is a zero variance.
        Zip::from(&mut self.residual).and(added).for_each(|d, f| *d = (*d - f * f).max(0.0));
        for used in &self.pivots {
            self.residual[*used] = 0.0;
        }
        self.trace_residual.push(self.residual.sum());
    }

    fn finish(self) -> PivotedCholesky {
        let rank = self.pivots.len();
        let full = rank == self.factor.ncols();
        PivotedCholesky {
            factor: if full { self.factor } else { self.factor.slice(s![.., ..rank]).to_owned() },
            pivots: self.pivots,
            trace_residual: self.trace_residual,
            residual_diag: self.residual,
        }
    }
}

/// Column k of the factor, in parallel over fixed rows: `(a − F F_pᵀ) / root`.
fn add_column(
    mut factor: ArrayViewMut2<'_, f64>,
    k: usize,
    column: &Array1<f64>,
    known: &ArrayView1<'_, f64>,
    root: f64,
) {
    let factors = factor.axis_chunks_iter_mut(Axis(0), ROWS).into_par_iter();
    let values = column.axis_chunks_iter(Axis(0), ROWS).into_par_iter();
    factors.zip(values).for_each(|(mut rows, values)| {
        for (mut row, value) in rows.rows_mut().into_iter().zip(values) {
            row[k] = (value - row.slice(s![..k]).dot(known)) / root;
        }
    });
}

/// The first of the largest values; NaN is never chosen.
fn largest(values: &Array1<f64>) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (index, value) in values.iter().enumerate() {
        let better = best.map_or(!value.is_nan(), |current| *value > values[current]);
        if better {
            best = Some(index);
        }
    }
    best
}
