//! The dense reference against brute force.

use crate::support::{close, close_all, column, points, se, wave};
use bounds::exact::{Exact, bytes_needed};
use bounds::{BoundError, Problem};
use linalg_cg::LinearOperator;
use ndarray::{Array1, Array2, Axis, array};

#[test]
fn one_point_by_hand() {
    let (x, kernel) = (array![[0.0]], se(1.0, 1.0));
    let problem = Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
    let exact = Exact::new(&problem).unwrap();
    close("lml", exact.lml(&array![[2.0]]).unwrap(), -2.784_775_441_3, 1e-10);
    close("alpha", exact.alpha(&array![[2.0]]).unwrap()[[0, 0]], 2.0 / 1.1, 1e-15);
}

#[test]
fn leave_one_out_is_a_fit_without_the_row() {
    let (n, kernel) = (12, se(0.8, 1.0));
    let x = points(n, 2, 0);
    let y = column(&Array1::from_shape_fn(n, |i| wave(i, 3)));
    let problem = Problem::new(kernel.as_ref(), &x, 0.2).unwrap();
    let loo = Exact::new(&problem).unwrap().leave_one_out(&y).unwrap();
    for i in 0..n {
        let others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        let (x_rest, y_rest) = (x.select(Axis(0), &others), y.select(Axis(0), &others));
        let rest = Problem::new(kernel.as_ref(), &x_rest, 0.2).unwrap();
        let fit = Exact::new(&rest).unwrap();
        let cross = kernel.block(&x_rest, &x.select(Axis(0), &[i]));
        let mean: f64 = cross.iter().zip(&fit.alpha(&y_rest).unwrap()).map(|(k, a)| k * a).sum();
        let explained = fit.quad(&cross).unwrap()[0];
        close("mean", loo.mean[[i, 0]], mean, 1e-12);
        close("variance", loo.var_y[i], 1.0 - explained + 0.2, 1e-12);
    }
}

#[test]
fn alpha_solves_the_system_across_tile_edges() {
    let (n, kernel) = (321, se(0.5, 1.0));
    let x = points(n, 2, 0);
    let y = column(&Array1::from_shape_fn(n, |i| wave(i, 3)));
    let problem = Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
    let alpha = Exact::new(&problem).unwrap().alpha(&y).unwrap();
    close_all("K alpha", &problem.operator().apply(&alpha), &y, 1e-11);
}

#[test]
fn memory_is_said_before_it_is_taken() {
    assert_eq!(bytes_needed(1000, false), 8_000_000);
    assert_eq!(bytes_needed(1000, true), 24_000_000);
    assert_eq!(bytes_needed(0, true), 0);
    assert!(bytes_needed(1_000_000, false) >= 8_000_000_000_000);
}

#[test]
fn duplicates_without_noise_are_refused_by_name() {
    let (x, kernel) = (array![[0.0], [0.0]], se(1.0, 1.0));
    let problem = Problem::new(kernel.as_ref(), &x, 1e-300).unwrap();
    let error = Exact::new(&problem).unwrap_err();
    assert!(matches!(error, BoundError::NotPositiveDefinite { n: 2, .. }), "{error}");
}

#[test]
fn the_sum_over_columns_counts_the_log_determinant_for_each() {
    let kernel = se(0.8, 1.0);
    let x = points(10, 1, 0);
    let problem = Problem::new(kernel.as_ref(), &x, 0.2).unwrap();
    let exact = Exact::new(&problem).unwrap();
    let y = Array2::from_shape_fn((10, 3), |(i, j)| wave(i, j));
    let apart: f64 = y.columns().into_iter().map(|y| exact.lml(&column(&y)).unwrap()).sum();
    close("lml", exact.lml(&y).unwrap(), apart, 1e-13);
}
