//! Conjugate gradients: golden iterates, cases, ends of every kind.

use std::ops::ControlFlow;

use linalg_cg::LowRankPlusDiagonal;
use linalg_cg::{
    CgOptions, CgProgress, Cholesky, DenseOperator, Diagonal, LinalgError, LinearOperator,
    Preconditioner, Restart, ScaledIdentity, Stop, StopReason, cg, cg_block, cg_block_watched,
    pivoted_cholesky,
};
use ndarray::{Array1, Array2, ArrayRef2, Axis, array};
use serde_json::{Value, json};

use crate::kernel;
use crate::support::{
    assert_same_bits, distance, distance_vec, naive_product, random, random_vec, spd,
};

const TIGHT: Stop<'static> = Stop::RelativeResidual(1e-10);

fn dense(a: &Array2<f64>) -> DenseOperator {
    DenseOperator::new(a.clone()).unwrap()
}

/// A kernel matrix with small noise: far from well conditioned.
fn hard(n: usize, noise: f64) -> (Array2<f64>, Array2<f64>) {
    let spec = json!({"type": "matern32", "lengthscales": [1.0], "variance": 1.0});
    let k_ff = kernel::matrix(&spec, &random(n, 3, 20));
    (&k_ff + &(noise * Array2::<f64>::eye(n)), k_ff)
}

fn nystrom(k_ff: &Array2<f64>, rank: usize, noise: f64) -> LowRankPlusDiagonal {
    let partial = pivoted_cholesky(&k_ff.diag(), |p| k_ff.column(p).to_owned(), rank, 0.0);
    LowRankPlusDiagonal::isotropic(partial.factor.reversed_axes(), noise).unwrap()
}

#[test]
fn golden_iterates() {
    let golden: Value = serde_json::from_str(include_str!("../golden/iterative.json")).unwrap();
    for case in golden["plain_cg"].as_array().unwrap() {
        let mut k = kernel::matrix(&case["kernel"], &kernel::table(&case["x"]));
        k.diag_mut().mapv_inplace(|value| value + case["noise_variance"].as_f64().unwrap());
        let e = Array1::from(kernel::numbers(&case["y"])) - case["mean"].as_f64().unwrap();
        // By the energy norm every iterate is the best so far, so the last one is returned.
        let exact = Cholesky::factor(k.clone()).unwrap();
        let stop = Stop::QuadraticSlack { nats: 0.0, inverse: &exact };
        for run in case["runs"].as_array().unwrap() {
            let options = CgOptions::default().max_iters(run["steps"].as_u64().unwrap() as usize);
            let plain = ScaledIdentity::identity(e.len());
            let found = cg(&dense(&k), &e, &plain, &stop, None, &options).unwrap();
            let expected = Array1::from(kernel::numbers(&run["v"]));
            let scale = expected.fold(0.0, |max: f64, value| max.max(value.abs()));
            assert!(distance_vec(&found.v, &expected) <= 1e-8 * scale, "{}", case["case"]);
            let residual = run["residual_norm_sq"].as_f64().unwrap();
            assert!((found.report.residual_norm.powi(2) - residual).abs() <= 1e-8 * residual);
        }
    }
}

/// Directions are multiplied by a fraction of the matrix, so that steps are far too long.
struct Hasty(DenseOperator);

impl LinearOperator for Hasty {
    fn n(&self) -> usize {
        self.0.n()
    }

    fn apply(&self, v: &ArrayRef2<f64>) -> Array2<f64> {
        self.0.apply(v)
    }

    fn apply_search(&self, v: &ArrayRef2<f64>) -> Array2<f64> {
        0.01 * self.0.apply(v)
    }
}

#[test]
fn what_recursion_promised_in_vain_is_not_returned() {
    let (a, _) = hard(40, 1e-2);
    let exact = Cholesky::factor(a.clone()).unwrap();
    let (b, plain) = (random(40, 2, 3), ScaledIdentity::identity(40));
    let stop = Stop::QuadraticSlack { nats: 1e-9, inverse: &exact };
    let slack = |start: Option<&ArrayRef2<f64>>, steps: usize| {
        let options = CgOptions::default().max_iters(steps);
        let found = cg_block(&Hasty(dense(&a)), &b, &plain, &stop, start, &options).unwrap();
        let slacks = found.reports.iter().map(|report| report.quadratic_slack.unwrap());
        slacks.fold(0.0, f64::max)
    };
    let options = CgOptions::default().max_iters(10);
    let good = cg_block(&dense(&a), &b, &plain, &stop, None, &options).unwrap().v;
    let before = slack(Some(&*good), 0);
    for steps in [1, 2, 5, 20] {
        let after = slack(Some(&*good), steps);
        assert!(after <= before, "{steps}: {after} from {before}");
    }
}

