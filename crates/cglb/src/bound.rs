//! The log-determinant bound a model is trained with, by name.

use std::sync::Arc;

use bounds::logdet::ArithmeticGeometric;
use bounds::surrogate::Sensitivity;
use bounds::{
    BoundError, DifferentiableLogDet, Gradient, LogDetBound, Part, Problem, Side, log_det_catalogue,
};
use gp_core::GpError;

/// An upper bound on log|K| of the `bounds` crate's catalogue, or one of one's own, with a gradient.
///
/// ```
/// use bounds::LogDetBound;
/// use cglb::Bound;
///
/// assert_eq!(Bound::default().name(), "arithmetic-geometric");
/// assert!(!Bound::named("vecchia")?.needs().inducing_points);
/// assert!(Bound::named("nystrom-log-det").is_err(), "a lower bound on log|K|");
/// # Ok::<(), cglb::GpError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bound(Arc<dyn LogDetBound>);

impl Default for Bound {
    /// The paper's: `arithmetic-geometric`.
    fn default() -> Self {
        Self(Arc::new(ArithmeticGeometric))
    }
}

impl Bound {
    /// The upper bound called `name` in the catalogue.
    ///
    /// # Errors
    /// [`GpError::UnknownBound`] with the names there are.
    pub fn named(name: &str) -> Result<Self, GpError> {
        let found = upper().find(|bound| bound.name() == name);
        found.map(|bound| Self(bound.into())).ok_or_else(|| GpError::UnknownBound {
            name: name.to_owned(),
            known: Self::names().join(", "),
        })
    }

    /// The names [`named`](Self::named) knows, in the catalogue's order.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        upper().map(|bound| bound.name()).collect()
    }

    /// A bound that need not be in the catalogue.
    ///
    /// # Errors
    /// [`GpError::UnknownBound`] for one on the lower side, of which training would not raise a lower
    /// bound on the evidence, and for one without a gradient.
    pub fn of(bound: Arc<dyn LogDetBound>) -> Result<Self, GpError> {
        match bound.side() {
            Side::Upper if bound.differentiable().is_some() => Ok(Self(bound)),
            _ => Err(GpError::UnknownBound {
                name: bound.name().to_owned(),
                known: Self::names().join(", "),
            }),
        }
    }

    /// The bound as what every constructor made sure it is.
    fn trainable(&self) -> Result<&dyn DifferentiableLogDet, BoundError> {
        self.0.differentiable().ok_or(BoundError::NoGradient { bound: self.0.name() })
    }
}

/// The upper bounds of the catalogue that can be trained with.
fn upper() -> impl Iterator<Item = Box<dyn LogDetBound>> {
    let of_side = log_det_catalogue().into_iter().filter(|bound| bound.side() == Side::Upper);
    of_side.filter(|bound| bound.differentiable().is_some())
}

impl LogDetBound for Bound {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn side(&self) -> Side {
        self.0.side()
    }

    fn parts(&self) -> Vec<Part> {
        self.0.parts()
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        self.0.value(problem)
    }

    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        self.0.differentiable()
    }
}

impl DifferentiableLogDet for Bound {
    fn sensitivity<'p>(
        &self,
        problem: &'p Problem<'_>,
    ) -> Result<Option<Sensitivity<'p>>, BoundError> {
        self.trainable()?.sensitivity(problem)
    }

    fn gradient(&self, problem: &Problem<'_>) -> Result<Gradient, BoundError> {
        self.trainable()?.gradient(problem)
    }
}
