//! Kernel matrices and products with them, parallel over tiles.

use linalg_cg::zeros;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayRef2, Axis, s};

use crate::block::Block;
use crate::kernel::Kernel;
use crate::multiply::Multiply;
use crate::points::Inputs;
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{LANES, Simd, Square};
use crate::tiles::{TILE, Tile, pieces};

/// Rows of a product with new rows that are prepared at a time.
const BAND: usize = 4096;
/// Rows of a rectangular matrix that are one piece of work: inducing points are few.
const ROWS: usize = 64;

/// The kernel matrix `k(X, X')`, `x [A, D]`, `x2 [B, D]` → `[A, B]`, formed in parallel.
#[must_use]
pub fn kernel_matrix(kernel: &dyn Kernel, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
    let prepared = kernel.prepare(&Inputs::pair(x, x2, Simd::detect()));
    let mut matrix = zeros(x.nrows(), x2.nrows());
    par_rows(&mut matrix, ROWS, |first, mut band| fill(prepared.as_ref(), first, 0, &mut band));
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
    let prepared = kernel.prepare(&Inputs::square(x, Simd::detect()));
    let mut matrix = zeros(x.nrows(), x.nrows());
    par_rows(&mut matrix, TILE, |first, mut band| fill(prepared.as_ref(), first, first, &mut band));
    mirror_upper(&mut matrix);
    matrix
}

/// The product `k(X*, X) V`, `x_new [T, D]`, `x [N, D]`, `v [N, C]` → `[T, C]`, in tiles: memory
/// beside the result is that of X, of V and of one tile a thread.
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
    let v = Block::tiles(v);
    for rows in pieces(x_new.nrows(), BAND) {
        let x_new = x_new.slice(s![rows.clone(), ..]);
        let simd = Simd::detect();
        let prepared = kernel.prepare(&Inputs::pair(&x_new, x, simd));
        par_rows(&mut product.slice_mut(s![rows, ..]), TILE, |first, mut band| {
            let tile_rows = first..first + band.nrows();
            let mut y = Block::zeros(band.nrows(), band.ncols());
            let mut scratch = Scratch::default();
            for (columns, v) in pieces(x.nrows(), TILE).zip(&v) {
                let tile = Tile { rows: tile_rows.clone(), columns };
                for (row, strip) in tile.strips().enumerate() {
                    let mut k = scratch.take(strip.columns.len());
                    prepared.fill(&strip, &mut k, &mut scratch);
                    let y = Some(&mut y);
                    simd.run(Multiply { k: &k, v, first: 0, y, row, mirror: None });
                    scratch.give(k);
                }
            }
            y.write(&mut band);
        });
    }
    product
}

/// All values of a prepared kernel, `[A, B]`.
pub(crate) fn block(
    prepared: &dyn PreparedKernel,
    x: &ArrayRef2<f64>,
    x2: &ArrayRef2<f64>,
) -> Array2<f64> {
    let mut block = Array2::zeros((x.nrows(), x2.nrows()));
    fill(prepared, 0, 0, &mut block);
    block
}

/// Fills rows of a kernel matrix, of which `band` starts at row `first`, from column `start` on;
/// both are multiples of eight.
fn fill(prepared: &dyn PreparedKernel, first: usize, start: usize, band: &mut ArrayRef2<f64>) {
    let (rows, n) = (first..first + band.nrows(), band.ncols());
    let mut scratch = Scratch::default();
    for columns in pieces(n - start, TILE).map(|piece| piece.start + start..piece.end + start) {
        let tile = Tile { rows: rows.clone(), columns };
        for strip in tile.strips() {
            let mut k = scratch.take(strip.columns.len());
            prepared.fill(&strip, &mut k, &mut scratch);
            write(&strip, &k, first, band);
            scratch.give(k);
        }
    }
}

/// Copies a strip into rows of a kernel matrix, of which `band` starts at row `first`.
fn write(strip: &Strip, k: &[Square], first: usize, band: &mut ArrayRef2<f64>) {
    let at = strip.rows * LANES - first;
    let rows = at..(at + LANES).min(band.nrows());
    let columns = strip.columns.start * LANES..(strip.columns.end * LANES).min(band.ncols());
    let mut target = band.slice_mut(s![rows, columns]);
    for (row, mut target) in target.outer_iter_mut().enumerate() {
        // Rows of a matrix made here are contiguous; those of a caller's may not be.
        if let Some(target) = target.as_slice_mut() {
            let (whole, rest) = target.as_chunks_mut::<LANES>();
            whole.iter_mut().zip(k).for_each(|(target, square)| *target = square[row].0);
            if !rest.is_empty() {
                rest.copy_from_slice(&k[whole.len()][row].0[..rest.len()]);
            }
        } else {
            let values = k.iter().flat_map(|square| square[row].0);
            target.iter_mut().zip(values).for_each(|(target, value)| *target = value);
        }
    }
}

/// Runs `work` on bands of `length` rows in parallel, each with the index of its first row. Bands
/// are disjoint and each is written by one call, so the order does not matter.
pub(crate) fn par_rows(
    matrix: &mut ArrayRef2<f64>,
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
