//! The same bits for any number of threads.

use crate::support::{bits, flat, leaf, points, targets};
use gp_core::Posterior;
use iterative_gp::{
    EstimatorOptions, IterativeGp, IterativeOptions, Preconditioning, PredictionOptions, Schedule,
    Variance, lml_estimate,
};

/// Runs `work` with one, two and five threads, and expects the same numbers.
fn same_bits(work: impl Fn() -> Vec<f64> + Sync) {
    let runs = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        bits(&pool.install(&work))
    });
    assert!(runs[0] == runs[1] && runs[1] == runs[2]);
}

#[test]
fn estimates() {
    let x = points(700, 3, 0);
    let y = targets(&x);
    let hyper = leaf("matern32", &[0.8, 1.0, 1.2], 0.02);
    for preconditioning in
        [Preconditioning::PivotedCholesky { rank: 40 }, Preconditioning::Vecchia { neighbours: 8 }]
    {
        let options = EstimatorOptions { preconditioning, ..EstimatorOptions::for_training() };
        same_bits(|| {
            let found = lml_estimate(&hyper, &x, &y, &options, 3).unwrap();
            let mut numbers = flat(&found.gradient);
            numbers.extend([found.value, found.standard_error, found.quad]);
            numbers
        });
    }
}

#[test]
fn predictions() {
    let (x, at) = (points(600, 2, 0), points(300, 2, 4000));
    let y = targets(&x);
    let hyper = leaf("matern52", &[0.8, 1.0], 0.02);
    for variance in [Variance::Love { rank: 50, neighbours: 10 }, Variance::Exact] {
        let options = PredictionOptions { variance, features: 100, ..PredictionOptions::default() };
        same_bits(|| {
            let gp = IterativeGp::condition(&hyper, &x, &y, &options).unwrap();
            let prediction = gp.predict(&at).unwrap();
            let mut numbers = prediction.mean.into_raw_vec_and_offset().0;
            numbers.extend(prediction.var_latent);
            numbers.extend(gp.draw_functions(2, 1).unwrap().evaluate(&at).unwrap());
            numbers
        });
    }
}

#[test]
fn fits() {
    let x = points(300, 2, 0);
    let y = targets(&x);
    let schedule = Schedule::Staged { rows: 200, lbfgs_steps: 2, adam_steps: 2 };
    let mut options = IterativeOptions { schedule, ..IterativeOptions::default() };
    options.adam.steps = 2;
    options.plan.options.screening_iters = 2;
    same_bits(|| {
        let hyper = leaf("matern32", &[1.0, 1.0], 0.5);
        IterativeGp::fit(&hyper, &x, &y, &options, &mut ()).unwrap().1.u
    });
}
