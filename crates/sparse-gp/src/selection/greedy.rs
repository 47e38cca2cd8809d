//! Inducing points where the training rows leave most unexplained.

use kernels::Kernel;
use linalg_cg::pivoted_cholesky;
use ndarray::{ArrayRef2, Axis};

/// Rows chosen as inducing points.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The rows, in the order they were chosen.
    pub rows: Vec<usize>,
    /// tr(K_ff − Q_ff): the variance they leave unexplained, summed over all rows.
    pub residual_trace: f64,
}

/// Greedy conditional variance: again and again the row whose variance given those chosen so far is
/// largest (ties: the first), which are the pivots of a pivoted Cholesky factorisation.
///
/// Chooses `m` rows of `x` `[N, D]`, fewer once nothing but rounding is left unexplained. Costs
/// O(N M (M + D)) time and O(N M) memory. Source: Burt, Rasmussen & van der Wilk (2020), section
/// 4.2.2.
///
/// ```
/// use kernels::SquaredExponential;
/// use ndarray::array;
///
/// let kernel = SquaredExponential::new(vec![1.0], 1.0)?;
/// let x = array![[0.0], [0.1], [5.0]];
/// assert_eq!(sparse_gp::greedy_conditional_variance(&kernel, &x, 2).rows, [0, 2]);
/// # Ok::<(), kernels::KernelError>(())
/// ```
#[must_use]
pub fn greedy_conditional_variance(kernel: &dyn Kernel, x: &ArrayRef2<f64>, m: usize) -> Selection {
    let column = |row: usize| {
        let point = x.row(row).insert_axis(Axis(0));
        kernel.block(x, &point).remove_axis(Axis(1))
    };
    let factor = pivoted_cholesky(&kernel.diag(x), column, m, 0.0);
    Selection { rows: factor.pivots, residual_trace: factor.residual_diag.sum() }
}
