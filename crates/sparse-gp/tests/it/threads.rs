//! The same bits for any number of threads.

use crate::support::{bits, leaf, points, targets};
use gp_core::{LbfgsOptions, Posterior, TrainOptions, TrainingPlan};
use sparse_gp::{Selector, Sgpr, SgprOptions};

/// Every number a fit and its predictions give.
fn fingerprint(selector: Selector) -> Vec<u64> {
    let x = points(5000, 3, 0);
    let (y, at) = (targets(&x), points(1500, 3, 9000));
    let lbfgs = LbfgsOptions { max_iters: 2, ..Default::default() };
    let options = TrainOptions { lbfgs, screening_iters: 1, time_limit: None };
    let plan = TrainingPlan { starts: 2, options, ..TrainingPlan::default() };
    let options = SgprOptions { plan, inducing: 40, selector, ..SgprOptions::default() };
    let template = leaf("matern32", &[1.0; 3], 1.0);
    let fit = Sgpr::fit(&template, &x, &y, &options, &mut ()).unwrap();
    let (prediction, parts) = (fit.model.predict(&at).unwrap(), fit.model.parts());
    let mut numbers = fit.trained.u;
    numbers.extend([fit.trained.objective, parts.jitter, parts.evidence.upper_bound()]);
    for part in [&parts.b, &parts.coefficients, &prediction.mean] {
        numbers.extend(part);
    }
    numbers.extend(&prediction.var_latent);
    bits(&numbers)
}

#[test]
fn one_two_and_eight_threads_agree() {
    for selector in [Selector::Greedy, Selector::KMeans] {
        let [one, two, eight] = [1, 2, 8].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fingerprint(selector.clone()))
        });
        assert!(one == two && two == eight);
    }
}
