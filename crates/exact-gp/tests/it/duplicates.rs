//! Repeated rows: cases 1, 2, 3 and 38.

use crate::support::{close, close_all, column, condition, leaf, lml, model, points, se, targets};
use exact_gp::{ExactGp, GpError};
use gp_core::{Hyperparameters, Posterior, disagreement};
use ndarray::{Array2, array, s};

/// Rows 0 and 1 are equal.
fn repeated() -> (Array2<f64>, Array2<f64>) {
    (array![[0.0], [0.0], [1.0]], array![[1.0], [3.0], [2.0]])
}

#[test]
fn noise_explains_repeated_rows() {
    let ((x, y), hyper) = (repeated(), se(1.0, 0.1));
    let gp = condition(&hyper, &x, &y);
    close("LML", gp.lml().unwrap().value, -14.213_083_604_2, 1e-10);
    let at = array![[0.0], [0.5], [10.0]];
    let prediction = gp.predict(&at).unwrap();
    close_all("mean", &prediction.mean, &array![1.937_307_019_3, 2.100_937_332_3, 0.0], 1e-10);
    let variance = array![0.046_506_253_1, 0.072_964_655_9, 1.0];
    close_all("variance", &prediction.var_latent, &variance, 1e-10);
    assert!(disagreement(&x, &y.column(0), 0.1).is_none());
}

#[test]
fn the_mean_is_that_of_the_merged_rows() {
    let ((x, y), hyper) = (repeated(), se(1.0, 0.1));
    let at = array![[-0.4], [0.0], [0.7]];
    let mean = condition(&hyper, &x, &y).predict_mean(&at).unwrap();
    // The merged row carries half the noise: y = 2 with noise 0.05, solved by hand for two rows.
    let k = (-0.5_f64).exp();
    let (a, b) = (1.05, 1.1);
    let determinant = a * b - k * k;
    let alpha = [(b * 2.0 - k * 2.0) / determinant, (a * 2.0 - k * 2.0) / determinant];
    let covariance = |t: f64, x: f64| (-0.5 * (t - x).powi(2)).exp();
    let merged = at.mapv(|t| covariance(t, 0.0) * alpha[0] + covariance(t, 1.0) * alpha[1]);
    close_all("merged", &mean, &merged, 1e-12);
}

#[test]
fn zero_noise_refuses_repeated_rows_by_number() {
    let (x, mut y) = repeated();
    for (second, relation) in [(3.0, "but different targets"), (1.0, "and equal targets")] {
        y[[1, 0]] = second;
        let error = ExactGp::condition(&se(1.0, 0.0), &x, &y, None).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("rows 1 and 2 have equal inputs"), "{message}");
        assert!(message.contains(relation), "{message}");
    }
}

#[test]
fn zero_noise_without_repeated_rows_is_refused_by_name() {
    let (x, y) = (array![[0.0], [1.0]], array![[1.0], [2.0]]);
    let error = ExactGp::condition(&se(1.0, 0.0), &x, &y, None).unwrap_err();
    assert!(matches!(&error, GpError::BadParameter { name, .. } if name == "noise_variance"));
    assert!(error.to_string().contains("greater than 0"), "{error}");
    assert!(ExactGp::condition(&se(1.0, 1e-7), &x, &y, None).is_ok());
}

#[test]
fn tiny_noise_that_hides_a_conflict_is_noticed() {
    let (x, y) = repeated();
    let found = disagreement(&x, &y.column(0), 1e-10).unwrap();
    assert_eq!((found.rows, found.rows_repeated), ((0, 1), 2));
}

/// The LML at the parameters times `exp(step)`, one of them moved.
fn moved(
    hyper: &Hyperparameters,
    index: usize,
    step: f64,
    x: &Array2<f64>,
    y: &Array2<f64>,
) -> f64 {
    let mut values: Vec<f64> = hyper.named_values().into_iter().map(|(_, value)| value).collect();
    values[index] *= step.exp();
    lml(&hyper.with_values(&values).unwrap(), x, y)
}

#[test]
fn gradients_where_rows_coincide() {
    let mut x = points(14, 2, 3);
    for row in 0..4 {
        let copied = x.row(row).to_owned();
        x.slice_mut(s![row + 9, ..]).assign(&copied);
    }
    let y = targets(&x);
    for kind in ["matern12", "matern32", "matern52"] {
        let hyper = model(leaf(kind, &[0.7, 1.9], 1.2), 0.05);
        let (_, gradient) = condition(&hyper, &x, &y).lml_gradient().unwrap();
        let flat = [gradient.log_kernel, vec![gradient.log_noise_variance]].concat();
        let h = 1e-5;
        for (index, value) in flat.iter().enumerate() {
            let difference =
                (moved(&hyper, index, h, &x, &y) - moved(&hyper, index, -h, &x, &y)) / (2.0 * h);
            close(kind, *value, difference, 1e-6);
        }
    }
}

#[test]
fn nearly_equal_rows_give_no_nan() {
    let x = array![
        [31.554_370_35, 31.554_370_38, 32.363_456_78],
        [31.554_370_37, 31.554_370_37, 32.363_456_79],
        [31.554_370_37, 31.554_370_37, 32.363_456_79],
        [28.318_024_69, 21.845_333_48, -29.127_110_68],
        [28.318_024_69, 21.845_333_48, -29.127_111_11],
    ];
    let y = column([3.0, 4.0, 5.0, 6.0, 2.0]);
    let gp = condition(&model(leaf("matern32", &[1.0], 1.0), 0.1), &x, &y);
    close("GPflow#421", gp.lml().unwrap().value, -67.438_467_857_5, 1e-10);
    let (_, gradient) = gp.lml_gradient().unwrap();
    assert!(gradient.log_kernel.iter().all(|g| g.is_finite()));
    let prediction = gp.predict(&x).unwrap();
    assert!(prediction.mean.iter().chain(&prediction.var_latent).all(|v| v.is_finite()));
}
