//! Blocks of vectors stored column by column, and the product of a tile with them.

use std::ops::Range;

use ndarray::{Array2, ArrayRef2};

/// Independent partial sums of a dot product: what lets it use vector instructions.
const LANES: usize = 8;

/// A block of C vectors of equal length, each contiguous.
///
/// A product with a block treats its columns one by one, so a column's bits do not depend on the
/// columns beside it.
#[derive(Debug, Clone)]
pub(crate) struct Columns(Vec<Vec<f64>>);

impl Columns {
    pub(crate) fn zeros(n: usize, count: usize) -> Self {
        Self(vec![vec![0.0; n]; count])
    }

    /// The columns of `v [N, C]`.
    pub(crate) fn of(v: &ArrayRef2<f64>) -> Self {
        Self(v.columns().into_iter().map(|column| column.to_vec()).collect())
    }

    /// Writes the columns into `target [N, C]`.
    pub(crate) fn write(&self, target: &mut ArrayRef2<f64>) {
        for (mut column, values) in target.columns_mut().into_iter().zip(&self.0) {
            column.iter_mut().zip(values).for_each(|(entry, value)| *entry = *value);
        }
    }

    /// The sum of two blocks of the same shape.
    pub(crate) fn plus(mut self, other: Self) -> Self {
        for (sum, next) in self.0.iter_mut().zip(&other.0) {
            add_scaled(sum, 1.0, next);
        }
        self
    }

    /// `self[at] += k v[from]`; `k` holds a row for every index of `at`, each of `from`'s length.
    pub(crate) fn add_product(
        &mut self,
        at: Range<usize>,
        k: &[f64],
        v: &Self,
        from: Range<usize>,
    ) {
        for (sums, v) in self.0.iter_mut().zip(&v.0) {
            let (sums, v) = (&mut sums[at.clone()], &v[from.clone()]);
            for (sum, row) in sums.iter_mut().zip(k.chunks_exact(from.len())) {
                *sum += dot(row, v);
            }
        }
    }

    /// `self[at] += kᵀ v[from]`; `k` holds a row for every index of `from`, each of `at`'s length.
    pub(crate) fn add_transposed_product(
        &mut self,
        at: Range<usize>,
        k: &[f64],
        v: &Self,
        from: Range<usize>,
    ) {
        for (sums, v) in self.0.iter_mut().zip(&v.0) {
            let (sums, v) = (&mut sums[at.clone()], &v[from.clone()]);
            for (value, row) in v.iter().zip(k.chunks_exact(at.len())) {
                add_scaled(sums, *value, row);
            }
        }
    }

    /// `Σ_c self_c[rows] other_c[columns]ᵀ`, added to `target [A, B]`.
    pub(crate) fn add_outer(
        &self,
        rows: Range<usize>,
        other: &Self,
        columns: Range<usize>,
        target: &mut Array2<f64>,
    ) {
        for (left, right) in self.0.iter().zip(&other.0) {
            let right = &right[columns.clone()];
            for (mut row, value) in target.rows_mut().into_iter().zip(&left[rows.clone()]) {
                row.iter_mut().zip(right).for_each(|(entry, factor)| *entry += value * factor);
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (mut sums, whole) = ([0.0; LANES], a.len() - a.len() % LANES);
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest = a[whole..].iter().zip(&b[whole..]).map(|(a, b)| a * b);
    sums.into_iter().chain(rest).sum()
}

fn add_scaled(sums: &mut [f64], factor: f64, values: &[f64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}
