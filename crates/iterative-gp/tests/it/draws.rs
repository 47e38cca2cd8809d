//! Functions drawn by pathwise conditioning.

use crate::support::{bits, exact, leaf, points, targets};
use gp_core::{GpError, Posterior};
use iterative_gp::{IterativeGp, PredictionOptions};
use ndarray::{Array2, Axis, concatenate, s};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn model(n: usize) -> (IterativeGp, exact_gp::ExactGp) {
    let x = points(n, 2, 0);
    let y = concatenate![Axis(1), targets(&x), targets(&x).mapv(f64::cos)];
    let hyper = leaf("matern52", &[0.9, 1.2], 0.05);
    let options = PredictionOptions { features: 1024, ..PredictionOptions::default() };
    (IterativeGp::condition(&hyper, &x, &y, &options).unwrap(), exact(&hyper, &x, &y))
}

#[test]
fn draws_have_the_posterior_mean_and_covariance() {
    let (gp, truth) = model(150);
    let at = concatenate![Axis(0), points(4, 2, 600), points(2, 2, 30)];
    let count = 1500;
    let draws = gp.draw_functions(count, 5).unwrap().evaluate(&at).unwrap();
    assert_eq!(draws.dim(), (count, 6, 2));
    let (mean, covariance) = (truth.predict_mean(&at).unwrap(), truth.covariance(&at).unwrap());
    for target in 0..2 {
        let centred = &draws.slice(s![.., .., target]) - &mean.column(target);
        let found = centred.mean_axis(Axis(0)).unwrap();
        for (i, error) in found.iter().enumerate() {
            let allowed = 5.0 * (covariance[[i, i]] / count as f64).sqrt() + 1e-3;
            assert!(error.abs() < allowed, "{error} {allowed}");
        }
        let product = centred.t().dot(&centred) / count as f64;
        for ((i, j), value) in product.indexed_iter() {
            // Sampling, and 1 024 features in place of the prior.
            let scale = (covariance[[i, i]] * covariance[[j, j]]).sqrt();
            let error = (value - covariance[[i, j]]).abs();
            assert!(error < 0.25 * scale + 2e-2, "{i} {j}: {value} {}", covariance[[i, j]]);
        }
    }
}

#[test]
fn a_draw_is_one_function_and_seeds_replay() {
    let (gp, _) = model(80);
    let at = points(9, 2, 300);
    let draws = gp.draw_functions(3, 8).unwrap();
    let (whole, part) =
        (draws.evaluate(&at).unwrap(), draws.evaluate(&at.slice(s![2..5, ..])).unwrap());
    assert!((&whole.slice(s![.., 2..5, ..]) - &part).iter().all(|e| e.abs() < 1e-12));
    assert_eq!(bits(&whole), bits(&gp.draw_functions(3, 8).unwrap().evaluate(&at).unwrap()));
    let sample = |seed| gp.sample(&at, 2, &mut ChaCha8Rng::seed_from_u64(seed)).unwrap();
    assert_eq!(bits(&sample(1)), bits(&sample(1)));
    assert_ne!(bits(&sample(1)), bits(&sample(2)));
    assert_eq!(gp.draw_functions(0, 1).unwrap().evaluate(&at).unwrap().dim(), (0, 9, 2));
    let narrow = draws.evaluate(&Array2::zeros((1, 3)));
    assert!(matches!(narrow, Err(GpError::ShapeMismatch { argument: "x_new", .. })));
}
