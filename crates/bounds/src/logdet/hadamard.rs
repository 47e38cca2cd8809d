//! The bound with one variance per data point.

use super::{DifferentiableLogDet, LogDetBound};
use crate::surrogate::Sensitivity;
use crate::{BoundError, Part, Problem, Side};

/// Log-determinant bound from Hadamard's inequality on I + Q^(−½) D Q^(−½).
///
/// ```text
/// log|K| ≤ log|Q| + Σ_i log(1 + D_ii/σ²)
/// ```
///
/// Never looser than [`ArithmeticGeometric`](super::ArithmeticGeometric), by Jensen's inequality.
/// Needs inducing points. Cost: O(N) on top of the Nyström system.
/// Source: Titsias (2025), "New bounds for sparse variational Gaussian processes" (its collapsed
/// bound is this one with v = 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hadamard;

impl LogDetBound for Hadamard {
    fn name(&self) -> &'static str {
        "hadamard"
    }

    fn side(&self) -> Side {
        Side::Upper
    }

    fn parts(&self) -> Vec<Part> {
        vec![Part::Nystrom]
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        let system = problem.nystrom()?;
        let excess: f64 =
            system.residual_diag().iter().map(|d| (d / system.sigma2()).ln_1p()).sum();
        Ok(system.log_det_q() + excess)
    }

    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        Some(self)
    }
}

impl DifferentiableLogDet for Hadamard {
    fn sensitivity<'p>(
        &self,
        problem: &'p Problem<'_>,
    ) -> Result<Option<Sensitivity<'p>>, BoundError> {
        let (system, sigma2) = (problem.nystrom()?, problem.sigma2());
        let slopes = system.residual_diag().mapv(|d| 1.0 / (sigma2 + d));
        let d_sigma2: f64 =
            system.residual_diag().iter().map(|d| -d / (sigma2 * (sigma2 + d))).sum();
        let mut sensitivity = Sensitivity::log_det_q(system);
        sensitivity.add_residual_diag(&slopes);
        sensitivity.add_sigma2(d_sigma2);
        Ok(Some(sensitivity))
    }
}
