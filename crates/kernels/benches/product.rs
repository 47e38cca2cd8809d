//! Time of one pass over the kernel matrix: as an operator, formed (in single precision too) or stored, for its gradient,
//! and of the arithmetic alone. Throughput counts entries of the matrix, both triangles.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "support/floor.rs"]
mod floor;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use floor::Floor;
use kernels::simd::Simd;
use kernels::{Kernel, KernelOperator, Matern32, Matern32Profile, Store, catalogue, gram_matrix};
use linalg_cg::LinearOperator;
use ndarray::Array2;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, StandardNormal};

const N: usize = 2000;

fn random(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut rng = StdRng::seed_from_u64(seed);
    Array2::from_shape_simple_fn((rows, columns), || StandardNormal.sample(&mut rng))
}

fn matern(d: usize) -> Matern32 {
    Matern32::new((0..d).map(|i| 0.8 + 0.1 * i as f64).collect(), 1.3).unwrap()
}

/// Matérn-3/2 over columns of the inputs and of the right-hand side.
fn by_shape(criterion: &mut Criterion) {
    for group in ["product", "single", "stored", "gradient", "floor"] {
        let mut group_of = criterion.benchmark_group(group);
        group_of.sample_size(10).throughput(Throughput::Elements((N * N) as u64));
        for (d, columns) in [(3, 1), (9, 1), (26, 1), (9, 2), (9, 11), (9, 64)] {
            let (kernel, x, v) = (matern(d), random(N, d, 1), random(N, columns, 2));
            let mut operator = KernelOperator::new(&kernel, &x, 0.1);
            if group == "stored" {
                operator = operator.store(Store::IfItFits, u64::MAX);
            }
            if group == "single" {
                operator = operator.search_in_single_precision();
            }
            let id = format!("matern32-d{d}-n{N}-c{columns}");
            group_of.bench_function(id, |bencher| match group {
                "single" => bencher.iter(|| operator.apply_search(black_box(&v))),
                "gradient" => bencher.iter(|| operator.gradient_product(black_box(&v), &v)),
                // One thread's, over the pairs of both: divide by the threads.
                "floor" => bencher.iter(|| {
                    let (profile, squares) = (&Matern32Profile, N * N / 128);
                    Simd::detect().run(Floor { profile, d, columns, squares })
                }),
                _ => bencher.iter(|| operator.apply(black_box(&v))),
            });
        }
        group_of.finish();
    }
}

/// Matérn-3/2 with every instruction set of this processor.
fn by_instructions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("instructions");
    group.sample_size(10).throughput(Throughput::Elements((N * N) as u64));
    let (kernel, x, v) = (matern(9), random(N, 9, 1), random(N, 1, 2));
    for simd in Simd::available() {
        let operator = KernelOperator::with_simd(&kernel, &x, 0.1, simd);
        group.bench_function(format!("{}-matern32-d9-n{N}-c1", simd.name()), |bencher| {
            bencher.iter(|| operator.apply(black_box(&v)));
        });
    }
    group.finish();
}

/// Every kernel of the catalogue, one right-hand side, and the stored matrix.
fn by_kernel(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("catalogue");
    group.sample_size(10).throughput(Throughput::Elements((N * N) as u64));
    let (x, v) = (random(N, 3, 1), random(N, 1, 2));
    for (index, kernel) in catalogue(3).unwrap().into_iter().enumerate() {
        let kernel: &dyn Kernel = kernel.as_ref();
        let name = format!("{index}-{}", kernel.name());
        let operator = KernelOperator::new(kernel, &x, 0.1);
        group.bench_function(BenchmarkId::new("product", &name), |bencher| {
            bencher.iter(|| operator.apply(black_box(&v)));
        });
        group.bench_function(BenchmarkId::new("gradient", &name), |bencher| {
            bencher.iter(|| operator.gradient_product(black_box(&v), &v));
        });
        group.bench_function(BenchmarkId::new("gram", &name), |bencher| {
            bencher.iter(|| gram_matrix(kernel, black_box(&x)));
        });
    }
    group.finish();
}

criterion_group!(benches, by_shape, by_instructions, by_kernel);
criterion_main!(benches);
