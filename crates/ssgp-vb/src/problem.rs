//! Data, spectral points and priors: expectations, gradients and the lower bound.

use std::f64::consts::PI;

use gp_core::check_finite;
use kernels::simd::Pack;
use linalg_cg::Cholesky;
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};
use serde::{Deserialize, Serialize};

use crate::SsgpError;
use crate::gaussian::{Gaussian, check_count, inner, plus_outer, quadratic};
use crate::moments::Moments;
use crate::passes::{Kept, Lambda, Target, lambda_gradient, means};
use crate::points::{Points, pack_values};
use crate::prior::{Prepared, Priors};
use crate::scale_factor::ScaleFactor;

/// The sparse-spectrum model of `y` `[N]` at `x` `[N, D]` with M spectral points and its priors.
///
/// ```text
/// y = Z(λ) α + ε,   ε ~ N(0, γ²I),   α | σ ~ N(0, (σ²/M) I),   t_ir = s_r ∘ x_i
/// Z_i = [cos t_i1'λ … cos t_iM'λ, sin t_i1'λ … sin t_iM'λ]
/// q = q(α) q(λ) q(σ) q(γ),   q(α) and q(λ) normal
/// ```
///
/// Inputs and target are taken as they are; both should be centred, and inputs of order 1.
/// [`SsgpVb`](crate::SsgpVb) does that. Memory: O(N M + M²). Source: Tan, Ong, Nott & Jasra (2016),
/// eq. 5 and section 3.
#[derive(Debug, Clone)]
pub struct SparseSpectrum {
    pub(crate) points: Points,
    y: Array1<f64>,
    pub(crate) y_packs: Vec<Pack>,
    frequencies: Array2<f64>,
    pub(crate) prior: Prepared,
}

/// The four factors of q. Those of σ and γ are
///
/// ```text
/// q(σ) ∝ σ^{−2M} exp(−C_σ/σ²) / (A_σ² + σ²),   q(γ) ∝ γ^{−N} exp(−C_γ/γ²) / (A_γ² + γ²)
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Factors {
    /// Of the inverse lengthscales `[D]`, of any sign.
    pub lambda: Gaussian,
    /// Of the weights `[2M]`: M of cosines, then M of sines.
    pub alpha: Gaussian,
    /// C_σ.
    pub c_sigma: f64,
    /// C_γ.
    pub c_gamma: f64,
}

/// Expectations of the features over q(λ).
#[derive(Debug, Clone, PartialEq)]
pub struct Expectations {
    /// E(Z) `[N, 2M]`.
    pub mean: Array2<f64>,
    /// Σ Cov(Z_i) `[2M, 2M]`.
    pub covariance: Array2<f64>,
    /// E(Z'Z) `[2M, 2M]`, the sum of E(Z)'E(Z) and the covariance.
    pub second_moment: Array2<f64>,
}

/// The gradient of the expected log-likelihood in q(λ).
///
/// dF = Σ dF/dΣ_jk dΣ_jk for symmetric dΣ.
#[derive(Debug, Clone, PartialEq)]
pub struct LambdaGradient {
    /// In the mean `[D]`.
    pub mean: Array1<f64>,
    /// In the covariance `[D, D]`, symmetric.
    pub covariance: Array2<f64>,
}

impl SparseSpectrum {
    /// Checks and arranges the data.
    ///
    /// # Errors
    /// Data that are empty, not finite or of disagreeing shapes; fewer than two rows; priors out of
    /// range; no spectral points.
    pub fn new(
        x: &ArrayRef2<f64>,
        y: &ArrayRef1<f64>,
        frequencies: &ArrayRef2<f64>,
        priors: &Priors,
    ) -> Result<Self, SsgpError> {
        check_finite(x, "x")?;
        check_finite(&y.view().insert_axis(Axis(1)), "y")?;
        check_finite(frequencies, "frequencies")?;
        check_count("y", "values", y.len(), x.nrows())?;
        check_count("frequencies", "columns", frequencies.ncols(), x.ncols())?;
        if x.nrows() < 2 {
            return Err(SsgpError::TooFewRows { found: x.nrows() });
        }
        Ok(Self {
            points: Points::new(x),
            y: y.to_owned(),
            y_packs: pack_values(y),
            frequencies: frequencies.to_owned(),
            prior: priors.prepare(x.ncols())?,
        })
    }

