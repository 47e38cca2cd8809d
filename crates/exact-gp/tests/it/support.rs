//! What the tests share: comparisons, models in short form, data without a generator behind them.

use exact_gp::{ExactGp, ExactGpOptions};
use gp_core::{
    Hyperparameters, MeanSpec, Params, Posterior, Scales, Standardiser, Trained, TrainingPlan,
    Units,
};
use kernels::{Kernel, KernelSpec, Mean};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};
use serde_json::{Value, json};

/// |a − b| against 1 + |b|.
#[track_caller]
pub(crate) fn close(what: &str, a: f64, b: f64, tolerance: f64) {
    let error = (a - b).abs() / (1.0 + b.abs());
    assert!(error <= tolerance, "{what}: {a} instead of {b}, relative error {error:e}");
}

/// The largest difference against 1 + the largest entry of `b`.
#[track_caller]
pub(crate) fn close_all<'a>(
    what: &str,
    a: impl IntoIterator<Item = &'a f64>,
    b: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    within_largest(what, a, b, tolerance, 1.0);
}

/// Entry by entry within `tolerance` of the largest entry of `b`, or of `least` where that is more.
#[track_caller]
fn within_largest<'a>(
    what: &str,
    a: impl IntoIterator<Item = &'a f64>,
    b: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
    least: f64,
) {
    let (a, b): (Vec<f64>, Vec<f64>) =
        (a.into_iter().copied().collect(), b.into_iter().copied().collect());
    assert_eq!(a.len(), b.len(), "{what}: lengths");
    let scale = b.iter().fold(least, |scale: f64, x| scale.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(&b).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what}[{i}]: {x} instead of {y}");
    }
}

/// The difference against |b| itself: what golden values are held to.
#[track_caller]
pub(crate) fn relative(what: &str, a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs(), "{what}: {a} instead of {b}");
}

/// The largest difference against the largest entry of `b`.
#[track_caller]
pub(crate) fn relative_all<'a>(
    what: &str,
    a: impl IntoIterator<Item = &'a f64>,
    b: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    within_largest(what, a, b, tolerance, 0.0);
}

pub(crate) fn bits<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    values.into_iter().map(|value| value.to_bits()).collect()
}

pub(crate) fn kernel(spec: &Value) -> Box<dyn Kernel> {
    serde_json::from_value::<KernelSpec>(spec.clone()).unwrap().build().unwrap()
}

/// A leaf with these lengthscales.
pub(crate) fn leaf(kind: &str, lengthscales: &[f64], variance: f64) -> Box<dyn Kernel> {
    kernel(&json!({"type": kind, "lengthscales": lengthscales, "variance": variance}))
}

/// Zero mean.
pub(crate) fn model(kernel: Box<dyn Kernel>, noise_variance: f64) -> Hyperparameters {
    Hyperparameters { kernel, noise_variance, mean: Mean::Zero }
}

/// Squared exponential, variance 1, zero mean.
pub(crate) fn se(lengthscale: f64, noise_variance: f64) -> Hyperparameters {
    model(leaf("se", &[lengthscale], 1.0), noise_variance)
}

pub(crate) fn condition(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
) -> ExactGp {
    ExactGp::condition(hyper, x, y, None).unwrap()
}

pub(crate) fn lml(hyper: &Hyperparameters, x: &ArrayRef2<f64>, y: &ArrayRef2<f64>) -> f64 {
    condition(hyper, x, y).lml().unwrap().value
}

pub(crate) fn column(values: impl IntoIterator<Item = f64>) -> Array2<f64> {
    values.into_iter().collect::<Array1<f64>>().insert_axis(Axis(1))
}

/// `n` points evenly on [0, 1].
pub(crate) fn grid(n: usize) -> Array2<f64> {
    column((0..n).map(|i| i as f64 / (n as f64 - 1.0)))
}

/// A deterministic number in (−1, 1).
pub(crate) fn wave(i: usize, j: usize) -> f64 {
    let t = (i as f64 + 1.0) * 0.754_877_666_246_692_8 + (j as f64 + 1.0) * 0.569_840_290_998_053_3;
    2.0 * (t + 0.31 * ((i * (j + 3)) as f64).sin()).fract() - 1.0
}

/// `n` scattered rows in (−2, 2) to the power `d`.
pub(crate) fn points(n: usize, d: usize, offset: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |(i, j)| 2.0 * wave(i + offset, j))
}

/// A smooth target of [`points`] with a little scatter.
pub(crate) fn targets(x: &ArrayRef2<f64>) -> Array2<f64> {
    let value = |(i, row): (usize, ndarray::ArrayView1<'_, f64>)| {
        (1.3 * row.sum()).sin() + 0.5 * row[0] + 0.1 * wave(i, 7)
    };
    column(x.outer_iter().enumerate().map(value))
}

/// A fit to standardised data, as the command line does it.
pub(crate) struct Scaled {
    pub(crate) x: Standardiser,
    pub(crate) y: Standardiser,
    pub(crate) gp: ExactGp,
    pub(crate) trained: Trained,
}

impl Scaled {
    pub(crate) fn fit(
        kind: &str,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        plan: TrainingPlan,
    ) -> Self {
        let (x_scaling, y_scaling) =
            (Standardiser::fit(x, "x").unwrap(), Standardiser::fit(y, "y").unwrap());
        let lengthscales = vec![1.0; x.ncols()];
        let params = Params {
            kernel: leaf(kind, &lengthscales, 1.0).spec(),
            noise_variance: 1.0,
            mean: MeanSpec::Constant(0.0),
            units: Units::Standardised,
        };
        let (x, y) = (x_scaling.apply(x).unwrap(), y_scaling.apply(y).unwrap());
        let template = params.build(x.ncols()).unwrap();
        let options = ExactGpOptions { plan, memory_budget: None };
        let (gp, trained) = ExactGp::fit(&template, &x, &y, &options, &mut ()).unwrap();
        Self { x: x_scaling, y: y_scaling, gp, trained }
    }

    pub(crate) fn scales(&self) -> Scales<'_> {
        Scales { x: &self.x, y: &self.y }
    }

    /// LML of the targets in their own units.
    pub(crate) fn original_lml(&self) -> f64 {
        let n = self.gp.x().nrows() as f64;
        let offset: f64 = self.y.scale().iter().map(|s| -n * s.ln()).sum();
        self.gp.lml().unwrap().value + offset
    }

    pub(crate) fn original_noise_variance(&self) -> f64 {
        self.gp.hyperparameters().noise_variance * self.y.scale()[0].powi(2)
    }

    pub(crate) fn mean(&self, x_new: &ArrayRef2<f64>) -> Array2<f64> {
        let mean = self.gp.predict_mean(&self.x.apply(x_new).unwrap()).unwrap();
        self.y.undo(&mean).unwrap()
    }
}

pub(crate) fn squares(values: &ArrayRef1<f64>) -> f64 {
    values.iter().map(|v| v * v).sum()
}
