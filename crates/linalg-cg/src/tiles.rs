//! Disjoint mutable tiles of a matrix: the units of parallel dense work.

use ndarray::parallel::prelude::*;
use ndarray::{ArrayViewMut2, Axis, Slice};

/// Side of a tile: half a megabyte. Like every size here it depends on the matrix alone, so that
/// results do not depend on the number of threads.
pub(crate) const TILE: usize = 256;

/// Side of the pieces in which triangles are copied.
const MIRRORED: usize = 32;

/// Pieces enough to keep the threads of any machine busy.
const ENOUGH: usize = 16;
/// Columns of a wide tile: in it BLAS, which copies the rows of the first factor, runs fastest.
const WIDE: usize = 1024;
/// Heights of wide tiles, high to low.
const HEIGHTS: [usize; 3] = [512, 256, 128];
/// Widths of column blocks in solves, wide to narrow.
const WIDTHS: [usize; 4] = [1024, 512, 256, 128];
/// Multiplications of a column block of a solve: fewer are not worth more blocks.
const FEWEST: usize = 1 << 26;

/// The shape of tile for a product of `rows × columns`: the largest that gives enough of them.
pub(crate) fn product_tile(rows: usize, columns: usize) -> (usize, usize) {
    let enough = |r: &usize| rows.div_ceil(*r) * columns.div_ceil(WIDE) >= ENOUGH;
    HEIGHTS.into_iter().find(enough).map_or((TILE, TILE), |height| (height, WIDE))
}

/// The width of column blocks for a solve of order `n` with `columns` right-hand sides.
pub(crate) fn solve_width(n: usize, columns: usize) -> usize {
    let small = |width: usize| n * n * (width / 2) < FEWEST;
    let enough = |&width: &usize| columns.div_ceil(width) >= ENOUGH || small(width);
    WIDTHS.into_iter().find(enough).unwrap_or(WIDTHS[WIDTHS.len() - 1])
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

/// Tiles that cover the lower triangle of some rows of a square matrix, of which `a` starts at row
/// `first`: square ones on the diagonal, where `first + row = column`, and wide ones left of it.
pub(crate) fn lower_tiles_mut(a: ArrayViewMut2<'_, f64>, first: usize) -> Vec<Tile<'_>> {
    let mut tiles = Vec::new();
    for (row, stripe) in cut(a, Axis(0), TILE) {
        let (left, rest) = stripe.split_at(Axis(1), first + row);
        let (diagonal, _) = rest.split_at(Axis(1), left.nrows());
        if first + row > 0 {
            let wide = cut(left, Axis(1), WIDE).into_iter();
            tiles.extend(wide.map(|(column, view)| Tile { row, column, view }));
        }
        tiles.push(Tile { row, column: first + row, view: diagonal });
    }
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
    let mut rest = a.view_mut();
    while rest.nrows() > 0 {
        let size = TILE.min(rest.nrows());
        let (mut top, bottom) = rest.split_at(Axis(0), size);
        let (mut diagonal, right) = top.view_mut().split_at(Axis(1), size);
        let (below, next) = bottom.split_at(Axis(1), size);
        for row in 0..size {
            (0..row).for_each(|column| diagonal[[column, row]] = diagonal[[row, column]]);
        }
        // A tile at a time keeps the strided reads within the cache.
        cut(right, Axis(1), MIRRORED).into_par_iter().for_each(|(first, mut target)| {
            let source = Slice::from(first..first + target.ncols());
            target.assign(&below.slice_axis(Axis(0), source).t());
        });
        rest = next;
    }
}

/// Zeroes everything above the diagonal.
pub(crate) fn zero_upper(a: &mut ArrayViewMut2<'_, f64>) {
    let rows = a.axis_iter_mut(Axis(0)).into_par_iter().with_min_len(MIRRORED);
    rows.enumerate().for_each(|(row, mut values)| {
        values.slice_axis_mut(Axis(0), Slice::from(row + 1..)).fill(0.0);
    });
}
