//! Why training ended.

use serde::{Deserialize, Serialize};

/// Why training stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The gradient vanished within its tolerance.
    Gradient,
    /// Steps no longer gain anything.
    Value,
    /// No better point lies along the search direction, to rounding.
    LineSearch,
    /// The step limit was reached.
    MaxIterations,
    /// The time limit was reached.
    TimeLimit,
    /// Nothing was free to train.
    NothingFree,
    /// The observer asked to stop.
    Interrupted,
    /// All steps of a schedule that has no test of convergence were taken.
    Planned,
}

impl StopReason {
    /// Whether the result is a local optimum to the tolerances asked for.
    #[must_use]
    pub fn converged(self) -> bool {
        matches!(self, Self::Gradient | Self::Value | Self::LineSearch | Self::NothingFree)
    }

    /// Whether a limit ended it, so that a wider one lets a resumed run go on.
    #[must_use]
    pub fn limited(self) -> bool {
        matches!(self, Self::MaxIterations | Self::TimeLimit | Self::Interrupted)
    }
}
