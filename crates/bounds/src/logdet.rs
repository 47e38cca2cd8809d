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

use crate::{BoundError, Gradient, Problem, Side};
use std::fmt::Debug;

/// One certified side of log|K|, K = K_ff + σ²I.
///
/// Source: derivations in `docs/src/math/logdet.md`; symbols as in [`NystromSystem`](crate::NystromSystem).
pub trait LogDetBound: Debug + Send + Sync {
    /// Kebab-case name used in reports, options and benchmark ids.
    fn name(&self) -> &'static str;

    /// The side of log|K| it lies on.
    fn side(&self) -> Side;

    /// The bound, in nats.
    ///
    /// # Errors
    /// When the problem lacks what the bound is built on, or a factorisation fails.
    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError>;

    /// Its derivative in the log parameters of the kernel, the log noise variance and, where used, Z.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn gradient(&self, problem: &Problem<'_>) -> Result<Gradient, BoundError>;
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
