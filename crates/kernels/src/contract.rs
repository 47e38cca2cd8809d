//! Gradients of weighted sums of kernel values, parallel over tiles.

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayRef2, Axis, s};

use crate::dense::par_rows;
use crate::kernel::Kernel;
use crate::points::Inputs;
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{LANES, Pack, Simd, Square};
use crate::tiles::{Cover, TILE, Tile, pieces};

/// Runs of tiles of a gradient, combined in order.
const STRIPES: usize = 64;
/// Rows of an input gradient that are one piece of work: inducing points are few.
const INPUT_ROWS: usize = 32;

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
    let prepared = kernel.prepare(&Inputs::pair(x, x2, Simd::detect()).scaled_once());
    let cover = Cover::Full { rows: x.nrows(), columns: x2.nrows() };
    reduce(cover, kernel, |tile, grad, scratch| {
        for strip in tile.strips() {
            add_strip(prepared.as_ref(), &strip, weights, grad, scratch);
        }
    })
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
    let prepared = kernel.prepare(&Inputs::square(x, Simd::detect()).scaled_once());
    reduce(Cover::Upper { n: x.nrows() }, kernel, |tile, grad, scratch| {
        for strip in tile.upper_strips() {
            let mut squares = scratch.take(strip.columns.len());
            read(&strip, weights, &mut squares);
            for (square, column) in squares.iter_mut().zip(strip.columns.clone()) {
                if column != strip.rows {
                    square.iter_mut().for_each(|pack| *pack = Pack(pack.0.map(|w| 2.0 * w)));
                }
            }
            prepared.add_gradient(&strip, &squares, grad, scratch);
            scratch.give(squares);
        }
    })
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
    let prepared = kernel.prepare(&Inputs::pair(x, x2, Simd::detect()).scaled_once());
    let mut grad = Array2::zeros(x.dim());
    par_rows(&mut grad, INPUT_ROWS, |first, mut band| {
        add_input_band(prepared.as_ref(), first, weights, &mut band);
    });
    grad
}

/// [`contract_gradient`] and [`contract_input_gradient`] of the same weights, in one pass: little
/// more than one of them takes.
///
/// # Panics
/// When the shape of `weights` is not `[A, B]`.
#[must_use]
pub fn contract_gradients(
    kernel: &dyn Kernel,
    x: &ArrayRef2<f64>,
    x2: &ArrayRef2<f64>,
    weights: &ArrayRef2<f64>,
) -> (Vec<f64>, Array2<f64>) {
    assert_weights(weights, (x.nrows(), x2.nrows()));
    let prepared = kernel.prepare(&Inputs::pair(x, x2, Simd::detect()).scaled_once());
    let none = || vec![0.0; kernel.parameters().len()];
    let mut grad_x = Array2::zeros(x.dim());
    let bands = grad_x.axis_chunks_iter_mut(Axis(0), INPUT_ROWS).into_par_iter().with_max_len(1);
    let parts = bands.enumerate().map(|(index, mut band)| {
        let mut grad = none();
        add_band(index * INPUT_ROWS, weights, &mut band, |strip, squares, sums, scratch| {
            prepared.add_gradients(strip, squares, &mut grad, sums, scratch);
        });
        grad
    });
    let parts: Vec<Vec<f64>> = parts.collect();
    (parts.into_iter().fold(none(), add_all), grad_x)
}

/// `grad[p] += Σᵢⱼ Wᵢⱼ ∂kᵢⱼ/∂log θ_p` on this thread.
pub(crate) fn add_gradient(
    prepared: &dyn PreparedKernel,
    weights: &ArrayRef2<f64>,
    grad: &mut [f64],
) {
    let mut scratch = Scratch::default();
    let (rows, columns) = weights.dim();
    for columns in pieces(columns, TILE) {
        for strip in (Tile { rows: 0..rows, columns }).strips() {
            add_strip(prepared, &strip, weights, grad, &mut scratch);
        }
    }
}

/// `grad_x[i, d] += Σⱼ Wᵢⱼ ∂kᵢⱼ/∂xᵢ_d` on this thread.
pub(crate) fn add_input_gradient(
    prepared: &dyn PreparedKernel,
    weights: &ArrayRef2<f64>,
    grad_x: &mut ArrayRef2<f64>,
) {
    add_input_band(prepared, 0, weights, grad_x);
}