/// Case 10: as many steps as unknowns are enough, and nothing is said against it.
#[test]
fn two_by_two_in_two_steps() {
    for seed in 0..50 {
        let (a, b) = (spd(2, 0.5, seed), random_vec(2, seed + 100));
        let options = CgOptions::default().max_iters(2);
        let plain = ScaledIdentity::identity(2);
        let stop = Stop::RelativeResidual(1e-12);
        let found = cg(&dense(&a), &b, &plain, &stop, None, &options).unwrap();
        assert!(found.report.converged() && found.report.steps <= 2, "{:?}", found.report);
        assert!(found.report.residual_norm <= 1e-12 * b.dot(&b).sqrt());
    }
}

/// Case 9: no step at all gives the start itself, with its own residual and slack.
#[test]
fn no_steps_return_the_start() {
    let (a, b) = (spd(20, 0.1, 1), random_vec(20, 2));
    let noise = ScaledIdentity::new(20, 0.1).unwrap();
    let stop = Stop::QuadraticSlack { nats: 1e-3, inverse: &noise };
    let options = CgOptions::default().max_iters(0);
    let found = cg(&dense(&a), &b, &noise, &stop, None, &options).unwrap();
    assert_eq!((&found.v, &found.residual), (&Array1::zeros(20), &b));
    assert_eq!((found.report.stop_reason, found.report.steps), (StopReason::MaxIterations, 0));
    assert_eq!(found.n_products, 0);
    let slack = found.report.quadratic_slack.unwrap();
    assert!((slack - 0.5 * b.dot(&b) / 0.1).abs() <= 1e-12 * slack);
    let start = random_vec(20, 3);
    let found = cg(&dense(&a), &b, &noise, &stop, Some(&start), &options).unwrap();
    let product = dense(&a).apply_vec(&start);
    assert_eq!((&found.v, &found.residual), (&start, &(&b - &product)));
    assert_eq!(found.report.quadratic_slack, Some(0.5 * noise.quad_vec(&found.residual)));
}

#[test]
fn what_is_reported_is_the_true_residual() {
    let (k, k_ff) = hard(300, 1e-4);
    let b = random(300, 3, 4);
    for max_iters in [3, 39, 40, 41, 200, 2000] {
        let q = nystrom(&k_ff, 40, 1e-4);
        let options = CgOptions::default().max_iters(max_iters);
        let stop = Stop::QuadraticSlack { nats: 1e-6, inverse: &q };
        let found = cg_block(&dense(&k), &b, &q, &stop, None, &options).unwrap();
        let residual = &b - &naive_product(&k, &found.v);
        assert!(distance(&found.residual, &residual) <= 1e-9 * max_abs(&found.v));
        let slack = 0.5 * q.quad(&found.residual);
        for (column, report) in found.reports.iter().enumerate() {
            let norm = found.residual.column(column).dot(&found.residual.column(column)).sqrt();
            assert!((report.residual_norm - norm).abs() <= 1e-12 * norm);
            let reported = report.quadratic_slack.unwrap();
            assert!((reported - slack[column]).abs() <= 1e-9 * slack[column]);
            assert_eq!(report.converged(), reported <= 1e-6);
        }
    }
}

fn max_abs(a: &Array2<f64>) -> f64 {
    a.fold(1.0, |max: f64, value| max.max(value.abs()))
}

#[test]
fn converged_columns_leave_the_products() {
    let a = spd(50, 0.1, 5);
    let (eigenvalue, vectors) = linalg_cg::symmetric_eigen(&a).unwrap();
    // An eigenvector converges in one step; b = 0 at once; the last column takes its time.
    let mut b = random(50, 3, 6);
    b.column_mut(0).assign(&(&vectors.column(7) * eigenvalue[7]));
    b.column_mut(1).fill(0.0);
    let plain = ScaledIdentity::identity(50);
    let found = cg_block(&dense(&a), &b, &plain, &TIGHT, None, &CgOptions::default()).unwrap();
    let steps: Vec<usize> = found.reports.iter().map(|report| report.steps).collect();
    assert_eq!(&steps[..2], [1, 0]);
    assert!(found.reports.iter().all(|report| report.converged()));
    assert!(found.v.column(1).iter().all(|value| *value == 0.0));
    assert!(distance_vec(&found.v.column(0).to_owned(), &vectors.column(7).to_owned()) <= 1e-8);
    // One product per step and column, one to confirm each of two, one per 40 steps.
    assert_eq!(found.n_products, 1 + steps[2] + 2 + steps[2] / 40);
}

