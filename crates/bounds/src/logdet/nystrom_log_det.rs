//! The plain lower bound.

use super::{DifferentiableLogDet, LogDetBound};
use crate::surrogate::Sensitivity;
use crate::{BoundError, Part, Problem, Side};

/// Log-determinant lower bound from Q ⪯ K.
///
/// ```text
/// log|K| ≥ log|Q|
/// ```
///
/// Needs inducing points. Cost: O(1) on top of the Nyström system.
/// Source: Titsias (2014), "Variational inference for Gaussian and determinantal point processes".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NystromLogDet;

impl LogDetBound for NystromLogDet {
    fn name(&self) -> &'static str {
        "nystrom-log-det"
    }

    fn side(&self) -> Side {
        Side::Lower
    }

    fn parts(&self) -> Vec<Part> {
        vec![Part::Nystrom]
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        Ok(problem.nystrom()?.log_det_q())
    }

    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        Some(self)
    }
}

impl DifferentiableLogDet for NystromLogDet {
    fn sensitivity<'p>(
        &self,
        problem: &'p Problem<'_>,
    ) -> Result<Option<Sensitivity<'p>>, BoundError> {
        Ok(Some(Sensitivity::log_det_q(problem.nystrom()?)))
    }
}
