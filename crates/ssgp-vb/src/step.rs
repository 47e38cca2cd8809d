//! The natural-gradient step of q(λ).

use linalg_cg::Cholesky;
use ndarray::Array2;

use crate::SsgpError;
use crate::gaussian::{Gaussian, times};
use crate::problem::{LambdaGradient, SparseSpectrum};

/// Shrinking a step this often leaves nothing of it.
const MAX_SHRINKS: usize = 200;

/// q(λ) after a step, and how long the step was.
#[derive(Debug, Clone)]
pub struct LambdaStep {
    /// The new q(λ).
    pub lambda: Gaussian,
    /// The step taken, shrunk where the one asked for left no covariance.
    pub step: f64,
    /// How often it was divided by ρ.
    pub shrinks: usize,
    pub(crate) precision: Array2<f64>,
    pub(crate) factor: Cholesky,
}

impl SparseSpectrum {
    /// A step of length `step` on the natural parameters of q(λ); length 1 is the plain update of
    /// nonconjugate variational message passing.
    ///
    /// ```text
    /// P = (1 − a) Σ⁻¹ + a (Σ₀⁻¹ − 2 dS/dΣ),   Σ ← P⁻¹,   μ ← μ + a P⁻¹ (dS/dμ − Σ₀⁻¹(μ − μ₀))
    /// ```
    ///
    /// While P is not positive definite, a is divided by `rho`.
    /// Source: Tan, Ong, Nott & Jasra (2016), Algorithm 2, steps 2 and 3.
    ///
    /// # Errors
    /// [`SsgpError::NotCovariance`] for a `lambda` that is none, or when no step helps.
    pub fn lambda_step(
        &self,
        lambda: &Gaussian,
        gradient: &LambdaGradient,
        step: f64,
        rho: f64,
    ) -> Result<LambdaStep, SsgpError> {
        let precision = lambda.factor(self.d(), "lambda")?.inverse();
        self.step(lambda, &precision, gradient, step, rho)
    }

    pub(crate) fn step(
        &self,
        lambda: &Gaussian,
        precision: &Array2<f64>,
        gradient: &LambdaGradient,
        mut step: f64,
        rho: f64,
    ) -> Result<LambdaStep, SsgpError> {
        let target = &self.prior.precision - &(&gradient.covariance * 2.0);
        let shift = &lambda.mean - &self.prior.lambda.mean;
        let slope = &gradient.mean - &times(&self.prior.precision, &shift);
        for shrinks in 0..MAX_SHRINKS {
            let next = precision * (1.0 - step) + &target * step;
            if let Some((covariance, factor)) = inverted(&next) {
                let mean = &lambda.mean + &(times(&covariance, &slope) * step);
                let lambda = Gaussian { mean, covariance };
                return Ok(LambdaStep { lambda, step, shrinks, precision: next, factor });
            }
            step /= rho;
        }
        Err(SsgpError::NotCovariance { argument: "lambda" })
    }
}

/// The inverse and its factor, when both matrices are positive definite.
fn inverted(precision: &Array2<f64>) -> Option<(Array2<f64>, Cholesky)> {
    let covariance = Cholesky::factor(precision.clone()).ok()?.inverse();
    let factor = Cholesky::factor(covariance.clone()).ok()?;
    Some((covariance, factor))
}
