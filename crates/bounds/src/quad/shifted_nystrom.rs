//! The lower bound that needs no product with K.

use super::{QuadBound, QuadPoint};
use crate::surrogate::Sensitivity;
use crate::{BoundError, Problem, QuadGradient, Side};

/// Lower bound on yᵀK⁻¹y from K ⪯ Q + tr(D) I; it does not use v.
///
/// ```text
/// yᵀK⁻¹y ≥ yᵀ(Q + tr(D) I)⁻¹y
/// ```
///
/// With log|Q| it is Titsias' upper bound on the evidence. Needs inducing points. Cost: O(M³ + N M),
/// no product with K.
/// Source: Titsias (2014), "Variational inference for Gaussian and determinantal point processes".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShiftedNystrom;

impl QuadBound for ShiftedNystrom {
    fn name(&self) -> &'static str {
        "shifted-nystrom"
    }

    fn side(&self) -> Side {
        Side::Lower
    }

    fn value_at(&self, problem: &Problem<'_>, point: &QuadPoint<'_>) -> Result<f64, BoundError> {
        let system = problem.nystrom()?;
        Ok(system.shifted(system.residual_trace())?.quad_vec(point.y()))
    }

    fn gradient_at(
        &self,
        problem: &Problem<'_>,
        point: &QuadPoint<'_>,
    ) -> Result<QuadGradient, BoundError> {
        let system = problem.nystrom()?;
        let p = system.shifted(system.residual_trace())?.solve_vec(point.y());
        // dF = 2pᵀdy − pᵀ(dQ_ff + dσ²I + d tr(D) I)p: every D_ii has the weight −pᵀp.
        let mut sensitivity = Sensitivity::quad(system, &p);
        let squares: f64 = p.iter().map(|value| value * value).sum();
        sensitivity.add_residual_trace(-squares);
        Ok(QuadGradient { hyper: sensitivity.gradient(problem)?, y: p * 2.0 })
    }
}
