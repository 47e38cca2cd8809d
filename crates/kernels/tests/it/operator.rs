//! The matrix-free operator against dense products (case 53).

use kernels::{Kernel, KernelOperator, Store, contract_gradient, cross_product};
use linalg_cg::LinearOperator;
use ndarray::{Array2, ArrayRef2, Axis, concatenate, s};
use proptest::prelude::*;

use crate::support::{
    assert_close, assert_same_bits, bits, kernel, largest, naive_product, parameters,
    perturbed_catalogue, random,
};

/// Around the number of rows at which a compiled kernel of another package went wrong, and around
/// whole tiles.
const SIZES: [usize; 9] = [1, 2, 127, 128, 461, 462, 463, 1000, 1025];
const SHIFT: f64 = 0.3;

fn dense_product(kernel: &dyn Kernel, x: &ArrayRef2<f64>, v: &ArrayRef2<f64>) -> Array2<f64> {
    naive_product(&kernel.block(x, x), v) + &(v * SHIFT)
}

fn check(kernel: &dyn Kernel, n: usize, d: usize) {
    let (x, u, v) = (random(n, d, 1), random(n, 3, 2), random(n, 3, 3));
    let operator = KernelOperator::new(kernel, &x, SHIFT);
    let expected = dense_product(kernel, &x, &v);
    let tolerance = 1e-10 * (1.0 + largest(&expected));
    assert_close(&operator.apply(&v), &expected, tolerance, &format!("n = {n}, {kernel:?}"));

    let mut expected = vec![0.0; parameters(kernel).len()];
    kernel.accumulate_gradient(&x, &x, &naive_product(&u, &v.t()), &mut expected);
    let found = operator.gradient_product(&u, &v);
    let tolerance = 1e-10 * (1.0 + largest(&expected));
    assert_close(&found, &expected, tolerance, &format!("n = {n}, {kernel:?}"));
}

