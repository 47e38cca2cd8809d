//! The two scores of the sparse-spectrum papers.

use gp_core::metrics;
use ndarray::ArrayRef1;

/// Normalised mean squared error: 1 is what the training mean gives.
///
/// ```text
/// Σ (y − mean)² / Σ (y − ȳ_train)²
/// ```
///
/// Source: Tan, Ong, Nott & Jasra (2016), section 5.
#[must_use]
pub fn nmse(y: &ArrayRef1<f64>, mean: &ArrayRef1<f64>, training_mean: f64) -> f64 {
    let trivial = ndarray::Array1::from_elem(y.len(), training_mean);
    (metrics::rmse(y, mean) / metrics::rmse(y, &trivial)).powi(2)
}

/// Mean negative log probability, in nats: the same as [`gp_core::metrics::nlpd`].
///
/// ```text
/// ½ mean { (y − mean)²/var + log var + log 2π }
/// ```
///
/// Source: Tan, Ong, Nott & Jasra (2016), section 5.
#[must_use]
pub fn mnlp(y: &ArrayRef1<f64>, mean: &ArrayRef1<f64>, var_y: &ArrayRef1<f64>) -> f64 {
    metrics::nlpd(y, mean, var_y)
}
