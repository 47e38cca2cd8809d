//! The same bits for any number of threads.

use crate::support::{bits, leaf, points, targets, with_bound};
use cglb::{Cglb, CglbOptions};
use gp_core::{LbfgsOptions, Posterior, TrainOptions, TrainingPlan};

/// Every number a fit and its predictions give.
fn fingerprint(bound: &str) -> Vec<u64> {
    let x = points(2500, 3, 0);
    let (y, at) = (targets(&x), points(700, 3, 9000));
    let lbfgs = LbfgsOptions { max_iters: 2, ..Default::default() };
    let options = TrainOptions { lbfgs, screening_iters: 1, time_limit: None };
    let plan = TrainingPlan { starts: 2, options, ..TrainingPlan::default() };
    let mut settings = with_bound(bound);
    settings.neighbours = 8;
    let options = CglbOptions { plan, inducing: 30, settings, ..CglbOptions::default() };
    let template = leaf("matern32", &[1.0; 3], 1.0);
    let fit = Cglb::fit(&template, &x, &y, &options, &mut ()).unwrap();
    let (prediction, parts) = (fit.model.predict(&at).unwrap(), fit.model.parts());
    let mut numbers = fit.trained.u;
    numbers.extend([fit.trained.objective, parts.evidence.lower, parts.evidence.upper]);
    for part in [&parts.correction.b, &parts.correction.coefficients, &parts.v, &prediction.mean] {
        numbers.extend(part);
    }
    numbers.extend(&prediction.var_latent);
    bits(&numbers)
}

#[test]
fn one_two_and_eight_threads_agree() {
    for bound in ["arithmetic-geometric", "hadamard", "vecchia"] {
        let [one, two, eight] = [1, 2, 8].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fingerprint(bound))
        });
        assert!(one == two && two == eight, "{bound}");
    }
}
