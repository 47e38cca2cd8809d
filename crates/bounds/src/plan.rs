//! The best bounds that time and memory allow.

use crate::cost::ProblemSize;
use crate::{CostClass, LogDetBound, Part, Side, logdet};

/// What the log-determinant bounds may take, everything they share included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Seconds of one evaluation.
    pub seconds: f64,
    /// Bytes.
    pub bytes: u64,
}

/// What bounds are wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// One upper bound with a gradient, evaluated again and again.
    Training,
    /// The tightest bracket: all that fit, the more promising first.
    Certificate,
}

/// Bounds that fit a budget.
#[derive(Debug)]
pub struct Plan {
    /// The bounds, the most promising of each side first.
    pub bounds: Vec<Box<dyn LogDetBound>>,
    /// Estimated seconds of one evaluation (for training, with gradient).
    pub seconds: f64,
    /// Estimated bytes.
    pub bytes: u64,
}

/// Bounds from tight to loose, as measured on real tables: `docs/src/math/surrogates.md`. Theory orders
/// only some of them.
const RANKING: [&str; 21] = [
    "vif",
    "vecchia",
    "residual-vecchia",
    "nystrom-log-det",
    "dual-moments-vif",
    "dual-moments-vecchia",
    "moments-vif",
    "dual-vif",
    "moments-vecchia",
    "dual-vecchia",
    "vif-exact",
    "pitc",
    "block-hadamard",
    "fitc",
    "hadamard",
    "water-filling",
    "arithmetic-geometric",
    "trace",
    "nystrom-moments",
    "nystrom",
    "pitc-exact",
];

/// Columns from which neighbours alone no longer explain a point, and training takes `vif` first.
const MANY_COLUMNS: usize = 10;

/// The best log-determinant bounds for a problem within a budget.
///
/// For [`Purpose::Training`] the first bound that has a gradient and fits: `vecchia`, which finds what
/// the exact objective does at a small part of what `vif` costs, or, of more than 10 columns, `vif`
/// before it; then the ranking of the certificates. For [`Purpose::Certificate`] all that fit together,
/// taken in the order of the ranking, what they share counted once. Empty when nothing fits. The times
/// are those of [`ProblemSize`].
///
/// ```
/// use bounds::{Budget, ProblemSize, Purpose, best_affordable};
///
/// let size = ProblemSize { n: 10_000, d: 8, inducing: 512, neighbours: 30, block: 0, threads: 2 };
/// let plan = best_affordable(&size, &Budget { seconds: 60.0, bytes: 4 << 30 }, Purpose::Training);
/// assert_eq!(plan.bounds[0].name(), "vecchia");
/// ```
#[must_use]
pub fn best_affordable(size: &ProblemSize, budget: &Budget, purpose: Purpose) -> Plan {
    let mut plan = Plan { bounds: Vec::new(), seconds: 0.0, bytes: 0 };
    let mut parts: Vec<Part> = Vec::new();
    for bound in ranked(size, purpose) {
        if !size.serves(bound.as_ref()) || !purpose.wants(bound.as_ref()) {
            continue;
        }
        let mut with = parts.clone();
        with.extend(bound.parts().into_iter().filter(|part| !parts.contains(part)));
        let (seconds, bytes) = (purpose.seconds(size, &with), size.bytes(&with));
        if seconds > budget.seconds || bytes > budget.bytes {
            continue;
        }
        (parts, plan.seconds, plan.bytes) = (with, seconds, bytes);
        plan.bounds.push(bound);
        if purpose == Purpose::Training {
            break;
        }
    }
    plan
}

/// The catalogue by [`RANKING`]; what it does not name comes last, in catalogue order.
fn ranked(size: &ProblemSize, purpose: Purpose) -> Vec<Box<dyn LogDetBound>> {
    let mut bounds = logdet::catalogue();
    let cheaper = purpose == Purpose::Training && size.d <= MANY_COLUMNS;
    let rank = |bound: &dyn LogDetBound| match bound.name() {
        "vecchia" if cheaper => None,
        name => Some(RANKING.iter().position(|other| *other == name).unwrap_or(RANKING.len())),
    };
    bounds.sort_by_key(|bound| rank(bound.as_ref()));
    bounds
}

impl Purpose {
    fn wants(self, bound: &dyn LogDetBound) -> bool {
        match self {
            Self::Training => {
                bound.side() == Side::Upper
                    && bound.cost_class() != CostClass::Quadratic
                    && bound.differentiable().is_some()
            }
            Self::Certificate => true,
        }
    }

    fn seconds(self, size: &ProblemSize, parts: &[Part]) -> f64 {
        match self {
            Self::Training => size.training_seconds(parts),
            Self::Certificate => size.seconds(parts),
        }
    }
}

impl ProblemSize {
    /// Whether the problem has what a bound is built on.
    fn serves(&self, bound: &dyn LogDetBound) -> bool {
        let needs = bound.needs();
        (!needs.inducing_points || self.inducing > 0)
            && (!needs.neighbours || self.neighbours > 0)
            && (!needs.blocks || self.block > 0)
    }
}
