//! The Vecchia surrogate: every row given its nearest predecessors.

use bounds::{Problem, VecchiaFactors};
use gp_core::GpError;
use linalg_cg::Preconditioner;
use ndarray::{Array2, ArrayRef2};

use super::Surrogate;

/// C with C⁻¹ = UᵀΩ⁻¹U, where row i of U is 1 at i and −b_ij at its parents.
///
/// It is not below K, so its form does not bound what a solve leaves; σ²I does that.
#[derive(Debug)]
pub struct VecchiaSurrogate<'p> {
    factors: &'p VecchiaFactors,
}

impl<'p> VecchiaSurrogate<'p> {
    /// Of a problem with neighbours.
    ///
    /// # Errors
    /// [`GpError::Bound`] without them.
    pub fn new(problem: &'p Problem<'_>) -> Result<Self, GpError> {
        Ok(Self { factors: problem.vecchia()? })
    }

    fn parents(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let parents = self.factors.structure().parents(row).iter().copied();
        parents.zip(self.factors.weights(row).iter().copied())
    }
}

impl Preconditioner for VecchiaSurrogate<'_> {
    fn n(&self) -> usize {
        self.factors.structure().n()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        let mut solution = Array2::zeros(r.dim());
        for row in 0..self.n() {
            let mut left = r.row(row).to_owned();
            for (parent, weight) in self.parents(row) {
                left.scaled_add(-weight, &r.row(parent));
            }
            left /= self.factors.omega()[row];
            for (parent, weight) in self.parents(row) {
                solution.row_mut(parent).scaled_add(-weight, &left);
            }
            solution.row_mut(row).scaled_add(1.0, &left);
        }
        solution
    }
}

impl Surrogate for VecchiaSurrogate<'_> {
    fn log_det(&self) -> f64 {
        self.factors.log_det()
    }

    /// U⁻¹Ω^½ Z, row by row in the ordering.
    fn colour(&self, z: &ArrayRef2<f64>) -> Array2<f64> {
        let mut coloured = Array2::zeros(z.dim());
        for &row in self.factors.structure().order() {
            let mut value = &z.row(row) * self.factors.omega()[row].sqrt();
            for (parent, weight) in self.parents(row) {
                value.scaled_add(weight, &coloured.row(parent));
            }
            coloured.row_mut(row).assign(&value);
        }
        coloured
    }

    fn is_below(&self) -> bool {
        false
    }
}
