//! The trace bound of sparse variational regression.

use super::{DifferentiableLogDet, LogDetBound};
use crate::surrogate::Sensitivity;
use crate::{BoundError, Part, Problem, Side};

/// Log-determinant bound of the evidence lower bound of sparse variational regression.
///
/// ```text
/// log|K| ≤ log|Q| + tr D / σ²
/// ```
///
/// Needs inducing points. Cost: O(1) on top of the Nyström system.
/// Source: Titsias (2009), eq. 9; Artemev, Burt & van der Wilk (2021), section 3.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace;

impl LogDetBound for Trace {
    fn name(&self) -> &'static str {
        "trace"
    }

    fn side(&self) -> Side {
        Side::Upper
    }

    fn parts(&self) -> Vec<Part> {
        vec![Part::Nystrom]
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        let system = problem.nystrom()?;
        Ok(system.log_det_q() + system.residual_trace() / system.sigma2())
    }

    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        Some(self)
    }
}

impl DifferentiableLogDet for Trace {
    fn sensitivity<'p>(
        &self,
        problem: &'p Problem<'_>,
    ) -> Result<Option<Sensitivity<'p>>, BoundError> {
        let system = problem.nystrom()?;
        let mut sensitivity = Sensitivity::log_det_q(system);
        sensitivity.add_residual_trace(1.0 / system.sigma2());
        sensitivity.add_sigma2(-system.residual_trace() / system.sigma2().powi(2));
        Ok(Some(sensitivity))
    }
}