#[test]
fn the_best_iterate_is_kept() {
    let (k, _) = hard(200, 1e-6);
    let b = random_vec(200, 7);
    let options = CgOptions::default().max_iters(39).keep_history(true);
    let plain = ScaledIdentity::identity(200);
    let found = cg(&dense(&k), &b, &plain, &TIGHT, None, &options).unwrap();
    let report = found.report;
    assert_eq!(report.history.len(), report.steps + 1);
    let smallest = report.history.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(smallest < report.history[39], "an example whose last iterate is not its best");
    assert_eq!(report.history[report.best_step], smallest);
    assert!((report.relative_residual - smallest).abs() <= 1e-6 * smallest);
}

#[test]
fn the_lowest_quadratic_bound_never_rises_with_more_steps() {
    let (k, k_ff) = hard(150, 1e-3);
    let (b, q) = (random(150, 2, 3), nystrom(&k_ff, 8, 1e-3));
    let stop = Stop::QuadraticSlack { nats: 1e-6, inverse: &q };
    let mut last = [f64::INFINITY; 2];
    for steps in 0..30 {
        let options = CgOptions::default().max_iters(steps);
        let found = cg_block(&dense(&k), &b, &q, &stop, None, &options).unwrap();
        let lowest = found.lowest.unwrap();
        let r = &b - &naive_product(&k, &lowest);
        let forms = ((&b + &r) * &lowest).sum_axis(Axis(0)) + q.quad(&r);
        let kept = ((&b + &found.residual) * &found.v).sum_axis(Axis(0)) + q.quad(&found.residual);
        for column in 0..2 {
            let room = 1e-7 * forms[column].abs();
            assert!(forms[column] <= last[column] + room && forms[column] <= kept[column] + room);
            last[column] = forms[column];
        }
    }
    let plain = ScaledIdentity::identity(150);
    let other = cg_block(&dense(&k), &b, &plain, &TIGHT, None, &CgOptions::default()).unwrap();
    assert!(other.lowest.is_none());
}

#[test]
fn the_kept_direction_saves_most_steps() {
    let (k, k_ff) = hard(400, 1e-4);
    let (b, q) =
        (naive_product(&k_ff, &random(400, 1, 8)).column(0).to_owned(), nystrom(&k_ff, 20, 1e-4));
    let stop = Stop::QuadraticSlack { nats: 1e-2, inverse: &q };
    let steps = |options: CgOptions| {
        let found = cg(&dense(&k), &b, &q, &stop, None, &options.max_iters(20_000)).unwrap();
        assert!(found.report.converged());
        found.report.steps
    };
    let never = steps(CgOptions::default().restart_every(0));
    let drifted = steps(CgOptions::default());
    let always = steps(CgOptions::default().restart(Restart::Always));
    assert!(drifted <= never + never / 10 && always > 2 * drifted, "{never} {drifted} {always}");
}

#[test]
fn an_unreachable_tolerance_ends_as_stagnation() {
    let (k, _) = hard(150, 1e-6);
    let b = random_vec(150, 9);
    let stop = Stop::RelativeResidual(1e-17);
    let options = CgOptions::default().max_iters(100_000);
    let plain = ScaledIdentity::identity(150);
    let found = cg(&dense(&k), &b, &plain, &stop, None, &options).unwrap();
    assert_eq!(found.report.stop_reason, StopReason::Stagnated);
    assert!(found.report.relative_residual <= 1e-6, "{:?}", found.report);
    assert!(found.report.steps < 20_000);
}

#[test]
fn breakdowns_are_told_apart() {
    let b = array![1.0, 1.0];
    let (plain, options) = (ScaledIdentity::identity(2), CgOptions::default());
    let end = |a: Array2<f64>, p: &dyn Preconditioner| {
        let found = cg(&dense(&a), &b, p, &TIGHT, None, &options).unwrap();
        assert!(found.v.iter().all(|value| value.is_finite()));
        found.report.stop_reason
    };
    let indefinite = array![[1.0, 0.0], [0.0, -2.0]];
    assert_eq!(end(indefinite, &plain), StopReason::NonPositiveCurvature);
    let broken = array![[1.0, f64::NAN], [f64::NAN, 1.0]];
    assert_eq!(end(broken, &plain), StopReason::NonFinite);
    assert_eq!(end(Array2::eye(2), &Negative), StopReason::IndefinitePreconditioner);
}

