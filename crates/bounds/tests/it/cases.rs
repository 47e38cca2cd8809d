//! Faults reported against other packages, with the right answer.

use crate::support::{close, column, evidence, kernel, log_det, points, quad, se, wave};
use bounds::exact::Exact;
use bounds::{Problem, lml_bracket, log_det_catalogue};
use ndarray::{Array1, Array2, array};

fn sparse_bound(problem: &Problem<'_>, y: &Array1<f64>) -> f64 {
    let form = quad("auxiliary").value(problem, y, &Array1::zeros(y.len())).unwrap();
    evidence(y.len(), form, log_det("trace").value(problem).unwrap())
}

/// Case 6: the jitter is reported, and the bounds move continuously and downwards in it.
#[test]
fn duplicated_inducing_points_change_nothing_but_the_reported_jitter() {
    let (x, y) = (array![[0.0], [1.0]], array![1.0, 0.5]);
    let (single, double) = (array![[0.3], [0.9]], array![[0.3], [0.3], [0.9]]);
    let kernel = se(0.2, 1.0);
    let bound = |z: &Array2<f64>, jitter: f64| {
        let problem = Problem::new(kernel.as_ref(), &x, 0.1)
            .unwrap()
            .with_inducing_points(z, jitter)
            .unwrap();
        (sparse_bound(&problem, &y), problem.nystrom().unwrap().jitter())
    };
    assert!((bound(&single, 0.0).0 - -9.1437715750).abs() < 1e-9);
    for (jitter, expected) in [(1e-8, -9.1437716184), (1e-6, -9.1437759083)] {
        let (value, used) = bound(&double, jitter);
        assert!((value - expected).abs() < 1e-9, "{value} instead of {expected}");
        assert_eq!(used, jitter);
    }
    let mut previous = f64::INFINITY;
    for jitter in [1e-12, 1e-10, 1e-8, 1e-6, 1e-4] {
        let (value, used) = bound(&double, jitter);
        assert_eq!(used, jitter);
        assert!((value - -9.1437715750).abs() < 10.0 * jitter + 1e-9, "{value} at jitter {jitter}");
        assert!(value <= previous + 1e-9);
        previous = value;
    }
}

/// Case 6 again: a jitter that does not suffice is raised, and the result says to what.
#[test]
fn a_jitter_that_had_to_be_raised_is_reported() {
    let x = points(12, 1, 0);
    let z = Array2::from_elem((3, 1), 0.4);
    let kernel = se(1.0, 1.0);
    let problem =
        Problem::new(kernel.as_ref(), &x, 0.1).unwrap().with_inducing_points(&z, 0.0).unwrap();
    let jitter = problem.nystrom().unwrap().jitter();
    assert!(jitter > 0.0 && jitter < 1e-10, "{jitter}");
    let exact = Exact::new(&problem).unwrap().log_det();
    assert!(log_det("nystrom-log-det").value(&problem).unwrap() <= exact);
    assert!(log_det("hadamard").value(&problem).unwrap() >= exact);
}

/// Case 22: every output column counts, the log-determinant once per column.
#[test]
fn several_output_columns() {
    let (x, z) = (array![[0.0], [1.0]], array![[0.3], [0.9]]);
    let columns = [
        (array![1.0, 0.5], -9.1437715750),
        (array![0.0, 1.0], -7.1295108004),
        (array![2.0, -1.0], -16.8393577776),
        (array![-1.0, 3.0], -14.0747222474),
    ];
    let kernel = se(0.2, 1.0);
    let problem =
        Problem::new(kernel.as_ref(), &x, 0.1).unwrap().with_inducing_points(&z, 0.0).unwrap();
    let mut sum = 0.0;
    for (y, expected) in &columns {
        let value = sparse_bound(&problem, y);
        assert!((value - expected).abs() < 1e-9, "{value} instead of {expected}");
        sum += value;
    }
    assert!((sum - -47.1873624005).abs() < 1e-8);

    let y = ndarray::stack(ndarray::Axis(1), &columns.each_ref().map(|(y, _)| y.view())).unwrap();
    let v = Array2::zeros(y.dim());
    let (joint, exact) = (lml_bracket(&problem, &y, &v).unwrap(), Exact::new(&problem).unwrap());
    let apart: Vec<_> = columns.iter().map(|(y, _)| column(y)).collect();
    let each = |y: &Array2<f64>| lml_bracket(&problem, y, &Array2::zeros(y.dim())).unwrap();
    close("lower", joint.lower, apart.iter().map(|y| each(y).lower).sum(), 1e-7);
    close(
        "exact",
        exact.lml(&y).unwrap(),
        apart.iter().map(|y| exact.lml(y).unwrap()).sum(),
        1e-13,
    );
    // The winner among lower quadratic bounds may differ between columns, so only an inequality here.
    assert!(joint.upper >= exact.lml(&y).unwrap());
}

