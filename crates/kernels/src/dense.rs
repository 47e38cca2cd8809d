//! Kernel matrices and what is formed from them, parallel over tiles.

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayRef2, ArrayView2, Axis, s};

use crate::columns::Columns;
use crate::kernel::Kernel;
use crate::tiles::{Cover, TILE, Tile, pieces};

/// Runs of tiles of a gradient, combined in order.
const STRIPES: usize = 64;
/// Rows of an input gradient that are one piece of work: inducing points are few.
const INPUT_ROWS: usize = 32;

/// The kernel matrix `k(X, X')`, `x [A, D]`, `x2 [B, D]` → `[A, B]`, formed in parallel.
#[must_use]
pub fn kernel_matrix(kernel: &dyn Kernel, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
    let mut matrix = Array2::zeros((x.nrows(), x2.nrows()));
    par_rows(&mut matrix, TILE, |first, mut target| {
        for columns in pieces(x2.nrows(), TILE) {
            let rows = first..first + target.nrows();
            let block = kernel.block(&x.slice(s![rows, ..]), &x2.slice(s![columns.clone(), ..]));
            target.slice_mut(s![.., columns]).assign(&block);
        }
    });
    matrix
}

/// The kernel matrix `k(X, X)` of `x [N, D]`, symmetric to the bit, without white noise: half the
/// work of [`kernel_matrix`].
///
/// ```
/// use kernels::{SquaredExponential, gram_matrix};
///
/// let kernel = SquaredExponential::new(vec![1.0], 2.0)?;
/// let k = gram_matrix(&kernel, &ndarray::array![[0.0], [50.0]]);
/// assert_eq!(k, ndarray::array![[2.0, 0.0], [0.0, 2.0]]);
/// # Ok::<(), kernels::KernelError>(())
/// ```
#[must_use]
pub fn gram_matrix(kernel: &dyn Kernel, x: &ArrayRef2<f64>) -> Array2<f64> {
    let n = x.nrows();
    let mut matrix = Array2::zeros((n, n));
    par_rows(&mut matrix, TILE, |first, mut target| {
        let rows = x.slice(s![first..first + target.nrows(), ..]);
        for columns in pieces(n, TILE).skip(first / TILE) {
            let block = kernel.block(&rows, &x.slice(s![columns.clone(), ..]));
            target.slice_mut(s![.., columns]).assign(&block);
        }
    });
    mirror_upper(&mut matrix);
    matrix
}

/// The product `k(X*, X) V`, `x_new [T, D]`, `x [N, D]`, `v [N, C]` → `[T, C]`, in tiles: memory
/// beside the result is that of V and of one tile a thread.
///
/// A row's bits depend on that row of `x_new` alone, not on the rows asked together with it.
///
/// # Panics
/// When `v` does not have a row for each row of `x`.
#[must_use]
pub fn cross_product(
    kernel: &dyn Kernel,
    x_new: &ArrayRef2<f64>,
    x: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
) -> Array2<f64> {
    assert!(v.nrows() == x.nrows(), "cross_product: {} rows of v for {}", v.nrows(), x.nrows());
    let mut product = Array2::zeros((x_new.nrows(), v.ncols()));
    let v = Columns::of(v);
    par_rows(&mut product, TILE, |first, mut target| {
        let (n_rows, n_columns) = target.dim();
        let mut sums = Columns::zeros(n_rows, n_columns);
        for columns in pieces(x.nrows(), TILE) {
            let tile = Tile { rows: first..first + n_rows, columns };
            with_block(kernel, x_new, x, &tile, |k| {
                sums.add_product(0..n_rows, k, &v, tile.columns.clone());
            });
        }
        sums.write(&mut target);
    });
    product
}

/// The gradient of a weighted sum of kernel values, `x [A, D]`, `x2 [B, D]`, `weights [A, B]`.
///
/// ```text
/// g_p = Σ_ij W_ij ∂k(x_i, x'_j)/∂log θ_p
/// ```
///
/// What [`Kernel::accumulate_gradient`] adds, in parallel and with the same bits for any number
/// of threads.
///
/// # Panics
/// When the shape of `weights` is not `[A, B]`.
#[must_use]
pub fn contract_gradient(
    kernel: &dyn Kernel,
    x: &ArrayRef2<f64>,
    x2: &ArrayRef2<f64>,
    weights: &ArrayRef2<f64>,
) -> Vec<f64> {
    assert_weights(weights, (x.nrows(), x2.nrows()));
    let n_parameters = kernel.parameters().len();
    let cover = Cover::Full { rows: x.nrows(), columns: x2.nrows() };
    let visit = |grad: &mut Vec<f64>, tile: &Tile| {
        let (x, x2) = (x.slice(s![tile.rows.clone(), ..]), x2.slice(s![tile.columns.clone(), ..]));
        kernel.accumulate_gradient(&x, &x2, &tile_of(weights, tile), grad);
    };
    cover.reduce(STRIPES, || vec![0.0; n_parameters], visit, add_all)
}

