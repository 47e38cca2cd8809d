//! How much work conjugate gradients did.

use serde::{Deserialize, Serialize};

/// Steps of conjugate gradients, summed over solves; a step is one product with K for all targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CgStats {
    /// Runs of conjugate gradients.
    pub solves: usize,
    /// Steps of all of them.
    pub steps_total: usize,
    /// Steps of the longest.
    pub steps_max: usize,
    /// Runs that ended before the tolerance was met, by the cap on steps or by rounding.
    pub capped: usize,
}

impl CgStats {
    /// Counts one more solve.
    pub(crate) fn count(&mut self, steps: usize, converged: bool) {
        self.solves += 1;
        self.steps_total += steps;
        self.steps_max = self.steps_max.max(steps);
        self.capped += usize::from(!converged);
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            solves: self.solves + other.solves,
            steps_total: self.steps_total + other.steps_total,
            steps_max: self.steps_max.max(other.steps_max),
            capped: self.capped + other.capped,
        }
    }
}
