//! The bound with one small determinant per block of rows.

use super::{DifferentiableLogDet, LogDetBound};
use crate::surrogate::residual_gradient;
use crate::{BoundError, Gradient, Part, Problem, Side, SurrogateKind};

/// Log-determinant bound from Fischer's inequality on I + D/σ².
///
/// ```text
/// log|K| ≤ log|Q| + Σ_b log|I + D_bb/σ²|
/// ```
///
/// Never looser than [`Hadamard`](super::Hadamard). Needs inducing points and blocks of rows.
/// Cost: O(N b (M + b)) on top of the Nyström system, for blocks of b rows.
/// Source: Fischer (1908), "Über den Hadamardschen Determinantensatz", for the inequality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHadamard;

impl LogDetBound for BlockHadamard {
    fn name(&self) -> &'static str {
        "block-hadamard"
    }

    fn side(&self) -> Side {
        Side::Upper
    }

    fn parts(&self) -> Vec<Part> {
        vec![Part::Nystrom, Part::Surrogate(SurrogateKind::Pitc)]
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        let factors = problem.surrogate(SurrogateKind::Pitc)?.sparse();
        let noise = problem.n() as f64 * problem.sigma2().ln();
        Ok(problem.nystrom()?.log_det_q() + (factors.log_det() - noise))
    }

    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        Some(self)
    }
}

impl DifferentiableLogDet for BlockHadamard {
    fn gradient(&self, problem: &Problem<'_>) -> Result<Gradient, BoundError> {
        let factors = problem.surrogate(SurrogateKind::Pitc)?.sparse();
        residual_gradient(problem, problem.nystrom()?, factors)
    }
}
