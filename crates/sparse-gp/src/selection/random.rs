//! Inducing points drawn at random.

use gp_core::random_rows;
use ndarray::{Array2, ArrayRef2, Axis};

/// `m` distinct rows of `x` `[N, D]`, all with the same chance, drawn by `seed`; all rows when
/// `m ≥ N`.
///
/// ```
/// let x = ndarray::array![[0.0], [1.0], [2.0]];
/// assert_eq!(sparse_gp::random_points(&x, 2, 7), sparse_gp::random_points(&x, 2, 7));
/// assert_eq!(sparse_gp::random_points(&x, 9, 7), x);
/// ```
#[must_use]
pub fn random_points(x: &ArrayRef2<f64>, m: usize, seed: u64) -> Array2<f64> {
    x.select(Axis(0), &random_rows(x.nrows(), m, seed))
}
