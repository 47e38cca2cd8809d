//! What is refused, and how it is said: cases 5, 7, 31, 32 and 40.

use crate::support::{column, condition, grid, model, se};
use exact_gp::{ExactGp, ExactGpOptions, GpError, bytes_needed};
use gp_core::{Hyperparameters, Posterior};
use kernels::Mean;
use ndarray::{Array2, ArrayRef2, array, s};

fn refusal(hyper: &Hyperparameters, x: &ArrayRef2<f64>, y: &ArrayRef2<f64>) -> String {
    let fit = ExactGp::fit(hyper, x, y, &ExactGpOptions::default(), &mut ()).unwrap_err();
    let condition = ExactGp::condition(hyper, x, y, None).unwrap_err();
    assert_eq!(fit.to_string(), condition.to_string());
    fit.to_string()
}

#[test]
fn bad_targets_are_named_by_row_column_and_count() {
    let (x, mut y) = (grid(100), Array2::zeros((100, 2)));
    for row in (4..100).step_by(5) {
        y[[row, 1]] = f64::NAN;
    }
    let message = refusal(&se(1.0, 0.1), &x, &y);
    assert!(
        message.starts_with("`y` holds NaN at row 4, column 1, counted from 0 (20 such cells"),
        "{message}"
    );
    let mut x = grid(100);
    x[[7, 0]] = f64::NEG_INFINITY;
    let message = refusal(&se(1.0, 0.1), &x, &Array2::zeros((100, 1)));
    assert!(
        message.starts_with("`x` holds -inf at row 7, column 0, counted from 0 (1 such cells"),
        "{message}"
    );
}

#[test]
fn shapes_that_disagree_are_named() {
    let message = refusal(&se(1.0, 0.1), &grid(10), &Array2::zeros((9, 1)));
    assert!(message.starts_with("`y` has 9 rows, expected 10"), "{message}");
    assert!(refusal(&se(1.0, 0.1), &Array2::zeros((0, 1)), &Array2::zeros((0, 1))).contains("`x`"));
    assert!(refusal(&se(1.0, 0.1), &grid(3), &Array2::zeros((3, 0))).contains("`y`"));
    let ard = model(crate::support::leaf("se", &[1.0, 2.0], 1.0), 0.1);
    assert!(refusal(&ard, &grid(3), &grid(3)).contains("2 values, the inputs have 1 columns"));
    let mean = Mean::Linear { weights: vec![1.0, 2.0], intercept: 0.0 };
    let linear = Hyperparameters { mean, ..se(1.0, 0.1) };
    assert!(refusal(&linear, &grid(3), &grid(3)).contains("mean.weights"));
}

#[test]
fn the_width_at_prediction_is_named_against_the_width_at_the_fit() {
    let gp = condition(&se(1.0, 0.1), &grid(10), &grid(10));
    let wide = Array2::zeros((4, 3));
    let results = [
        gp.predict_mean(&wide).map(drop),
        gp.predict(&wide).map(drop),
        gp.covariance(&wide).map(drop),
    ];
    for result in results {
        let message = result.unwrap_err().to_string();
        assert!(message.starts_with("`x_new` has 3 columns, expected 1"), "{message}");
    }
    let error = gp.predict(&array![[0.5], [f64::NAN]]).unwrap_err().to_string();
    assert!(error.starts_with("`x_new` holds NaN at row 1, column 0"), "{error}");
}

#[test]
fn noise_out_of_range_is_refused_by_name() {
    for noise in [-1.0, f64::NAN, f64::INFINITY] {
        let message = refusal(&se(1.0, noise), &grid(3), &grid(3));
        assert!(message.starts_with("parameter `noise_variance` is"), "{message}");
    }
}

#[test]
fn noise_at_the_floor_can_be_conditioned_on_but_not_trained() {
    let (x, y) = (grid(5), grid(5));
    assert!(ExactGp::condition(&se(1.0, 1e-7), &x, &y, None).is_ok());
    let options = ExactGpOptions::default();
    let error = ExactGp::fit(&se(1.0, 1e-7), &x, &y, &options, &mut ()).unwrap_err().to_string();
    assert!(error.starts_with("parameter `noise_variance` is 0.0000001"), "{error}");
    assert!(error.contains("greater than 0.000001"), "{error}");
    let mut fixed = ExactGpOptions::default();
    fixed.plan.fixed.push("noise_variance".to_owned());
    let (gp, _) = ExactGp::fit(&se(1.0, 1e-7), &x, &y, &fixed, &mut ()).unwrap();
    assert_eq!(gp.hyperparameters().noise_variance, 1e-7);
}

#[test]
fn memory_is_asked_for_before_it_is_taken() {
    let x = Array2::zeros((50_000, 1));
    let y = Array2::zeros((50_000, 1));
    let budget = 4_000_000_000;
    let options = ExactGpOptions { memory_budget: Some(budget), ..ExactGpOptions::default() };
    let fit = ExactGp::fit(&se(1.0, 0.1), &x, &y, &options, &mut ()).unwrap_err();
    let condition = ExactGp::condition(&se(1.0, 0.1), &x, &y, Some(budget)).unwrap_err();
    assert!(bytes_needed(50_000) > budget);
    for error in [fit, condition] {
        assert!(matches!(error, GpError::MemoryBudget { n: 50_000, .. }));
        let message = error.to_string();
        assert!(message.contains("GB") && message.contains("fewer rows (about"), "{message}");
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let parts = |alpha| ExactGp::from_parts(se(1.0, 0.1), grid(4), grid(4), alpha);
    let error = parts(Array2::zeros((3, 1))).unwrap_err().to_string();
    assert!(error.starts_with("`alpha` has 3 rows, expected 4"), "{error}");
    assert!(parts(column([0.0, 1.0, f64::NAN, 0.0])).is_err());
    assert!(parts(Array2::zeros((4, 1))).is_ok());
}

#[test]
fn views_and_strides_are_accepted() {
    let wide = crate::support::points(40, 4, 0);
    let (x, y) = (wide.slice(s![..;2, 1..3]), wide.slice(s![..;2, ..;3]));
    let [a, b] =
        [condition(&se(1.0, 0.1), &x, &y), condition(&se(1.0, 0.1), &x.to_owned(), &y.to_owned())];
    assert_eq!(a.alpha(), b.alpha());
    let turned = wide.slice(s![..2, ..2]);
    assert_eq!(a.predict(&turned.t()).unwrap(), b.predict(&turned.t().to_owned()).unwrap());
}
