//! Laws over random problems.

use crate::support::{close, close_all, condition, exact_lml, sparse_cases};
use gp_core::Posterior;
use ndarray::{Array2, Axis, concatenate, s};
use proptest::prelude::*;
use sparse_gp::{Sgpr, SgprSettings, elbo_gradient};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_exact_evidence_lies_between_the_bounds(case in sparse_cases()) {
        let model = case.sgpr();
        let (exact, slack) = exact_lml(&case.hyper, &case.x, &case.y);
        let (lower, upper) = (model.evidence().elbo(), model.evidence().upper_bound());
        prop_assert!(lower <= exact + slack, "{lower} above {exact}");
        prop_assert!(upper >= exact - slack, "{upper} below {exact}");
    }

    #[test]
    fn the_order_of_rows_does_not_matter(case in sparse_cases(), shift in 1..7usize) {
        let n = case.x.nrows();
        let order: Vec<usize> = (0..n).rev().map(|i| (i + shift) % n).collect();
        let [x, y] = [&case.x, &case.y].map(|a| a.select(Axis(0), &order));
        let (model, moved) = (case.sgpr(), condition(&case.hyper, &case.z, &x, &y));
        // Rounding moves both by no more than the bounds' own allowance for it.
        let (_, slack) = exact_lml(&case.hyper, &case.x, &case.y);
        let [a, b] = [&model, &moved].map(Sgpr::evidence);
        for (a, b) in [(a.elbo(), b.elbo()), (a.upper_bound(), b.upper_bound())] {
            prop_assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()) + slack, "{a} and {b}");
        }
        let [a, b] = [model.predict(&x).unwrap(), moved.predict(&x).unwrap()];
        close_all("mean", &b.mean, &a.mean, 1e-6);
        close_all("variance", &b.var_latent, &a.var_latent, 1e-8);
    }

    #[test]
    fn repeated_inducing_points_are_harmless(case in sparse_cases()) {
        let twice = concatenate![Axis(0), case.z, case.z];
        let repeated = condition(&case.hyper, &twice, &case.x, &case.y);
        let model = case.sgpr();
        let (exact, slack) = exact_lml(&case.hyper, &case.x, &case.y);
        prop_assert!(repeated.evidence().elbo() <= exact + slack);
        // Two points with a jitter of j each are one with j/2: the bound cannot get worse.
        let (once, twice) = (model.evidence().elbo(), repeated.evidence().elbo());
        prop_assert!(twice >= once - 1e-6 * (1.0 + once.abs()) - slack, "{twice} below {once}");
        prop_assert!(repeated.predict(&case.x).unwrap().var_latent.iter().all(|v| *v >= 0.0));
    }

    #[test]
    fn variances_lie_between_zero_and_the_prior(case in sparse_cases()) {
        let model = case.sgpr();
        let at = concatenate![Axis(0), case.x, &case.x + 0.3];
        let prediction = model.predict(&at).unwrap();
        let prior = case.hyper.kernel.diag(&at);
        let noise = case.hyper.total_noise_variance();
        for ((latent, y), prior) in prediction.var_latent.iter().zip(&prediction.var_y).zip(&prior) {
            prop_assert!(*latent >= 0.0 && *latent <= prior * (1.0 + 1e-9) + 1e-12);
            prop_assert!((y - latent - noise).abs() <= 1e-15 * y);
        }
        let covariance = model.covariance(&at).unwrap();
        close_all("diagonal", covariance.diag(), &prediction.var_latent, 1e-8);
        prop_assert_eq!(&covariance, &covariance.t());
    }

    #[test]
    fn one_by_one_equals_all_at_once(case in sparse_cases()) {
        let model = case.sgpr();
        let all = model.predict(&case.x).unwrap();
        for (row, x) in case.x.outer_iter().enumerate() {
            let alone = model.predict(&x.insert_axis(Axis(0))).unwrap();
            close_all("mean", &alone.mean, all.mean.slice(s![row..row + 1, ..]), 1e-12);
            close("variance", alone.var_latent[0], all.var_latent[row], 1e-12);
        }
    }

    #[test]
    fn keeping_nothing_gives_the_same_bits(case in sparse_cases()) {
        let low = SgprSettings { low_memory: true, ..SgprSettings::default() };
        let sparse = Sgpr::condition(&case.hyper, &case.z, &case.x, &case.y, &low).unwrap();
        let plain = case.sgpr();
        prop_assert_eq!(sparse.evidence(), plain.evidence());
        let value = |settings: &SgprSettings| {
            elbo_gradient(&case.hyper, &case.z, &case.x, &case.y, settings).unwrap()
        };
        prop_assert_eq!(value(&low), value(&SgprSettings::default()));
        close("value", value(&low).value, sparse.evidence().elbo(), 1e-12);
    }
}

#[test]
fn many_shards_give_what_one_dense_computation_gives() {
    use crate::support::{leaf, points, targets};
    let x = points(5000, 2, 0);
    let (y, hyper) = (targets(&x), leaf("matern32", &[0.8, 1.2], 0.05));
    let z: Array2<f64> = points(30, 2, 7000);
    let model = condition(&hyper, &z, &x, &y);
    let problem = model.problem(&x).unwrap();
    let system = problem.nystrom().unwrap();
    close("trace", model.evidence().residual_trace, system.residual_trace(), 1e-10);
    close("log|Q|", model.evidence().log_det_q, system.log_det_q(), 1e-10);
    close("quad", model.evidence().quad[0], system.quad_vec(&y.column(0)), 1e-10);
    let low = SgprSettings { low_memory: true, ..SgprSettings::default() };
    let sparse = Sgpr::condition(&hyper, &z, &x, &y, &low).unwrap();
    assert_eq!(sparse.evidence(), model.evidence());
}
