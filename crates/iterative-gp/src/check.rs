//! Checks of what a caller hands in, and the residual everything starts from.

use gp_core::{GpError, Hyperparameters, check_finite, refuse_duplicates_without_noise};
use ndarray::{Array2, ArrayRef2, Axis};

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

/// y − m(X) `[N, P]`.
pub(crate) fn residual(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
) -> Array2<f64> {
    y.to_owned() - hyper.mean.value(x).insert_axis(Axis(1))
}
