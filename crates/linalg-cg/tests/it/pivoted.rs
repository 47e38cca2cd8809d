//! Partial pivoted Cholesky: golden values, and what holds for any matrix.

use linalg_cg::{PivotedCholesky, pivoted_cholesky};
use ndarray::{Array2, ArrayView1, array};
use serde_json::Value;

use crate::kernel;
use crate::support::{assert_same_bits, distance, naive_product, random, spd};

fn partial(a: &Array2<f64>, max_rank: usize, tolerance: f64) -> PivotedCholesky {
    pivoted_cholesky(&a.diag(), |p| a.column(p).to_owned(), max_rank, tolerance)
}

fn close(found: ArrayView1<f64>, expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        // Differences of numbers of order 1: the absolute part is their rounding.
        assert!((x - y).abs() <= 1e-8 * y.abs() + 1e-13, "{x} against {y}");
    }
}

#[test]
fn golden_factors() {
    let golden: Value = serde_json::from_str(include_str!("../golden/iterative.json")).unwrap();
    for case in golden["pivoted_cholesky"].as_array().unwrap() {
        let matrix = kernel::matrix(&case["kernel"], &kernel::table(&case["x"]));
        let rank = case["rank"].as_u64().unwrap() as usize;
        let found = partial(&matrix, rank, 0.0);
        let pivots: Vec<f64> = found.pivots.iter().map(|p| *p as f64).collect();
        assert_eq!(pivots, kernel::numbers(&case["pivots"]), "{}", case["case"]);
        let traces = ArrayView1::from(&found.trace_residual);
        close(traces, &kernel::numbers(&case["trace_residual"]));
        close(found.residual_diag.view(), &kernel::numbers(&case["residual_diag"]));
        let factor = kernel::table(&case["factor"]);
        for (row, expected) in found.factor.rows().into_iter().zip(factor.rows()) {
            close(row, expected.as_slice().unwrap());
        }
    }
}

#[test]
fn rows_of_used_pivots_are_exactly_zero() {
    let found = partial(&spd(40, 0.01, 1), 12, 0.0);
    for (step, pivot) in found.pivots.iter().enumerate() {
        assert!(found.factor.row(*pivot).iter().skip(step + 1).all(|value| *value == 0.0));
        assert_eq!(found.residual_diag[*pivot], 0.0);
    }
}

#[test]
fn full_rank_rebuilds_the_matrix() {
    let a = spd(60, 0.1, 2);
    let found = partial(&a, 1000, 0.0);
    assert_eq!(found.rank(), 60);
    assert!(distance(&naive_product(&found.factor, &found.factor.t()), &a) <= 1e-13);
}

#[test]
fn a_singular_matrix_ends_at_its_rank() {
    let b = random(50, 7, 3);
    let found = partial(&naive_product(&b, &b.t()), 50, 0.0);
    assert_eq!((found.rank(), found.factor.dim()), (7, (50, 7)));
    assert!(found.residual_diag.iter().all(|d| (0.0..1e-12).contains(d)));
    assert_eq!(partial(&Array2::zeros((5, 5)), 5, 0.0).rank(), 0);
}

#[test]
fn ties_go_to_the_lowest_index_and_the_tolerance_is_on_the_trace() {
    let found = partial(&Array2::from_diag(&array![1.0, 2.0, 2.0, 1.0]), 4, 2.0);
    assert_eq!((found.pivots, found.trace_residual), (vec![1, 2], vec![4.0, 2.0]));
    assert_eq!(partial(&Array2::eye(3), 0, 0.0).rank(), 0);
    assert_eq!(partial(&Array2::zeros((0, 0)), 3, 0.0).rank(), 0);
}

#[test]
fn not_a_number_ends_the_factorisation() {
    let mut a = Array2::<f64>::eye(3);
    a[[1, 1]] = f64::NAN;
    assert_eq!(partial(&a, 3, 0.0).rank(), 0);
}

#[test]
fn the_same_bits_on_any_pool() {
    let x = random(3000, 2, 4);
    let (norms, row) = ((&x * &x).sum_axis(ndarray::Axis(1)), |p: usize| x.row(p).to_owned());
    let cube = |v: f64| (1.0 + v).powi(3);
    assert_same_bits(|| {
        let column =
            |p| naive_product(&x, &row(p).insert_axis(ndarray::Axis(1))).column(0).mapv(cube);
        let found = pivoted_cholesky(&norms.mapv(cube), column, 9, 0.0);
        assert_eq!(found.rank(), 9);
        found.factor.into_raw_vec_and_offset().0
    });
}
