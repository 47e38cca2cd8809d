//! Priors on λ, σ and γ.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::SsgpError;
use crate::gaussian::Gaussian;

/// Priors of the model.
///
/// ```text
/// λ ~ N(μ₀, Σ₀),   σ ~ half-Cauchy(A_σ),   γ ~ half-Cauchy(A_γ)
/// half-Cauchy(A) has the density 2A / (π (A² + x²)) on x > 0
/// ```
///
/// | option | default |
/// | --- | --- |
/// | `lambda` | none: N(0, 10 I), for inputs in [−1, 1] |
/// | `signal_scale`, `noise_scale` | 25, in the units of the target: flat for deviations up to 30 or so |
///
/// Source: Tan, Ong, Nott & Jasra (2016), section 2; Gelman (2006) for the half-Cauchy family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Priors {
    /// Of the inverse lengthscales `[D]`.
    pub lambda: Option<Gaussian>,
    /// A_σ, the scale of the signal's standard deviation.
    pub signal_scale: f64,
    /// A_γ, the scale of the noise's standard deviation.
    pub noise_scale: f64,
}

impl Default for Priors {
    fn default() -> Self {
        Self { lambda: None, signal_scale: 25.0, noise_scale: 25.0 }
    }
}

/// Priors checked and inverted.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    pub(crate) lambda: Gaussian,
    /// Σ₀⁻¹ and log|Σ₀|.
    pub(crate) precision: Array2<f64>,
    pub(crate) log_det: f64,
    /// A_σ², A_γ².
    pub(crate) signal_square: f64,
    pub(crate) noise_square: f64,
}

impl Priors {
    pub(crate) fn prepare(&self, d: usize) -> Result<Prepared, SsgpError> {
        let lambda = self.lambda.clone().unwrap_or_else(|| Gaussian::isotropic(d, 0.0, 10.0));
        let factor = lambda.factor(d, "priors.lambda")?;
        Ok(Prepared {
            precision: factor.inverse(),
            log_det: factor.log_det(),
            lambda,
            signal_square: square("priors.signal_scale", self.signal_scale)?,
            noise_square: square("priors.noise_scale", self.noise_scale)?,
        })
    }
}

fn square(option: &'static str, scale: f64) -> Result<f64, SsgpError> {
    let square = scale * scale;
    if scale > 0.0 && square.is_normal() {
        return Ok(square);
    }
    let accepted = "a positive number whose square is representable";
    Err(SsgpError::Option { option, found: scale, accepted })
}
