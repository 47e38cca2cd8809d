//! Bounds on log|K|.
//!
//! A new bound is one file here and three lines below: `mod`, `pub use` and an entry of
//! [`catalogue`]; the tests, the bracket and the benches iterate over the catalogue.

mod arithmetic_geometric;
mod hadamard;
mod nystrom_log_det;
mod trace;
mod vecchia;
mod water_filling;

pub use arithmetic_geometric::ArithmeticGeometric;
pub use hadamard::Hadamard;
pub use nystrom_log_det::NystromLogDet;
pub use trace::Trace;
pub use vecchia::Vecchia;
pub use water_filling::WaterFilling;

use crate::surrogate::Sensitivity;
use crate::{BoundError, Gradient, Problem, Side};
use std::fmt::Debug;

/// What a bound is built on: the parts of a [`Problem`] that its value and gradient depend on.
///
/// A model trains inducing points that its bound depends on, and merely chooses them where they only
/// precondition and bound residuals; neighbours stand still within a training run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Inducing points, in which the gradient has a part.
    pub inducing_points: bool,
    /// Neighbours.
    pub neighbours: bool,
}

/// One certified side of log|K|, K = K_ff + σ²I.
///
/// Source: derivations in `docs/src/math/logdet.md`; symbols as in [`NystromSystem`](crate::NystromSystem).
pub trait LogDetBound: Debug + Send + Sync {
    /// Kebab-case name used in reports, options and benchmark ids.
    fn name(&self) -> &'static str;

    /// The side of log|K| it lies on.
    fn side(&self) -> Side;

    /// What it is built on; inducing points alone unless said otherwise.
    fn needs(&self) -> Needs {
        Needs { inducing_points: true, neighbours: false }
    }

    /// The bound, in nats.
    ///
    /// # Errors
    /// When the problem lacks what the bound is built on, or a factorisation fails.
    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError>;

    /// Its derivative in the parts of the Nyström system, for a bound that is a function of these
    /// alone: an objective adds it to that of its quadratic term, and goes over the data once for both.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn sensitivity<'p>(
        &self,
        problem: &'p Problem<'_>,
    ) -> Result<Option<Sensitivity<'p>>, BoundError> {
        let _ = problem;
        Ok(None)
    }

    /// Its derivative in the log parameters of the kernel, the log noise variance and, where used, Z.
    ///
    /// A bound without a [`sensitivity`](Self::sensitivity) must have its own.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn gradient(&self, problem: &Problem<'_>) -> Result<Gradient, BoundError> {
        match self.sensitivity(problem)? {
            Some(sensitivity) => sensitivity.gradient(problem),
            None => Err(BoundError::NoGradient { bound: self.name() }),
        }
    }
}

/// Every log-determinant bound of this crate.
#[must_use]
pub fn catalogue() -> Vec<Box<dyn LogDetBound>> {
    vec![
        Box::new(Trace),
        Box::new(ArithmeticGeometric),
        Box::new(WaterFilling),
        Box::new(Hadamard),
        Box::new(Vecchia),
        Box::new(NystromLogDet),
    ]
}
