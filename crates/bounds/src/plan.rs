//! The best bounds that time and memory allow.

use crate::{CostClass, LogDetBound, Part, Side, SurrogateKind, logdet};

/// The size of a problem, and of what its bounds may be built on; 0 for what it lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemSize {
    /// Rows N.
    pub n: usize,
    /// Columns D.
    pub d: usize,
    /// Inducing points M.
    pub inducing: usize,
    /// Neighbours k.
    pub neighbours: usize,
    /// Largest block.
    pub block: usize,
    /// Threads.
    pub threads: usize,
}

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

/// Multiply–adds per second of one thread: in products of large matrices, and in small blocks.
const DENSE_RATE: f64 = 1e10;
const SMALL_RATE: f64 = 1e9;
/// Kernel values per second of one thread, for one column; more columns take longer.
const KERNEL_RATE: f64 = 1e9;
/// A gradient by the time of the value.
const GRADIENT: f64 = 2.5;

/// The best log-determinant bounds for a problem within a budget.
///
/// For [`Purpose::Training`] the first bound of the ranking that has a gradient and fits; for
/// [`Purpose::Certificate`] all that fit together, taken in the order of the ranking, what they share
/// counted once. Empty when nothing fits. The times are an estimate from operation counts.
///
/// ```
/// use bounds::{Budget, ProblemSize, Purpose, best_affordable};
///
/// let size = ProblemSize { n: 10_000, d: 8, inducing: 512, neighbours: 30, block: 0, threads: 2 };
/// let plan = best_affordable(&size, &Budget { seconds: 60.0, bytes: 4 << 30 }, Purpose::Training);
/// assert_eq!(plan.bounds[0].name(), "vif");
/// ```
#[must_use]
pub fn best_affordable(size: &ProblemSize, budget: &Budget, purpose: Purpose) -> Plan {
    let mut plan = Plan { bounds: Vec::new(), seconds: 0.0, bytes: 0 };
    let mut parts: Vec<Part> = Vec::new();
    for bound in ranked() {
        if !size.serves(bound.as_ref()) || !purpose.wants(bound.as_ref()) {
            continue;
        }
        let mut with = parts.clone();
        with.extend(bound.parts().into_iter().filter(|part| !parts.contains(part)));
        let (seconds, bytes) = (size.seconds(&with) * purpose.factor(), size.bytes(&with));
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
fn ranked() -> Vec<Box<dyn LogDetBound>> {
    let mut bounds = logdet::catalogue();
    let rank = |bound: &dyn LogDetBound| RANKING.iter().position(|name| *name == bound.name());
    bounds.sort_by_key(|bound| rank(bound.as_ref()).unwrap_or(RANKING.len()));
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

    fn factor(self) -> f64 {
        if self == Self::Training { GRADIENT } else { 1.0 }
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

    /// Seconds that some parts take together.
    fn seconds(&self, parts: &[Part]) -> f64 {
        parts.iter().map(|part| self.part_seconds(part)).sum::<f64>() / self.threads.max(1) as f64
    }

    fn part_seconds(&self, part: &Part) -> f64 {
        let [n, m, b] = [self.n, self.inducing, self.block].map(|count| count as f64);
        let k = self.neighbours.min(self.n) as f64;
        let entry = (1.0 + 0.25 * self.d as f64) / KERNEL_RATE;
        let low_rank = n * m * m / DENSE_RATE;
        let local = |size: f64| n * (size * size * entry + size.powi(3) / 3.0 / SMALL_RATE);
        match part {
            Part::Nystrom => n * m * entry + 2.0 * low_rank,
            Part::Surrogate(SurrogateKind::Nystrom | SurrogateKind::Fitc) => low_rank,
            Part::Surrogate(SurrogateKind::Pitc) => {
                low_rank + n * b * (entry + (m + b) / DENSE_RATE)
            }
            Part::Surrogate(SurrogateKind::Vecchia) => local(k),
            Part::Surrogate(SurrogateKind::Vif) => {
                low_rank + local(k) + n * k * (k + 4.0) * m / SMALL_RATE
            }
            Part::Trace(_) => n * n * (entry + 2.0 * m / DENSE_RATE),
            Part::Moments(kind) => {
                let touched = if kind.has_neighbours() { k } else { 1.0 };
                let passes = if kind.needs_inducing_points() { 7.0 } else { 2.0 };
                n * n * (entry * touched.sqrt() * 2.0 + passes * m / DENSE_RATE)
                    + n * n * 5.0 * touched / SMALL_RATE
            }
        }
    }

    /// Bytes that some parts take together.
    fn bytes(&self, parts: &[Part]) -> u64 {
        parts.iter().map(|part| self.part_bytes(part)).sum()
    }

    fn part_bytes(&self, part: &Part) -> u64 {
        let (n, m) = (self.n as u64, self.inducing as u64);
        let k = self.neighbours.min(self.n) as u64;
        8 * n
            * match part {
                Part::Nystrom => 2 * m,
                Part::Surrogate(SurrogateKind::Vecchia) => 3 * k,
                Part::Surrogate(SurrogateKind::Vif) => 2 * m + 6 * k,
                Part::Surrogate(SurrogateKind::Pitc) => 2 * m + self.block as u64,
                Part::Surrogate(_) => 2 * m,
                Part::Trace(_) => 2 * m + 128 * self.threads as u64,
                Part::Moments(_) => 3 * m + 512 * self.threads as u64,
            }
    }
}
