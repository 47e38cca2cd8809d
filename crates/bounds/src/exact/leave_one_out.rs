//! Leave-one-out prediction in closed form.

use super::Exact;
use crate::BoundError;
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use std::f64::consts::PI;

/// Prediction of each target from all the others.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaveOneOut {
    /// Predictive means, `[N, P]`, on the scale of the targets given (mean function not added).
    pub mean: Array2<f64>,
    /// Predictive variances of the noisy target, `[N]`, the same for every column.
    pub var_y: Array1<f64>,
    /// log N(y_ip; mean, var_y), `[N, P]`.
    pub log_density: Array2<f64>,
}

impl Exact<'_, '_> {
    /// Leave-one-out prediction for `y [N, P]`.
    ///
    /// ```text
    /// mean_i = y_i − α_i / (K⁻¹)_ii,   var_i = 1 / (K⁻¹)_ii
    /// ```
    ///
    /// Cost: N³/3 flops beside the factorisation; one more N × N array.
    /// Source: Rasmussen & Williams (2006), eq. 5.12.
    ///
    /// # Errors
    /// As [`alpha`](Self::alpha).
    pub fn leave_one_out(&self, y: &ArrayRef2<f64>) -> Result<LeaveOneOut, BoundError> {
        let alpha = self.alpha(y)?;
        // (K⁻¹)_ii is the sum of squares of column i of L⁻¹: positive, whatever the rounding.
        let precision =
            self.cholesky.inverse_lower().mapv_into(|value| value * value).sum_axis(Axis(0));
        let var_y = precision.mapv(f64::recip);
        let error = &alpha * &var_y.view().insert_axis(Axis(1));
        // The squared error over its variance is error · α.
        let mut log_density = -0.5 * &error * &alpha;
        for (mut row, var) in log_density.rows_mut().into_iter().zip(&var_y) {
            row.mapv_inplace(|value| value - 0.5 * (2.0 * PI * var).ln());
        }
        Ok(LeaveOneOut { mean: y - &*error, var_y, log_density })
    }
}
