//! Several target columns with shared hyperparameters.

use crate::support::{close, close_all, condition, leaf, lml, model, points, targets, wave};
use exact_gp::{ExactGp, ExactGpOptions};
use gp_core::Posterior;
use ndarray::{Array2, Axis, s};

fn data() -> (Array2<f64>, Array2<f64>) {
    let x = points(50, 2, 0);
    let first = targets(&x);
    let others = Array2::from_shape_fn((50, 2), |(i, p)| x[[i, p]].cos() + 0.2 * wave(i, p + 3));
    (x, ndarray::concatenate![Axis(1), first, others])
}

#[test]
fn the_evidence_is_the_sum_of_the_columns() {
    let ((x, y), hyper) = (data(), model(leaf("matern32", &[0.9, 1.2], 0.8), 0.1));
    let single = (0..3).map(|p| condition(&hyper, &x, &y.slice(s![.., p..=p])));
    let single: Vec<ExactGp> = single.collect();
    let joint = condition(&hyper, &x, &y);
    let sum: f64 = single.iter().map(|gp| gp.lml().unwrap().value).sum();
    close("LML", joint.lml().unwrap().value, sum, 1e-13);
    let (value, gradient) = joint.lml_gradient().unwrap();
    close("LML with gradient", value, sum, 1e-13);
    for p in 0..gradient.log_kernel.len() {
        let parts = single.iter().map(|gp| gp.lml_gradient().unwrap().1.log_kernel[p]);
        close("gradient", gradient.log_kernel[p], parts.sum(), 1e-12);
    }
}

#[test]
fn predictions_are_those_of_the_columns() {
    let ((x, y), hyper) = (data(), model(leaf("matern32", &[0.9, 1.2], 0.8), 0.1));
    let (joint, at) = (condition(&hyper, &x, &y), points(9, 2, 600));
    let all = joint.predict(&at).unwrap();
    let loo = joint.leave_one_out().unwrap();
    for p in 0..3 {
        let gp = condition(&hyper, &x, &y.slice(s![.., p..=p]));
        let one = gp.predict(&at).unwrap();
        close_all("mean", &one.mean, all.mean.column(p), 1e-13);
        close_all("variance", &one.var_latent, &all.var_latent, 1e-15);
        close_all("left out", &gp.leave_one_out().unwrap().mean, loo.mean.column(p), 1e-13);
    }
}

#[test]
fn training_shares_the_hyperparameters() {
    let ((x, y), template) = (data(), model(leaf("matern32", &[1.0, 1.0], 1.0), 1.0));
    let options = ExactGpOptions::default();
    let (joint, trained) = ExactGp::fit(&template, &x, &y, &options, &mut ()).unwrap();
    assert!(trained.stop_reason.converged());
    let found = joint.lml().unwrap().value;
    close("objective", trained.objective, found, 1e-10);
    // No single column's optimum is better for all three.
    for p in 0..3 {
        let column = y.slice(s![.., p..=p]);
        let (gp, _) = ExactGp::fit(&template, &x, &column, &options, &mut ()).unwrap();
        assert!(lml(gp.hyperparameters(), &x, &y) < found + 1e-6);
    }
}
