//! Inverses from a Cholesky factor.

use ndarray::{Array2, ArrayView2, Axis, Slice, s};
use rayon::prelude::*;

use crate::blas::{self, Triangle, zeros};
use crate::product::for_each_tile;
use crate::tiles::{TILE, Tile, cut, lower_tiles_mut, mirror_lower};
use crate::triangular::solve_left;

/// Rows of the inverse that are formed at a time, and kept aside: tiles enough for many threads.
const BAND: usize = 4 * TILE;

/// `W = L⁻¹`, a band of rows after the other.
///
/// ```text
/// W_i = L_ii⁻¹ (I_i − Σ_{k<i} L_ik W_k)
/// ```
///
/// Column c of W has zeros above row c, so the sum starts there.
pub(crate) fn lower_inverse(lower: &Array2<f64>) -> Array2<f64> {
    let n = lower.nrows();
    let mut w = zeros(n, n);
    for first in (0..n).step_by(TILE) {
        let end = (first + TILE).min(n);
        let (done, rest) = w.view_mut().split_at(Axis(0), first);
        let (band, _) = rest.split_at(Axis(0), end - first);
        let (left, right) = band.split_at(Axis(1), first);
        let (mut own, _) = right.split_at(Axis(1), end - first);
        let diagonal = lower.slice(s![first..end, first..end]);
        own.diag_mut().fill(1.0);
        solve_left(Triangle::Lower, &diagonal, &mut own);
        cut(left, Axis(1), 2 * TILE).into_par_iter().with_max_len(1).for_each(
            |(column, mut block)| {
                let above = done.slice(s![column.., column..column + block.ncols()]);
                blas::gemm(
                    -1.0,
                    &lower.slice(s![first..end, column..first]),
                    &above,
                    0.0,
                    &mut block,
                );
                solve_left(Triangle::Lower, &diagonal, &mut block);
            },
        );
    }
    w
}

/// `A⁻¹ = WᵀW` in the memory of W, a band of rows after the other.
///
/// Rows of the result rest on the rows of W from there down: the band's own, of which a copy is
/// kept, and those below, which are untouched yet.
pub(crate) fn inverse_from_lower_inverse(mut w: Array2<f64>) -> Array2<f64> {
    let n = w.nrows();
    for first in (0..n).step_by(BAND) {
        let end = (first + BAND).min(n);
        let own = w.slice(s![first..end, ..end]).to_owned();
        let (above, below) = w.view_mut().split_at(Axis(0), end);
        let (_, band) = above.split_at(Axis(0), first);
        let (band, _) = band.split_at(Axis(1), end);
        for_each_tile(lower_tiles_mut(band, first), |mut tile| {
            let own = own.slice_axis(Axis(0), Slice::from(tile.row..));
            add_outer(&own, first, 0.0, &mut tile);
            add_outer(&below.view(), first, 1.0, &mut tile);
        });
    }
    mirror_lower(&mut w.view_mut());
    w
}

/// Tile ← rowsᵀ columns + `keep` · tile, of a band of the result from row `first` on.
fn add_outer(w: &ArrayView2<'_, f64>, first: usize, keep: f64, tile: &mut Tile<'_>) {
    let (height, width) = tile.view.dim();
    let part = |start, length| w.slice_axis(Axis(1), Slice::from(start..start + length));
    let rows = part(first + tile.row, height);
    if first + tile.row == tile.column {
        return blas::syrk(1.0, &rows.t(), keep, &mut tile.view);
    }
    blas::gemm(1.0, &rows.t(), &part(tile.column, width), keep, &mut tile.view);
}
