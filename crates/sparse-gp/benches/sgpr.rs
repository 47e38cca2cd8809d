//! Time of one evaluation of the bound with its gradient.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gp_core::Hyperparameters;
use kernels::{Matern32, Mean};
use ndarray::{Array2, Axis, s};
use sparse_gp::{SgprSettings, elbo_gradient};

const D: usize = 9;

fn objective_gradient(c: &mut Criterion) {
    let mut group = c.benchmark_group("objective_gradient");
    group.sample_size(10);
    for (n, m) in [(2000, 100), (2000, 512), (10_000, 100), (10_000, 512)] {
        let step = |j: usize| (2.0 + j as f64).sqrt().fract();
        let x = Array2::from_shape_fn((n, D), |(i, j)| 4.0 * (i as f64 * step(j)).fract());
        let y = x.sum_axis(Axis(1)).mapv(f64::sin).insert_axis(Axis(1));
        let z = x.slice(s![..m, ..]);
        let kernel = Box::new(Matern32::new(vec![1.5; D], 1.0).unwrap());
        let hyper = Hyperparameters { kernel, noise_variance: 0.05, mean: Mean::Constant(0.0) };
        for low_memory in [false, true] {
            let settings = SgprSettings { low_memory, ..SgprSettings::default() };
            let name = if low_memory { "low-memory" } else { "plain" };
            let id = BenchmarkId::new(name, format!("n{n}-m{m}"));
            group.bench_function(id, |b| {
                b.iter(|| elbo_gradient(&hyper, &z, &x, &y, &settings).unwrap());
            });
        }
    }
}

criterion_group!(benches, objective_gradient);
criterion_main!(benches);
