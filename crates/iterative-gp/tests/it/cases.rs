//! Cases of other packages.

use crate::support::{close, column, estimate, exact, leaf, of_rank, points, targets};
use exact_gp::ExactGp;
use gp_core::{Hyperparameters, Posterior};
use iterative_gp::{EstimatorOptions, IterativeGp, PredictionOptions, Variance};
use ndarray::{Array2, Axis, concatenate, s};

fn both_ways() -> [PredictionOptions; 2] {
    let love = Variance::Love { rank: 50, neighbours: 10 };
    [love, Variance::Exact].map(|variance| PredictionOptions { variance, ..Default::default() })
}

fn condition(
    hyper: &Hyperparameters,
    x: &Array2<f64>,
    y: &Array2<f64>,
    options: &PredictionOptions,
) -> IterativeGp {
    IterativeGp::condition(hyper, x, y, options).unwrap()
}

/// Case 1: repeated rows, against the merged problem.
#[test]
fn repeated_rows_are_no_trouble() {
    let (x, y) = (column([0.0, 0.0, 1.0]), column([1.0, 3.0, 2.0]));
    let hyper = leaf("se", &[1.0], 0.1);
    let found = estimate(&hyper, (&x, &y), &of_rank(3), 1);
    close("lml", found.value, -14.213_083_604_2, 1e-7);
    for options in both_ways() {
        let gp = condition(&hyper, &x, &y, &options);
        let prediction = gp.predict(&column([0.0, 0.5, 10.0])).unwrap();
        let means = [1.937_307_019_3, 2.100_937_332_3, 0.0];
        let variances = [0.046_506_253_1, 0.072_964_655_9, 1.0];
        for i in 0..3 {
            close("mean", prediction.mean[[i, 0]], means[i], 1e-8);
            close("variance", prediction.var_latent[i], variances[i], 1e-8);
        }
    }
}

/// Case 8: small noise, solves cut short: said, bounded, bracketed.
#[test]
fn a_solve_at_its_cap_is_reported_with_what_it_cost() {
    let x = points(1200, 5, 0);
    let y = targets(&x);
    let hyper = leaf("se", &[1.5, 1.5, 1.5, 1.5, 1.5], 1e-4);
    let truth = exact(&hyper, &x, &y).lml().unwrap().value;
    let options = PredictionOptions { max_steps: 20, ..PredictionOptions::default() };
    let gp = condition(&hyper, &x, &y, &options);
    let solver = gp.solver();
    assert!(!solver.converged() && solver.steps_max == 20);
    assert!(solver.worst_residual > 1e-6 && solver.quad_slack > 1e-6, "{solver:?}");
    let bracket = gp.bracket(50, 20).unwrap();
    assert!(bracket.lower <= truth && truth <= bracket.upper);
    let cut = EstimatorOptions { max_steps: 20, ..EstimatorOptions::default() };
    let found = estimate(&hyper, (&x, &y), &cut, 1);
    assert!(found.solver.capped > 0 && found.solver.log_det_slack.unwrap() > 0.0);
    let slack = found.solver.quad_slack + found.solver.log_det_slack.unwrap();
    assert!(found.value <= truth + 4.0 * found.standard_error);
    assert!(truth <= found.value + slack + 4.0 * found.standard_error);
}

/// Case 10: two steps are enough for two rows.
#[test]
fn two_rows_converge_in_two_steps() {
    let (x, y) = (column([0.0, 0.7]), column([1.0, -2.0]));
    let hyper = leaf("se", &[1.0], 0.3);
    let options = EstimatorOptions { max_steps: 2, ..of_rank(0) };
    let found = estimate(&hyper, (&x, &y), &options, 4);
    assert!(found.solver.converged() && found.solver.worst_residual < 1e-12, "{:?}", found.solver);
}

/// Case 17: nearly noise-free data on a line.
#[test]
fn variances_are_between_zero_and_the_prior() {
    let x = column((0..300).map(|i| i as f64 / 299.0));
    let y = x.mapv(|t| (6.0 * t).sin());
    let hyper = leaf("se", &[0.3], 1e-6);
    let at = concatenate![Axis(0), x, column((0..50).map(|i| -1.0 + 0.06 * i as f64))];
    let truth = exact(&hyper, &x, &y).predict(&at).unwrap();
    let no_rows = Variance::Love { rank: 200, neighbours: 0 };
    let others = [PredictionOptions { variance: no_rows, ..PredictionOptions::default() }];
    for options in both_ways().into_iter().chain(others) {
        let gp = condition(&hyper, &x, &y, &options);
        let prediction = gp.predict(&at).unwrap();
        for (i, &variance) in prediction.var_latent.iter().enumerate() {
            assert!((0.0..=1.0).contains(&variance), "{variance}");
            assert!(prediction.var_y[i] >= 1e-6);
            assert!((variance - truth.var_latent[i]).abs() < 1e-6, "{variance} {i}");
        }
    }
}

/// Case 19: which points are asked together does not matter.
#[test]
fn predictions_do_not_depend_on_their_company() {
    let x = points(500, 3, 0);
    let y = targets(&x);
    let hyper = leaf("matern32", &[1.0, 0.8, 1.2], 0.01);
    let at = points(70, 3, 2000);
    for options in both_ways() {
        let gp = condition(&hyper, &x, &y, &options);
        let together = gp.predict(&at).unwrap();
        let part = gp.predict(&at.slice(s![20..41, ..])).unwrap();
        for i in 0..21 {
            let (a, b) = (together.var_latent[20 + i], part.var_latent[i]);
            assert!((a - b).abs() <= 1e-12, "{a} {b}");
            assert!((together.mean[[20 + i, 0]] - part.mean[[i, 0]]).abs() <= 1e-12);
        }
        for i in [0, 33, 69] {
            let alone = gp.predict(&at.slice(s![i..=i, ..])).unwrap();
            assert!((alone.var_latent[0] - together.var_latent[i]).abs() <= 1e-12);
        }
    }
}

/// Mean, variance and covariance by solves are those of the exact model.
#[test]
fn solves_reproduce_the_exact_model() {
    let x = points(300, 2, 0);
    let y = concatenate![Axis(1), targets(&x), targets(&x).mapv(f64::cos)];
    let hyper = leaf("matern52", &[0.8, 1.1], 0.05);
    let (at, options) = (
        points(40, 2, 800),
        PredictionOptions {
            variance: Variance::Exact,
            nats: 1e-12,
            ..PredictionOptions::default()
        },
    );
    let (gp, truth): (IterativeGp, ExactGp) =
        (condition(&hyper, &x, &y, &options), exact(&hyper, &x, &y));
    let (a, b) = (gp.predict(&at).unwrap(), truth.predict(&at).unwrap());
    assert!((a.mean - b.mean).iter().all(|e| e.abs() < 1e-6));
    assert!((a.var_latent - b.var_latent).iter().all(|e| e.abs() < 1e-9));
    let difference = gp.covariance(&at).unwrap() - truth.covariance(&at).unwrap();
    assert!(difference.iter().all(|e| e.abs() < 1e-6));
}