/// [`contract_gradient`] for `x2 = x` and symmetric `weights [N, N]`, of which only the tiles on
/// and above the diagonal are read: half the work.
///
/// # Panics
/// When the shape of `weights` is not `[N, N]`.
#[must_use]
pub fn contract_symmetric_gradient(
    kernel: &dyn Kernel,
    x: &ArrayRef2<f64>,
    weights: &ArrayRef2<f64>,
) -> Vec<f64> {
    assert_weights(weights, (x.nrows(), x.nrows()));
    let n_parameters = kernel.parameters().len();
    let visit = |grad: &mut Vec<f64>, tile: &Tile| {
        let factor = if tile.is_diagonal() { 1.0 } else { 2.0 };
        let weights = &tile_of(weights, tile) * factor;
        let (x, x2) = (x.slice(s![tile.rows.clone(), ..]), x.slice(s![tile.columns.clone(), ..]));
        kernel.accumulate_gradient(&x, &x2, &weights, grad);
    };
    let cover = Cover::Upper { n: x.nrows() };
    cover.reduce(STRIPES, || vec![0.0; n_parameters], visit, add_all)
}

/// The gradient of a weighted sum of kernel values in the first inputs, `x [A, D]`, `x2 [B, D]`,
/// `weights [A, B]` → `[A, D]`, in parallel over the rows of `x`.
///
/// ```text
/// G_id = Σ_j W_ij ∂k(x_i, x'_j)/∂x_id
/// ```
///
/// # Panics
/// When the shape of `weights` is not `[A, B]`.
#[must_use]
pub fn contract_input_gradient(
    kernel: &dyn Kernel,
    x: &ArrayRef2<f64>,
    x2: &ArrayRef2<f64>,
    weights: &ArrayRef2<f64>,
) -> Array2<f64> {
    assert_weights(weights, (x.nrows(), x2.nrows()));
    let mut grad = Array2::zeros(x.dim());
    par_rows(&mut grad, INPUT_ROWS, |first, mut target| {
        let rows = first..first + target.nrows();
        for columns in pieces(x2.nrows(), TILE) {
            let tile = Tile { rows: rows.clone(), columns };
            let x2 = x2.slice(s![tile.columns.clone(), ..]);
            let weights = tile_of(weights, &tile);
            let x = x.slice(s![rows.clone(), ..]);
            kernel.accumulate_input_gradient(&x, &x2, &weights, &mut target);
        }
    });
    grad
}

/// Hands `work` the kernel values of one tile, row by row.
pub(crate) fn with_block(
    kernel: &dyn Kernel,
    x: &ArrayRef2<f64>,
    x2: &ArrayRef2<f64>,
    tile: &Tile,
    work: impl FnOnce(&[f64]),
) {
    let (x, x2) = (x.slice(s![tile.rows.clone(), ..]), x2.slice(s![tile.columns.clone(), ..]));
    let block = kernel.block(&x, &x2);
    let block = block.as_standard_layout();
    work(block.as_slice().expect("the standard layout is contiguous"));
}

/// Adds partial gradients.
pub(crate) fn add_all(mut sums: Vec<f64>, next: Vec<f64>) -> Vec<f64> {
    sums.iter_mut().zip(next).for_each(|(sum, value)| *sum += value);
    sums
}

/// Runs `work` on bands of `length` rows in parallel, each with the index of its first row. Bands
/// are disjoint and each is written by one call, so the order does not matter.
fn par_rows(
    matrix: &mut Array2<f64>,
    length: usize,
    work: impl Fn(usize, ndarray::ArrayViewMut2<'_, f64>) + Sync + Send,
) {
    let bands =
        matrix.axis_chunks_iter_mut(Axis(0), length).into_par_iter().with_max_len(1).enumerate();
    bands.for_each(|(index, band)| work(index * length, band));
}

/// Copies the tiles above the diagonal over those below, band by band.
fn mirror_upper(matrix: &mut Array2<f64>) {
    for first in (TILE..matrix.nrows()).step_by(TILE) {
        let (done, mut rest) = matrix.view_mut().split_at(Axis(0), first);
        let end = TILE.min(rest.nrows());
        let mut band = rest.slice_mut(s![..end, ..first]);
        let above = done.slice(s![.., first..first + end]);
        band.axis_chunks_iter_mut(Axis(1), TILE)
            .into_par_iter()
            .zip(above.axis_chunks_iter(Axis(0), TILE))
            .for_each(|(mut target, source)| target.assign(&source.t()));
    }
}

fn tile_of<'a>(matrix: &'a ArrayRef2<f64>, tile: &Tile) -> ArrayView2<'a, f64> {
    matrix.slice(s![tile.rows.clone(), tile.columns.clone()])
}

fn assert_weights(weights: &ArrayRef2<f64>, shape: (usize, usize)) {
    assert!(weights.dim() == shape, "weights are {:?}, expected {shape:?}", weights.dim());
}
