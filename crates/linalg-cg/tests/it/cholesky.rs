//! The factorisation, its solves and its errors.

use linalg_cg::{Cholesky, LinalgError, Preconditioner};
use ndarray::{Array1, Array2, ArrayRef1, array, s};

use crate::gather;
use crate::support::{
    SIZES, assert_same_bits, distance, distance_vec, naive_cholesky, naive_product, random,
    scattered, spd,
};

fn factor(a: &Array2<f64>) -> Cholesky {
    Cholesky::factor(a.clone()).unwrap()
}

#[test]
fn the_factor_agrees_with_the_naive_one() {
    for &n in &SIZES {
        let a = spd(n, 0.1, 1);
        let (found, expected) = (factor(&a), naive_cholesky(&a));
        assert!(distance(found.lower(), &expected) <= 1e-12, "n = {n}");
        let log_det: f64 = expected.diag().iter().map(|value| 2.0 * value.ln()).sum();
        assert!((found.log_det() - log_det).abs() <= 1e-11 * (1.0 + log_det.abs()));
        assert_eq!((found.n(), found.jitter()), (n, 0.0));
    }
}

#[test]
fn the_factor_is_zero_above_its_diagonal() {
    let a = spd(600, 0.1, 2);
    let (found, inverse) = (factor(&a), factor(&a).inverse_lower());
    for row in 0..600 {
        assert!(found.lower().slice(s![row, row + 1..]).iter().all(|value| *value == 0.0));
        assert!(inverse.slice(s![row, row + 1..]).iter().all(|value| *value == 0.0));
    }
}

#[test]
fn only_the_lower_triangle_is_read() {
    let mut a = spd(300, 0.1, 3);
    let expected = factor(&a);
    for row in 0..300 {
        a.slice_mut(s![row, row + 1..]).fill(f64::NAN);
    }
    assert_eq!(factor(&a).lower(), expected.lower());
}

#[test]
fn every_solve_solves() {
    for &n in &SIZES {
        let (a, b) = (spd(n, 0.5, 4), random(n, 150, 5));
        let found = factor(&a);
        let lower = found.lower();
        assert!(distance(&naive_product(&a, &found.solve(&b)), &b) <= 1e-11, "n = {n}");
        assert!(distance(&naive_product(lower, &found.solve_lower(&b)), &b) <= 1e-11);
        let turned = b.t().as_standard_layout().into_owned().reversed_axes();
        for b in [b.to_owned(), turned] {
            assert_eq!(found.solve_lower_into(b.clone()), found.solve_lower(&b));
        }
        let transposed = found.solve_lower_transpose(&b);
        assert!(distance(&naive_product(&lower.t(), &transposed), &b) <= 1e-11);
        let quad = (&b * &found.solve(&b)).sum_axis(ndarray::Axis(0));
        assert!(distance_vec(&found.quad(&b), &quad) <= 1e-9);
    }
}

#[test]
fn one_right_hand_side_agrees_with_many() {
    let (a, b) = (spd(300, 0.5, 6), random(300, 3, 7));
    let found = factor(&a);
    let column = b.column(1);
    let pairs: [(Array1<f64>, Array2<f64>); 3] = [
        (found.solve_vec(&column), found.solve(&b)),
        (found.solve_lower_vec(&column), found.solve_lower(&b)),
        (found.solve_lower_transpose_vec(&column), found.solve_lower_transpose(&b)),
    ];
    for (one, many) in pairs {
        assert!(distance_vec(&one, &many.column(1).to_owned()) <= 1e-12);
    }
}

#[test]
fn inverses_invert() {
    for &n in &SIZES {
        let a = spd(n, 0.5, 8);
        let found = factor(&a);
        let inverse = found.inverse();
        assert_eq!(inverse, inverse.t(), "symmetric to the bit");
        assert!(distance(&naive_product(&a, &inverse), &Array2::eye(n)) <= 1e-11);
        let lower = naive_product(found.lower(), &found.inverse_lower());
        assert!(distance(&lower, &Array2::eye(n)) <= 1e-11);
    }
}

