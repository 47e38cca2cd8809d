//! Dense products, parallel over fixed tiles.

use ndarray::{Array2, ArrayRef2, ArrayView2, Axis, Slice};
use rayon::prelude::*;

use crate::blas;
use crate::partition::Shards;
use crate::tiles::{TILE, Tile, lower_tiles_mut, mirror_lower, product_tile, tiles_mut};

/// Length of a shard of the inner dimension, when that dimension is split.
const INNER: usize = 4096;
/// Most shards of the inner dimension: what bounds the memory of partial products.
const MAX_INNER: usize = 16;
/// With this many output tiles there is work enough for any machine without splitting.
const MANY_TILES: usize = 64;

/// The product `A B`, `a [A, K]`, `b [K, B]` → `[A, B]`.
///
/// The same bits for any number of threads.
///
/// # Panics
/// When the inner dimensions disagree: shapes are the calling code's, not its data's.
///
/// ```
/// use ndarray::array;
///
/// let product = linalg_cg::matmul(&array![[1.0, 2.0]], &array![[3.0], [4.0]]);
/// assert_eq!(product, array![[11.0]]);
/// ```
#[must_use]
pub fn matmul(a: &ArrayRef2<f64>, b: &ArrayRef2<f64>) -> Array2<f64> {
    assert!(a.ncols() == b.nrows(), "matmul: {:?} times {:?}", a.dim(), b.dim());
    let (a, b) = (blas::readable(a), blas::readable(b));
    let (rows, columns) = (a.nrows(), b.ncols());
    let n_tiles = rows.div_ceil(TILE) * columns.div_ceil(TILE);
    sum_over_inner(a.ncols(), n_tiles, |inner| {
        product_tiles(&columns_of(&a.view(), inner), &rows_of(&b.view(), inner))
    })
    .unwrap_or_else(|| Array2::zeros((rows, columns)))
}

/// The product `Aᵀ B`, `a [K, A]`, `b [K, B]` → `[A, B]`.
///
/// # Panics
/// When the inner dimensions disagree.
#[must_use]
pub fn matmul_tn(a: &ArrayRef2<f64>, b: &ArrayRef2<f64>) -> Array2<f64> {
    matmul(&a.t(), b)
}

/// The product `A Bᵀ`, `a [A, K]`, `b [B, K]` → `[A, B]`.
///
/// # Panics
/// When the inner dimensions disagree.
#[must_use]
pub fn matmul_nt(a: &ArrayRef2<f64>, b: &ArrayRef2<f64>) -> Array2<f64> {
    matmul(a, &b.t())
}

/// The Gram matrix `A Aᵀ`, `a [A, K]` → `[A, A]`, symmetric to the bit; half the work of
/// [`matmul_nt`]. `AᵀA` is `gram(&a.t())`.
///
/// ```
/// let gram = linalg_cg::gram(&ndarray::array![[1.0, 2.0], [0.0, 1.0]]);
/// assert_eq!(gram, ndarray::array![[5.0, 2.0], [2.0, 1.0]]);
/// ```
#[must_use]
pub fn gram(a: &ArrayRef2<f64>) -> Array2<f64> {
    let a = blas::readable(a);
    let stripes = a.nrows().div_ceil(TILE);
    sum_over_inner(a.ncols(), stripes * (stripes + 1) / 2, |inner| {
        gram_tiles(&columns_of(&a.view(), inner))
    })
    .unwrap_or_else(|| Array2::zeros((a.nrows(), a.nrows())))
}

/// Sums `partial` over fixed shards of the inner dimension: one shard unless there are too few
/// output tiles to keep the threads busy. `None` when the inner dimension is 0.
fn sum_over_inner(
    inner: usize,
    n_tiles: usize,
    partial: impl Fn(Slice) -> Array2<f64> + Sync,
) -> Option<Array2<f64>> {
    let split = n_tiles < MANY_TILES;
    let length = if split { inner.div_ceil(MAX_INNER).max(INNER) } else { inner };
    Shards::of_length(inner, length)
        .reduce(|range| partial(Slice::from(range)), |sum, next| sum + next)
}

fn product_tiles(a: &ArrayView2<'_, f64>, b: &ArrayView2<'_, f64>) -> Array2<f64> {
    let mut product = Array2::zeros((a.nrows(), b.ncols()));
    let (rows, columns) = product_tile(a.nrows(), b.ncols());
    for_each_tile(tiles_mut(product.view_mut(), rows, columns), |mut tile| {
        let rows = rows_of(a, Slice::from(tile.row..tile.row + tile.view.nrows()));
        let columns = columns_of(b, Slice::from(tile.column..tile.column + tile.view.ncols()));
        blas::gemm(1.0, &rows, &columns, 0.0, &mut tile.view);
    });
    product
}

fn gram_tiles(a: &ArrayView2<'_, f64>) -> Array2<f64> {
    let mut product = Array2::zeros((a.nrows(), a.nrows()));
    for_each_tile(lower_tiles_mut(product.view_mut(), 0), |mut tile| {
        let rows = rows_of(a, Slice::from(tile.row..tile.row + tile.view.nrows()));
        if tile.row == tile.column {
            return blas::syrk(1.0, &rows, 0.0, &mut tile.view);
        }
        let columns = rows_of(a, Slice::from(tile.column..tile.column + tile.view.ncols()));
        blas::gemm(1.0, &rows, &columns.t(), 0.0, &mut tile.view);
    });
    mirror_lower(&mut product.view_mut());
    product
}

/// Runs `work` on every tile, in parallel; tiles are disjoint, so order does not matter.
pub(crate) fn for_each_tile(tiles: Vec<Tile<'_>>, work: impl Fn(Tile<'_>) + Sync + Send) {
    tiles.into_par_iter().with_max_len(1).for_each(work);
}

fn rows_of<'a>(a: &'a ArrayView2<'_, f64>, rows: Slice) -> ArrayView2<'a, f64> {
    a.slice_axis(Axis(0), rows)
}

fn columns_of<'a>(a: &'a ArrayView2<'_, f64>, columns: Slice) -> ArrayView2<'a, f64> {
    a.slice_axis(Axis(1), columns)
}
