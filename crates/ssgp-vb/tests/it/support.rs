//! What the tests share: comparisons, reading, data.

use gp_core::Prediction;
use ndarray::{Array1, Array2};
use serde_json::Value;
use ssgp_vb::{
    Component, Gaussian, HalfRange, Priors, Run, SparseSpectrum, SsgpVb, SsgpVbParts, mnlp, nmse,
};

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

/// A model of one component: the run of `problem` with spectral points `s`.
pub(crate) fn model(
    problem: &SparseSpectrum,
    s: &Array2<f64>,
    run: Run,
    target_mean: f64,
) -> SsgpVb {
    let noise_variance = problem.gamma(run.factors.c_gamma).unwrap().square;
    let (frequencies, factors, bound) = (s.clone(), run.factors, run.bound);
    let component = Component { frequencies, factors, bound, noise_variance };
    let scaling = HalfRange::identity(s.ncols());
    SsgpVb::from_parts(SsgpVbParts { scaling, target_mean, components: vec![component] }).unwrap()
}

/// NMSE and MNLP.
pub(crate) fn scores(y: &Array1<f64>, found: &Prediction, training_mean: f64) -> (f64, f64) {
    let mean = found.mean.column(0);
    (nmse(y, &mean, training_mean), mnlp(y, &mean, &found.var_y))
}

/// A deterministic number in (−1, 1).
pub(crate) fn wave(i: usize, j: usize) -> f64 {
    let t = (i as f64 + 1.0) * 0.754_877_666_246_692_8 + (j as f64 + 1.0) * 0.569_840_290_998_053_3;
    2.0 * (t + 0.31 * ((i * (j + 3)) as f64).sin()).fract() - 1.0
}

/// `n` rows in [−1, 1] to the power `d`, and a smooth target with some scatter.
pub(crate) fn data(n: usize, d: usize) -> (Array2<f64>, Array1<f64>) {
    let x = Array2::from_shape_fn((n, d), |(i, j)| wave(i, j));
    let y = x.outer_iter().enumerate().map(|(i, row)| (3.0 * row[0]).sin() + 0.1 * wave(i, 9));
    let y = y.collect();
    (x, y)
}
