//! Inputs brought to [−1, 1].

use gp_core::{GpError, check_finite};
use ndarray::{Array2, ArrayRef2};
use serde::{Deserialize, Serialize};

/// Subtracts each column's mid-range and divides by its half-range, both of the training rows.
///
/// ```text
/// x̃ = (x − (max + min)/2) / ((max − min)/2)
/// ```
///
/// A constant column is divided by 1. The variational approximation knows where the origin is,
/// although the model does not: its best is near the middle of the data.
///
/// ```
/// use ndarray::array;
/// use ssgp_vb::HalfRange;
///
/// let scaling = HalfRange::fit(&array![[1.0, 7.0], [5.0, 7.0]], "x")?;
/// assert_eq!(scaling.apply(&array![[5.0, 8.0], [3.0, 7.0]])?, array![[1.0, 1.0], [0.0, 0.0]]);
/// # Ok::<(), ssgp_vb::SsgpError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HalfRange {
    /// Of each column.
    pub middle: Vec<f64>,
    /// Of each column, positive.
    pub half_range: Vec<f64>,
}

impl HalfRange {
    /// Measures the columns of `x` `[N, D]`.
    ///
    /// # Errors
    /// [`GpError::NoRows`], [`GpError::NotFinite`].
    pub fn fit(x: &ArrayRef2<f64>, argument: &'static str) -> Result<Self, GpError> {
        check_finite(x, argument)?;
        let (mut middle, mut half_range) = (Vec::new(), Vec::new());
        for column in x.columns() {
            let least = column.iter().fold(f64::INFINITY, |least, &value| least.min(value));
            let most = column.iter().fold(f64::NEG_INFINITY, |most, &value| most.max(value));
            middle.push(0.5 * least + 0.5 * most);
            let half = 0.5 * most - 0.5 * least;
            half_range.push(if half > 0.0 { half } else { 1.0 });
        }
        Ok(Self { middle, half_range })
    }

    /// Leaves `d` columns as they are.
    #[must_use]
    pub fn identity(d: usize) -> Self {
        Self { middle: vec![0.0; d], half_range: vec![1.0; d] }
    }

    /// x̃ of rows `[T, D]`.
    ///
    /// # Errors
    /// [`GpError::ShapeMismatch`] for another number of columns.
    pub fn apply(&self, x: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let (expected, found) = (self.middle.len(), x.ncols());
        if expected != found {
            let (argument, unit) = ("x", "columns");
            return Err(GpError::ShapeMismatch { argument, unit, expected, found });
        }
        Ok(Array2::from_shape_fn(x.raw_dim(), |(i, j)| {
            (x[[i, j]] - self.middle[j]) / self.half_range[j]
        }))
    }
}
