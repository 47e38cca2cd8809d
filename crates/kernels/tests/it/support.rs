//! Seeded inputs, kernels from JSON, plain references and thread pools.

use kernels::{Kernel, KernelSpec, catalogue};
use ndarray::{Array1, Array2, ArrayRef2, Zip};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, StandardNormal, Uniform};

/// Numbers of columns the laws are checked for.
pub(crate) const DIMENSIONS: [usize; 3] = [1, 2, 5];

/// Rows of standard normal numbers.
pub(crate) fn random(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut rng = StdRng::seed_from_u64(seed);
    Array2::from_shape_simple_fn((rows, columns), || StandardNormal.sample(&mut rng))
}

pub(crate) fn random_vec(n: usize, seed: u64) -> Array1<f64> {
    random(1, n, seed).row(0).to_owned()
}

/// The kernel of a JSON text in the form of the golden values.
pub(crate) fn kernel(json: &str) -> Box<dyn Kernel> {
    serde_json::from_str::<KernelSpec>(json).unwrap().build().unwrap()
}

/// Values of a kernel's parameters, in order.
pub(crate) fn parameters(kernel: &dyn Kernel) -> Vec<f64> {
    kernel.parameters().iter().map(|parameter| parameter.value).collect()
}

/// The kernel with parameter `index` multiplied by `exp(step)`.
pub(crate) fn stepped(kernel: &dyn Kernel, index: usize, step: f64) -> Box<dyn Kernel> {
    let mut values = parameters(kernel);
    values[index] *= step.exp();
    let mut moved = kernel.clone_box();
    moved.set_parameters(&values).unwrap();
    moved
}

/// The catalogue with every parameter moved by a factor between 1/1.6 and 1.6.
pub(crate) fn perturbed_catalogue(d: usize, seed: u64) -> Vec<Box<dyn Kernel>> {
    let mut rng = StdRng::seed_from_u64(seed);
    let factor = Uniform::new(-0.5, 0.5).unwrap();
    let mut kernels = catalogue(d).unwrap();
    for kernel in &mut kernels {
        let values = parameters(kernel.as_ref());
        let moved: Vec<f64> =
            values.iter().map(|value| value * f64::exp(factor.sample(&mut rng))).collect();
        kernel.set_parameters(&moved).unwrap();
    }
    kernels
}

/// `Σ_ij W_ij k(x_i, x'_j)`.
pub(crate) fn weighted(
    kernel: &dyn Kernel,
    x: &ArrayRef2<f64>,
    x2: &ArrayRef2<f64>,
    weights: &ArrayRef2<f64>,
) -> f64 {
    Zip::from(&kernel.block(x, x2)).and(weights).fold(0.0, |sum, k, w| sum + k * w)
}

/// `A B` in the plain order of summation.
pub(crate) fn naive_product(a: &ArrayRef2<f64>, b: &ArrayRef2<f64>) -> Array2<f64> {
    let mut product = Array2::zeros((a.nrows(), b.ncols()));
    for (i, mut row) in product.rows_mut().into_iter().enumerate() {
        for k in 0..a.ncols() {
            row.scaled_add(a[[i, k]], &b.row(k));
        }
    }
    product
}

/// The largest magnitude; NaN counts as infinite.
pub(crate) fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    let magnitudes = values.into_iter().map(|value| value.abs());
    magnitudes
        .fold(0.0, |worst, value| if value >= worst || value.is_nan() { value } else { worst })
}

/// Asserts `|a − b| ≤ tolerance` entry by entry; NaN fails.
pub(crate) fn assert_close<'a>(
    a: impl IntoIterator<Item = &'a f64>,
    b: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
    what: &str,
) {
    let (a, b): (Vec<f64>, Vec<f64>) =
        (a.into_iter().copied().collect(), b.into_iter().copied().collect());
    assert_eq!(a.len(), b.len(), "{what}");
    for (index, (a, b)) in a.iter().zip(&b).enumerate() {
        assert!((a - b).abs() <= tolerance, "{what}: entry {index} is {a}, expected {b}");
    }
}

/// The bits of an array, in logical order.
pub(crate) fn bits<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    values.into_iter().map(|value| value.to_bits()).collect()
}

/// Checks that `work` has the same bits on pools of 1, 2 and 8 threads.
pub(crate) fn assert_same_bits(work: impl Fn() -> Vec<f64> + Sync) {
    let results: Vec<Vec<u64>> = [1, 2, 8]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            bits(&pool.install(&work))
        })
        .collect();
    assert!(results[0] == results[1] && results[0] == results[2]);
}
