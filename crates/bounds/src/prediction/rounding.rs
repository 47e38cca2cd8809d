//! What floating point may do to a certificate of a prediction.

use crate::Problem;
use ndarray::{Array1, ArrayRef2, Axis};

/// ‖·‖ of each column.
pub(super) fn norms(a: &ArrayRef2<f64>) -> Array1<f64> {
    a.mapv(|value| value * value).sum_axis(Axis(0)).mapv(f64::sqrt)
}

/// What rounding the entries of K may add to √(rᵀQ⁻¹r) of the residual r of each column of `v`.
///
/// ```text
/// ‖δr‖/σ,   ‖δr‖ ≤ 4ε (variance + σ²) √N ‖v‖   for independent errors of relative size ε
/// ```
pub(super) fn residual_rounding(problem: &Problem<'_>, v: &ArrayRef2<f64>) -> Array1<f64> {
    let scale = problem.largest_variance() + problem.sigma2();
    let factor = 4.0 * f64::EPSILON * scale * (problem.n() as f64).sqrt() / problem.sigma2().sqrt();
    norms(v) * factor
}

/// What it may do to a quadratic bound on k*ᵀK⁻¹k* of value `base`, with ‖K⁻¹k*‖² ≤ `squares`: its
/// absolute terms only where K is nearly singular.
pub(super) fn form_rounding(problem: &Problem<'_>, base: f64, squares: f64) -> f64 {
    let scale = problem.largest_variance() + problem.sigma2();
    4.0 * f64::EPSILON * (problem.n() as f64 * scale * squares + base.abs() + scale)
}