#[test]
fn the_operator_equals_the_dense_matrix_at_every_size() {
    let kernel =
        kernel(r#"{"type": "matern32", "lengthscales": [0.8, 1.1, 2.0], "variance": 1.4}"#);
    SIZES.into_iter().for_each(|n| check(kernel.as_ref(), n, 3));
}

#[test]
fn the_operator_equals_the_dense_matrix_for_every_kernel() {
    for kernel in perturbed_catalogue(2, 7) {
        [301, 461, 462, 463].into_iter().for_each(|n| check(kernel.as_ref(), n, 2));
    }
}

#[test]
fn a_gradient_product_is_a_double_loop_over_pairs() {
    let (x, u, v) = (random(150, 2, 1), random(150, 2, 2), random(150, 2, 3));
    for kernel in perturbed_catalogue(2, 8) {
        let kernel = kernel.as_ref();
        let mut expected = vec![0.0; parameters(kernel).len()];
        for (i, j) in (0..150).flat_map(|i| (0..150).map(move |j| (i, j))) {
            let weight = Array2::from_elem((1, 1), (&u.row(i) * &v.row(j)).sum());
            let (x, x2) = (x.slice(s![i..=i, ..]), x.slice(s![j..=j, ..]));
            kernel.accumulate_gradient(&x, &x2, &weight, &mut expected);
        }
        let found = KernelOperator::new(kernel, &x, SHIFT).gradient_product(&u, &v);
        assert_close(&found, &expected, 1e-11 * (1.0 + largest(&expected)), kernel.name());
    }
}

#[test]
fn a_product_with_rank_one_weights_is_a_contraction() {
    let (x, u, v) = (random(200, 2, 1), random(200, 1, 2), random(200, 1, 3));
    for kernel in perturbed_catalogue(2, 9) {
        let kernel = kernel.as_ref();
        let expected = contract_gradient(kernel, &x, &x, &naive_product(&u, &v.t()));
        let found = KernelOperator::new(kernel, &x, 0.0).gradient_product(&u, &v);
        assert_close(&found, &expected, 1e-11 * (1.0 + largest(&expected)), kernel.name());
    }
}

#[test]
fn a_cross_product_equals_the_dense_product() {
    for kernel in perturbed_catalogue(2, 10) {
        for (n_new, n) in [(1, 1), (5, 300), (300, 5), (257, 129), (3, 0), (0, 3)] {
            let (x_new, x, v) = (random(n_new, 2, 1), random(n, 2, 2), random(n, 2, 3));
            let expected = naive_product(&kernel.block(&x_new, &x), &v);
            let found = cross_product(kernel.as_ref(), &x_new, &x, &v);
            let tolerance = 1e-12 * (1.0 + largest(&expected)) * (n as f64).sqrt();
            assert_close(&found, &expected, tolerance, kernel.name());
        }
    }
}

#[test]
fn a_row_of_a_cross_product_does_not_depend_on_the_others() {
    let (x_new, x, v) = (random(300, 2, 1), random(200, 2, 2), random(200, 2, 3));
    for kernel in perturbed_catalogue(2, 11) {
        let kernel = kernel.as_ref();
        let together = cross_product(kernel, &x_new, &x, &v);
        let one_by_one: Vec<Array2<f64>> = x_new
            .axis_chunks_iter(Axis(0), 1)
            .map(|row| cross_product(kernel, &row, &x, &v))
            .collect();
        let views: Vec<_> = one_by_one.iter().map(|row| row.view()).collect();
        assert_eq!(bits(&together), bits(&concatenate(Axis(0), &views).unwrap()));
    }
}

#[test]
fn a_column_of_a_product_does_not_depend_on_the_others() {
    let (x, v) = (random(300, 2, 1), random(300, 70, 2));
    let kernel = kernel(r#"{"type": "se", "lengthscales": [0.8], "variance": 1.4}"#);
    let operator = KernelOperator::new(kernel.as_ref(), &x, SHIFT);
    let together = operator.apply(&v);
    for column in [0, 31, 32, 69] {
        let alone = operator.apply_vec(&v.column(column));
        assert_eq!(bits(together.column(column)), bits(&alone));
    }
}

#[test]
fn no_right_hand_side_makes_an_empty_product() {
    let (x, none) = (random(300, 2, 1), Array2::zeros((300, 0)));
    let kernel = kernel(r#"{"type": "se", "lengthscales": [0.8], "variance": 1.4}"#);
    let operator = KernelOperator::new(kernel.as_ref(), &x, SHIFT);
    assert_eq!(operator.apply(&none).dim(), (300, 0));
    assert_eq!(operator.gradient_product(&none, &none), [0.0, 0.0]);
    assert_eq!(cross_product(kernel.as_ref(), &x, &x, &none).dim(), (300, 0));
}

#[test]
fn products_have_the_same_bits_on_any_pool() {
    let (x, u, v) = (random(1300, 2, 1), random(1300, 3, 2), random(1300, 3, 3));
    for kernel in perturbed_catalogue(2, 12) {
        let operator = KernelOperator::new(kernel.as_ref(), &x, SHIFT);
        assert_same_bits(|| operator.apply(&v).into_iter().collect());
        assert_same_bits(|| operator.gradient_product(&u, &v));
        assert_same_bits(|| cross_product(kernel.as_ref(), &x, &x, &v).into_iter().collect());
    }
}

#[test]
fn stored_tiles_give_the_same_bits() {
    let (x, v) = (random(700, 2, 1), random(700, 3, 2));
    for kernel in perturbed_catalogue(2, 13) {
        let formed = KernelOperator::new(kernel.as_ref(), &x, SHIFT);
        let stored = formed.clone().store(Store::IfItFits, formed.bytes_to_store());
        assert!(stored.is_stored() && !formed.is_stored());
        assert_eq!(bits(&formed.apply(&v)), bits(&stored.apply(&v)), "{}", kernel.name());
        let either = formed.clone().store(Store::IfItPays { products: 20 }, u64::MAX);
        assert_eq!(bits(&formed.apply(&v)), bits(&either.apply(&v)), "{}", kernel.name());
    }
}

#[test]
fn tiles_are_stored_only_within_the_budget_and_where_asked() {
    let (x, kernel) = (random(300, 2, 1), kernel(r#"{"type": "constant", "variance": 1.0}"#));
    let operator = KernelOperator::new(kernel.as_ref(), &x, SHIFT);
    let bytes = operator.bytes_to_store();
    assert_eq!(bytes, 38 * 39 / 2 * 512);
    let is_stored = |store, budget| operator.clone().store(store, budget).is_stored();
    assert!(is_stored(Store::IfItFits, bytes));
    assert!(!is_stored(Store::IfItFits, bytes - 1));
    assert!(!is_stored(Store::Never, u64::MAX));
    assert!(!is_stored(Store::IfItPays { products: 1 }, u64::MAX));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn the_operator_is_symmetric_and_linear(seed in any::<u64>(), n in 1_usize..300) {
        let (x, u, v) = (random(n, 2, seed), random(n, 1, seed ^ 1), random(n, 1, seed ^ 2));
        for kernel in perturbed_catalogue(2, seed) {
            let operator = KernelOperator::new(kernel.as_ref(), &x, SHIFT);
            let (k_u, k_v) = (operator.apply(&u), operator.apply(&v));
            let tolerance = 1e-12 * (1.0 + n as f64 * (largest(&k_u) + largest(&k_v)));
            let (left, right) = ((&k_u * &v).sum(), (&k_v * &u).sum());
            prop_assert!((left - right).abs() <= tolerance, "{}", kernel.name());
            let both = operator.apply(&(&u + &v * 2.0));
            assert_close(&both, &(k_u + k_v * 2.0), tolerance, kernel.name());
        }
    }
}
