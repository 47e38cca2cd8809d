//! The Vecchia surrogate as a preconditioner.

use bounds::VecchiaFactors;
use linalg_cg::Preconditioner;
use ndarray::{Array2, ArrayRef2};

/// Solves with C, where C⁻¹ = UᵀΩ⁻¹U has a row of U for each data row and its parents.
///
/// C need not lie below K, so it never measures a slack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VecchiaPreconditioner<'a>(pub(crate) &'a VecchiaFactors);

impl VecchiaPreconditioner<'_> {
    /// Ω⁻¹U R: what each row's parents leave of it, over its conditional variance.
    fn contrasts(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        let mut contrasts = r.to_owned();
        for (i, mut row) in contrasts.rows_mut().into_iter().enumerate() {
            for (weight, &parent) in self.0.weights(i).iter().zip(self.0.structure().parents(i)) {
                row.scaled_add(-weight, &r.row(parent));
            }
            row /= self.0.omega()[i];
        }
        contrasts
    }
}

impl Preconditioner for VecchiaPreconditioner<'_> {
    fn n(&self) -> usize {
        self.0.structure().n()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        let contrasts = self.contrasts(r);
        let mut solution = contrasts.clone();
        for (i, contrast) in contrasts.rows().into_iter().enumerate() {
            for (weight, &parent) in self.0.weights(i).iter().zip(self.0.structure().parents(i)) {
                solution.row_mut(parent).scaled_add(-weight, &contrast);
            }
        }
        solution
    }
}
