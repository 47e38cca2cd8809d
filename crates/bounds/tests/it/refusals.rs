//! Arguments that cannot be: typed errors that name them, never a panic.

use crate::support::{log_det, quad, se};
use bounds::exact::Exact;
use bounds::{BoundError, Problem, evaluate_catalogue, solve_auxiliary};
use linalg_cg::CgOptions;
use ndarray::{Array1, Array2, array};

#[test]
fn noise_must_be_positive_and_finite() {
    let (x, kernel) = (array![[0.0], [1.0]], se(1.0, 1.0));
    for noise in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Problem::new(kernel.as_ref(), &x, noise).unwrap_err();
        assert!(matches!(error, BoundError::InvalidNoiseVariance { .. }), "{error}");
    }
    assert!(Problem::new(kernel.as_ref(), &x, 1e-7).is_ok());
}

#[test]
fn the_first_number_that_is_not_finite_is_named() {
    let kernel = se(1.0, 1.0);
    let bad = array![[0.0, 1.0], [2.0, f64::NAN]];
    let error = Problem::new(kernel.as_ref(), &bad, 0.1).unwrap_err();
    assert!(matches!(error, BoundError::NotFinite { argument: "x", row: 1, column: 1, .. }));
    assert!(error.to_string().contains("row 1, column 1"), "{error}");

    let x = array![[0.0, 1.0], [2.0, 3.0]];
    let problem = Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
    let (y, v) = (array![0.0, f64::INFINITY], Array1::zeros(2));
    let error = quad("auxiliary").value(&problem, &y, &v).unwrap_err();
    assert!(matches!(error, BoundError::NotFinite { argument: "y", row: 1, .. }));
    let error = Exact::new(&problem).unwrap().lml(&array![[f64::NAN], [0.0]]).unwrap_err();
    assert!(matches!(error, BoundError::NotFinite { argument: "y", row: 0, .. }));
}

#[test]
fn lengths_must_agree() {
    let (x, kernel) = (array![[0.0], [1.0]], se(1.0, 1.0));
    let problem = Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
    let mismatch =
        |argument, expected, found| BoundError::ShapeMismatch { argument, expected, found };
    let (two, three) = (Array1::zeros(2), Array1::zeros(3));
    assert_eq!(quad("auxiliary").value(&problem, &three, &two).unwrap_err(), mismatch("y", 2, 3));
    assert_eq!(quad("auxiliary").value(&problem, &two, &three).unwrap_err(), mismatch("v", 2, 3));
    let (y, v) = (Array2::zeros((2, 2)), Array2::zeros((2, 1)));
    assert_eq!(evaluate_catalogue(&problem, &y, &v).unwrap_err(), mismatch("columns of v", 2, 1));
    let error = solve_auxiliary(&problem, &Array2::zeros((3, 1)), 1.0, None, &CgOptions::default())
        .unwrap_err();
    assert_eq!(error, mismatch("y", 2, 3));
    let z = array![[0.0, 1.0]];
    let problem = Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
    assert_eq!(
        problem.with_inducing_points(&z, 0.0).unwrap_err(),
        mismatch("inducing_points", 1, 2)
    );
}

#[test]
fn options_out_of_range() {
    let (x, kernel) = (array![[0.0], [1.0]], se(1.0, 1.0));
    let problem = || Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
    for jitter in [-1e-9, f64::NAN] {
        let error = problem().with_inducing_points(&x, jitter).unwrap_err();
        assert!(matches!(error, BoundError::InvalidJitter { .. }));
    }
    for nats in [0.0, -1.0, f64::NAN] {
        let y = Array2::zeros((2, 1));
        let error = solve_auxiliary(&problem(), &y, nats, None, &CgOptions::default()).unwrap_err();
        assert!(matches!(error, BoundError::InvalidTolerance { .. }));
    }
    assert_eq!(
        Problem::new(kernel.as_ref(), &Array2::zeros((0, 1)), 0.1).unwrap_err(),
        BoundError::NoData
    );
}

#[test]
fn what_a_problem_lacks_is_said() {
    let (x, kernel) = (array![[0.0], [1.0]], se(1.0, 1.0));
    let problem = Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
    assert_eq!(log_det("trace").value(&problem).unwrap_err(), BoundError::NeedsInducingPoints);
    assert_eq!(
        log_det("vecchia").differentiable().unwrap().gradient(&problem).unwrap_err(),
        BoundError::NeedsNeighbours
    );
}

#[test]
fn orders_and_parents_are_checked() {
    let (x, kernel) = (array![[0.0], [1.0], [2.0]], se(1.0, 1.0));
    let structure = |order: Vec<usize>, parents: Vec<Vec<usize>>| {
        let problem = Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
        problem.with_vecchia_structure(order, parents).map(|_| ())
    };
    let none = || vec![vec![]; 3];
    assert!(structure(vec![2, 0, 1], vec![vec![2], vec![2, 0], vec![]]).is_ok());
    assert_eq!(
        structure(vec![0, 1, 1], none()).unwrap_err(),
        BoundError::InvalidOrder { row: 1, times: 2, n: 3 }
    );
    assert_eq!(
        structure(vec![0, 1, 7], none()).unwrap_err(),
        BoundError::InvalidOrder { row: 7, times: 1, n: 3 }
    );
    assert!(matches!(
        structure(vec![0, 1], vec![vec![]; 2]).unwrap_err(),
        BoundError::ShapeMismatch { .. }
    ));
    for bad in [1, 2, 9] {
        let error = structure(vec![0, 1, 2], vec![vec![], vec![bad], vec![]]).unwrap_err();
        assert_eq!(error, BoundError::InvalidParent { row: 1, parent: bad });
    }
    let twice = structure(vec![0, 1, 2], vec![vec![], vec![], vec![0, 0]]).unwrap_err();
    assert_eq!(twice, BoundError::InvalidParent { row: 2, parent: 0 });
}
