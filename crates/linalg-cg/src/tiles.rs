//! Disjoint mutable tiles of a matrix: the units of parallel dense work.

use ndarray::{ArrayViewMut2, Axis};

/// Side of a tile: half a megabyte. Like every size here it depends on the matrix alone, so that
/// results do not depend on the number of threads.
pub(crate) const TILE: usize = 256;

/// Pieces enough to keep the threads of any machine busy.
const ENOUGH: usize = 16;
/// Sides of larger tiles, in which BLAS runs faster, for matrices that have enough of them.
const LARGE: [(usize, usize); 2] = [(512, 1024), (512, 512)];
/// Widths of column blocks in solves, wide to narrow.
const WIDTHS: [usize; 4] = [512, 256, 128, 64];

/// The shape of tile for a product of `rows × columns`: the largest that gives enough of them.
pub(crate) fn product_tile(rows: usize, columns: usize) -> (usize, usize) {
    let enough = |&(r, c): &(usize, usize)| rows.div_ceil(r) * columns.div_ceil(c) >= ENOUGH;
    LARGE.into_iter().find(enough).unwrap_or((TILE, TILE))
}

/// The side of tile for a symmetric product of order `n`.
pub(crate) fn symmetric_tile(n: usize) -> usize {
    let stripes = n.div_ceil(2 * TILE);
    if stripes * (stripes + 1) / 2 >= ENOUGH { 2 * TILE } else { TILE }
}

/// The width of column blocks for a solve with `columns` right-hand sides.
pub(crate) fn solve_width(columns: usize) -> usize {
    let enough = |width: &usize| columns.div_ceil(*width) >= ENOUGH;
    WIDTHS.into_iter().find(enough).unwrap_or(WIDTHS[3])
}

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

/// The tiles of side `side` on and below the diagonal of a square `a`.
pub(crate) fn lower_tiles_mut(a: ArrayViewMut2<'_, f64>, side: usize) -> Vec<Tile<'_>> {
    let mut tiles = tiles_mut(a, side, side);
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
