//! Disjoint mutable tiles of a matrix: the units of parallel dense work.

use ndarray::{ArrayViewMut2, Axis};

/// Side of a tile. Fixed, so that results do not depend on the number of threads; about half of a
/// core's second-level cache.
pub(crate) const TILE: usize = 256;

/// One tile and where it starts.
pub(crate) struct Tile<'a> {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) view: ArrayViewMut2<'a, f64>,
}

/// Cuts `a` into tiles of `rows × columns` (the last ones smaller), row by row.
pub(crate) fn tiles_mut(a: ArrayViewMut2<'_, f64>, rows: usize, columns: usize) -> Vec<Tile<'_>> {
    cut(a, Axis(0), rows)
        .into_iter()
        .flat_map(|(row, stripe)| {
            let cut_stripe = cut(stripe, Axis(1), columns);
            cut_stripe.into_iter().map(move |(column, view)| Tile { row, column, view })
        })
        .collect()
}

/// The tiles on and below the diagonal of a square `a`.
pub(crate) fn lower_tiles_mut(a: ArrayViewMut2<'_, f64>) -> Vec<Tile<'_>> {
    let mut tiles = tiles_mut(a, TILE, TILE);
    tiles.retain(|tile| tile.column <= tile.row);
    tiles
}

/// Cuts `a` across `axis` into pieces of `length` (the last one shorter), each with its start.
pub(crate) fn cut(
    a: ArrayViewMut2<'_, f64>,
    axis: Axis,
    length: usize,
) -> Vec<(usize, ArrayViewMut2<'_, f64>)> {
    let (mut pieces, mut rest, mut start) = (Vec::new(), a, 0);
    while rest.len_of(axis) > length {
        let (piece, tail) = rest.split_at(axis, length);
        pieces.push((start, piece));
        rest = tail;
        start += length;
    }
    pieces.push((start, rest));
    pieces
}

/// Copies the lower triangle over the upper one, so that the matrix is symmetric to the bit.
pub(crate) fn mirror_lower(a: &mut ArrayViewMut2<'_, f64>) {
    let n = a.nrows();
    for first in (0..n).step_by(TILE) {
        // A band at a time keeps the strided reads within the cache.
        for row in first..n {
            for column in first..row.min(first + TILE) {
                a[[column, row]] = a[[row, column]];
            }
        }
    }
}

/// Zeroes everything above the diagonal.
pub(crate) fn zero_upper(a: &mut ArrayViewMut2<'_, f64>) {
    for (row, mut values) in a.axis_iter_mut(Axis(0)).enumerate() {
        values.iter_mut().skip(row + 1).for_each(|value| *value = 0.0);
    }
}
