//! Low rank plus diagonal: solves and determinants at the cost of the rank.

use ndarray::{Array1, Array2, ArrayRef2, Axis};

use crate::check;
use crate::cholesky::Cholesky;
use crate::error::LinalgError;
use crate::operator::LinearOperator;
use crate::preconditioner::Preconditioner;
use crate::product::{gram, matmul, matmul_tn};

/// The matrix `C = Λ + VᵀV`, `V [M, N]`, Λ diagonal and positive.
///
/// ```text
/// B = I + V Λ⁻¹ Vᵀ
/// log|C| = log|B| + log|Λ|
/// C⁻¹ r  = Λ⁻¹ (r − Vᵀ c),   c = B⁻¹ V Λ⁻¹ r
/// ```
///
/// Cost: N M² once, N M per solve or product; memory N M. With `V = L⁻¹ K_uf` and `Λ = σ² I` it is
/// the Nyström matrix Q. Source: Woodbury (1950); Rasmussen & Williams (2006), A.9–A.10.
///
/// ```
/// use linalg_cg::{LowRankPlusDiagonal, Preconditioner};
/// use ndarray::array;
///
/// let c = LowRankPlusDiagonal::isotropic(array![[1.0, 1.0]], 1.0)?; // [[2, 1], [1, 2]]
/// assert!((c.log_det() - 3f64.ln()).abs() < 1e-15);
/// assert!((c.solve_vec(&array![3.0, 0.0]) - array![2.0, -1.0]).sum().abs() < 1e-15);
/// # Ok::<(), linalg_cg::LinalgError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LowRankPlusDiagonal {
    v: Array2<f64>,
    diagonal: Array1<f64>,
    inner: Cholesky,
}

impl LowRankPlusDiagonal {
    /// `diag(diagonal) + VᵀV`, `v [M, N]`, `diagonal [N]`.
    ///
    /// # Errors
    /// [`LinalgError::ShapeMismatch`]; [`LinalgError::NotPositive`] for a bad element of
    /// `diagonal`; [`LinalgError::NonFinite`] for one of `v`, or where B overflows.
    pub fn new(v: Array2<f64>, diagonal: Array1<f64>) -> Result<Self, LinalgError> {
        check::size("diagonal", "elements", v.ncols(), diagonal.len())?;
        check::positive("diagonal", &diagonal)?;
        check::finite("v", &v)?;
        let whitened = &v / &diagonal.mapv(f64::sqrt);
        let mut b = gram(&whitened);
        b.diag_mut().mapv_inplace(|value| 1.0 + value);
        Ok(Self { inner: Cholesky::factor(b)?, v, diagonal })
    }

    /// `noise · I + VᵀV`, `v [M, N]`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn isotropic(v: Array2<f64>, noise: f64) -> Result<Self, LinalgError> {
        let diagonal = Array1::from_elem(v.ncols(), noise);
        Self::new(v, diagonal)
    }

    /// The order N.
    #[must_use]
    pub fn n(&self) -> usize {
        self.diagonal.len()
    }

    /// The low-rank part's factor `V [M, N]`.
    #[must_use]
    pub fn v(&self) -> &Array2<f64> {
        &self.v
    }

    /// The diagonal Λ, `[N]`.
    #[must_use]
    pub fn diagonal(&self) -> &Array1<f64> {
        &self.diagonal
    }

    /// The factor of `B = I + V Λ⁻¹ Vᵀ`, `[M, M]`.
    #[must_use]
    pub fn inner(&self) -> &Cholesky {
        &self.inner
    }

    /// `log|C|`, in nats.
    #[must_use]
    pub fn log_det(&self) -> f64 {
        self.inner.log_det() + self.diagonal.mapv(f64::ln).sum()
    }

    /// `c = B⁻¹ V Λ⁻¹ R`, `r [N, K] → [M, K]`: the coefficients that minimise [`Preconditioner::quad`]'s form.
    #[must_use]
    pub fn coefficients(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        self.inner.solve(&matmul(&self.v, &self.over_diagonal(r.to_owned())))
    }

    /// `R − Vᵀ c`.
    fn residual(&self, r: &ArrayRef2<f64>, coefficients: &Array2<f64>) -> Array2<f64> {
        r.view().to_owned() - matmul_tn(&self.v, coefficients)
    }

    fn over_diagonal(&self, r: Array2<f64>) -> Array2<f64> {
        r / self.diagonal.view().insert_axis(Axis(1))
    }
}

impl LinearOperator for LowRankPlusDiagonal {
    fn n(&self) -> usize {
        self.n()
    }

    fn apply(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        let low_rank = matmul_tn(&self.v, &matmul(&self.v, x));
        low_rank + x.to_owned() * self.diagonal.view().insert_axis(Axis(1))
    }
}

impl Preconditioner for LowRankPlusDiagonal {
    fn n(&self) -> usize {
        self.n()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        self.over_diagonal(self.residual(r, &self.coefficients(r)))
    }

    /// The form without cancellation, an upper bound on `rᵀC⁻¹r` however c was rounded.
    ///
    /// ```text
    /// rᵀC⁻¹r = ‖Λ^(−1/2) (r − Vᵀc)‖² + ‖c‖²
    /// ```
    fn quad(&self, r: &ArrayRef2<f64>) -> Array1<f64> {
        let coefficients = self.coefficients(r);
        let residual = self.residual(r, &coefficients);
        let weighted = self.over_diagonal(residual.mapv(|value| value * value));
        weighted.sum_axis(Axis(0)) + coefficients.mapv(|value| value * value).sum_axis(Axis(0))
    }
}
