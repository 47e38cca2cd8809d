//! Expectations over q(λ) as a cycle needs them, and the conjugate updates from them.

use linalg_cg::{Cholesky, gram, symmetric_eigen};
use ndarray::{Array1, Array2};

use crate::SsgpError;
use crate::gaussian::{Gaussian, dot, inner, quadratic, times, transposed_times};
use crate::passes::{Kept, Lambda, Sums, covariance_sum};
use crate::problem::{Expectations, SparseSpectrum};

/// E(Z), as pass 1 keeps it, and its sums.
pub(crate) struct Moments {
    pub(crate) kept: Kept,
    /// Σ Cov(Z_i) `[2M, 2M]`.
    pub(crate) covariance: Array2<f64>,
    /// E(Z'Z) `[2M, 2M]`.
    pub(crate) second_moment: Array2<f64>,
    /// E(Z)'y `[2M]`.
    cross: Array1<f64>,
}

/// q(α) after its update, and what its covariance was made from.
pub(crate) struct AlphaUpdate {
    pub(crate) alpha: Gaussian,
    /// log|Σ_α|.
    pub(crate) log_det: f64,
}

impl SparseSpectrum {
    /// Pass 1, in the memory of what an earlier one kept.
    pub(crate) fn moments(&self, lambda: &Lambda, mut kept: Kept) -> Moments {
        let sums = covariance_sum(lambda, &self.points, &self.y_packs, &mut kept);
        let Sums { covariance, products, cross } = sums;
        Moments { kept, second_moment: products + &covariance, covariance, cross }
    }

    /// The optimal q(α) given the other factors, `kappa` being E(1/σ²) and `tau` E(1/γ²).
    ///
    /// ```text
    /// Σ_α = (τ E(Z'Z) + M κ I)⁻¹,   μ_α = τ Σ_α E(Z)'y
    /// ```
    ///
    /// # Errors
    /// [`SsgpError::Linalg`] for moments that are not finite.
    pub fn update_alpha(
        &self,
        expectations: &Expectations,
        kappa: f64,
        tau: f64,
    ) -> Result<Gaussian, SsgpError> {
        let cross = transposed_times(&expectations.mean, self.y());
        Ok(self.alpha_from(&expectations.second_moment, &cross, kappa, tau)?.alpha)
    }

    pub(crate) fn alpha(
        &self,
        moments: &Moments,
        kappa: f64,
        tau: f64,
    ) -> Result<AlphaUpdate, SsgpError> {
        self.alpha_from(&moments.second_moment, &moments.cross, kappa, tau)
    }

    /// From E(Z'Z) and E(Z)'y.
    fn alpha_from(
        &self,
        second_moment: &Array2<f64>,
        cross: &Array1<f64>,
        kappa: f64,
        tau: f64,
    ) -> Result<AlphaUpdate, SsgpError> {
        let mut precision = second_moment * tau;
        precision.diag_mut().mapv_inplace(|value| value + self.m() as f64 * kappa);
        let right = cross * tau;
        // Without noise τ may be so large that M κ is lost beside it in rounding.
        let Ok(factor) = Cholesky::factor(precision) else {
            return self.alpha_by_eigenvalues(second_moment, kappa, tau, &right);
        };
        let mean = factor.solve_vec(&right);
        let alpha = Gaussian { mean, covariance: factor.inverse() };
        Ok(AlphaUpdate { alpha, log_det: -factor.log_det() })
    }

    /// The same update from E(Z'Z) = U Λ U', which keeps M κ apart from Λ.
    fn alpha_by_eigenvalues(
        &self,
        second_moment: &Array2<f64>,
        kappa: f64,
        tau: f64,
        right: &Array1<f64>,
    ) -> Result<AlphaUpdate, SsgpError> {
        let (values, vectors) = symmetric_eigen(second_moment)?;
        let prior = self.m() as f64 * kappa;
        // A second moment is semidefinite; eigenvalues below zero are rounding.
        let variances = values.mapv(|value| 1.0 / (tau * value.max(0.0) + prior));
        let root = &vectors * &variances.mapv(f64::sqrt);
        let mean = times(&vectors, &(transposed_times(&vectors, right) * &variances));
        let alpha = Gaussian { mean, covariance: gram(&root) };
        Ok(AlphaUpdate { alpha, log_det: variances.mapv(f64::ln).sum() })
    }

    /// The optimal C_σ and C_γ given q(α) and q(λ).
    ///
    /// ```text
    /// C_σ = (M/2) (μ_α'μ_α + tr Σ_α),   C_γ = ½ E‖y − Zα‖²
    ///     = ½ (‖y − E(Z)μ_α‖² + μ_α' Cov μ_α + ⟨E(Z'Z), Σ_α⟩)
    /// ```
    #[must_use]
    pub fn scales(&self, expectations: &Expectations, alpha: &Gaussian) -> (f64, f64) {
        let residual = self.y() - &times(&expectations.mean, &alpha.mean);
        let Expectations { covariance, second_moment, .. } = expectations;
        self.scales_from(dot(&residual, &residual), covariance, second_moment, alpha)
    }

    pub(crate) fn best_scales(&self, moments: &Moments, alpha: &Gaussian) -> (f64, f64) {
        let weights = alpha.mean.to_vec();
        let residual = moments.kept.residual_square(&self.y_packs, &weights);
        self.scales_from(residual, &moments.covariance, &moments.second_moment, alpha)
    }

    /// From ‖y − E(Z)μ_α‖².
    fn scales_from(
        &self,
        residual: f64,
        covariance: &Array2<f64>,
        second_moment: &Array2<f64>,
        alpha: &Gaussian,
    ) -> (f64, f64) {
        let square = dot(&alpha.mean, &alpha.mean) + alpha.covariance.diag().sum();
        let c_gamma =
            residual + quadratic(covariance, &alpha.mean) + inner(second_moment, &alpha.covariance);
        (0.5 * self.m() as f64 * square, 0.5 * c_gamma)
    }
}
