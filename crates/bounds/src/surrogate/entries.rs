//! Small blocks of the two covariances that are conditioned: K itself, and what Nyström leaves.

use kernels::Kernel;
use linalg_cg::gram;
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};

/// A covariance by its blocks.
///
/// ```text
/// K = k(X, X) + σ²I,   or   R = K − VᵀV = D + σ²I   with V given by columns, as Vᵀ [N, M]
/// ```
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entries<'a> {
    pub(crate) kernel: &'a dyn Kernel,
    pub(crate) x: &'a ArrayRef2<f64>,
    pub(crate) sigma2: f64,
    /// Vᵀ for R; `None` for K.
    pub(crate) explained: Option<&'a Array2<f64>>,
}

impl Entries<'_> {
    /// The block of some rows, in their order.
    ///
    /// D is positive semidefinite: only rounding makes an entry of its diagonal negative, and the
    /// clamp moves it towards the truth.
    pub(crate) fn block(&self, rows: &[usize]) -> Array2<f64> {
        let points = self.x.select(Axis(0), rows);
        let mut block = self.kernel.block(&points, &points);
        if let Some(vt) = self.explained {
            block -= &gram(&vt.select(Axis(0), rows));
            block.diag_mut().mapv_inplace(|d| d.max(0.0));
        }
        block.diag_mut().mapv_inplace(|value| value + self.sigma2);
        block
    }

    /// The covariances of one row with some others, without σ², and the variances of those, with it.
    pub(crate) fn cross(&self, row: usize, others: &[usize]) -> (Array1<f64>, Array1<f64>) {
        let points = self.x.select(Axis(0), others);
        let one = self.x.select(Axis(0), &[row]);
        let mut cross = self.kernel.block(&one, &points).remove_axis(Axis(0));
        let mut own = self.kernel.diag(&points);
        if let Some(vt) = self.explained {
            for (index, &other) in others.iter().enumerate() {
                cross[index] -= inner(&vt.row(row), &vt.row(other));
                own[index] = (own[index] - inner(&vt.row(other), &vt.row(other))).max(0.0);
            }
        }
        (cross, own + self.sigma2)
    }
}

fn inner(a: &ArrayRef1<f64>, b: &ArrayRef1<f64>) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