/// Case 8: small noise and about a thousand rows: both ends stay on their sides at every step count.
#[test]
fn small_noise_keeps_the_bracket_right_however_early_the_solver_stops() {
    let (n, d) = (1200, 5);
    let x = points(n, d, 3);
    let y = column(&Array1::from_shape_fn(n, |i| (x.row(i).sum()).sin() + 0.01 * wave(i, 8)));
    let kernel = kernel(
        &serde_json::json!({"type": "matern32", "lengthscales": vec![2.0; d], "variance": 1.0}),
    );
    let z = x.slice(ndarray::s![..40, ..]).to_owned();
    let problem =
        Problem::new(kernel.as_ref(), &x, 1e-5).unwrap().with_inducing_points(&z, 1e-8).unwrap();
    let problem = problem.with_neighbours(10);
    let exact = Exact::new(&problem).unwrap().lml(&y).unwrap();
    for steps in [0, 1, 3, 10, 30] {
        let options = linalg_cg::CgOptions::default().max_iters(steps);
        let solution = bounds::solve_auxiliary(&problem, &y, 1e-3, None, &options).unwrap();
        let bracket = lml_bracket(&problem, &y, &solution.v).unwrap();
        assert!(bracket.lower <= exact && exact <= bracket.upper, "{exact} outside {bracket:?}");
        let report = &solution.reports[0];
        assert!(!report.converged() && report.steps == steps, "{report:?}");
        assert!(report.residual_norm > 0.0 && report.quadratic_slack.unwrap() > 1e-3);
    }
}

/// Case 25: with Z = X and a jitter of at most 1e-10 both evidence bounds are the evidence.
#[test]
fn inducing_points_at_the_data() {
    let x = points(25, 2, 0);
    let y = Array1::from_shape_fn(25, |i| wave(i, 2));
    let kernel = se(0.8, 1.0);
    let problem =
        Problem::new(kernel.as_ref(), &x, 0.05).unwrap().with_inducing_points(&x, 1e-10).unwrap();
    let problem = problem.with_neighbours(24).with_blocks(7).unwrap();
    let lml = Exact::new(&problem).unwrap().lml(&column(&y)).unwrap();
    assert!((sparse_bound(&problem, &y) - lml).abs() < 1e-6);
    let form = quad("auxiliary").value(&problem, &y, &Array1::zeros(25)).unwrap();
    for bound in log_det_catalogue() {
        let value = evidence(25, form, bound.value(&problem).unwrap());
        assert!((value - lml).abs() < 1e-6, "{}: {value} instead of {lml}", bound.name());
    }
}

/// Case 1: repeated rows with noise are no obstacle, and equal the merged problem.
#[test]
fn repeated_rows_with_noise() {
    let (x, y) = (array![[0.0], [0.0], [1.0]], array![[1.0], [3.0], [2.0]]);
    let kernel = se(1.0, 1.0);
    let problem = Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
    let lml = Exact::new(&problem).unwrap().lml(&y).unwrap();
    assert!((lml - -14.2130836042).abs() < 1e-9);
}

/// Case 35: offsets in the inputs leave the evidence alone.
#[test]
fn large_offsets() {
    let kernel = se(0.2, 1.0);
    for offset in [0.0, 1e3, 1e6] {
        let x = Array2::from_shape_fn((20, 1), |(i, _)| offset + i as f64 / 19.0);
        let y = Array2::from_shape_fn((20, 1), |(i, _)| (6.0 * i as f64 / 19.0).sin());
        let problem = Problem::new(kernel.as_ref(), &x, 0.01).unwrap();
        let lml = Exact::new(&problem).unwrap().lml(&y).unwrap();
        assert!((lml - 9.5213277394).abs() < 1e-7, "{lml} at {offset}");
    }
}
