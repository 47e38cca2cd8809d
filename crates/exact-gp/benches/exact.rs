//! Time of the LML with its gradient, and of predictions with and without variances.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use exact_gp::ExactGp;
use gp_core::{Hyperparameters, Posterior};
use kernels::{Matern32, Mean};
use ndarray::{Array2, Axis};

const D: usize = 6;

fn inputs(n: usize, offset: usize) -> Array2<f64> {
    let step = |j: usize| (2.0 + j as f64).sqrt().fract();
    Array2::from_shape_fn((n, D), |(i, j)| 4.0 * ((i + offset) as f64 * step(j)).fract())
}

fn fitted(n: usize) -> ExactGp {
    let x = inputs(n, 0);
    let y = x.sum_axis(Axis(1)).mapv(f64::sin).insert_axis(Axis(1));
    let kernel = Box::new(Matern32::new(vec![1.5; D], 1.0).unwrap());
    let hyper = Hyperparameters { kernel, noise_variance: 0.05, mean: Mean::Constant(0.0) };
    ExactGp::condition(&hyper, &x, &y, None).unwrap()
}

fn lml_gradient(c: &mut Criterion) {
    let mut group = c.benchmark_group("lml_gradient");
    group.sample_size(10);
    for n in [500, 1000, 2000] {
        let gp = fitted(n);
        group.bench_function(BenchmarkId::from_parameter(format!("n{n}")), |b| {
            b.iter(|| gp.lml_gradient());
        });
    }
}

fn predict(c: &mut Criterion) {
    let mut group = c.benchmark_group("predict");
    group.sample_size(10);
    let (n, t) = (2000, 4000);
    let (gp, x_new) = (fitted(n), inputs(t, 100_000));
    let id = format!("n{n}-t{t}");
    group.bench_function(BenchmarkId::new("mean", &id), |b| b.iter(|| gp.predict_mean(&x_new)));
    group.bench_function(BenchmarkId::new("mean-and-variance", &id), |b| {
        b.iter(|| gp.predict(&x_new));
    });
}

criterion_group!(benches, lml_gradient, predict);
criterion_main!(benches);
