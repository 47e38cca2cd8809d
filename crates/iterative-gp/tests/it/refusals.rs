//! Bad input: an error that names it, never a panic.

use crate::support::{leaf, points, targets};
use gp_core::{GpError, Posterior, TrainState};
use iterative_gp::{
    EstimatorOptions, GradientEstimator, IterativeGp, IterativeOptions, PredictionOptions,
    Schedule, lml_estimate,
};
use ndarray::{Array2, array};

fn message(options: &EstimatorOptions) -> String {
    let x = points(5, 1, 0);
    let hyper = leaf("se", &[1.0], 0.1);
    lml_estimate(&hyper, &x, &targets(&x), options, 0).unwrap_err().to_string()
}

#[test]
fn options_out_of_range_are_named() {
    let default = EstimatorOptions::default;
    assert!(message(&EstimatorOptions { probes: 1, ..default() }).contains("`probes` is 1"));
    assert!(message(&EstimatorOptions { tolerance: 1.0, ..default() }).contains("`tolerance`"));
    assert!(
        message(&EstimatorOptions { tolerance: f64::NAN, ..default() }).contains("`tolerance`")
    );
    assert!(message(&EstimatorOptions { nats: -1.0, ..default() }).contains("`nats` is -1"));
    assert!(message(&EstimatorOptions { max_steps: 0, ..default() }).contains("`max_steps`"));
}

#[test]
fn data_that_do_not_fit_are_refused() {
    let hyper = leaf("se", &[1.0], 0.1);
    let options = PredictionOptions::default();
    let refuse = |x: &Array2<f64>, y: &Array2<f64>| {
        IterativeGp::condition(&hyper, x, y, &options).unwrap_err()
    };
    assert!(matches!(refuse(&array![[0.0]], &array![[0.0], [1.0]]), GpError::ShapeMismatch { .. }));
    assert!(matches!(refuse(&array![[f64::NAN]], &array![[0.0]]), GpError::NotFinite { .. }));
    assert!(matches!(
        refuse(&Array2::zeros((0, 1)), &Array2::zeros((0, 1))),
        GpError::NoRows { .. }
    ));
    let two = leaf("se", &[1.0, 1.0], 0.1);
    let wrong = IterativeGp::condition(&two, &array![[0.0]], &array![[0.0]], &options);
    assert!(matches!(wrong, Err(GpError::Kernel(_))));
    let gp = IterativeGp::condition(&hyper, &array![[0.0]], &array![[1.0]], &options).unwrap();
    let bad = gp.predict(&array![[0.0, 1.0]]).unwrap_err();
    assert!(matches!(bad, GpError::ShapeMismatch { argument: "x_new", .. }));
    assert_eq!(gp.predict(&Array2::zeros((0, 1))).unwrap().mean.nrows(), 0);
}

#[test]
fn training_refuses_what_it_cannot_do() {
    let x = points(20, 1, 0);
    let y = targets(&x);
    let hyper = leaf("se", &[1.0], 0.1);
    let fit = |options: &IterativeOptions| IterativeGp::fit(&hyper, &x, &y, options, &mut ());
    let pathwise = GradientEstimator::Pathwise { features: 10, max_steps: 5 };
    let options = IterativeOptions {
        gradient: pathwise,
        schedule: Schedule::Lbfgs,
        ..IterativeOptions::default()
    };
    assert!(fit(&options).unwrap_err().to_string().contains("pathwise"));
    let mut options = IterativeOptions::default();
    options.plan.resume = Some(TrainState {
        adam: Some(gp_core::AdamState::start(vec![0.0])),
        ..TrainState::default()
    });
    let error = fit(&options).unwrap_err();
    assert!(matches!(error, GpError::ShapeMismatch { argument: "resume", .. }), "{error}");
    let low = leaf("se", &[1.0], 1e-5);
    let below = IterativeGp::fit(&low, &x, &y, &IterativeOptions::default(), &mut ()).unwrap_err();
    assert!(below.to_string().contains("noise floor"), "{below}");
    let mut options = IterativeOptions::default();
    options.plan.floors.noise_variance = 1e-8;
    options.adam.steps = 1;
    IterativeGp::fit(&low, &x, &y, &options, &mut ()).unwrap();
}
