//! The bound of the conjugate-gradient lower bound (CGLB).

use super::{DifferentiableLogDet, LogDetBound};
use crate::surrogate::Sensitivity;
use crate::{BoundError, Part, Problem, Side};

/// Log-determinant bound from the arithmetic–geometric mean inequality.
///
/// ```text
/// log|K| ≤ log|Q| + N log(1 + tr D / (N σ²))
/// ```
///
/// Never looser than [`Trace`](super::Trace), since log(1 + u) ≤ u. Needs inducing points.
/// Cost: O(1) on top of the Nyström system.
/// Source: Artemev, Burt & van der Wilk (2021), Lemma 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArithmeticGeometric;

impl LogDetBound for ArithmeticGeometric {
    fn name(&self) -> &'static str {
        "arithmetic-geometric"
    }

    fn side(&self) -> Side {
        Side::Upper
    }

    fn parts(&self) -> Vec<Part> {
        vec![Part::Nystrom]
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        let (system, n) = (problem.nystrom()?, problem.n() as f64);
        let per_point = system.residual_trace() / (n * system.sigma2());
        Ok(system.log_det_q() + n * per_point.ln_1p())
    }

    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        Some(self)
    }
}

impl DifferentiableLogDet for ArithmeticGeometric {
    fn sensitivity<'p>(
        &self,
        problem: &'p Problem<'_>,
    ) -> Result<Option<Sensitivity<'p>>, BoundError> {
        let (system, n) = (problem.nystrom()?, problem.n() as f64);
        // With t = tr D: ∂/∂t = 1/(σ² + t/N), ∂/∂σ² = −(t/σ²) of the same.
        let slope = 1.0 / (system.sigma2() + system.residual_trace() / n);
        let mut sensitivity = Sensitivity::log_det_q(system);
        sensitivity.add_residual_trace(slope);
        sensitivity.add_sigma2(-system.residual_trace() / system.sigma2() * slope);
        Ok(Some(sensitivity))
    }
}
