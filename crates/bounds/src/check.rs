//! Checks of arguments that come from a caller's data.

use crate::BoundError;
use ndarray::{ArrayRef1, ArrayRef2};

/// Refuses a wrong length.
pub(crate) fn length(
    argument: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), BoundError> {
    if found == expected {
        return Ok(());
    }
    Err(BoundError::ShapeMismatch { argument, expected, found })
}

/// Refuses NaN and infinities in a matrix, naming the first.
pub(crate) fn finite(argument: &'static str, array: &ArrayRef2<f64>) -> Result<(), BoundError> {
    match array.indexed_iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some(((row, column), &value)) => {
            Err(BoundError::NotFinite { argument, row, column, value })
        }
    }
}

/// Refuses NaN and infinities in a vector, naming the first.
pub(crate) fn finite_vec(argument: &'static str, array: &ArrayRef1<f64>) -> Result<(), BoundError> {
    match array.indexed_iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some((row, &value)) => Err(BoundError::NotFinite { argument, row, column: 0, value }),
    }
}