    /// Rows, N.
    #[must_use]
    pub fn n(&self) -> usize {
        self.y.len()
    }

    /// Columns, D.
    #[must_use]
    pub fn d(&self) -> usize {
        self.points.d
    }

    /// Spectral points, M.
    #[must_use]
    pub fn m(&self) -> usize {
        self.frequencies.nrows()
    }

    /// The target `[N]`.
    #[must_use]
    pub fn y(&self) -> &Array1<f64> {
        &self.y
    }

    /// The sample variance of the target, divisor N − 1.
    pub(crate) fn target_variance(&self) -> f64 {
        self.y.var(1.0)
    }

    /// E(Z), Σ Cov(Z) and E(Z'Z) over q(λ).
    ///
    /// # Errors
    /// [`SsgpError::NotCovariance`] or a shape error for a `lambda` that does not fit.
    pub fn expectations(&self, lambda: &Gaussian) -> Result<Expectations, SsgpError> {
        let moments = self.moments(&self.arranged(lambda)?, Kept::default());
        let mean = moments.kept.mean_rows(&self.points, self.m());
        let Moments { covariance, second_moment, .. } = moments;
        Ok(Expectations { mean, covariance, second_moment })
    }

    /// E(Z) `[N, 2M]` at the training rows.
    pub(crate) fn means(&self, lambda: &Gaussian) -> Result<Array2<f64>, SsgpError> {
        Ok(means(&self.arranged(lambda)?, &self.points))
    }

    pub(crate) fn arranged(&self, lambda: &Gaussian) -> Result<Lambda, SsgpError> {
        let factor = lambda.factor(self.d(), "lambda")?;
        Ok(self.with_factor(lambda, &factor))
    }

    pub(crate) fn with_factor(&self, lambda: &Gaussian, factor: &Cholesky) -> Lambda {
        Lambda::new(&self.frequencies, &lambda.mean, factor)
    }

    /// The gradient of τ (y'E(Z)μ_α − ½⟨E(Z'Z), Σ_α + μ_αμ_α'⟩) in q(λ), `tau` being E(1/γ²).
    ///
    /// Source: Tan, Ong, Nott & Jasra (2016), appendix B, derived afresh.
    ///
    /// # Errors
    /// As [`expectations`](Self::expectations).
    pub fn lambda_gradient(
        &self,
        lambda: &Gaussian,
        alpha: &Gaussian,
        tau: f64,
    ) -> Result<LambdaGradient, SsgpError> {
        check_count("alpha", "values", alpha.mean.len(), 2 * self.m())?;
        Ok(self.gradient(&self.arranged(lambda)?, &mut Kept::default(), alpha, tau))
    }

    /// `kept` is from pass 1 at the same q(λ), or empty.
    pub(crate) fn gradient(
        &self,
        lambda: &Lambda,
        kept: &mut Kept,
        alpha: &Gaussian,
        tau: f64,
    ) -> LambdaGradient {
        let moment = plus_outer(&alpha.covariance, &alpha.mean);
        let target = Target { points: &self.points, y: &self.y_packs };
        let (mean, covariance) = lambda_gradient(lambda, target, kept, &alpha.mean, &moment);
        LambdaGradient { mean: mean * tau, covariance: covariance * tau }
    }

    /// The posterior of the signal's standard deviation σ at C_σ.
    ///
    /// # Errors
    /// [`SsgpError::Option`] for a `c_sigma` that is not positive.
    pub fn sigma(&self, c_sigma: f64) -> Result<ScaleFactor, SsgpError> {
        ScaleFactor::new(self.sigma_power(), c_sigma, self.prior.signal_square)
    }

    /// The posterior of the noise's standard deviation γ at C_γ.
    ///
    /// # Errors
    /// [`SsgpError::Option`] for a `c_gamma` that is not positive.
    pub fn gamma(&self, c_gamma: f64) -> Result<ScaleFactor, SsgpError> {
        ScaleFactor::new(self.gamma_power(), c_gamma, self.prior.noise_square)
    }

