//! Naive references, seeded inputs and thread pools.

use ndarray::{Array1, Array2, ArrayRef2, Zip};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, StandardNormal};

/// Sizes around one tile, and a matrix of several.
pub(crate) const SIZES: [usize; 7] = [0, 1, 2, 255, 256, 257, 600];

pub(crate) fn random(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut rng = StdRng::seed_from_u64(seed);
    Array2::from_shape_simple_fn((rows, columns), || StandardNormal.sample(&mut rng))
}

pub(crate) fn random_vec(n: usize, seed: u64) -> Array1<f64> {
    random(1, n, seed).row(0).to_owned()
}

/// A symmetric positive definite matrix with eigenvalues from about `floor` to `floor + 4`.
pub(crate) fn spd(n: usize, floor: f64, seed: u64) -> Array2<f64> {
    let a = random(n, n, seed);
    let mut product = naive_product(&a, &a.t()) / (n.max(1) as f64);
    product.diag_mut().mapv_inplace(|value| value + floor);
    product
}

/// `A B` without BLAS, in the plain order of summation (columns of B innermost).
pub(crate) fn naive_product(a: &ArrayRef2<f64>, b: &ArrayRef2<f64>) -> Array2<f64> {
    let mut product = Array2::zeros((a.nrows(), b.ncols()));
    for (i, mut row) in product.rows_mut().into_iter().enumerate() {
        for k in 0..a.ncols() {
            row.scaled_add(a[[i, k]], &b.row(k));
        }
    }
    product
}

/// Cholesky without BLAS, column by column.
pub(crate) fn naive_cholesky(a: &ArrayRef2<f64>) -> Array2<f64> {
    let n = a.nrows();
    let mut lower = Array2::<f64>::zeros((n, n));
    for j in 0..n {
        for i in j..n {
            let known: f64 = (0..j).map(|k| lower[[i, k]] * lower[[j, k]]).sum();
            let rest = a[[i, j]] - known;
            lower[[i, j]] = if i == j { rest.sqrt() } else { rest / lower[[j, j]] };
        }
    }
    lower
}

/// The largest difference between two arrays of the same shape.
pub(crate) fn distance(a: &ArrayRef2<f64>, b: &ArrayRef2<f64>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    Zip::from(a).and(b).fold(0.0, |worst: f64, x, y| {
        let difference = (x - y).abs();
        assert!(difference.is_finite(), "{x} against {y}");
        worst.max(difference)
    })
}

pub(crate) fn distance_vec(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    distance(&a.view().insert_axis(ndarray::Axis(0)), &b.view().insert_axis(ndarray::Axis(0)))
}

/// The same numbers behind strides that BLAS cannot read: every second row and third column,
/// both reversed.
pub(crate) fn scattered(a: &Array2<f64>) -> Array2<f64> {
    let mut wide = Array2::from_elem((2 * a.nrows(), 3 * a.ncols()), f64::NAN);
    wide.slice_mut(ndarray::s![..;-2, ..;-3]).assign(a);
    wide
}

/// The view of [`scattered`] that reads the numbers back.
#[macro_export]
macro_rules! gather {
    ($wide:expr) => {
        $wide.slice(ndarray::s![..;-2, ..;-3])
    };
}

/// What `work` gives on pools of 1, 2 and 8 threads.
pub(crate) fn on_pools<T: Send>(work: impl Fn() -> T + Sync) -> Vec<T> {
    [1, 2, 8]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(&work)
        })
        .collect()
}

/// Checks that `work` has the same bits on pools of 1, 2 and 8 threads.
pub(crate) fn assert_same_bits(work: impl Fn() -> Vec<f64> + Sync) {
    let bits = on_pools(|| work().into_iter().map(f64::to_bits).collect::<Vec<u64>>());
    assert!(bits[0] == bits[1] && bits[0] == bits[2]);
}
