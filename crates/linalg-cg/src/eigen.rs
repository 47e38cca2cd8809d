//! Eigenvalues of symmetric matrices.

use ndarray::{Array1, Array2, ArrayRef2};
use ndarray_linalg::{EigValsh, Eigh, UPLO};

use crate::blas;
use crate::check;
use crate::error::LinalgError;

/// The eigenvalues of the symmetric `a [N, N]`, ascending, `[N]`; its lower triangle is read.
///
/// # Errors
/// [`LinalgError::NotSquare`], [`LinalgError::NonFinite`], [`LinalgError::EigenNotConverged`].
pub fn symmetric_eigenvalues(a: &ArrayRef2<f64>) -> Result<Array1<f64>, LinalgError> {
    let n = checked(a)?;
    if n == 0 {
        return Ok(Array1::zeros(0));
    }
    a.to_owned().eigvalsh(UPLO::Lower).map_err(|_| LinalgError::EigenNotConverged { n })
}

/// Eigenvalues `λ [N]`, ascending, and eigenvectors as columns `U [N, N]` of the symmetric `a`.
///
/// ```text
/// A = U diag(λ) Uᵀ,   UᵀU = I
/// ```
///
/// # Errors
/// As [`symmetric_eigenvalues`].
///
/// ```
/// let (values, _) = linalg_cg::symmetric_eigen(&ndarray::array![[2.0, 1.0], [1.0, 2.0]])?;
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), linalg_cg::LinalgError>(())
/// ```
pub fn symmetric_eigen(a: &ArrayRef2<f64>) -> Result<(Array1<f64>, Array2<f64>), LinalgError> {
    let n = checked(a)?;
    if n == 0 {
        return Ok((Array1::zeros(0), Array2::zeros((0, 0))));
    }
    a.to_owned().eigh(UPLO::Lower).map_err(|_| LinalgError::EigenNotConverged { n })
}

fn checked(a: &ArrayRef2<f64>) -> Result<usize, LinalgError> {
    blas::one_thread();
    check::finite("a", a)?;
    check::square("a", a)
}
