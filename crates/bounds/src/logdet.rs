//! Bounds on log|K|.
//!
//! A new bound is one file here and three lines below: `mod`, `pub use` and an entry of
//! [`catalogue`]; the tests, the bracket and the benches iterate over the catalogue.

mod arithmetic_geometric;
mod block_hadamard;
mod dual;
mod dual_moments;
mod hadamard;
mod moments;
mod nystrom_log_det;
mod residual_vecchia;
mod surrogate_exact;
mod surrogate_trace;
mod trace;
mod vecchia;
mod water_filling;

pub use arithmetic_geometric::ArithmeticGeometric;
pub use block_hadamard::BlockHadamard;
pub use dual::Dual;
pub use dual_moments::DualMoments;
pub use hadamard::Hadamard;
pub use moments::SurrogateMoments;
pub use nystrom_log_det::NystromLogDet;
pub use residual_vecchia::ResidualVecchia;
pub use surrogate_exact::SurrogateExact;
pub use surrogate_trace::SurrogateTrace;
pub use trace::Trace;
pub use vecchia::Vecchia;
pub use water_filling::WaterFilling;

use crate::SurrogateKind::{Fitc, Nystrom, Pitc, Vecchia as VecchiaKind, Vif};
use crate::surrogate::Sensitivity;
use crate::{BoundError, CostClass, Gradient, Needs, Part, Problem, Side};
use std::fmt::Debug;

/// One certified side of log|K|, K = K_ff + σ²I.
///
/// Source: derivations in `docs/src/math/logdet.md`; symbols as in [`NystromSystem`](crate::NystromSystem).
pub trait LogDetBound: Debug + Send + Sync {
    /// Kebab-case name used in reports, options and benchmark ids.
    fn name(&self) -> &'static str;

    /// The side of log|K| it lies on.
    fn side(&self) -> Side;

    /// What it reads of a problem: shared with other bounds, and what it costs.
    fn parts(&self) -> Vec<Part>;

    /// How its cost grows.
    fn cost_class(&self) -> CostClass {
        CostClass::of(&self.parts())
    }

    /// The optional parts of a problem it is built on.
    fn needs(&self) -> Needs {
        Needs::of(&self.parts())
    }

    /// The bound, in nats.
    ///
    /// # Errors
    /// When the problem lacks what the bound is built on, or a factorisation fails.
    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError>;

    /// The bound as one that can be trained on; `None` for certificates.
    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        None
    }
}

/// A log-determinant bound with a gradient.
pub trait DifferentiableLogDet: LogDetBound {
    /// Its derivative in the parts of the Nyström system, for a bound that is a function of these
    /// alone: an objective adds it to that of its quadratic term, and goes over the data once for both.
    ///
    /// # Errors
    /// As [`value`](LogDetBound::value).
    fn sensitivity<'p>(
        &self,
        problem: &'p Problem<'_>,
    ) -> Result<Option<Sensitivity<'p>>, BoundError> {
        let _ = problem;
        Ok(None)
    }

    /// Its derivative in the log parameters of the kernel, the log noise variance and, where used, Z.
    /// Orderings, neighbours and blocks are held fixed.
    ///
    /// A bound without a [`sensitivity`](Self::sensitivity) must have its own.
    ///
    /// # Errors
    /// As [`value`](LogDetBound::value).
    fn gradient(&self, problem: &Problem<'_>) -> Result<Gradient, BoundError> {
        match self.sensitivity(problem)? {
            Some(sensitivity) => sensitivity.gradient(problem),
            None => Err(BoundError::NoGradient { bound: self.name() }),
        }
    }
}

/// Every log-determinant bound of this crate, those of a side from cheap to dear.
#[must_use]
pub fn catalogue() -> Vec<Box<dyn LogDetBound>> {
    let mut bounds: Vec<Box<dyn LogDetBound>> = vec![
        Box::new(Trace),
        Box::new(ArithmeticGeometric),
        Box::new(WaterFilling),
        Box::new(Hadamard),
        Box::new(BlockHadamard),
        Box::new(SurrogateTrace::FITC),
        Box::new(SurrogateTrace::PITC),
        Box::new(Vecchia),
        Box::new(ResidualVecchia),
        Box::new(SurrogateTrace::VIF),
        Box::new(NystromLogDet),
    ];
    for kind in [Nystrom, Fitc, Pitc, Vif] {
        bounds.push(Box::new(SurrogateExact { kind }));
    }
    for kind in [Nystrom, Fitc, Pitc, VecchiaKind, Vif] {
        bounds.push(Box::new(SurrogateMoments { kind }));
        bounds.push(Box::new(Dual { kind }));
        bounds.push(Box::new(DualMoments { kind }));
    }
    bounds
}

/// The bounds of [`catalogue`] that take no pass over the whole of K.
#[must_use]
pub fn free_catalogue() -> Vec<Box<dyn LogDetBound>> {
    let mut bounds = catalogue();
    bounds.retain(|bound| bound.cost_class() != CostClass::Quadratic);
    bounds
}
