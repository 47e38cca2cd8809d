//! Metrics: case 42.

use crate::support::close;
use gp_core::metrics::{coverage, nlpd, normal_half_width, rmse};
use ndarray::{Array1, array};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

#[test]
fn nlpd_is_the_mean_of_the_marginal_densities() {
    let (y, mean, var) = (array![0.5, -1.0, 2.0], array![0.0, 0.0, 1.0], array![1.0, 0.25, 4.0]);
    let density = |y: f64, m: f64, v: f64| {
        (-(y - m).powi(2) / (2.0 * v)).exp() / (2.0 * std::f64::consts::PI * v).sqrt()
    };
    let product = density(0.5, 0.0, 1.0) * density(-1.0, 0.0, 0.25) * density(2.0, 1.0, 4.0);
    close("nlpd", nlpd(&y, &mean, &var), -product.ln() / 3.0, 1e-14);
}

#[test]
fn scores_move_with_the_scale() {
    let (y, mean, var) = (array![0.5, -1.0], array![0.1, -0.7], array![1.0, 0.25]);
    for s in [1e-3, 50.0, 1e6] {
        let scaled = nlpd(&(&y * s), &(&mean * s), &(&var * (s * s)));
        close("nlpd", scaled - nlpd(&y, &mean, &var), f64::ln(s), 1e-12);
        close("rmse", rmse(&(&y * s), &(&mean * s)) / s, rmse(&y, &mean), 1e-14);
        assert_eq!(
            coverage(&(&y * s), &(&mean * s), &(&var * (s * s)), 0.5),
            coverage(&y, &mean, &var, 0.5)
        );
    }
}

#[test]
fn a_calibrated_prediction_covers_what_it_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let y = Array1::from_shape_simple_fn(20_000, || 3.0 + 2.0 * rng_normal(&mut rng));
    let (mean, var) = (Array1::from_elem(20_000, 3.0), Array1::from_elem(20_000, 4.0));
    for level in [0.5, 0.9, 0.95, 0.99] {
        let error = coverage(&y, &mean, &var, level) - level;
        assert!(
            error.abs() < 4.0 * (level * (1.0 - level) / 20_000.0_f64).sqrt(),
            "{level}: {error}"
        );
    }
}

fn rng_normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

#[test]
fn there_is_no_score_of_nothing_or_of_lengths_that_disagree() {
    let (none, one, two) = (Array1::zeros(0), array![1.0], array![1.0, 2.0]);
    for (y, mean) in [(&none, &none), (&one, &two), (&two, &one), (&none, &one)] {
        assert!(rmse(y, mean).is_nan());
        assert!(nlpd(y, mean, mean).is_nan());
        assert!(coverage(y, mean, mean, 0.5).is_nan());
    }
    assert!(nlpd(&two, &two, &one).is_nan() && coverage(&two, &two, &one, 0.5).is_nan());
}

#[test]
fn interval_widths() {
    close("95 %", normal_half_width(0.95), 1.959_963_984_540_054, 1e-9);
    for outside in [0.0, 1.0, -0.5, 2.0, f64::NAN] {
        assert!(normal_half_width(outside).is_nan());
    }
}
