//! Gradients of the upper bounds that surrogates give.

use super::sparse_weights::{LowRankWeights, SparseWeights};
use super::{NystromSystem, Sensitivity, Surrogate, VecchiaFactors};
use crate::check::length;
use crate::{BoundError, Gradient, Problem};
use linalg_cg::{gram, matmul};
use ndarray::{Array2, ArrayRef2};

/// Derivative of Σ log ω for Vecchia on K.
///
/// ```text
/// ∂ω_i = u_i ∂K u_iᵀ   exactly: u_i minimises u K uᵀ, so its own change does not enter
/// ```
pub(crate) fn log_det_gradient(problem: &Problem<'_>, factors: &VecchiaFactors) -> Gradient {
    SparseWeights::new(problem, factors, &problem.entries(None), None).1
}

/// Derivative of Σ_c b_cᵀ C b_c, C the Vecchia surrogate of K and `b [N, C]` held still.
///
/// ```text
/// tr(Y dΛ) with Y = bbᵀ:   T(ΛYΛ) = (T⁻ᵀb)(Cb)ᵀ
/// ```
///
/// Since d(wᵀC⁻¹w) = −bᵀ dC b for b = C⁻¹w, it also gives the derivative of a quadratic form in C⁻¹, and that of
/// tr(C⁻¹dC) by random b. Needs neighbours. Cost: O(N k² (k + D)), and O(N k) for each column.
///
/// # Errors
/// [`BoundError::NeedsNeighbours`] without them; [`BoundError::ShapeMismatch`] for `b` of other than N rows.
pub fn vecchia_form_gradient(
    problem: &Problem<'_>,
    b: &ArrayRef2<f64>,
) -> Result<Gradient, BoundError> {
    let factors = problem.vecchia()?;
    length("b", b.nrows(), problem.n())?;
    let left = factors.solve_transpose(b);
    let right = factors.solve(&left);
    let weights = LowRankWeights { log_det: false, terms: vec![[left, right]] };
    Ok(SparseWeights::new(problem, factors, &problem.entries(None), Some(&weights)).1)
}

/// Derivative of log|Q| − N log σ² + Σ log ω with ω of R = K − VᵀV.
pub(crate) fn residual_gradient(
    problem: &Problem<'_>,
    system: &NystromSystem,
    factors: &VecchiaFactors,
) -> Result<Gradient, BoundError> {
    let vt = transposed(system.v());
    let entries = problem.entries(Some(&vt));
    let (weights, direct) = SparseWeights::new(problem, factors, &entries, None);
    let mut sensitivity = Sensitivity::log_det_q(system);
    sensitivity.subtract(&weights.times(factors, &factors.apply(&vt), &vt));
    sensitivity.add_sigma2(-(problem.n() as f64) / problem.sigma2());
    let mut gradient = sensitivity.gradient(problem)?;
    gradient.scaled_add(1.0, &direct);
    Ok(gradient)
}

/// Derivative of log|C| + N log(τ/N), τ the cheap bound on tr(C⁻¹K).
///
/// ```text
/// dF = tr(C⁻¹dC) + g dτ,   g = N/τ,   W = VΛ⁻¹
/// on Q_ff:  S = V(C⁻¹ + g C⁻¹(Λ − σ²I)C⁻¹) = M⁻¹{W + g[M⁻¹W − σ²(WΛ⁻¹ − WWᵀM⁻¹W)]}
/// on Λ:     Z = Λ + VᵀPV + σ²g(VᵀM⁻¹W + WᵀM⁻¹V),  P = −M⁻¹ − g M⁻¹(I + σ²WWᵀ)M⁻¹
/// on σ²:    −g tr(M⁻¹WWᵀ)
/// ```
pub(crate) fn trace_gradient(
    problem: &Problem<'_>,
    surrogate: &Surrogate,
) -> Result<Gradient, BoundError> {
    let factors = surrogate.sparse();
    let Some(low) = surrogate.low_rank() else { return Ok(log_det_gradient(problem, factors)) };
    let (n, sigma2, system) = (problem.n() as f64, problem.sigma2(), &low.system);
    let g = n / (n + surrogate.trace_bound());
    let vt = transposed(system.v());
    let wt = factors.apply_transpose(&low.a);
    let b = factors.apply(&wt);
    let wwt = gram(&wt.t());
    let solve = |rows: &Array2<f64>| low.m.solve(&rows.t());

    // Everything transposed: rows of data, columns of M.
    let m_w = transposed(&solve(&wt));
    let m_v = transposed(&solve(&vt));
    let mut inner = &wwt * sigma2;
    inner.diag_mut().mapv_inplace(|value| value + 1.0);
    let p_v = -(&m_v + &(matmul(&m_v, &transposed(&low.m.solve(&inner))) * g));
    let phi = p_v + &m_w * (sigma2 * g);
    let terms = vec![[low.a.clone(), phi], [b.clone(), &m_v * (sigma2 * g)]];
    let weights = LowRankWeights { log_det: true, terms };
    let entries = problem.entries(Some(&vt));
    let (sparse, direct) = SparseWeights::new(problem, factors, &entries, Some(&weights));

    let local = factors.apply_transpose(&b) - matmul(&m_w, &wwt);
    let bracket = &wt + &((&m_w - &(local * sigma2)) * g);
    let mut sensitivity = Sensitivity::projected(system, solve(&bracket));
    sensitivity.subtract(&sparse.times(factors, &low.a, &vt));
    let h = low.m.solve_lower(&wt.t());
    sensitivity.add_sigma2(-g * h.iter().map(|value| value * value).sum::<f64>());
    let mut gradient = sensitivity.gradient(problem)?;
    gradient.scaled_add(1.0, &direct);
    Ok(gradient)
}

fn transposed(a: &Array2<f64>) -> Array2<f64> {
    a.t().as_standard_layout().into_owned()
}
