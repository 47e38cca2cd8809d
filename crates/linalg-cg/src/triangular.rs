//! Triangular solves: one right-hand side by `trsv`, many by blocks over fixed column blocks.
//!
//! OpenBLAS multiplies twice as fast as it solves, so a solve is split until little is left of it.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, ArrayView2, ArrayViewMut2, Axis, Slice, s};
use rayon::prelude::*;

use crate::blas::{self, Triangle};
use crate::tiles::{cut, solve_width};

/// Orders below which a solve is not split: the fastest found for solves from the left, from the right.
const LEFT_BASE: usize = 32;
const RIGHT_BASE: usize = 8;

/// `L⁻¹ B` or `L⁻ᵀ B`, `b [N, C]`.
pub(crate) fn solve_block(
    triangle: Triangle,
    lower: &Array2<f64>,
    b: &ArrayRef2<f64>,
) -> Array2<f64> {
    let mut solution = b.as_standard_layout().into_owned();
    solve_in_place(triangle, lower, &mut solution.view_mut());
    solution
}

/// `B ← L⁻¹ B` or `B ← L⁻ᵀ B` for a row-major `b [N, C]`.
pub(crate) fn solve_in_place(
    triangle: Triangle,
    lower: &Array2<f64>,
    b: &mut ArrayViewMut2<'_, f64>,
) {
    let width = solve_width(lower.nrows(), b.ncols());
    cut(b.view_mut(), Axis(1), width)
        .into_par_iter()
        .with_max_len(1)
        .for_each(|(_, mut block)| solve_left(triangle, &lower.view(), &mut block));
}

/// `B ← L⁻¹ B` or `B ← L⁻ᵀ B` on this thread.
pub(crate) fn solve_left(
    triangle: Triangle,
    l: &ArrayView2<'_, f64>,
    b: &mut ArrayViewMut2<'_, f64>,
) {
    let n = l.nrows();
    if n <= LEFT_BASE {
        return blas::trsm_left(triangle, l, b);
    }
    let [first, last, below] = split(l, half(n, LEFT_BASE));
    let (mut top, mut bottom) = b.view_mut().split_at(Axis(0), first.nrows());
    if triangle == Triangle::Lower {
        solve_left(triangle, &first, &mut top);
        blas::gemm(-1.0, &below, &top.view(), 1.0, &mut bottom);
        solve_left(triangle, &last, &mut bottom);
    } else {
        solve_left(triangle, &last, &mut bottom);
        blas::gemm(-1.0, &below.t(), &bottom.view(), 1.0, &mut top);
        solve_left(triangle, &first, &mut top);
    }
}

/// `B ← B L⁻ᵀ` on this thread.
pub(crate) fn solve_right_transposed(l: &ArrayView2<'_, f64>, b: &mut ArrayViewMut2<'_, f64>) {
    let n = l.nrows();
    if n <= RIGHT_BASE {
        return blas::trsm_right(Triangle::LowerTransposed, l, b);
    }
    let [first, last, below] = split(l, half(n, RIGHT_BASE));
    let (mut left, mut right) = b.view_mut().split_at(Axis(1), first.nrows());
    solve_right_transposed(&first, &mut left);
    blas::gemm(-1.0, &left.view(), &below.t(), 1.0, &mut right);
    solve_right_transposed(&last, &mut right);
}

/// The largest `base · 2ᵏ` below `n`.
fn half(n: usize, base: usize) -> usize {
    let mut half = base;
    while 2 * half < n {
        half *= 2;
    }
    half
}

/// The diagonal blocks of a lower triangle cut at `at`, and the block below the first.
fn split<'a>(l: &'a ArrayView2<'_, f64>, at: usize) -> [ArrayView2<'a, f64>; 3] {
    let (first, rest) = (Slice::from(..at), Slice::from(at..));
    [s![first, first], s![rest, rest], s![rest, first]].map(|block| l.slice(block))
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
