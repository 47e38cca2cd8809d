//! Time of every bound, its gradient and the exact reference, on shared surrogates.
#![allow(missing_docs, clippy::unwrap_used)]

use bounds::exact::Exact;
use bounds::{Problem, log_det_catalogue, quad_catalogue};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use kernels::Matern32;
use ndarray::{Array1, Array2, s};
use std::hint::black_box;

const SIZES: [(usize, usize); 2] = [(500, 50), (2000, 200)];
const D: usize = 6;

fn inputs(n: usize) -> Array2<f64> {
    let step = |j: usize| (2.0 + j as f64).sqrt().fract();
    Array2::from_shape_fn((n, D), |(i, j)| 4.0 * (i as f64 * step(j)).fract())
}

fn kernel() -> Matern32 {
    Matern32::new(vec![1.5; D], 1.0).unwrap()
}

fn problem<'a>(kernel: &'a Matern32, x: &'a Array2<f64>, z: &'a Array2<f64>) -> Problem<'a> {
    let problem = Problem::new(kernel, x, 0.05).unwrap();
    problem.with_inducing_points(z, 1e-6).unwrap().with_neighbours(30).with_blocks(64).unwrap()
}

fn bounds(c: &mut Criterion) {
    let kernel = kernel();
    for (n, m) in SIZES {
        let x = inputs(n);
        let z = x.slice(s![..m, ..]).to_owned();
        let problem = problem(&kernel, &x, &z);
        problem.nystrom().unwrap();
        problem.vecchia().unwrap();
        let y = Array1::from_shape_fn(n, |i| x.row(i).sum().sin());
        let v = &y * 0.5;
        values(c, &problem, &y, &v);
        gradients(c, &problem, &y, &v);
    }
}

fn id(name: &str, problem: &Problem<'_>) -> BenchmarkId {
    let m = problem.inducing_points().map_or(0, |z| z.nrows());
    BenchmarkId::new(name, format!("n{}-m{m}", problem.n()))
}

fn values(c: &mut Criterion, problem: &Problem<'_>, y: &Array1<f64>, v: &Array1<f64>) {
    let mut group = c.benchmark_group("value");
    group.sample_size(10);
    for bound in log_det_catalogue() {
        group.bench_function(id(bound.name(), problem), |b| b.iter(|| bound.value(problem)));
    }
    for bound in quad_catalogue() {
        group.bench_function(id(bound.name(), problem), |b| b.iter(|| bound.value(problem, y, v)));
    }
    group.finish();
}

fn gradients(c: &mut Criterion, problem: &Problem<'_>, y: &Array1<f64>, v: &Array1<f64>) {
    let mut group = c.benchmark_group("gradient");
    group.sample_size(10);
    for bound in log_det_catalogue() {
        let Some(differentiable) = bound.differentiable() else { continue };
        let id = id(bound.name(), problem);
        group.bench_function(id, |b| b.iter(|| differentiable.gradient(problem)));
    }
    for bound in quad_catalogue() {
        group.bench_function(id(bound.name(), problem), |b| {
            b.iter(|| bound.gradient(problem, y, v))
        });
    }
    group.finish();
}

fn shared(c: &mut Criterion) {
    let kernel = kernel();
    let mut group = c.benchmark_group("shared");
    group.sample_size(10);
    for (n, m) in SIZES {
        let x = inputs(n);
        let z = x.slice(s![..m, ..]).to_owned();
        let y = Array2::from_shape_fn((n, 1), |(i, _)| x.row(i).sum().sin());
        let id = format!("n{n}-m{m}");
        let fresh = || problem(&kernel, &x, &z);
        group.bench_function(BenchmarkId::new("nystrom", &id), |b| {
            b.iter(|| fresh().nystrom().map(|system| system.log_det_q()))
        });
        group.bench_function(BenchmarkId::new("vecchia", &id), |b| {
            b.iter(|| fresh().vecchia().map(|factors| factors.log_det()))
        });
        group.bench_function(BenchmarkId::new("exact", &id), |b| {
            b.iter(|| Exact::new(&fresh()).unwrap().lml(black_box(&y)))
        });
        group.bench_function(BenchmarkId::new("exact-gradient", &id), |b| {
            b.iter(|| Exact::new(&fresh()).unwrap().lml_gradient(black_box(&y)))
        });
    }
    group.finish();
}

criterion_group!(benches, shared, bounds);
criterion_main!(benches);