    /// log H and E(1/σ²), then of γ.
    pub(crate) fn scale_moments(
        &self,
        c_sigma: f64,
        c_gamma: f64,
    ) -> Result<[(f64, f64); 2], SsgpError> {
        Ok([
            ScaleFactor::brief(self.sigma_power(), c_sigma, self.prior.signal_square)?,
            ScaleFactor::brief(self.gamma_power(), c_gamma, self.prior.noise_square)?,
        ])
    }

    fn sigma_power(&self) -> f64 {
        2.0 * self.m() as f64 - 2.0
    }

    fn gamma_power(&self) -> f64 {
        self.n() as f64 - 2.0
    }

    /// The lower bound on log p(y) at any q, in nats.
    ///
    /// ```text
    /// −(N/2) log 2π + M log M + M + ½ log|Σ_α| + log(4 A_σA_γ/π²) − KL(q(λ) ‖ p(λ))
    /// + log H(2M−2, C_σ, A_σ²) + κ (C_σ − (M/2)(μ_α'μ_α + tr Σ_α))
    /// + log H(N−2, C_γ, A_γ²) + τ (C_γ − ½ E‖y − Zα‖²)
    /// ```
    ///
    /// Source: Tan, Ong, Nott & Jasra (2016), eq. 12 holds only after C_σ and C_γ were updated, when
    /// both brackets vanish; this form is our own.
    ///
    /// # Errors
    /// Factors that do not fit, or are no covariances.
    pub fn bound(&self, factors: &Factors) -> Result<f64, SsgpError> {
        let lambda_factor = factors.lambda.factor(self.d(), "factors.lambda")?;
        let alpha_factor = factors.alpha.factor(2 * self.m(), "factors.alpha")?;
        let lambda = self.with_factor(&factors.lambda, &lambda_factor);
        let log_dets = (lambda_factor.log_det(), alpha_factor.log_det());
        self.bound_with(factors, &self.moments(&lambda, Kept::default()), log_dets)
    }

    /// The bound where the expectations, log|Σ_λ| and log|Σ_α| are known.
    pub(crate) fn bound_with(
        &self,
        factors: &Factors,
        moments: &Moments,
        (log_det_lambda, log_det_alpha): (f64, f64),
    ) -> Result<f64, SsgpError> {
        let (best_sigma, best_gamma) = self.best_scales(moments, &factors.alpha);
        let moments = self.scale_moments(factors.c_sigma, factors.c_gamma)?;
        let [(_, kappa), (_, tau)] = moments;
        let brackets =
            kappa * (factors.c_sigma - best_sigma) + tau * (factors.c_gamma - best_gamma);
        Ok(self.simplified(&factors.lambda, moments, (log_det_lambda, log_det_alpha)) + brackets)
    }

    /// The bound right after C_σ and C_γ were updated.
    pub(crate) fn simplified(
        &self,
        lambda: &Gaussian,
        [(log_h_sigma, _), (log_h_gamma, _)]: [(f64, f64); 2],
        (log_det_lambda, log_det_alpha): (f64, f64),
    ) -> f64 {
        let (n, m) = (self.n() as f64, self.m() as f64);
        let scales = (self.prior.signal_square * self.prior.noise_square).sqrt();
        -0.5 * n * (2.0 * PI).ln()
            + m * m.ln()
            + m
            + 0.5 * log_det_alpha
            + (4.0 * scales / (PI * PI)).ln()
            + log_h_sigma
            + log_h_gamma
            - self.divergence(lambda, log_det_lambda)
    }

    /// KL(q(λ) ‖ p(λ)).
    fn divergence(&self, lambda: &Gaussian, log_det: f64) -> f64 {
        let Prepared { precision, log_det: prior_log_det, lambda: prior, .. } = &self.prior;
        let shift = &lambda.mean - &prior.mean;
        let spread = inner(precision, &lambda.covariance) + quadratic(precision, &shift);
        0.5 * (prior_log_det - log_det - self.d() as f64 + spread)
    }
}
