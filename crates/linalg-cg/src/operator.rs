//! Symmetric linear maps known only by what they do to a block of vectors.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};

use crate::check;
use crate::error::LinalgError;
use crate::product::matmul;

/// A symmetric linear map `A: ℝᴺ → ℝᴺ` that is applied, never stored.
pub trait LinearOperator: Sync {
    /// The order N.
    fn n(&self) -> usize;

    /// The product `A V`, `v [N, C] → [N, C]`.
    fn apply(&self, v: &ArrayRef2<f64>) -> Array2<f64>;

    /// The product `A V`, cheaper and less exact where an implementation has such a thing: what
    /// conjugate gradients multiply their directions with. Their residuals, and with them whether
    /// they have converged, are by [`apply`](Self::apply). For nothing else.
    fn apply_search(&self, v: &ArrayRef2<f64>) -> Array2<f64> {
        self.apply(v)
    }

    /// The product with one vector, `v [N] → [N]`.
    fn apply_vec(&self, v: &ArrayRef1<f64>) -> Array1<f64> {
        let block = v.to_owned().insert_axis(Axis(1));
        self.apply(&block).remove_axis(Axis(1))
    }
}

/// A dense symmetric matrix as an operator.
///
/// ```
/// use linalg_cg::{DenseOperator, LinearOperator};
/// use ndarray::array;
///
/// let operator = DenseOperator::new(array![[2.0, 1.0], [1.0, 3.0]]).expect("square");
/// assert_eq!(operator.apply_vec(&array![1.0, 1.0]), array![3.0, 4.0]);
/// ```
#[derive(Debug, Clone)]
pub struct DenseOperator {
    matrix: Array2<f64>,
}

impl DenseOperator {
    /// Wraps `matrix [N, N]`; its symmetry is the caller's promise.
    ///
    /// # Errors
    /// [`LinalgError::NotSquare`].
    pub fn new(matrix: Array2<f64>) -> Result<Self, LinalgError> {
        check::square("matrix", &matrix)?;
        Ok(Self { matrix })
    }

    /// The matrix, `[N, N]`.
    #[must_use]
    pub fn matrix(&self) -> &Array2<f64> {
        &self.matrix
    }
}

impl LinearOperator for DenseOperator {
    fn n(&self) -> usize {
        self.matrix.nrows()
    }

    fn apply(&self, v: &ArrayRef2<f64>) -> Array2<f64> {
        matmul(&self.matrix, v)
    }
}
