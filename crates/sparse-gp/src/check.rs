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

/// A jitter that is finite and not negative.
pub(crate) fn check_jitter(value: f64) -> Result<(), GpError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(bounds::BoundError::InvalidJitter { value }.into())
}