#[test]
fn strided_arguments_give_the_same_bits() {
    let (a, b) = (spd(270, 0.1, 9), random(270, 5, 10));
    let (wide_a, wide_b) = (scattered(&a), scattered(&b));
    let found = factor(&a);
    let strided = Cholesky::factor_with_jitter(&gather!(wide_a), 1e-8, 1e-6).unwrap();
    assert_eq!(found.lower(), strided.lower());
    assert_eq!(found.lower(), Cholesky::factor(a.t().to_owned().reversed_axes()).unwrap().lower());
    assert_eq!(found.solve(&b), found.solve(&gather!(wide_b)));
    let gathered = gather!(wide_b);
    let strided_column: &ArrayRef1<f64> = &gathered.column(2);
    assert_eq!(found.solve_vec(&b.column(2)), found.solve_vec(strided_column));
}

#[test]
fn dense_work_has_the_same_bits_on_any_pool() {
    let (a, b) = (spd(600, 0.1, 11), random(600, 300, 12));
    let found = factor(&a);
    assert_same_bits(|| factor(&a).lower().iter().copied().collect());
    assert_same_bits(|| found.solve(&b).into_raw_vec_and_offset().0);
    assert_same_bits(|| found.solve_vec(&b.column(0)).to_vec());
    assert_same_bits(|| found.inverse().into_raw_vec_and_offset().0);
    assert_same_bits(|| found.inverse_lower().into_raw_vec_and_offset().0);
}

#[test]
fn jitter_is_reported_and_no_larger_than_needed() {
    let ones = Array2::ones((3, 3));
    let singular = &ones - &(1e-9 * Array2::<f64>::eye(3));
    let found = Cholesky::factor_with_jitter(&singular, 1e-10, 1e-6).unwrap();
    assert!((found.jitter() - 1e-8).abs() <= 1e-15);
    let shifted = singular + found.jitter() * Array2::<f64>::eye(3);
    assert!(distance(&naive_product(found.lower(), &found.lower().t()), &shifted) <= 1e-15);
    let fine = Cholesky::factor_with_jitter(&spd(3, 0.1, 13), 1e-10, 1e-6).unwrap();
    assert_eq!(fine.jitter(), 0.0);
}

#[test]
fn the_largest_jitter_is_tried_and_then_named() {
    let indefinite = array![[1.0, 0.0], [0.0, -1e-6]];
    let error = Cholesky::factor_with_jitter(&indefinite, 1e-10, 1e-7).unwrap_err();
    let LinalgError::NotPositiveDefinite { n: 2, jitter, pivot: 1 } = error else {
        panic!("{error:?}");
    };
    assert!((jitter - 1e-7).abs() <= 1e-20, "{jitter:e} although rounding makes it exceed 1e-7");
    let error = Cholesky::factor(indefinite).unwrap_err();
    assert_eq!(error, LinalgError::NotPositiveDefinite { n: 2, jitter: 0.0, pivot: 1 });
}

#[test]
fn the_failed_pivot_is_named_in_any_tile() {
    for bad in [0, 255, 256, 300, 599] {
        let mut a = Array2::<f64>::eye(600);
        a[[bad, bad]] = -1.0;
        let error = Cholesky::factor(a).unwrap_err();
        assert_eq!(error, LinalgError::NotPositiveDefinite { n: 600, jitter: 0.0, pivot: bad });
    }
}

#[test]
fn bad_matrices_are_refused_by_name() {
    let error = Cholesky::factor(Array2::zeros((2, 3))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`a` has 2 rows and 3 columns, expected a square symmetric matrix"
    );
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut a = Array2::<f64>::eye(300);
        a[[280, 17]] = value;
        let error = Cholesky::factor_with_jitter(&a, 1e-8, 1e-4).unwrap_err();
        assert!(
            matches!(error, LinalgError::NonFinite { argument: "a", row: 280, column: 17, .. }),
            "{error}"
        );
    }
    for (first, largest) in [(0.0, 1.0), (f64::NAN, 1.0), (1e-8, f64::NAN), (1e-8, -1.0)] {
        let error = Cholesky::factor_with_jitter(&Array2::eye(2), first, largest).unwrap_err();
        assert!(matches!(error, LinalgError::InvalidOption { .. }));
    }
    assert!(Cholesky::factor_with_jitter(&Array2::eye(2), 0.0, 0.0).is_ok());
}

#[test]
fn overflow_on_the_way_is_not_a_factor() {
    let a = array![[1e-300, 1e300], [1e300, 1e300]];
    assert!(Cholesky::factor(a).is_err());
}