/// Runs `visit` on the tiles of a cover, adding gradients in a fixed order.
fn reduce(
    cover: Cover,
    kernel: &dyn Kernel,
    visit: impl Fn(&Tile, &mut [f64], &mut Scratch) + Sync,
) -> Vec<f64> {
    let n_parameters = kernel.parameters().len();
    let start = || (vec![0.0; n_parameters], Scratch::default());
    let run = |partial: &mut (Vec<f64>, Scratch), tile: &Tile| {
        visit(tile, &mut partial.0, &mut partial.1);
    };
    let add = |(sums, scratch), (next, _)| (add_all(sums, next), scratch);
    cover.reduce(STRIPES, start, run, add).0
}

/// Adds the gradient of one strip.
fn add_strip(
    prepared: &dyn PreparedKernel,
    strip: &Strip,
    weights: &ArrayRef2<f64>,
    grad: &mut [f64],
    scratch: &mut Scratch,
) {
    let mut squares = scratch.take(strip.columns.len());
    read(strip, weights, &mut squares);
    prepared.add_gradient(strip, &squares, grad, scratch);
    scratch.give(squares);
}

/// Adds the input gradients of the rows from `first` on, a multiple of eight.
fn add_input_band(
    prepared: &dyn PreparedKernel,
    first: usize,
    weights: &ArrayRef2<f64>,
    grad_x: &mut ArrayRef2<f64>,
) {
    add_band(first, weights, grad_x, |strip, squares, sums, scratch| {
        prepared.add_input_gradient(strip, squares, sums, scratch);
    });
}

/// Has `add` sum what each strip of rows from `first` on adds to their input gradients.
fn add_band(
    first: usize,
    weights: &ArrayRef2<f64>,
    grad_x: &mut ArrayRef2<f64>,
    mut add: impl FnMut(&Strip, &[Square], &mut [Pack], &mut Scratch),
) {
    let mut scratch = Scratch::default();
    let (n_rows, d) = grad_x.dim();
    let mut sums = vec![Pack::ZERO; n_rows.div_ceil(LANES) * d];
    for columns in pieces(weights.ncols(), TILE) {
        let tile = Tile { rows: first..first + n_rows, columns };
        for (row, strip) in tile.strips().enumerate() {
            let mut squares = scratch.take(strip.columns.len());
            read(&strip, weights, &mut squares);
            let sums = &mut sums[row * d..(row + 1) * d];
            add(&strip, &squares, sums, &mut scratch);
            scratch.give(squares);
        }
    }
    for ((row, d_index), grad) in grad_x.indexed_iter_mut() {
        *grad += sums[row / LANES * d + d_index].0[row % LANES];
    }
}

/// Copies the weights of a strip, with zeros where the matrix ends.
fn read(strip: &Strip, weights: &ArrayRef2<f64>, squares: &mut [Square]) {
    let (n_rows, n_columns) = weights.dim();
    let rows = strip.rows * LANES..((strip.rows + 1) * LANES).min(n_rows);
    let columns = strip.columns.start * LANES..(strip.columns.end * LANES).min(n_columns);
    if rows.len() < LANES || columns.len() % LANES > 0 {
        squares.as_flattened_mut().fill(Pack::ZERO);
    }
    let source = weights.slice(s![rows, columns]);
    for (row, source) in source.outer_iter().enumerate() {
        if let Some(source) = source.as_slice() {
            let (whole, rest) = source.as_chunks::<LANES>();
            squares.iter_mut().zip(whole).for_each(|(square, source)| square[row].0 = *source);
            if !rest.is_empty() {
                squares[whole.len()][row].0[..rest.len()].copy_from_slice(rest);
            }
        } else {
            for (j, &value) in source.iter().enumerate() {
                squares[j / LANES][row].0[j % LANES] = value;
            }
        }
    }
}

/// Adds partial gradients.
pub(crate) fn add_all(mut sums: Vec<f64>, next: Vec<f64>) -> Vec<f64> {
    sums.iter_mut().zip(next).for_each(|(sum, value)| *sum += value);
    sums
}

fn assert_weights(weights: &ArrayRef2<f64>, shape: (usize, usize)) {
    assert!(weights.dim() == shape, "weights are {:?}, expected {shape:?}", weights.dim());
}
