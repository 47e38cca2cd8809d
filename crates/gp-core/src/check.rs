//! Checks of what a caller hands to a model.

use crate::{GpError, Hyperparameters, check_finite, refuse_duplicates_without_noise};
use ndarray::ArrayRef2;

/// Training data `x` `[N, D]` and `y` `[N, P]` that a model with these hyperparameters can take.
///
/// # Errors
/// Data that are empty, not finite or of disagreeing shapes; parameters out of range or of another
/// number of columns; repeated inputs with different targets where there is no noise.
pub fn check_data(
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

/// As many of `unit` ("rows", "columns") in `argument` as there have to be.
///
/// # Errors
/// [`GpError::ShapeMismatch`].
pub fn check_length(
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
