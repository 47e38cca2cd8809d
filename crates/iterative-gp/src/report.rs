//! How the solves behind a number went.

use linalg_cg::{CgBlockSolution, LanczosSolution};
use serde::{Deserialize, Serialize};

/// What conjugate gradients did, and what stopping where they did may have cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SolverReport {
    /// Right-hand sides.
    pub solves: usize,
    /// Steps of all of them.
    pub steps_total: usize,
    /// Steps of the longest.
    pub steps_max: usize,
    /// How many did not reach their tolerance: at the cap on steps, or at what rounding allows.
    pub capped: usize,
    /// The largest ‖b − Kv‖/‖b‖ of them all, by true residuals.
    pub worst_residual: f64,
    /// Bound on what the solves for the targets may have cost the quadratic term, nats.
    pub quad_slack: f64,
    /// Bound on what too few Lanczos steps may have cost the log-determinant, nats, in the mean over
    /// probes; `None` where there is no such bound, because the surrogate is not below K.
    pub log_det_slack: Option<f64>,
}

impl SolverReport {
    pub(crate) fn of_lanczos(run: &LanczosSolution) -> Self {
        let reports = &run.reports;
        Self {
            solves: reports.len(),
            steps_total: reports.iter().map(|report| report.steps).sum(),
            steps_max: reports.iter().map(|report| report.steps).max().unwrap_or(0),
            capped: reports.iter().filter(|report| !report.converged()).count(),
            worst_residual: reports.iter().fold(0.0, |worst, r| r.relative_residual.max(worst)),
            ..Self::default()
        }
    }

    pub(crate) fn of_cg(run: &CgBlockSolution) -> Self {
        let reports = &run.reports;
        Self {
            solves: reports.len(),
            steps_total: reports.iter().map(|report| report.steps).sum(),
            steps_max: reports.iter().map(|report| report.steps).max().unwrap_or(0),
            capped: reports.iter().filter(|report| !report.converged()).count(),
            worst_residual: reports.iter().fold(0.0, |worst, r| r.relative_residual.max(worst)),
            ..Self::default()
        }
    }

    /// The work of both, and the worst of either.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            solves: self.solves + other.solves,
            steps_total: self.steps_total + other.steps_total,
            steps_max: self.steps_max.max(other.steps_max),
            capped: self.capped + other.capped,
            worst_residual: self.worst_residual.max(other.worst_residual),
            quad_slack: self.quad_slack.max(other.quad_slack),
            log_det_slack: self
                .log_det_slack
                .into_iter()
                .chain(other.log_det_slack)
                .reduce(f64::max),
        }
    }

    /// Whether every solve reached its tolerance.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.capped == 0
    }
}
