//! A normal law by its mean and its covariance.

use gp_core::check_finite;
use kernels::simd::{LANES, Pack};
use linalg_cg::Cholesky;
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};
use serde::{Deserialize, Serialize};

use crate::SsgpError;

/// N(mean, covariance).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gaussian {
    /// `[D]`.
    pub mean: Array1<f64>,
    /// `[D, D]`, symmetric positive definite.
    pub covariance: Array2<f64>,
}

impl Gaussian {
    /// N(`mean` · 1, `variance` · I) in `d` dimensions.
    #[must_use]
    pub fn isotropic(d: usize, mean: f64, variance: f64) -> Self {
        Self { mean: Array1::from_elem(d, mean), covariance: Array2::eye(d) * variance }
    }

    /// Checks shape, finiteness, symmetry and that no variance is negative.
    pub(crate) fn check(&self, d: usize, argument: &'static str) -> Result<(), SsgpError> {
        check_count(argument, "values", self.mean.len(), d)?;
        check_count(argument, "rows", self.covariance.nrows(), d)?;
        check_count(argument, "columns", self.covariance.ncols(), d)?;
        check_finite(&self.mean.view().insert_axis(Axis(1)), argument)?;
        let scale = self.covariance.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
        let skew = &self.covariance - &self.covariance.t();
        let symmetric = skew.iter().all(|value| value.abs() <= 1e-12 * scale);
        let positive = self.covariance.diag().iter().all(|variance| *variance >= 0.0);
        if symmetric && positive && scale.is_finite() {
            return Ok(());
        }
        Err(SsgpError::NotCovariance { argument })
    }

    /// Checks that and definiteness; gives the factor of the covariance.
    pub(crate) fn factor(&self, d: usize, argument: &'static str) -> Result<Cholesky, SsgpError> {
        self.check(d, argument)?;
        let factor = Cholesky::factor(self.covariance.clone());
        factor.map_err(|_| SsgpError::NotCovariance { argument })
    }
}

pub(crate) fn check_count(
    argument: &'static str,
    unit: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), SsgpError> {
    if found == expected {
        return Ok(());
    }
    Err(gp_core::GpError::ShapeMismatch { argument, unit, expected, found }.into())
}

/// Σ Aⱼₖ Bⱼₖ.
pub(crate) fn inner(a: &ArrayRef2<f64>, b: &ArrayRef2<f64>) -> f64 {
    match (a.as_slice(), b.as_slice()) {
        (Some(a), Some(b)) => slice_dot(a, b),
        _ => a.iter().zip(b).map(|(a, b)| a * b).sum(),
    }
}

/// aᵀ b.
pub(crate) fn dot(a: &ArrayRef1<f64>, b: &ArrayRef1<f64>) -> f64 {
    match (a.as_slice(), b.as_slice()) {
        (Some(a), Some(b)) => slice_dot(a, b),
        _ => a.iter().zip(b).map(|(a, b)| a * b).sum(),
    }
}

/// In eight sums, none of which waits for another.
fn slice_dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = Pack::ZERO;
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums.0[lane] += a[lane] * b[lane];
        }
    }
    sums.sum() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// Aᵀ b.
pub(crate) fn transposed_times(a: &ArrayRef2<f64>, b: &ArrayRef1<f64>) -> Array1<f64> {
    let mut sums = Array1::zeros(a.ncols());
    for (row, &factor) in a.outer_iter().zip(b) {
        sums.iter_mut().zip(&row).for_each(|(sum, value)| *sum += value * factor);
    }
    sums
}

/// A b.
pub(crate) fn times(a: &ArrayRef2<f64>, b: &ArrayRef1<f64>) -> Array1<f64> {
    a.outer_iter().map(|row| dot(&row, b)).collect()
}

/// vᵀ A v.
pub(crate) fn quadratic(a: &ArrayRef2<f64>, v: &ArrayRef1<f64>) -> f64 {
    dot(&times(a, v), v)
}

/// A + v vᵀ.
pub(crate) fn plus_outer(a: &Array2<f64>, v: &ArrayRef1<f64>) -> Array2<f64> {
    let mut sum = a.clone();
    for (mut row, &left) in sum.outer_iter_mut().zip(v) {
        row.iter_mut().zip(v).for_each(|(entry, right)| *entry += left * right);
    }
    sum
}
