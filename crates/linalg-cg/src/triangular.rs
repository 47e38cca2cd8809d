//! Triangular solves: one right-hand side by `trsv`, many by `trsm` over fixed column blocks.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};
use rayon::prelude::*;

use crate::blas::{self, Triangle};
use crate::tiles::{cut, solve_width};

/// `L⁻¹ B` or `L⁻ᵀ B`, `b [N, C]`.
pub(crate) fn solve_block(
    triangle: Triangle,
    lower: &Array2<f64>,
    b: &ArrayRef2<f64>,
) -> Array2<f64> {
    solve_in_place(triangle, lower, b.as_standard_layout().into_owned())
}

/// The same in the memory of `b [N, C]`, which is row-major.
pub(crate) fn solve_in_place(
    triangle: Triangle,
    lower: &Array2<f64>,
    b: Array2<f64>,
) -> Array2<f64> {
    let width = solve_width(b.ncols());
    let mut solution = b;
    cut(solution.view_mut(), Axis(1), width)
        .into_par_iter()
        .with_max_len(1)
        .for_each(|(_, mut block)| blas::trsm_left(triangle, &lower.view(), &mut block));
    solution
}

/// `L⁻¹ b` or `L⁻ᵀ b`, `b [N]`.
pub(crate) fn solve_one(
    triangle: Triangle,
    lower: &Array2<f64>,
    b: &ArrayRef1<f64>,
) -> Array1<f64> {
    let mut solution = b.as_standard_layout().into_owned();
    blas::trsv(triangle, &lower.view(), &mut solution.view_mut());
    solution
}
