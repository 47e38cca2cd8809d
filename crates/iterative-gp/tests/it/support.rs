//! What the tests share: comparisons, models, data.

use exact_gp::ExactGp;
use gp_core::{HyperGradient, Hyperparameters};
use iterative_gp::{EstimatorOptions, LmlEstimate, Preconditioning, lml_estimate};
use kernels::{KernelSpec, Mean};
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use serde_json::json;

/// |a − b| against 1 + |b|.
#[track_caller]
pub(crate) fn close(what: &str, a: f64, b: f64, tolerance: f64) {
    let error = (a - b).abs() / (1.0 + b.abs());
    assert!(error <= tolerance, "{what}: {a} instead of {b}, relative error {error:e}");
}

/// The difference against |b| itself: what golden values are held to.
#[track_caller]
pub(crate) fn relative(what: &str, a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs(), "{what}: {a} instead of {b}");
}

pub(crate) fn bits<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    values.into_iter().map(|value| value.to_bits()).collect()
}

/// A leaf with these lengthscales and variance 1, zero mean.
pub(crate) fn leaf(kind: &str, lengthscales: &[f64], noise_variance: f64) -> Hyperparameters {
    let spec = json!({"type": kind, "lengthscales": lengthscales, "variance": 1.0});
    let kernel = serde_json::from_value::<KernelSpec>(spec).unwrap().build().unwrap();
    Hyperparameters { kernel, noise_variance, mean: Mean::Zero }
}

pub(crate) fn exact(hyper: &Hyperparameters, x: &ArrayRef2<f64>, y: &ArrayRef2<f64>) -> ExactGp {
    ExactGp::condition(hyper, x, y, None).unwrap()
}

pub(crate) fn estimate(
    hyper: &Hyperparameters,
    (x, y): (&ArrayRef2<f64>, &ArrayRef2<f64>),
    options: &EstimatorOptions,
    seed: u64,
) -> LmlEstimate {
    lml_estimate(hyper, x, y, options, seed).unwrap()
}

pub(crate) fn of_rank(rank: usize) -> EstimatorOptions {
    let preconditioning = Preconditioning::PivotedCholesky { rank };
    EstimatorOptions { preconditioning, tolerance: 1e-9, nats: 1e-9, ..EstimatorOptions::default() }
}

/// Kernel parameters, noise variance, mean.
pub(crate) fn flat(gradient: &HyperGradient) -> Vec<f64> {
    let mut flat = gradient.log_kernel.clone();
    flat.push(gradient.log_noise_variance);
    flat.extend(&gradient.mean);
    flat
}

pub(crate) fn column(values: impl IntoIterator<Item = f64>) -> Array2<f64> {
    values.into_iter().collect::<Array1<f64>>().insert_axis(Axis(1))
}

/// A deterministic number in (−1, 1).
pub(crate) fn wave(i: usize, j: usize) -> f64 {
    let t = (i as f64 + 1.0) * 0.754_877_666_246_692_8 + (j as f64 + 1.0) * 0.569_840_290_998_053_3;
    2.0 * (t + 0.31 * ((i * (j + 3)) as f64).sin()).fract() - 1.0
}

/// `n` scattered rows in (−2, 2) to the power `d`.
pub(crate) fn points(n: usize, d: usize, offset: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |(i, j)| 2.0 * wave(i + offset, j))
}

/// A smooth target of [`points`] with a little scatter.
pub(crate) fn targets(x: &ArrayRef2<f64>) -> Array2<f64> {
    let value = |(i, row): (usize, ndarray::ArrayView1<'_, f64>)| {
        (1.3 * row.sum()).sin() + 0.5 * row[0] + 0.1 * wave(i, 7)
    };
    column(x.outer_iter().enumerate().map(value))
}
