//! Bounds on yᵀK⁻¹y.
//!
//! A new bound is one file here and three lines below: `mod`, `pub use` and an entry of
//! [`catalogue`]; the tests, the bracket and the benches iterate over the catalogue.

mod auxiliary;
mod cauchy_schwarz;
mod point;
mod product;
mod shifted_nystrom;

pub use auxiliary::Auxiliary;
pub(crate) use auxiliary::residual_quad;
pub use cauchy_schwarz::CauchySchwarz;
pub(crate) use cauchy_schwarz::step_length;
pub use point::QuadPoint;
pub use point::residual;
pub use shifted_nystrom::ShiftedNystrom;

use crate::{BoundError, Problem, QuadGradient, Side};
use ndarray::ArrayRef1;
use std::fmt::Debug;

/// One certified side of yᵀK⁻¹y.
///
/// Bounds that use an auxiliary vector v hold for *any* v and are tight at v = K⁻¹y; see
/// [`solve_auxiliary`](crate::solve_auxiliary). Source: derivations in `docs/src/math/quad.md`.
pub trait QuadBound: Debug + Send + Sync {
    /// Kebab-case name used in reports, options and benchmark ids.
    fn name(&self) -> &'static str;

    /// The side of yᵀK⁻¹y it lies on.
    fn side(&self) -> Side;

    /// The bound at a point whose product K v is shared between bounds.
    ///
    /// # Errors
    /// When the problem lacks what the bound is built on, or a factorisation fails.
    fn value_at(&self, problem: &Problem<'_>, point: &QuadPoint<'_>) -> Result<f64, BoundError>;

    /// Its derivative in the hyperparameters and in y, v held fixed.
    ///
    /// # Errors
    /// As [`value_at`](Self::value_at).
    fn gradient_at(
        &self,
        problem: &Problem<'_>,
        point: &QuadPoint<'_>,
    ) -> Result<QuadGradient, BoundError>;

    /// The bound for targets `y [N]` (mean subtracted) and any `v [N]`.
    ///
    /// # Errors
    /// When a length disagrees with the data or a number is not finite; as [`value_at`](Self::value_at).
    fn value(
        &self,
        problem: &Problem<'_>,
        y: &ArrayRef1<f64>,
        v: &ArrayRef1<f64>,
    ) -> Result<f64, BoundError> {
        self.value_at(problem, &QuadPoint::new(problem, y, v)?)
    }

    /// Its derivative for targets `y [N]` (mean subtracted) and any `v [N]`, held fixed.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn gradient(
        &self,
        problem: &Problem<'_>,
        y: &ArrayRef1<f64>,
        v: &ArrayRef1<f64>,
    ) -> Result<QuadGradient, BoundError> {
        self.gradient_at(problem, &QuadPoint::new(problem, y, v)?)
    }
}

/// Every quadratic bound of this crate.
#[must_use]
pub fn catalogue() -> Vec<Box<dyn QuadBound>> {
    vec![Box::new(Auxiliary), Box::new(CauchySchwarz), Box::new(ShiftedNystrom)]
}
