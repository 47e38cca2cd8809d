//! The two bounds on the log marginal likelihood, in their parts.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// What the inducing points say about the log marginal likelihood of N rows and P targets.
///
/// ```text
/// ELBO  = −½ Σ_p [y_pᵀQ⁻¹y_p             + log|Q| + tr(D)/σ² + N log 2π]  ≤ LML
/// upper = −½ Σ_p [y_pᵀ(Q + tr(D) I)⁻¹y_p + log|Q|            + N log 2π]  ≥ LML
/// ```
///
/// Nats; y stands for y − m(X). Source: Titsias (2009), eq. 9; Titsias (2014), "Variational
/// inference for Gaussian and determinantal point processes".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// N.
    pub n: usize,
    /// σ², white kernels included.
    pub sigma2: f64,
    /// log|Q|.
    pub log_det_q: f64,
    /// tr D = tr(K_ff − Q_ff), at least 0.
    pub residual_trace: f64,
    /// y_pᵀQ⁻¹y_p for each target: at least y_pᵀK⁻¹y_p.
    pub quad: Vec<f64>,
    /// y_pᵀ(Q + tr(D) I)⁻¹y_p for each target: at most y_pᵀK⁻¹y_p.
    pub quad_lower: Vec<f64>,
}

impl Evidence {
    /// log|Q| + tr(D)/σ², an upper bound on log|K|.
    #[must_use]
    pub fn log_det_upper(&self) -> f64 {
        self.log_det_q + self.residual_trace / self.sigma2
    }

    /// The lower bound for each target.
    #[must_use]
    pub fn elbo_per_target(&self) -> Vec<f64> {
        self.bound(&self.quad, self.log_det_upper())
    }

    /// The upper bound for each target.
    #[must_use]
    pub fn upper_per_target(&self) -> Vec<f64> {
        self.bound(&self.quad_lower, self.log_det_q)
    }

    /// The lower bound, summed over targets: what training maximises.
    #[must_use]
    pub fn elbo(&self) -> f64 {
        self.elbo_per_target().iter().sum()
    }

    /// The upper bound, summed over targets.
    #[must_use]
    pub fn upper_bound(&self) -> f64 {
        self.upper_per_target().iter().sum()
    }

    fn bound(&self, quads: &[f64], log_det: f64) -> Vec<f64> {
        let constant = log_det + self.n as f64 * (2.0 * PI).ln();
        quads.iter().map(|quad| -0.5 * (quad + constant)).collect()
    }
}
