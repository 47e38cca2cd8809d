//! Inverses from a Cholesky factor.

use ndarray::{Array2, ArrayViewMut2, Axis, Slice, s};
use rayon::prelude::*;

use crate::blas::{self, Triangle};
use crate::product::for_each_tile;
use crate::tiles::{cut, lower_tiles_mut, mirror_lower, solve_width, symmetric_tile, zero_upper};

/// `W = L⁻¹`. Column block j has zeros above row j, so only the triangle below takes part.
pub(crate) fn lower_inverse(lower: &Array2<f64>) -> Array2<f64> {
    let mut inverse = Array2::eye(lower.nrows());
    cut(inverse.view_mut(), Axis(1), solve_width(lower.nrows()))
        .into_par_iter()
        .with_max_len(1)
        .for_each(|(first, block)| invert_columns(lower, first, block));
    zero_upper(&mut inverse.view_mut());
    inverse
}

fn invert_columns(lower: &Array2<f64>, first: usize, block: ArrayViewMut2<'_, f64>) {
    let (_, mut below) = block.split_at(Axis(0), first);
    blas::trsm_left(Triangle::Lower, &lower.slice(s![first.., first..]), &mut below);
}

/// `A⁻¹ = WᵀW`, tile (i, j ≤ i) summed over the rows from tile i down: above it W's column is zero.
pub(crate) fn inverse_from_lower_inverse(w: &Array2<f64>) -> Array2<f64> {
    let mut inverse = Array2::zeros(w.dim());
    for_each_tile(lower_tiles_mut(inverse.view_mut(), symmetric_tile(w.nrows())), |mut tile| {
        let below = w.slice_axis(Axis(0), Slice::from(tile.row..));
        let rows = below.slice_axis(Axis(1), Slice::from(tile.row..tile.row + tile.view.nrows()));
        if tile.row == tile.column {
            return blas::syrk(1.0, &rows.t(), 0.0, &mut tile.view);
        }
        let end = tile.column + tile.view.ncols();
        let columns = below.slice_axis(Axis(1), Slice::from(tile.column..end));
        blas::gemm(1.0, &rows.t(), &columns, 0.0, &mut tile.view);
    });
    mirror_lower(&mut inverse.view_mut());
    inverse
}
