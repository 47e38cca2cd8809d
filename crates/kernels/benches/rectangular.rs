//! Time of work on rectangular kernel matrices: with inducing points, at new rows, in small blocks.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kernels::{
    Kernel, Matern32, contract_gradient, contract_input_gradient, contract_symmetric_gradient,
    cross_product, kernel_matrix,
};
use ndarray::Array2;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, StandardNormal};

const D: usize = 9;

fn random(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut rng = StdRng::seed_from_u64(seed);
    Array2::from_shape_simple_fn((rows, columns), || StandardNormal.sample(&mut rng))
}

fn matern() -> Matern32 {
    Matern32::new((0..D).map(|i| 0.8 + 0.1 * i as f64).collect(), 1.3).unwrap()
}

/// K_uf and its gradients in the hyperparameters and in Z.
fn inducing(criterion: &mut Criterion) {
    let (m, n) = (512, 4000);
    let (kernel, z, x, w) = (matern(), random(m, D, 1), random(n, D, 2), random(m, n, 3));
    let mut group = criterion.benchmark_group("inducing");
    group.sample_size(10).throughput(Throughput::Elements((m * n) as u64));
    let id = |what: &str| format!("{what}-matern32-d{D}-m{m}-n{n}");
    group.bench_function(id("matrix"), |b| b.iter(|| kernel_matrix(&kernel, black_box(&z), &x)));
    group.bench_function(id("gradient"), |b| {
        b.iter(|| contract_gradient(&kernel, black_box(&z), &x, &w));
    });
    group.bench_function(id("input-gradient"), |b| {
        b.iter(|| contract_input_gradient(&kernel, black_box(&z), &x, &w));
    });
    group.finish();
}

/// k(X*, X) V, and the gradient with a stored matrix of weights.
fn dense(criterion: &mut Criterion) {
    let n = 2000;
    let (kernel, x, x_new) = (matern(), random(n, D, 1), random(n, D, 2));
    let mut group = criterion.benchmark_group("dense");
    group.sample_size(10).throughput(Throughput::Elements((n * n) as u64));
    for columns in [1, 11] {
        let v = random(n, columns, 3);
        group.bench_function(format!("cross-matern32-d{D}-n{n}-c{columns}"), |b| {
            b.iter(|| cross_product(&kernel, black_box(&x_new), &x, &v));
        });
    }
    let weights = random(n, n, 4);
    group.bench_function(format!("symmetric-gradient-matern32-d{D}-n{n}"), |b| {
        b.iter(|| contract_symmetric_gradient(&kernel, black_box(&x), &weights));
    });
    group.finish();
}

/// Blocks as a sparse Cholesky factor asks for, one at a time on one thread.
fn small(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("small");
    for k in [10, 30, 60] {
        let (kernel, x, w) = (matern(), random(k, D, 1), random(k, k, 2));
        group.throughput(Throughput::Elements((k * k) as u64));
        group.bench_function(format!("block-matern32-d{D}-k{k}"), |b| {
            b.iter(|| kernel.block(black_box(&x), &x));
        });
        group.bench_function(format!("gradient-matern32-d{D}-k{k}"), |b| {
            let mut grad = vec![0.0; D + 1];
            b.iter(|| kernel.accumulate_gradient(black_box(&x), &x, &w, &mut grad));
        });
    }
    group.finish();
}

criterion_group!(benches, inducing, dense, small);
criterion_main!(benches);
