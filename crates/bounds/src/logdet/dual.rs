//! The lower bound from the trace of the inverse.

use super::LogDetBound;
use crate::{BoundError, Moments, Part, Problem, Side, SurrogateKind};

/// Lower bound from AM–GM on the eigenvalues of CK⁻¹.
///
/// ```text
/// log|K| ≥ log|C| − N log(κ/N),   tr(CK⁻¹) ≤ κ = 2N − tr(C⁻¹K) + tr(C⁻¹ΔP⁻¹Δ),   Δ = C − K
/// ```
///
/// with P = Q, or σ²I without inducing points. A certificate: one or two passes over K.
/// Source: `docs/src/math/surrogates.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dual {
    /// The surrogate C.
    pub kind: SurrogateKind,
}

impl LogDetBound for Dual {
    fn name(&self) -> &'static str {
        match self.kind {
            SurrogateKind::Nystrom => "dual-nystrom",
            SurrogateKind::Fitc => "dual-fitc",
            SurrogateKind::Pitc => "dual-pitc",
            SurrogateKind::Vecchia => "dual-vecchia",
            SurrogateKind::Vif => "dual-vif",
        }
    }

    fn side(&self) -> Side {
        Side::Lower
    }

    fn parts(&self) -> Vec<Part> {
        Part::of_surrogate(self.kind).into_iter().chain([Part::Moments(self.kind)]).collect()
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        let moments = problem.moments(self.kind)?;
        Ok(problem.surrogate(self.kind)?.log_det() + dual(&moments))
    }
}

/// −N log(κ/N).
pub(super) fn dual(moments: &Moments) -> f64 {
    let n = moments.n as f64;
    -n * ((moments.inverse_squares - moments.trace_excess) / n).ln_1p()
}
