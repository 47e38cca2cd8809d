//! The bracket, its rows and the solve behind it.

use crate::support::{Owned, close, column, evidence, points, se, wave};
use bounds::exact::Exact;
use bounds::{
    BoundError, Evaluation, Problem, Quantity, Side, evaluate_catalogue, free_log_det_catalogue,
    lml_bracket, log_det_catalogue, quad_catalogue, solve_auxiliary,
};
use linalg_cg::CgOptions;
use ndarray::{Array1, Array2};

fn owned() -> Owned {
    let x = points(50, 2, 0);
    let [y, v] = [3, 6].map(|j| Array1::from_shape_fn(50, |i| wave(i, j)));
    let z = points(9, 2, 70);
    Owned {
        kernel: se(0.9, 1.1),
        x,
        z,
        y,
        v,
        noise_variance: 0.1,
        jitter: 1e-6,
        neighbours: 6,
        structure: None,
        block: 6,
        blocks: None,
    }
}

#[test]
fn a_row_for_every_bound_with_its_slack() {
    let owned = owned();
    let (problem, y) = (owned.problem(), column(&owned.y));
    let rows = evaluate_catalogue(&problem, &y, &column(&owned.v)).unwrap();
    assert_eq!(rows.len(), log_det_catalogue().len() + quad_catalogue().len());
    for row in &rows {
        assert!(row.skipped.is_none() && row.seconds >= 0.0);
        let opposite =
            rows.iter().filter(|other| other.quantity == row.quantity && other.side != row.side);
        let best = opposite
            .map(|other| (other.value.unwrap() - row.value.unwrap()).abs())
            .reduce(f64::min);
        close(row.name, row.slack.unwrap(), best.unwrap(), 1e-13);
    }
}

#[test]
fn the_bracket_is_the_best_of_each_side() {
    let owned = owned();
    let (problem, y, v) = (owned.problem(), column(&owned.y), column(&owned.v));
    let (bracket, rows) =
        (lml_bracket(&problem, &y, &v).unwrap(), evaluate_catalogue(&problem, &y, &v).unwrap());
    let free: Vec<_> = free_log_det_catalogue().iter().map(|bound| bound.name()).collect();
    let rows: Vec<_> = rows
        .into_iter()
        .filter(|row| row.quantity == Quantity::Quad || free.contains(&row.name))
        .collect();
    let best = |quantity: Quantity, side: Side| {
        let values = rows.iter().filter(|row| row.quantity == quantity && row.side == side);
        values
            .map(|row| row.value.unwrap())
            .reduce(|a, b| if side.is_tighter(b, a) { b } else { a })
            .unwrap()
    };
    let lower =
        evidence(50, best(Quantity::Quad, Side::Upper), best(Quantity::LogDet, Side::Upper));
    let upper =
        evidence(50, best(Quantity::Quad, Side::Lower), best(Quantity::LogDet, Side::Lower));
    assert!(bracket.rounding > 0.0 && bracket.rounding < 1e-4);
    assert!(bracket.lower <= lower && lower <= bracket.lower + bracket.rounding);
    assert!(bracket.upper >= upper && upper >= bracket.upper - bracket.rounding);
    close("width", bracket.upper - bracket.lower, bracket.slack.quad + bracket.slack.logdet, 1e-12);
    assert_eq!(bracket.lower_bounds.unwrap().quad, "auxiliary");
    assert_eq!(bracket.upper_bounds.unwrap().logdet, "nystrom-log-det");
}

#[test]
fn bounds_that_cannot_be_had_are_skipped_with_a_reason() {
    let owned = owned();
    let problem = Problem::new(owned.kernel.as_ref(), &owned.x, owned.noise_variance).unwrap();
    let (y, v) = (column(&owned.y), column(&owned.v));
    let evaluation =
        Evaluation::new(&problem, &y, &v, &log_det_catalogue(), &quad_catalogue()).unwrap();
    for row in evaluation.rows() {
        let expected = match row.name {
            name if name.ends_with("vecchia") && name != "residual-vecchia" => {
                Some(BoundError::NeedsNeighbours)
            }
            "auxiliary" | "cauchy-schwarz" => None,
            _ => Some(BoundError::NeedsInducingPoints),
        };
        assert_eq!(row.skipped, expected, "{}", row.name);
        assert_eq!(row.value.is_some(), expected.is_none());
    }
    let bracket = evaluation.bracket();
    assert_eq!((bracket.lower, bracket.upper), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!((bracket.lower_bounds, bracket.upper_bounds), (None, None));
    assert_eq!(evaluation.jitter(), None);
}

#[test]
fn neighbours_alone_bound_the_evidence_from_below() {
    let owned = owned();
    let problem = Problem::new(owned.kernel.as_ref(), &owned.x, owned.noise_variance)
        .unwrap()
        .with_neighbours(8);
    let y = column(&owned.y);
    let exact = Exact::new(&problem).unwrap();
    let bracket = lml_bracket(&problem, &y, &exact.alpha(&y).unwrap()).unwrap();
    assert!(bracket.lower <= exact.lml(&y).unwrap());
    assert_eq!(bracket.lower_bounds.unwrap().logdet, "vecchia");
    assert_eq!(bracket.upper, f64::INFINITY);
}

#[test]
fn the_solver_leaves_at_most_the_slack_asked_for() {
    let owned = owned();
    let problem = owned.problem();
    let y = ndarray::stack![ndarray::Axis(1), owned.y, owned.v];
    for nats in [1.0, 1e-3, 1e-8] {
        let solution = solve_auxiliary(&problem, &y, nats, None, &CgOptions::default()).unwrap();
        let residual = &y - &linalg_cg::LinearOperator::apply(&problem.operator(), &solution.v);
        for column in residual.columns() {
            let slack = 0.5 * problem.nystrom().unwrap().quad_vec(&column);
            assert!(slack <= nats * (1.0 + 1e-6), "{slack} left at {nats}");
        }
    }
}

#[test]
fn a_solved_start_takes_no_steps() {
    let owned = owned();
    let (problem, y) = (owned.problem(), column(&owned.y));
    let alpha = Exact::new(&problem).unwrap().alpha(&y).unwrap();
    let solution =
        solve_auxiliary(&problem, &y, 1e-6, Some(&alpha), &CgOptions::default()).unwrap();
    assert_eq!(solution.reports[0].steps, 0);
}

#[test]
fn the_solver_works_without_inducing_points() {
    let owned = owned();
    let problem = Problem::new(owned.kernel.as_ref(), &owned.x, owned.noise_variance).unwrap();
    let y = column(&owned.y);
    let solution = solve_auxiliary(&problem, &y, 1e-10, None, &CgOptions::default()).unwrap();
    let alpha = Exact::new(&problem).unwrap().alpha(&y).unwrap();
    crate::support::close_all("v", &solution.v, &alpha, 1e-5);
}

#[test]
fn zero_columns_give_an_empty_sum() {
    let owned = owned();
    let bracket =
        lml_bracket(&owned.problem(), &Array2::zeros((50, 0)), &Array2::zeros((50, 0))).unwrap();
    assert!(bracket.lower <= 0.0 && bracket.upper >= 0.0 && bracket.width() < 1e-6);
}
