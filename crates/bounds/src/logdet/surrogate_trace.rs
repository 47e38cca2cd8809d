//! The bound of a surrogate with its cheap trace.

use super::{DifferentiableLogDet, LogDetBound};
use crate::surrogate::trace_gradient;
use crate::{BoundError, Gradient, Part, Problem, Side, SurrogateKind};

/// Log-determinant bound of a surrogate C = VᵀV + Λ, by a cheap bound τ on tr(C⁻¹K).
///
/// ```text
/// log|K| ≤ log|C| + N log(τ/N),   tr(C⁻¹K) ≤ τ = N + tr(H(Λ − σ²I)Hᵀ)
/// ```
///
/// `fitc`, `pitc` and `vif`; the same with Λ = σ²I is
/// [`ArithmeticGeometric`](super::ArithmeticGeometric), with V = 0 it is [`Vecchia`](super::Vecchia).
/// Cost: that of the surrogate.
/// Source: AM–GM on the eigenvalues of C⁻¹K, `docs/src/math/surrogates.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurrogateTrace {
    kind: SurrogateKind,
}

impl SurrogateTrace {
    /// Of the fully independent conditionals.
    pub const FITC: Self = Self { kind: SurrogateKind::Fitc };
    /// Of the partially independent conditionals.
    pub const PITC: Self = Self { kind: SurrogateKind::Pitc };
    /// Of Vecchia on the residual of inducing points.
    pub const VIF: Self = Self { kind: SurrogateKind::Vif };
}

impl LogDetBound for SurrogateTrace {
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn side(&self) -> Side {
        Side::Upper
    }

    fn parts(&self) -> Vec<Part> {
        Part::of_surrogate(self.kind)
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        let surrogate = problem.surrogate(self.kind)?;
        Ok(arithmetic_geometric(surrogate.log_det(), surrogate.trace_bound(), problem.n()))
    }

    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        Some(self)
    }
}

impl DifferentiableLogDet for SurrogateTrace {
    fn gradient(&self, problem: &Problem<'_>) -> Result<Gradient, BoundError> {
        trace_gradient(problem, problem.surrogate(self.kind)?)
    }
}

/// log|C| + N log(1 + excess/N), excess = tr(C⁻¹K) − N.
pub(super) fn arithmetic_geometric(log_det: f64, excess: f64, n: usize) -> f64 {
    log_det + n as f64 * (excess / n as f64).ln_1p()
}
