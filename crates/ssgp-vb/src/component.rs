//! One fitted set of spectral points, and mixtures of several.

use gp_core::Prediction;
use linalg_cg::Cholesky;
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use serde::{Deserialize, Serialize};

use crate::SsgpError;
use crate::gaussian::{Gaussian, check_count, plus_outer, times};
use crate::passes::{Lambda, joint_covariance, means, variances};
use crate::points::Points;
use crate::prior::Priors;
use crate::problem::Factors;
use crate::scale_factor::ScaleFactor;

/// A posterior for one draw of spectral points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// The spectral points `[M, D]`, of unit scale.
    pub frequencies: Array2<f64>,
    /// q.
    pub factors: Factors,
    /// The lower bound on log p(y), in nats.
    pub bound: f64,
    /// E(γ²), the expected noise variance.
    pub noise_variance: f64,
}

/// Means and variances at T rows; the variance without noise.
pub(crate) struct Marginals {
    pub(crate) mean: Array1<f64>,
    pub(crate) variance: Array1<f64>,
    pub(crate) noise: f64,
}

impl Component {
    /// Refuses shapes that disagree and covariances that are none.
    pub(crate) fn check(&self, d: usize) -> Result<(), SsgpError> {
        gp_core::check_finite(&self.frequencies, "frequencies")?;
        check_count("frequencies", "columns", self.frequencies.ncols(), d)?;
        self.factors.lambda.factor(d, "lambda")?;
        self.factors.alpha.check(2 * self.frequencies.nrows(), "alpha")?;
        let noise = self.noise_variance;
        if noise.is_finite() && noise > 0.0 {
            return Ok(());
        }
        let accepted = "a positive finite number";
        Err(SsgpError::Option { option: "noise_variance", found: noise, accepted })
    }

    /// E(σ²), the expected variance of the latent function, under the priors of its fit.
    ///
    /// # Errors
    /// [`SsgpError::Option`] for a C_σ that is not positive.
    pub fn signal_variance(&self, priors: &Priors) -> Result<f64, SsgpError> {
        let power = 2.0 * self.frequencies.nrows() as f64 - 2.0;
        let scale = priors.signal_scale * priors.signal_scale;
        Ok(ScaleFactor::new(power, self.factors.c_sigma, scale)?.square)
    }

    /// 1/√E(λ_j²) of each column, times what the column was divided by.
    pub(crate) fn lengthscales(&self, divided_by: &[f64]) -> Vec<f64> {
        let Gaussian { mean, covariance } = &self.factors.lambda;
        let square = |j: usize| mean[j] * mean[j] + covariance[[j, j]];
        divided_by.iter().enumerate().map(|(j, scale)| scale / square(j).sqrt()).collect()
    }

    fn lambda(&self) -> Result<Lambda, SsgpError> {
        let Gaussian { mean, covariance } = &self.factors.lambda;
        let factor = Cholesky::factor(covariance.clone())?;
        Ok(Lambda::new(&self.frequencies, mean, &factor))
    }

    /// E(Z*)'μ_α; costs O(M D) a row.
    pub(crate) fn mean(&self, x: &ArrayRef2<f64>) -> Result<Array1<f64>, SsgpError> {
        let features = means(&self.lambda()?, &Points::new(x));
        Ok(times(&features, &self.factors.alpha.mean))
    }

    /// Mean and variance of the latent function.
    ///
    /// ```text
    /// var f = ⟨Cov(Z*), Σ_α + μ_αμ_α'⟩ + E(Z*)'Σ_α E(Z*)
    /// ```
    pub(crate) fn marginals(&self, x: &ArrayRef2<f64>) -> Result<Marginals, SsgpError> {
        let (lambda, points) = (self.lambda()?, Points::new(x));
        let alpha = &self.factors.alpha;
        let features = means(&lambda, &points);
        let mean = times(&features, &alpha.mean);
        let spread = linalg_cg::matmul(&features, &alpha.covariance);
        let of_weights = (spread * &features).sum_axis(Axis(1));
        let moment = plus_outer(&alpha.covariance, &alpha.mean);
        let variance = variances(&lambda, &points, &moment) + of_weights;
        // A sum of two quadratic forms of covariances; below zero it is rounding.
        let variance = variance.mapv_into(|value| value.max(0.0));
        Ok(Marginals { mean, variance, noise: self.noise_variance })
    }

    /// Mean and joint covariance of the latent function.
    pub(crate) fn joint(
        &self,
        x: &ArrayRef2<f64>,
    ) -> Result<(Array1<f64>, Array2<f64>), SsgpError> {
        let (alpha, lambda) = (&self.factors.alpha, &self.factors.lambda);
        let features = means(&self.lambda()?, &Points::new(x));
        let spread = linalg_cg::matmul(&features, &alpha.covariance);
        let moment = plus_outer(&alpha.covariance, &alpha.mean);
        let of_weights = linalg_cg::matmul_nt(&spread, &features);
        let of_features = joint_covariance(&self.frequencies, lambda, x, &moment);
        Ok((times(&features, &alpha.mean), of_weights + of_features))
    }
}

/// How the draws of a mixture are weighted. Of K draws of spectral points, each is as likely as the
/// others beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weighting {
    /// exp(L_k) over their sum, the optimal q(draw): log p(y) ≥ log(Σ exp(L_k)/K).
    #[default]
    Bound,
    /// 1/K, which does not trust differences between bounds: log p(y) ≥ Σ L_k/K.
    Equal,
}

impl Weighting {
    pub(crate) fn weights(self, bounds: &[f64]) -> Vec<f64> {
        match self {
            Self::Bound => weights(bounds),
            Self::Equal => vec![1.0 / bounds.len() as f64; bounds.len()],
        }
    }

    /// The lower bound of the mixture.
    pub(crate) fn bound(self, bounds: &[f64]) -> f64 {
        match self {
            Self::Bound => mixture_bound(bounds),
            Self::Equal => bounds.iter().sum::<f64>() / bounds.len() as f64,
        }
    }
}

/// exp(L_k) over their sum.
pub(crate) fn weights(bounds: &[f64]) -> Vec<f64> {
    let largest = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raw: Vec<f64> = bounds.iter().map(|bound| (bound - largest).exp()).collect();
    let total: f64 = raw.iter().sum();
    raw.iter().map(|weight| weight / total).collect()
}

/// log(Σ exp(L_k)/K).
pub(crate) fn mixture_bound(bounds: &[f64]) -> f64 {
    let largest = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = bounds.iter().map(|bound| (bound - largest).exp()).sum();
    largest + (total / bounds.len() as f64).ln()
}

/// The first two moments of a mixture, `offset` added to its mean.
///
/// ```text
/// mean = Σ w_k mean_k,   var = Σ w_k (var_k + (mean_k − mean)²)
/// ```
pub(crate) fn mixed(parts: &[Marginals], weights: &[f64], offset: f64) -> Prediction {
    let average = |of: &dyn Fn(&Marginals) -> Array1<f64>| {
        let terms = parts.iter().zip(weights).map(|(part, weight)| of(part) * *weight);
        terms.reduce(|sum, term| sum + term).unwrap_or_default()
    };
    let mean = average(&|part| part.mean.clone());
    let spread = |part: &Marginals| (&part.mean - &mean).mapv(|shift| shift * shift);
    let var_latent = average(&|part| &part.variance + &spread(part));
    let noise: f64 = parts.iter().zip(weights).map(|(part, weight)| weight * part.noise).sum();
    let var_y = &var_latent + noise;
    Prediction { mean: (mean + offset).insert_axis(Axis(1)), var_latent, var_y }
}
