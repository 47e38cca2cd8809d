//! The bound of a surrogate with its exact trace.

use super::LogDetBound;
use super::surrogate_trace::arithmetic_geometric;
use crate::{BoundError, Part, Problem, Side, SurrogateKind};

/// Log-determinant bound of a surrogate C, by the exact tr(C⁻¹K).
///
/// ```text
/// log|K| ≤ log|C| + N log(tr(C⁻¹K)/N)
/// ```
///
/// `nystrom`, `fitc-exact`, `pitc-exact` and `vif-exact`; Vecchia's trace is always N. A certificate:
/// O(N² (M + D)) time in O(N M) memory, and no gradient.
/// Source: AM–GM on the eigenvalues of C⁻¹K, `docs/src/math/surrogates.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurrogateExact {
    /// The surrogate C.
    pub kind: SurrogateKind,
}

impl LogDetBound for SurrogateExact {
    fn name(&self) -> &'static str {
        match self.kind {
            SurrogateKind::Nystrom => "nystrom",
            SurrogateKind::Fitc => "fitc-exact",
            SurrogateKind::Pitc => "pitc-exact",
            SurrogateKind::Vecchia => "vecchia-exact",
            SurrogateKind::Vif => "vif-exact",
        }
    }

    fn side(&self) -> Side {
        Side::Upper
    }

    fn parts(&self) -> Vec<Part> {
        Part::of_surrogate(self.kind).into_iter().chain([Part::Trace(self.kind)]).collect()
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        let log_det = problem.surrogate(self.kind)?.log_det();
        Ok(arithmetic_geometric(log_det, problem.exact_trace(self.kind)?, problem.n()))
    }
}
