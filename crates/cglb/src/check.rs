//! Checks of what a caller hands in.

use gp_core::{GpError, check_finite, check_length};
use ndarray::ArrayRef2;

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
