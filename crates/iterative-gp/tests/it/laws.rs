//! What holds for every model and data set.

use crate::support::{estimate, exact, of_rank};
use gp_core::{Hyperparameters, Posterior};
use iterative_gp::{IterativeGp, PredictionOptions, Variance};
use kernels::{Mean, catalogue};
use ndarray::{Array2, Axis, concatenate};
use proptest::prelude::*;

#[derive(Debug)]
struct Case {
    hyper: Hyperparameters,
    x: Array2<f64>,
    y: Array2<f64>,
}

/// Kernels of the catalogue; up to two targets; one row is repeated.
fn cases() -> impl Strategy<Value = Case> {
    (3..25usize, 1..=3usize, 1..=2usize).prop_flat_map(|(n, d, p)| {
        let numbers = |count: usize| prop::collection::vec(-2.0..2.0f64, count);
        let count = catalogue(d).unwrap().len();
        let all = (numbers(n * d), numbers(n * p), 0..n, 0..count, -4.0..0.0f64, -1.0..1.0f64);
        all.prop_map(move |(x, y, copied, index, noise, c)| {
            let mut x = Array2::from_shape_vec((n, d), x).unwrap();
            let first = x.row(0).to_owned();
            x.row_mut(copied).assign(&first);
            let y = Array2::from_shape_vec((n, p), y).unwrap();
            let kernel = catalogue(d).unwrap().swap_remove(index);
            let (noise_variance, mean) = (10f64.powf(noise), Mean::Constant(c));
            Case { hyper: Hyperparameters { kernel, noise_variance, mean }, x, y }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Within six standard errors: one of a thousand million would be outside by chance, were there
    /// many probes.
    #[test]
    fn estimates_are_near_the_truth(case in cases(), seed in 0..1000u64, rank in 0..10usize) {
        let Case { hyper, x, y } = &case;
        let options = iterative_gp::EstimatorOptions { probes: 40, ..of_rank(rank) };
        let found = estimate(hyper, (x, y), &options, seed);
        let truth = exact(hyper, x, y).lml().unwrap();
        let rounding = 1e-7 * (1.0 + truth.value.abs()) + truth.rounding_quad;
        let allowed = 6.0 * found.standard_error + found.solver.quad_slack + rounding;
        prop_assert!((found.value - truth.value).abs() <= allowed, "{} {}", found.value, truth.value);
    }

    /// LOVE lies between the exact variance and the prior, whatever its rank, and with every row as
    /// a neighbour it is exact.
    #[test]
    fn variances_are_never_too_small(case in cases(), rank in 1..8usize, neighbours in 0..30usize) {
        let Case { hyper, x, y } = &case;
        let variance = Variance::Love { rank, neighbours };
        let options = PredictionOptions { variance, ..PredictionOptions::default() };
        let gp = IterativeGp::condition(hyper, x, y, &options).unwrap();
        let at = concatenate![Axis(0), x.view(), &x.view() * 1.3 + 0.1];
        let found = gp.predict(&at).unwrap().var_latent;
        let truth = exact(hyper, x, y).predict(&at).unwrap().var_latent;
        let prior = hyper.kernel.diag(&at);
        for i in 0..at.nrows() {
            let rounding = 1e-8 * (1.0 + prior[i]);
            prop_assert!(found[i] >= truth[i] - rounding, "{} {}", found[i], truth[i]);
            prop_assert!((0.0..=prior[i]).contains(&found[i]));
            if neighbours >= x.nrows() {
                prop_assert!((found[i] - truth[i]).abs() <= 1e-6 * (1.0 + prior[i]));
            }
        }
    }
}
