//! The bound from conditioning on neighbours.

use super::{DifferentiableLogDet, LogDetBound};
use crate::surrogate::log_det_gradient;
use crate::{BoundError, Gradient, Part, Problem, Side, SurrogateKind};

/// Log-determinant bound of the Vecchia surrogate C, for which tr(C⁻¹K) = N exactly.
///
/// ```text
/// log|K| ≤ log|C| + N log(tr(C⁻¹K)/N) = Σ_i log ω_i,   ω_i = K_ii − K_iN K_NN⁻¹ K_Ni
/// ```
///
/// Exact when every point is conditioned on all its predecessors. Needs neighbours, no inducing
/// points. Cost: O(N) on top of the Vecchia factors; the gradient O(N k² (k + D)).
/// Source: the surrogate is Vecchia's (1988); that it bounds log|K| is the chain rule
/// log|K| = Σ log var(i | all predecessors) with conditioning on fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vecchia;

impl LogDetBound for Vecchia {
    fn name(&self) -> &'static str {
        "vecchia"
    }

    fn side(&self) -> Side {
        Side::Upper
    }

    fn parts(&self) -> Vec<Part> {
        vec![Part::Surrogate(SurrogateKind::Vecchia)]
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        Ok(problem.vecchia()?.log_det())
    }

    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        Some(self)
    }
}

impl DifferentiableLogDet for Vecchia {
    fn gradient(&self, problem: &Problem<'_>) -> Result<Gradient, BoundError> {
        Ok(log_det_gradient(problem, problem.vecchia()?))
    }
}
