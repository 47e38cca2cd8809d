//! Predictions: cases 17, 19, 20, 28, 48 and 49, and draws.

use crate::support::{
    bits, close, close_all, column, condition, grid, leaf, model, points, se, targets, wave,
};
use exact_gp::ExactGp;
use gp_core::{Hyperparameters, Params, Posterior, Units};
use kernels::Mean;
use ndarray::{Array2, Axis, s};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn fitted(n: usize) -> (ExactGp, Array2<f64>) {
    let x = points(n, 2, 0);
    let y = targets(&x);
    let mean = Mean::Linear { weights: vec![0.3, -0.2], intercept: 0.7 };
    let hyper = Hyperparameters { mean, ..model(leaf("matern52", &[0.8, 1.4], 1.3), 0.02) };
    (condition(&hyper, &x, &y), points(700, 2, 5000))
}

#[test]
fn variances_stay_between_zero_and_the_prior() {
    let x = column((0..300).map(|i| 0.5 + 0.5 * wave(i, 0)));
    let y = x.mapv(|t| (9.0 * t).cos());
    let noise = 1e-6;
    let gp = condition(&se(0.3, noise), &x, &y);
    for at in [&x, &grid(1001), &(&x + 1e-9), &(&x * 3.0)] {
        let prediction = gp.predict(at).unwrap();
        assert!(prediction.var_latent.iter().all(|v| (0.0..=1.0).contains(v)));
        assert!(prediction.var_y.iter().all(|v| (noise..=1.0 + noise).contains(v)));
    }
    let loo = gp.leave_one_out().unwrap();
    assert!(loo.var_latent.iter().all(|v| (0.0..=1.0).contains(v)));
}

#[test]
fn rows_do_not_depend_on_the_rows_asked_together() {
    let (gp, at) = fitted(150);
    let all = gp.predict(&at).unwrap();
    for rows in [0..1, 0..511, 511..513, 300..700, 699..700] {
        let part = gp.predict(&at.slice(s![rows.clone(), ..])).unwrap();
        close_all("mean", &part.mean, all.mean.slice(s![rows.clone(), ..]), 1e-12);
        close_all("variance", &part.var_latent, all.var_latent.slice(s![rows.clone()]), 1e-12);
        let mean = gp.predict_mean(&at.slice(s![rows.clone(), ..])).unwrap();
        assert_eq!(bits(&mean), bits(all.mean.slice(s![rows, ..])));
    }
    for row in (0..700).step_by(97) {
        let one = gp.predict(&at.slice(s![row..=row, ..])).unwrap();
        close("mean", one.mean[[0, 0]], all.mean[[row, 0]], 1e-12);
        close("variance", one.var_latent[0], all.var_latent[row], 1e-12);
    }
}

#[test]
fn no_rows_give_no_predictions() {
    let (gp, at) = fitted(10);
    let prediction = gp.predict(&at.slice(s![..0, ..])).unwrap();
    assert_eq!((prediction.mean.dim(), prediction.var_y.len()), ((0, 1), 0));
}

#[test]
fn the_interval_of_an_observation_includes_the_noise() {
    let (gp, at) = fitted(60);
    let prediction = gp.predict(&at).unwrap();
    assert_eq!(prediction.var_y, &prediction.var_latent + 0.02);
}

#[test]
fn far_from_the_data_the_prior_returns() {
    let (gp, _) = fitted(60);
    let far = Array2::from_elem((1, 2), 1e4);
    let prediction = gp.predict(&far).unwrap();
    close("mean", prediction.mean[[0, 0]], 0.3e4 - 0.2e4 + 0.7, 1e-12);
    close("variance", prediction.var_latent[0], 1.3, 1e-12);
}

#[test]
fn changed_hyperparameters_leave_nothing_stale() {
    let (gp, at) = fitted(60);
    gp.predict(&at).unwrap();
    let hyper = gp.hyperparameters();
    let names = hyper.named_values();
    for index in 0..names.len() {
        let mut values: Vec<f64> = names.iter().map(|(_, value)| *value).collect();
        values[index] *= 1.5;
        let changed = hyper.with_values(&values).unwrap();
        let again = condition(&changed, gp.x(), gp.y());
        // A model that has predicted before, and one built from what it would be written as.
        let fresh =
            condition(&Params::new(&changed, Units::Original).build(2).unwrap(), gp.x(), gp.y());
        let [a, b] = [again.predict(&at).unwrap(), fresh.predict(&at).unwrap()];
        assert_eq!(bits(&a.mean), bits(&b.mean));
        assert_eq!(bits(&a.var_latent), bits(&b.var_latent));
        let [a, b] = [again.lml().unwrap(), fresh.lml().unwrap()];
        assert_eq!(a, b);
        assert_ne!(a.value, gp.lml().unwrap().value, "{}", names[index].0);
    }
}

#[test]
fn a_model_from_its_parts_predicts_the_same_bits() {
    let (gp, at) = fitted(80);
    let params =
        serde_json::to_string(&Params::new(gp.hyperparameters(), Units::Original)).unwrap();
    let arrays = serde_json::to_string(&(gp.x(), gp.y(), gp.alpha())).unwrap();
    let params: Params = serde_json::from_str(&params).unwrap();
    let (x, y, alpha) = serde_json::from_str(&arrays).unwrap();
    let loaded = ExactGp::from_parts(params.build(2).unwrap(), x, y, alpha).unwrap();
    let [a, b] = [gp.predict(&at).unwrap(), loaded.predict(&at).unwrap()];
    assert_eq!(bits(&a.mean), bits(&b.mean));
    assert_eq!(bits(&a.var_latent), bits(&b.var_latent));
    assert_eq!(bits(&a.var_y), bits(&b.var_y));
    assert_eq!(gp.lml().unwrap(), loaded.lml().unwrap());
}

#[test]
fn draws_have_the_posterior_mean_and_covariance() {
    let (gp, at) = fitted(12);
    let at = at.slice(s![..4, ..]);
    let count = 20_000;
    let draws = gp.sample(&at, count, &mut ChaCha8Rng::seed_from_u64(5)).unwrap();
    let draws = draws.index_axis(Axis(2), 0);
    let (mean, covariance) = (gp.predict_mean(&at).unwrap(), gp.covariance(&at).unwrap());
    let average = draws.mean_axis(Axis(0)).unwrap();
    // Five standard errors of a mean, and about as many of a covariance.
    let error = 5.0 * (1.3 / count as f64).sqrt();
    close_all("mean", &average, &mean, error);
    let centred = &draws - &average;
    let sample = Array2::from_shape_fn((4, 4), |(i, j)| {
        centred.column(i).iter().zip(centred.column(j)).map(|(a, b)| a * b).sum::<f64>()
            / count as f64
    });
    close_all("covariance", &sample, &covariance, 2.0 * error);
}

#[test]
fn targets_are_drawn_independently() {
    let x = points(8, 1, 0);
    let y = ndarray::concatenate![Axis(1), targets(&x), targets(&x)];
    let gp = condition(&se(0.9, 0.1), &x, &y);
    let draws = gp.sample(&grid(3), 4000, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    let mean = gp.predict_mean(&grid(3)).unwrap();
    let centred = &draws - &mean;
    let (a, b) = (centred.slice(s![.., 1, 0]), centred.slice(s![.., 1, 1]));
    let correlation =
        a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / a.iter().map(|a| a * a).sum::<f64>();
    assert!(correlation.abs() < 5.0 / 4000f64.sqrt(), "{correlation}");
}
