//! What speeds conjugate gradients up, and the choice between them while they run.

use std::cell::Cell;
use std::ops::ControlFlow;

use bounds::{BoundError, NystromSystem, Part, Problem, ProblemSize, SurrogateKind};
use linalg_cg::{CgProgress, Preconditioner};

/// What speeds conjugate gradients up. The slack of the bound is measured with Q in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Preconditioning {
    /// Q, the Nyström matrix of the inducing points, which the bound needs anyway.
    #[default]
    Nystrom,
    /// The Vecchia surrogate of [`CglbSettings::neighbours`](crate::CglbSettings::neighbours)
    /// neighbours: fewer steps where the noise is small or rows are many, and a solve with Q beside
    /// each to measure the slack.
    Vecchia,
    /// Q, and Vecchia from where a cost model says that it saves time: once the steps still to come,
    /// by the rate so far, cost more than the factors and the steps with them. Should those turn out
    /// slower, Q finishes. Decided by counts and values alone, never by a clock.
    Auto,
}

/// Steps before a rate is believed.
const PATIENCE: usize = 8;
/// Steps that a solve with Vecchia is expected to take, for want of knowledge.
const EXPECTED_STEPS: f64 = 15.0;
/// The machine the choice is made for: by that at hand, results would depend on it.
const THREADS: usize = 2;

impl Preconditioning {
    /// The matrix itself.
    pub(crate) fn of<'p>(
        self,
        problem: &'p Problem<'_>,
        system: &'p NystromSystem,
    ) -> Result<&'p dyn Preconditioner, BoundError> {
        Ok(match self {
            Self::Nystrom | Self::Auto => system,
            Self::Vecchia => problem.surrogate(SurrogateKind::Vecchia)?,
        })
    }
}

/// Steps, beyond those taken, that are worth as much as changing to Vecchia: what its factors cost
/// in products with K, and its own steps.
pub(crate) fn steps_worth_changing(problem: &Problem<'_>, neighbours: usize) -> f64 {
    let size = ProblemSize {
        n: problem.n(),
        d: problem.x().ncols(),
        inducing: 0,
        neighbours,
        block: 0,
        threads: THREADS,
    };
    let factors = size.seconds(&[Part::Surrogate(SurrogateKind::Vecchia)]);
    EXPECTED_STEPS + factors / size.product_seconds()
}

/// Watches a solve, and ends it where too many steps are still to come.
#[derive(Debug)]
pub(crate) struct Watch {
    tolerance: f64,
    most: f64,
    first: Cell<Option<f64>>,
    /// Steps still to come when the watch ended the solve.
    given_up: Cell<Option<f64>>,
}

impl Watch {
    /// For a solve to `tolerance` nats that may have `most` steps to come.
    pub(crate) fn new(tolerance: f64, most: f64) -> Self {
        Self { tolerance, most, first: Cell::default(), given_up: Cell::default() }
    }

    /// The steps that were still to come, if the solve was given up for them.
    pub(crate) fn given_up(&self) -> Option<f64> {
        self.given_up.get()
    }

    pub(crate) fn look(&self, progress: &CgProgress) -> ControlFlow<()> {
        let first = self.first.get().unwrap_or(progress.worst_measure);
        self.first.set(Some(first));
        let left = steps_left(first, progress.worst_measure, self.tolerance, progress.steps);
        if progress.steps < PATIENCE || left <= self.most {
            return ControlFlow::Continue(());
        }
        self.given_up.set(Some(left));
        ControlFlow::Break(())
    }
}

/// Steps to the tolerance if the slack goes on to fall at the mean rate so far.
///
/// ```text
/// left = steps · ln(now / tolerance) / ln(first / now)
/// ```
fn steps_left(first: f64, now: f64, tolerance: f64, steps: usize) -> f64 {
    if now <= tolerance {
        return 0.0;
    }
    let fallen = (first / now).ln();
    if fallen > 0.0 { steps as f64 * (now / tolerance).ln() / fallen } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_rate_is_carried_on() {
        // From 1000 to 1 in six steps, so from 1 to 0.001 in six more.
        assert!((steps_left(1e3, 1.0, 1e-3, 6) - 6.0).abs() < 1e-12);
        assert!(steps_left(1.0, 2.0, 1e-3, 6).is_infinite());
        assert!(steps_left(1.0, 1e-4, 1e-3, 6) <= 0.0);
    }
}
