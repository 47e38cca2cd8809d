//! What conjugate gradients gives back.

use ndarray::{Array1, Array2};

/// Why a column was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The stopping measure of the true residual fell to the tolerance.
    Converged,
    /// The cap on steps was reached.
    MaxIterations,
    /// No progress any more: the tolerance is below what rounding allows, or out of reach.
    Stagnated,
    /// A direction with `pᵀAp ≤ 0`: the operator is not positive definite (or p vanished).
    NonPositiveCurvature,
    /// A residual with `rᵀM⁻¹r ≤ 0`: the preconditioner is not positive definite.
    IndefinitePreconditioner,
    /// The operator or the preconditioner returned a NaN or an infinity.
    NonFinite,
    /// Who watched the run asked to stop.
    Interrupted,
}

/// How one column went. Whatever the reason it ended, the solution is its best iterate and every
/// number here is of that iterate's true residual.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CgReport {
    /// Steps taken.
    pub steps: usize,
    /// The step whose iterate is returned; 0 is the start.
    pub best_step: usize,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// `‖b − A v‖`.
    pub residual_norm: f64,
    /// `‖b − A v‖ / ‖b‖`; the residual's norm itself where b = 0.
    pub relative_residual: f64,
    /// `½ rᵀP⁻¹r` in nats, where that was the stopping measure.
    pub quadratic_slack: Option<f64>,
    /// Times a new direction was started from the true residual.
    pub restarts: usize,
    /// The stopping measure at the start and after each step, if asked for; else empty.
    pub history: Vec<f64>,
}

impl CgReport {
    /// Whether the stopping measure fell to the tolerance.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.stop_reason == StopReason::Converged
    }
}

/// The solution of one system.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CgSolution {
    /// The best iterate, `[N]`.
    pub v: Array1<f64>,
    /// Its true residual `b − A v`, `[N]`.
    pub residual: Array1<f64>,
    /// How it went.
    pub report: CgReport,
    /// Products of the operator with one vector.
    pub n_products: usize,
}

/// The solutions of several systems with one operator.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CgBlockSolution {
    /// The best iterates, `[N, C]`.
    pub v: Array2<f64>,
    /// Their true residuals `B − A V`, `[N, C]`.
    pub residual: Array2<f64>,
    /// With the quadratic slack as stopping measure: for each column the iterate where the bound
    /// `vᵀAv + 2rᵀv + rᵀP⁻¹r` was lowest (by the residuals of the run), `[N, C]`. Mostly the best
    /// iterate itself; the bound need not fall with every step, and here it never rises with more.
    pub lowest: Option<Array2<f64>>,
    /// How each column went, C of them.
    pub reports: Vec<CgReport>,
    /// Products of the operator with one vector, all columns together.
    pub n_products: usize,
}
