//! Laws every kernel of the catalogue keeps, whatever its parameters and inputs.

use kernels::{Kernel, gram_matrix, kernel_matrix};
use linalg_cg::symmetric_eigenvalues;
use ndarray::{Array2, ArrayRef2, s};
use proptest::prelude::*;

use crate::support::{
    DIMENSIONS, assert_close, bits, kernel, largest, parameters, perturbed_catalogue, random,
};

/// Runs `law` on every kernel of the catalogue and every number of columns.
fn for_each_kernel(seed: u64, law: impl Fn(&dyn Kernel, usize)) {
    for d in DIMENSIONS {
        for kernel in perturbed_catalogue(d, seed) {
            law(kernel.as_ref(), d);
        }
    }
}

/// Inputs in which some rows are repeated.
fn inputs(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut x = random(n, d, seed) * 1.5;
    let first = x.row(0).to_owned();
    x.row_mut(n - 1).assign(&first);
    x
}

fn transposed(k: &ArrayRef2<f64>) -> Vec<u64> {
    bits(k.t().iter())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_kernel_is_symmetric_to_the_bit(seed in any::<u64>()) {
        for_each_kernel(seed, |kernel, d| {
            let (x, x2) = (inputs(9, d, seed), random(7, d, seed ^ 1));
            let k = kernel.block(&x, &x2);
            assert_eq!(bits(&k), transposed(&kernel.block(&x2, &x)), "{kernel:?}");
        });
    }

    #[test]
    fn a_kernel_matrix_is_positive_semidefinite(seed in any::<u64>(), n in 2_usize..24) {
        for_each_kernel(seed, |kernel, d| {
            let k = kernel.block(&inputs(n, d, seed), &inputs(n, d, seed));
            let eigenvalues = symmetric_eigenvalues(&k).unwrap();
            let floor = -1e-13 * (n as f64) * largest(&eigenvalues);
            assert!(eigenvalues.iter().all(|&value| value >= floor), "{kernel:?}: {eigenvalues}");
        });
    }

    #[test]
    fn diag_is_the_diagonal_of_the_block(seed in any::<u64>(), n in 2_usize..24) {
        for_each_kernel(seed, |kernel, d| {
            let x = inputs(n, d, seed);
            let (diag, k) = (kernel.diag(&x), kernel.block(&x, &x));
            let tolerance = 1e-15 * 8.0 * largest(&diag);
            assert_close(k.diag(), &diag, tolerance, kernel.name());
        });
    }

    #[test]
    fn an_entry_depends_on_its_two_rows_alone(seed in any::<u64>()) {
        for_each_kernel(seed, |kernel, d| {
            let (x, x2) = (inputs(5, d, seed), random(6, d, seed ^ 1));
            let k = kernel.block(&x, &x2);
            for ((i, j), value) in k.indexed_iter() {
                let alone = kernel.eval(&x.row(i), &x2.row(j));
                assert_eq!(alone.to_bits(), value.to_bits(), "{kernel:?}");
            }
        });
    }

    #[test]
    fn the_layout_of_the_inputs_does_not_matter(seed in any::<u64>()) {
        for_each_kernel(seed, |kernel, d| {
            let (x, x2) = (inputs(5, d, seed), random(6, d, seed ^ 1));
            let mut wide = Array2::from_elem((2 * d, 10), f64::NAN);
            wide.slice_mut(s![..;-2, ..;-2]).assign(&x.t());
            let view = wide.slice(s![..;-2, ..;-2]);
            let k = kernel.block(&x, &x2);
            assert_eq!(bits(&k), bits(&kernel.block(&view.t(), &x2)), "{kernel:?}");
            assert_eq!(transposed(&k), bits(&kernel.block(&x2, &view.t())), "{kernel:?}");
        });
    }

    #[test]
    fn dense_matrices_are_blocks_put_together(seed in any::<u64>(), n in 100_usize..300) {
        for kernel in perturbed_catalogue(2, seed) {
            let (x, x2) = (inputs(n, 2, seed), random(140, 2, seed ^ 1));
            let kernel = kernel.as_ref();
            assert_eq!(bits(&kernel_matrix(kernel, &x, &x2)), bits(&kernel.block(&x, &x2)));
            let gram = gram_matrix(kernel, &x);
            assert_eq!(bits(&gram), bits(&kernel.block(&x, &x)));
            assert_eq!(bits(&gram), transposed(&gram));
        }
    }

    #[test]
    fn parameters_come_back_as_they_were_set(seed in any::<u64>()) {
        for_each_kernel(seed, |kernel, _| {
            let values: Vec<f64> = parameters(kernel).iter().map(|value| 1.25 * value).collect();
            let mut changed = kernel.clone_box();
            changed.set_parameters(&values).unwrap();
            assert_eq!(parameters(changed.as_ref()), values);
            let names = |kernel: &dyn Kernel| -> Vec<String> {
                kernel.parameters().into_iter().map(|parameter| parameter.name).collect()
            };
            assert_eq!(names(changed.as_ref()), names(kernel));
        });
    }

    #[test]
    fn nearer_in_the_embedding_is_more_correlated(seed in any::<u64>()) {
        for name in ["se", "matern12", "matern32", "matern52"] {
            let json = format!(r#"{{"type": "{name}", "lengthscales": [0.7, 1.9], "variance": 1.3}}"#);
            check_embedding(kernel(&json).as_ref(), seed);
        }
        check_embedding(kernel(PERIODIC).as_ref(), seed);
        check_embedding(kernel(RATIONAL).as_ref(), seed);
    }
}

const PERIODIC: &str =
    r#"{"type": "periodic", "lengthscales": [0.7, 1.9], "variance": 1.3, "period": 2.0}"#;
const RATIONAL: &str =
    r#"{"type": "rq", "lengthscales": [0.7, 1.9], "variance": 1.3, "alpha": 0.6}"#;

/// Ordering pairs by distance in the embedding orders them by covariance.
fn check_embedding(kernel: &dyn Kernel, seed: u64) {
    let x = random(12, 2, seed);
    let (k, points) = (kernel.block(&x, &x), kernel.embed(&x));
    let mut pairs: Vec<(f64, f64)> = (1..12)
        .map(|j| {
            let difference = &points.row(0) - &points.row(j);
            (difference.iter().map(|value| value * value).sum(), k[[0, j]])
        })
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ordered = pairs.windows(2).all(|pair| pair[0].1 >= pair[1].1 * (1.0 - 1e-12));
    assert!(ordered, "{}: {pairs:?}", kernel.name());
}

#[test]
fn every_kernel_has_one_embedded_point_a_row() {
    for_each_kernel(1, |kernel, d| {
        let points = kernel.embed(&random(6, d, 2));
        assert_eq!(points.nrows(), 6, "{}", kernel.name());
        assert!(points.iter().all(|value| value.is_finite()), "{}", kernel.name());
    });
}

#[test]
fn no_rows_make_an_empty_block() {
    for_each_kernel(1, |kernel, d| {
        let (none, some) = (Array2::zeros((0, d)), random(3, d, 1));
        assert_eq!(kernel.block(&none, &some).dim(), (0, 3));
        assert_eq!(kernel.block(&some, &none).dim(), (3, 0));
        assert_eq!(gram_matrix(kernel, &none).dim(), (0, 0));
        assert_eq!(kernel_matrix(kernel, &some, &none).dim(), (3, 0));
    });
}
