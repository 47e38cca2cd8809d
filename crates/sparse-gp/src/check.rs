//! Checks of what a caller hands in.

use gp_core::{GpError, check_finite, check_length};
use ndarray::ArrayRef2;

/// Inducing points `z` `[M, D]` of `d` finite columns; none at all are fine.
///
/// # Errors
/// [`GpError::ShapeMismatch`], [`GpError::NotFinite`].
pub fn check_points(z: &ArrayRef2<f64>, d: usize) -> Result<(), GpError> {
    check_length("inducing_points", "columns", z.ncols(), d)?;
    if z.nrows() == 0 { Ok(()) } else { check_finite(z, "inducing_points") }
}

/// A jitter that is finite and not negative.
pub(crate) fn check_jitter(value: f64) -> Result<(), GpError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(bounds::BoundError::InvalidJitter { value }.into())
}
