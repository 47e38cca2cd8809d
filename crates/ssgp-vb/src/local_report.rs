//! What local predictions say of themselves.

use gp_core::Prediction;
use serde::{Deserialize, Serialize};

/// What stood in for a fit that could not be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fallback {
    /// Stage 2 could not be fitted: stage 1 predicts.
    FirstStage,
    /// Neither could: mean and variance of the neighbourhood's target predict.
    NeighbourhoodMean,
}

/// One of the two fits of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct StageReport {
    /// The training rows it was fitted to, nearest first.
    pub rows: Vec<usize>,
    /// The posterior means of λ, of the inputs as this stage saw them.
    pub lambda: Vec<f64>,
    /// 1/√E(λ²) by the best draw, in the units of the inputs.
    pub lengthscales: Vec<f64>,
    /// E(σ²) by the best draw.
    pub signal_variance: f64,
    /// E(γ²), of all draws.
    pub noise_variance: f64,
    /// The lower bound on the log density of the neighbourhood's target, in nats.
    pub bound: f64,
    /// Its prediction.
    pub mean: f64,
    /// Its variance without noise.
    pub var_latent: f64,
    /// Its variance with noise.
    pub var_y: f64,
}

/// How a query was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalReport {
    /// Stage 1, by Euclidean distance.
    pub first: Option<StageReport>,
    /// Stage 2, by the lengthscales of stage 1.
    pub second: Option<StageReport>,
    /// What stood in for the fit.
    pub fallback: Option<Fallback>,
}

/// Predictions at T queries.
#[derive(Debug, Clone)]
pub struct LocalPrediction {
    /// Means `[T, 1]` and variances.
    pub prediction: Prediction,
    /// How each came about.
    pub queries: Vec<LocalReport>,
}

impl LocalPrediction {
    /// (y − mean)/√var_y of each query, for the values `y` that turned out.
    #[must_use]
    pub fn errors(&self, y: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let (mean, var_y) = (self.prediction.mean.column(0), &self.prediction.var_y);
        let error = |((y, mean), var): ((f64, &f64), &f64)| (y - mean) / var.sqrt();
        y.into_iter().zip(mean).zip(var_y).map(error).collect()
    }
}
