//! Solves with VᵀV + sI through the small matrix B = I + VVᵀ/s.

use linalg_cg::{Cholesky, matmul, matmul_tn};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};

/// VᵀV + sI with B = I + VVᵀ/s factorised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Woodbury<'a> {
    pub(crate) v: &'a Array2<f64>,
    pub(crate) shift: f64,
    pub(crate) b: &'a Cholesky,
}

impl Woodbury<'_> {
    /// `C = B⁻¹VR/s`, `[M, C]`: the regression of `r [N, C]` on the rows of V.
    pub(crate) fn coefficients(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        self.b.solve(&matmul(self.v, r)) / self.shift
    }

    /// `(VᵀV + sI)⁻¹R = (R − VᵀC)/s`, `[N, C]`.
    pub(crate) fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        (r - &*matmul_tn(self.v, &self.coefficients(r))) / self.shift
    }

    /// The solution for one vector.
    pub(crate) fn solve_vec(&self, r: &ArrayRef1<f64>) -> Array1<f64> {
        let block = r.to_owned().insert_axis(Axis(1));
        self.solve(&block).remove_axis(Axis(1))
    }

    /// `rᵀ(VᵀV + sI)⁻¹r` per column.
    ///
    /// ```text
    /// ‖r − Vᵀc‖²/s + ‖c‖²
    /// ```
    ///
    /// is a sum of squares and, as the minimum over c of this very expression, an upper bound
    /// whatever the rounding in c; the difference rᵀr/s − ‖·‖² would lose every digit at small s.
    pub(crate) fn quad(&self, r: &ArrayRef2<f64>) -> Array1<f64> {
        let c = self.coefficients(r);
        let residual = r - &*matmul_tn(self.v, &c);
        column_squares(&residual) / self.shift + column_squares(&c)
    }

    /// The quadratic form of one vector.
    pub(crate) fn quad_vec(&self, r: &ArrayRef1<f64>) -> f64 {
        self.quad(&r.to_owned().insert_axis(Axis(1)))[0]
    }
}

/// Σ_i a_ij² for each column j.
fn column_squares(a: &ArrayRef2<f64>) -> Array1<f64> {
    a.mapv(|value| value * value).sum_axis(Axis(0))
}
