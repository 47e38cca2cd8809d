//! The Vecchia surrogate: every row given its nearest predecessors.

use bounds::logdet::Vecchia;
use bounds::{DifferentiableLogDet, Gradient, Problem, SurrogateKind, vecchia_form_gradient};
use gp_core::GpError;
use linalg_cg::Preconditioner;
use ndarray::{Array2, ArrayRef2};

use super::{Surrogate, SurrogateDerivative};

/// C with C⁻¹ = UᵀΩ⁻¹U, where row i of U is 1 at i and −b_ij at its parents.
///
/// It is not below K, so its form does not bound what a solve leaves; σ²I does that.
#[derive(Debug)]
pub struct VecchiaSurrogate<'p, 'a> {
    problem: &'p Problem<'a>,
    factors: &'p bounds::Surrogate,
}

impl<'p, 'a> VecchiaSurrogate<'p, 'a> {
    /// Of a problem with neighbours.
    ///
    /// # Errors
    /// [`GpError::Bound`] without them.
    pub fn new(problem: &'p Problem<'a>) -> Result<Self, GpError> {
        Ok(Self { problem, factors: problem.surrogate(SurrogateKind::Vecchia)? })
    }
}

impl Preconditioner for VecchiaSurrogate<'_, '_> {
    fn n(&self) -> usize {
        self.factors.n()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        self.factors.solve(r)
    }
}

impl Surrogate for VecchiaSurrogate<'_, '_> {
    fn log_det(&self) -> f64 {
        self.factors.log_det()
    }

    /// U⁻¹Ω^½ Z.
    fn colour(&self, z: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        Ok(self.factors.colour(z)?)
    }

    fn is_below(&self) -> bool {
        false
    }

    fn derivative(&self) -> Option<&dyn SurrogateDerivative> {
        Some(self)
    }
}

impl SurrogateDerivative for VecchiaSurrogate<'_, '_> {
    fn log_det(&self) -> Result<Gradient, GpError> {
        Ok(Vecchia.gradient(self.problem)?)
    }

    fn form(&self, b: &ArrayRef2<f64>) -> Result<Gradient, GpError> {
        Ok(vecchia_form_gradient(self.problem, b)?)
    }
}
