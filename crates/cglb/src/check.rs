//! Checks of what a caller hands in.

use gp_core::{GpError, Hyperparameters, check_finite, refuse_duplicates_without_noise};
use ndarray::ArrayRef2;

pub(crate) fn check_data(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
) -> Result<(), GpError> {
    check_finite(x, "x")?;
    check_finite(y, "y")?;
    check_length("y", "rows", y.nrows(), x.nrows())?;
    refuse_duplicates_without_noise(x, y, hyper.total_noise_variance())?;
    hyper.check(x.ncols())
}

/// A matrix of one row for each row, and one column for each column, of the targets.
pub(crate) fn check_like_targets(
    argument: &'static str,
    found: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
) -> Result<(), GpError> {
    check_length(argument, "rows", found.nrows(), y.nrows())?;
    check_length(argument, "columns", found.ncols(), y.ncols())?;
    check_finite(found, argument)
}

/// Inducing points of `d` finite columns; none at all are fine.
pub(crate) fn check_points(z: &ArrayRef2<f64>, d: usize) -> Result<(), GpError> {
    check_length("inducing_points", "columns", z.ncols(), d)?;
    if z.nrows() == 0 { Ok(()) } else { check_finite(z, "inducing_points") }
}

pub(crate) fn check_length(
    argument: &'static str,
    unit: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), GpError> {
    if found == expected {
        return Ok(());
    }
    Err(GpError::ShapeMismatch { argument, unit, expected, found })
}
