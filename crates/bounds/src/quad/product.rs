//! Derivatives of products with K.

use crate::{Gradient, Problem};
use ndarray::{Array2, ArrayRef1};

/// Adds Σ_c u_cᵀ dK v_c to a gradient, all columns in one pass over the tiles of K.
pub(crate) fn add_product(
    problem: &Problem<'_>,
    gradient: &mut Gradient,
    pairs: &[(&ArrayRef1<f64>, &ArrayRef1<f64>)],
) {
    let mut u = Array2::zeros((problem.n(), pairs.len()));
    let mut v = u.clone();
    for (c, (left, right)) in pairs.iter().enumerate() {
        u.column_mut(c).assign(left);
        v.column_mut(c).assign(right);
    }
    let d_kernel = problem.operator().gradient_product(&u, &v);
    gradient.kernel.iter_mut().zip(d_kernel).for_each(|(sum, part)| *sum += part);
    // K = K_ff + σ²I: the shift contributes Σ_c u_cᵀv_c.
    gradient.add_sigma2(problem, u.iter().zip(&v).map(|(a, b)| a * b).sum());
}
