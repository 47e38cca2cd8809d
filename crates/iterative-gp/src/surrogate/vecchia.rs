//! The Vecchia surrogate: every row given its nearest predecessors.

use bounds::{Problem, SurrogateKind};
use gp_core::GpError;
use linalg_cg::Preconditioner;
use ndarray::{Array2, ArrayRef2};

use super::Surrogate;

/// C with C⁻¹ = UᵀΩ⁻¹U, where row i of U is 1 at i and −b_ij at its parents.
///
/// It is not below K, so its form does not bound what a solve leaves; σ²I does that.
#[derive(Debug)]
pub struct VecchiaSurrogate<'p> {
    factors: &'p bounds::Surrogate,
}

impl<'p> VecchiaSurrogate<'p> {
    /// Of a problem with neighbours.
    ///
    /// # Errors
    /// [`GpError::Bound`] without them.
    pub fn new(problem: &'p Problem<'_>) -> Result<Self, GpError> {
        Ok(Self { factors: problem.surrogate(SurrogateKind::Vecchia)? })
    }
}

impl Preconditioner for VecchiaSurrogate<'_> {
    fn n(&self) -> usize {
        self.factors.n()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        self.factors.solve(r)
    }
}

impl Surrogate for VecchiaSurrogate<'_> {
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
}
