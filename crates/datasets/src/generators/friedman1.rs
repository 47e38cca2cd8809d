use std::{f64::consts::PI, ops::Range};

use ndarray::ArrayRef1;

use super::TestFunction;
use crate::DataError;

/// Friedman's first function: an interaction, a parabola, two slopes, and inputs that do nothing.
///
/// ```text
/// f(x) = 10 sin(π x₁x₂) + 20 (x₃ − ½)² + 10 x₄ + 5 x₅,   x ∈ [0, 1]^D,  D ≥ 5 (default 10)
/// ```
///
/// Source: Friedman (1991), "Multivariate adaptive regression splines", Annals of Statistics 19(1), there with noise of standard deviation 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Friedman1 {
    n_inputs: usize,
}

impl Friedman1 {
    /// With `n_inputs` inputs, all but five of them without effect.
    ///
    /// # Errors
    /// [`DataError::BadArgument`] below 5.
    pub fn new(n_inputs: usize) -> Result<Self, DataError> {
        if n_inputs < 5 {
            return Err(DataError::BadArgument {
                argument: "n_inputs",
                found: n_inputs as f64,
                accepted: "at least 5",
            });
        }
        Ok(Self { n_inputs })
    }
}

impl Default for Friedman1 {
    fn default() -> Self {
        Self { n_inputs: 10 }
    }
}

impl TestFunction for Friedman1 {
    fn name(&self) -> &'static str {
        "friedman1"
    }

    fn ranges(&self) -> Vec<Range<f64>> {
        vec![0.0..1.0; self.n_inputs]
    }

    fn value(&self, x: &ArrayRef1<f64>) -> f64 {
        10.0 * (PI * x[0] * x[1]).sin() + 20.0 * (x[2] - 0.5).powi(2) + 10.0 * x[3] + 5.0 * x[4]
    }
}