struct Negative;

impl Preconditioner for Negative {
    fn n(&self) -> usize {
        2
    }
    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        -r.to_owned()
    }
}

#[test]
fn who_watches_can_interrupt() {
    let (a, b) = (spd(60, 0.01, 10), random_vec(60, 11));
    let watch = |progress: &CgProgress| {
        assert!(progress.n_active == 1 && progress.worst_measure > 0.0);
        if progress.steps == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let plain = ScaledIdentity::identity(60);
    let (b, options) = (b.insert_axis(Axis(1)), CgOptions::default());
    let found = cg_block_watched(&dense(&a), &b, &plain, &TIGHT, None, &options, &watch).unwrap();
    let report = &found.reports[0];
    assert_eq!((report.steps, report.stop_reason), (3, StopReason::Interrupted));
    let product = dense(&a).apply(&found.v);
    assert!((&found.residual - &(&b - &product)).iter().all(|error| error.abs() <= 1e-12));
}

#[test]
fn an_exact_preconditioner_takes_one_step() {
    let (a, b) = (spd(80, 0.01, 12), random(80, 2, 13));
    let exact = Cholesky::factor(a.clone()).unwrap();
    let found = cg_block(&dense(&a), &b, &exact, &TIGHT, None, &CgOptions::default()).unwrap();
    assert!(found.reports.iter().all(|report| report.converged() && report.steps == 1));
}

#[test]
fn arguments_are_checked_by_name() {
    let (a, options) = (dense(&Array2::eye(3)), CgOptions::default());
    let (b, plain) = (Array1::ones(3), ScaledIdentity::identity(3));
    let run = |b: &Array1<f64>, p: &ScaledIdentity, stop: Stop<'_>, start: Option<Array1<f64>>| {
        cg(&a, b, p, &stop, start.as_deref(), &options).unwrap_err().to_string()
    };
    let fits = "to fit the other arguments";
    let wrong = ScaledIdentity::identity(2);
    assert_eq!(
        run(&Array1::ones(2), &plain, TIGHT, None),
        format!("`rhs` has 2 rows, expected 3 {fits}")
    );
    assert_eq!(
        run(&b, &wrong, TIGHT, None),
        format!("`preconditioner` has 2 rows, expected 3 {fits}")
    );
    let start = Some(Array1::ones(4));
    assert_eq!(run(&b, &plain, TIGHT, start), format!("`start` has 4 rows, expected 3 {fits}"));
    let slack = Stop::QuadraticSlack { nats: 1.0, inverse: &wrong };
    assert_eq!(run(&b, &plain, slack, None), format!("`inverse` has 2 rows, expected 3 {fits}"));
    let negative = Stop::RelativeResidual(-1.0);
    let message = "option `tolerance` is -1, expected a finite number of at least 0";
    assert_eq!(run(&b, &plain, negative, None), message);
    let bad = array![0.0, f64::NAN, 0.0];
    assert!(run(&bad, &plain, TIGHT, None).starts_with("`rhs` holds NaN at row 1, column 0"));
    assert!(run(&b, &plain, TIGHT, Some(bad)).starts_with("`start` holds NaN at row 1"));
    let none = cg_block(&a, &Array2::zeros((3, 0)), &plain, &TIGHT, None, &options).unwrap();
    assert!(none.reports.is_empty());
    assert!(matches!(
        Diagonal::new(array![1.0, 0.0]),
        Err(LinalgError::NotPositive { index: 1, .. })
    ));
}

#[test]
fn the_same_bits_on_any_pool() {
    let (k, k_ff) = hard(600, 1e-3);
    let (b, q) = (random(600, 5, 14), nystrom(&k_ff, 30, 1e-3));
    assert_same_bits(|| {
        let options = CgOptions::default().keep_history(true);
        let found = cg_block(&dense(&k), &b, &q, &TIGHT, None, &options).unwrap();
        let histories = found.reports.into_iter().flat_map(|report| report.history);
        found.v.iter().copied().chain(histories).collect()
    });
}
