//! Eigenvalues of symmetric matrices.

use ndarray::{Array1, Array2, ArrayRef2};

use crate::blas;
use crate::check;
use crate::error::LinalgError;

/// The eigenvalues of the symmetric `a [N, N]`, ascending, `[N]`; its lower triangle is read.
///
/// # Errors
/// [`LinalgError::NotSquare`], [`LinalgError::NonFinite`], [`LinalgError::EigenNotConverged`].
pub fn symmetric_eigenvalues(a: &ArrayRef2<f64>) -> Result<Array1<f64>, LinalgError> {
    Ok(decompose(a, false)?.0)
}

/// Eigenvalues `λ [N]`, ascending, and eigenvectors as columns `U [N, N]` of the symmetric `a`.
///
/// ```text
/// A = U diag(λ) Uᵀ,   UᵀU = I
/// ```
///
/// Divide and conquer (LAPACK `dsyevd`), on one thread.
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
    let (values, rows) = decompose(a, true)?;
    Ok((values, rows.t().as_standard_layout().into_owned()))
}

/// Eigenvalues and, with `vectors`, eigenvectors as rows.
fn decompose(a: &ArrayRef2<f64>, vectors: bool) -> Result<(Array1<f64>, Array2<f64>), LinalgError> {
    check::finite("a", a)?;
    let n = check::square("a", a)?;
    let mut rows = a.as_standard_layout().into_owned();
    let values =
        blas::syevd(&mut rows.view_mut(), vectors).ok_or(LinalgError::EigenNotConverged { n })?;
    Ok((values.into(), rows))
}
