//! Checks of arguments that carry a caller's data.

use ndarray::{ArrayRef1, ArrayRef2, Axis};

use crate::error::LinalgError;

/// `Ok` when `found == expected`.
pub(crate) fn size(
    argument: &'static str,
    dimension: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), LinalgError> {
    if found == expected {
        return Ok(());
    }
    Err(LinalgError::ShapeMismatch { argument, dimension, expected, found })
}

/// The order of a square matrix.
pub(crate) fn square(argument: &'static str, a: &ArrayRef2<f64>) -> Result<usize, LinalgError> {
    let (rows, columns) = a.dim();
    if rows == columns {
        return Ok(rows);
    }
    Err(LinalgError::NotSquare { argument, rows, columns })
}

/// The first value of `a` that is not finite, in row order.
pub(crate) fn finite(argument: &'static str, a: &ArrayRef2<f64>) -> Result<(), LinalgError> {
    for (row, values) in a.axis_iter(Axis(0)).enumerate() {
        if let Some(column) = values.iter().position(|value| !value.is_finite()) {
            return Err(LinalgError::NonFinite { argument, row, column, found: values[column] });
        }
    }
    Ok(())
}

/// Every element finite and above zero.
pub(crate) fn positive(argument: &'static str, a: &ArrayRef1<f64>) -> Result<(), LinalgError> {
    match a.iter().position(|value| !(value.is_finite() && *value > 0.0)) {
        Some(index) => Err(LinalgError::NotPositive { argument, index, found: a[index] }),
        None => Ok(()),
    }
}
