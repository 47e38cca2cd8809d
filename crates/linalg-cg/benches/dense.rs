//! Dense algebra: factor, inverse, solves and products.
#![allow(missing_docs)]

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use linalg_cg::{Cholesky, gram, matmul};
use ndarray::Array2;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, StandardNormal};

const ORDERS: [usize; 3] = [1000, 2000, 4000];

fn random(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut rng = StdRng::seed_from_u64(seed);
    Array2::from_shape_simple_fn((rows, columns), || StandardNormal.sample(&mut rng))
}

fn spd(n: usize) -> Array2<f64> {
    let mut a = gram(&random(n, n / 2, 1)) / n as f64;
    a.diag_mut().mapv_inplace(|value| value + 1.0);
    a
}

/// Throughput is in flops: criterion's "elements per second" reads as flop/s.
fn dense(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("dense");
    group.sample_size(10).warm_up_time(Duration::from_secs(1));
    group.measurement_time(Duration::from_secs(5));
    for n in ORDERS {
        let (a, square, cube) = (spd(n), random(n, n, 2), (n as u64).pow(3));
        let factor = Cholesky::factor(a.clone()).expect("positive definite");
        group.throughput(Throughput::Elements(cube / 3));
        group.bench_with_input(BenchmarkId::new("factor", n), &a, |b, a| {
            b.iter_batched(
                || a.clone(),
                |a| Cholesky::factor(a).expect("positive definite"),
                criterion::BatchSize::PerIteration,
            );
        });
        group.throughput(Throughput::Elements(2 * cube / 3));
        group.bench_function(BenchmarkId::new("inverse", n), |b| b.iter(|| factor.inverse()));
        group.throughput(Throughput::Elements(2 * cube));
        group.bench_function(BenchmarkId::new("solve", n), |b| b.iter(|| factor.solve(&square)));
        group.bench_function(BenchmarkId::new("gemm", n), |b| b.iter(|| matmul(&square, &a)));
        group.throughput(Throughput::Elements(cube));
        group.bench_function(BenchmarkId::new("gram", n), |b| b.iter(|| gram(&square)));
    }
    group.finish();
}

criterion_group!(benches, dense);
criterion_main!(benches);
