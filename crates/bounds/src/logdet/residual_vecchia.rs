//! Inducing points, then neighbours, each by its own determinant.

use super::{DifferentiableLogDet, LogDetBound};
use crate::surrogate::residual_gradient;
use crate::{BoundError, Gradient, Part, Problem, Side, SurrogateKind};

/// Log-determinant bound from the chain rule on R = D + σ²I.
///
/// ```text
/// log|K| ≤ log|Q| − N log σ² + log|R| ≤ log|Q| − N log σ² + Σ_i log ω_i(R)
/// ```
///
/// Needs inducing points and neighbours. Cost: that of the factors, O(N k² (k + M)).
/// Source: `docs/src/math/surrogates.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResidualVecchia;

impl LogDetBound for ResidualVecchia {
    fn name(&self) -> &'static str {
        "residual-vecchia"
    }

    fn side(&self) -> Side {
        Side::Upper
    }

    fn parts(&self) -> Vec<Part> {
        vec![Part::Nystrom, Part::Surrogate(SurrogateKind::Vif)]
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        let factors = problem.surrogate(SurrogateKind::Vif)?.sparse();
        let noise = problem.n() as f64 * problem.sigma2().ln();
        Ok(problem.nystrom()?.log_det_q() + (factors.log_det() - noise))
    }

    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        Some(self)
    }
}

impl DifferentiableLogDet for ResidualVecchia {
    fn gradient(&self, problem: &Problem<'_>) -> Result<Gradient, BoundError> {
        let factors = problem.surrogate(SurrogateKind::Vif)?.sparse();
        residual_gradient(problem, problem.nystrom()?, factors)
    }
}
