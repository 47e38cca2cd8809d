//! Joint draws from the posterior.

use crate::support::{condition, leaf, points, targets};
use cglb::VarianceFrom;
use gp_core::Posterior;
use ndarray::{Array2, Axis, concatenate, s};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const COUNT: usize = 20_000;

/// Mean and covariance of many draws at four points, two of them rows, within five standard errors.
fn check(gp: &impl Posterior, at: &Array2<f64>) {
    let draws = gp.sample(at, COUNT, &mut ChaCha8Rng::seed_from_u64(3)).unwrap();
    assert_eq!(draws.dim(), (COUNT, 4, 2));
    let (mean, covariance) = (gp.predict_mean(at).unwrap(), gp.covariance(at).unwrap());
    let count = COUNT as f64;
    let mut centred = Vec::new();
    for target in 0..2 {
        let part = &draws.slice(s![.., .., target]) - &mean.column(target);
        for (i, error) in part.mean_axis(Axis(0)).unwrap().iter().enumerate() {
            let allowed = 5.0 * (covariance[[i, i]] / count).sqrt();
            assert!(error.abs() <= allowed, "target {target}, point {i}: {error} of {allowed}");
        }
        centred.push(part);
    }
    for (p, q) in [(0, 0), (1, 1), (0, 1)] {
        for ((i, j), value) in centred[p].t().dot(&centred[q]).indexed_iter() {
            // Targets are drawn apart from each other.
            let (product, own) = (covariance[[i, i]] * covariance[[j, j]], covariance[[i, j]]);
            let (expected, square) = if p == q { (own, own * own) } else { (0.0, 0.0) };
            let (error, allowed) =
                (value / count - expected, 5.0 * ((product + square) / count).sqrt());
            assert!(error.abs() <= allowed, "{p} {q}, {i} {j}: {error} of {allowed}");
        }
    }
}

#[test]
fn draws_have_the_posterior_mean_and_covariance() {
    let x = points(120, 2, 0);
    let y = concatenate![Axis(1), targets(&x), targets(&x).mapv(f64::cos)];
    let (z, hyper) = (points(15, 2, 500), leaf("matern52", &[0.9, 1.2], 0.05));
    let at = concatenate![Axis(0), points(2, 2, 600), points(2, 2, 30)];
    for variance in [VarianceFrom::Neighbours(20), VarianceFrom::InducingPoints] {
        check(&condition(&hyper, &z, &x, &y).with_variance_from(variance), &at);
    }
}
