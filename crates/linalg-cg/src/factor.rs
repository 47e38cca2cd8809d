//! The blocked Cholesky factorisation itself.

use ndarray::{ArrayView2, ArrayViewMut2, Axis, Slice};
use rayon::prelude::*;

use crate::blas;
use crate::error::LinalgError;
use crate::partition::Shards;
use crate::product::for_each_tile;
use crate::tiles::{TILE, cut, lower_tiles_mut, zero_upper};
use crate::triangular::solve_right_transposed;

/// Overwrites the row-major `a [N, N]` by its factor L; `jitter` is only reported.
///
/// Right-looking: factor the diagonal tile, solve the panel below it, subtract the panel's outer
/// product from what remains, and go on there.
pub(crate) fn factor_in_place(
    a: &mut ArrayViewMut2<'_, f64>,
    jitter: f64,
) -> Result<(), LinalgError> {
    let n = a.nrows();
    check_lower_finite(&a.view())?;
    let mut rest = a.view_mut();
    for first in (0..n).step_by(TILE) {
        let size = TILE.min(n - first);
        let (mut top, bottom) = rest.split_at(Axis(0), size);
        let mut diagonal = top.slice_axis_mut(Axis(1), Slice::from(..size));
        factor_tile(&mut diagonal, first).map_err(|failure| failure.into_error(n, jitter))?;
        let (mut panel, mut trailing) = bottom.split_at(Axis(1), size);
        solve_panel(&diagonal.view(), &mut panel);
        subtract_outer(&panel.view(), &mut trailing);
        rest = trailing;
    }
    zero_upper(a);
    Ok(())
}

/// Why a diagonal tile could not be factored, by the row of the whole matrix.
enum Failure {
    NotPositive { pivot: usize },
    NonFinite { row: usize, found: f64 },
}

impl Failure {
    fn into_error(self, n: usize, jitter: f64) -> LinalgError {
        match self {
            Self::NotPositive { pivot } => LinalgError::NotPositiveDefinite { n, jitter, pivot },
            Self::NonFinite { row, found } => {
                LinalgError::NonFinite { argument: "Cholesky factor of a", row, column: row, found }
            }
        }
    }
}

fn factor_tile(diagonal: &mut ArrayViewMut2<'_, f64>, first: usize) -> Result<(), Failure> {
    blas::potrf(diagonal).map_err(|pivot| Failure::NotPositive { pivot: first + pivot })?;
    // OpenBLAS lets NaN and infinity pass: finite input may still have overflowed on the way.
    match diagonal.diag().iter().position(|value| !value.is_finite()) {
        Some(row) => Err(Failure::NonFinite { row: first + row, found: diagonal[[row, row]] }),
        None => Ok(()),
    }
}

fn solve_panel(diagonal: &ArrayView2<'_, f64>, panel: &mut ArrayViewMut2<'_, f64>) {
    cut(panel.view_mut(), Axis(0), TILE)
        .into_par_iter()
        .with_max_len(1)
        .for_each(|(_, mut rows)| solve_right_transposed(diagonal, &mut rows));
}

fn subtract_outer(panel: &ArrayView2<'_, f64>, trailing: &mut ArrayViewMut2<'_, f64>) {
    let stripe = |start, length| panel.slice_axis(Axis(0), Slice::from(start..start + length));
    for_each_tile(lower_tiles_mut(trailing.view_mut(), 0), |mut tile| {
        let rows = stripe(tile.row, tile.view.nrows());
        if tile.row == tile.column {
            return blas::syrk(-1.0, &rows, 1.0, &mut tile.view);
        }
        let columns = stripe(tile.column, tile.view.ncols());
        blas::gemm(-1.0, &rows, &columns.t(), 1.0, &mut tile.view);
    });
}

/// The first value on or below the diagonal that is not finite.
fn check_lower_finite(a: &ArrayView2<'_, f64>) -> Result<(), LinalgError> {
    let first_bad = |row: usize| {
        let values = a.row(row);
        let bad = values.iter().take(row + 1).position(|value| !value.is_finite());
        bad.map(|column| (row, column, values[column]))
    };
    let shards = Shards::of_length(a.nrows(), TILE);
    match shards.map(|rows| rows.into_iter().find_map(first_bad)).into_iter().flatten().next() {
        Some((row, column, found)) => {
            Err(LinalgError::NonFinite { argument: "a", row, column, found })
        }
        None => Ok(()),
    }
}
