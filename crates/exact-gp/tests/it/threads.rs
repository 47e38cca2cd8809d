//! The same bits for any number of threads.

use crate::support::{bits, leaf, model, points, targets};
use exact_gp::{ExactGp, ExactGpOptions};
use gp_core::{Posterior, TrainOptions, TrainingPlan};

/// Every number a fit and its predictions give.
fn fingerprint() -> Vec<u64> {
    let x = points(600, 3, 0);
    let (y, at) = (targets(&x), points(530, 3, 9000));
    let lbfgs = gp_core::LbfgsOptions { max_iters: 3, ..Default::default() };
    let options = TrainOptions { lbfgs, screening_iters: 2, time_limit: None };
    let plan = TrainingPlan { starts: 2, options, ..TrainingPlan::default() };
    let options = ExactGpOptions { plan, memory_budget: None };
    let template = model(leaf("matern32", &[1.0; 3], 1.0), 1.0);
    let (gp, trained) = ExactGp::fit(&template, &x, &y, &options, &mut ()).unwrap();
    let (prediction, loo) = (gp.predict(&at).unwrap(), gp.leave_one_out().unwrap());
    let lml = gp.lml().unwrap();
    let mut numbers = trained.u;
    numbers.extend([trained.objective, lml.value, lml.rounding_quad, lml.rounding_logdet]);
    for part in [prediction.var_latent, prediction.var_y, loo.var_y] {
        numbers.extend(part);
    }
    for part in [gp.alpha(), &prediction.mean, &loo.mean, &gp.covariance(&at).unwrap()] {
        numbers.extend(part);
    }
    bits(&numbers)
}

#[test]
fn one_two_and_eight_threads_agree() {
    let [one, two, eight] = [1, 2, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(fingerprint)
    });
    assert!(one == two && two == eight);
}
