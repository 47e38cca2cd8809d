//! What the tests share: comparisons, reading, data.

use ndarray::{Array1, Array2};
use serde_json::Value;
use ssgp_vb::{Gaussian, Priors, SparseSpectrum};

/// |a − b| against `tolerance`.
#[track_caller]
pub(crate) fn near(what: &str, a: f64, b: f64, tolerance: f64) {
    let error = (a - b).abs();
    assert!(error <= tolerance, "{what}: {a} instead of {b}, off by {error:e}");
}

/// The largest difference against the largest entry of `b`.
#[track_caller]
pub(crate) fn near_all<'a>(
    what: &str,
    a: impl IntoIterator<Item = &'a f64>,
    b: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    let (a, b): (Vec<f64>, Vec<f64>) =
        (a.into_iter().copied().collect(), b.into_iter().copied().collect());
    assert_eq!(a.len(), b.len(), "{what}: lengths");
    let scale = b.iter().fold(0.0, |scale: f64, x| scale.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(&b).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what}[{i}]: {x} instead of {y}");
    }
}

pub(crate) fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/ssgp-vb.json")).unwrap()
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

pub(crate) fn vector(value: &Value) -> Array1<f64> {
    serde_json::from_value::<Vec<f64>>(value.clone()).unwrap().into()
}

pub(crate) fn matrix(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    let columns = rows.first().map_or(0, Vec::len);
    Array2::from_shape_vec((rows.len(), columns), rows.concat()).unwrap()
}

pub(crate) fn gaussian(mean: &Value, covariance: &Value) -> Gaussian {
    Gaussian { mean: vector(mean), covariance: matrix(covariance) }
}

/// The priors a golden case names.
pub(crate) fn priors(inputs: &Value) -> Priors {
    Priors {
        lambda: Some(gaussian(&inputs["mu0"], &inputs["Sigma0"])),
        signal_scale: number(&inputs["A_sigma"]),
        noise_scale: number(&inputs["A_gamma"]),
    }
}

/// The problem a golden case describes.
pub(crate) fn problem(inputs: &Value) -> SparseSpectrum {
    let (x, y, s) = (matrix(&inputs["X"]), vector(&inputs["y"]), matrix(&inputs["S"]));
    SparseSpectrum::new(&x, &y, &s, &priors(inputs)).unwrap()
}
