//! What the tests share: comparisons, models, data.

use bounds::exact::Exact;
use bounds::{Problem, Rounding};
use cglb::{Bound, Cglb, CglbSettings, Jitter, SearchPrecision};
use gp_core::Hyperparameters;
use kernels::{Kernel, KernelSpec, Mean, catalogue};
use ndarray::{Array1, Array2, ArrayRef2, Axis, concatenate, s};
use proptest::prelude::*;
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
    let (a, b): (Vec<f64>, Vec<f64>) =
        (a.into_iter().copied().collect(), b.into_iter().copied().collect());
    assert_eq!(a.len(), b.len(), "{what}: lengths");
    let scale = b.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(&b).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what}[{i}]: {x} instead of {y}");
    }
}

pub(crate) fn bits<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    values.into_iter().map(|value| value.to_bits()).collect()
}

pub(crate) fn kernel(spec: &Value) -> Box<dyn Kernel> {
    serde_json::from_value::<KernelSpec>(spec.clone()).unwrap().build().unwrap()
}

/// A leaf with these lengthscales and variance 1, zero mean.
pub(crate) fn leaf(kind: &str, lengthscales: &[f64], noise_variance: f64) -> Hyperparameters {
    let spec = json!({"type": kind, "lengthscales": lengthscales, "variance": 1.0});
    Hyperparameters { kernel: kernel(&spec), noise_variance, mean: Mean::Zero }
}

pub(crate) fn vector(value: &Value) -> Array1<f64> {
    serde_json::from_value::<Vec<f64>>(value.clone()).unwrap().into()
}

pub(crate) fn matrix(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    let columns = rows.first().map_or(0, Vec::len);
    Array2::from_shape_vec((rows.len(), columns), rows.concat()).unwrap()
}

pub(crate) fn column(values: impl IntoIterator<Item = f64>) -> Array2<f64> {
    values.into_iter().collect::<Array1<f64>>().insert_axis(Axis(1))
}

/// Double precision throughout, and this jitter.
pub(crate) fn absolute(jitter: f64) -> CglbSettings {
    CglbSettings {
        jitter: Jitter::Absolute(jitter),
        search: SearchPrecision::Double,
        ..CglbSettings::default()
    }
}

pub(crate) fn with_bound(name: &str) -> CglbSettings {
    CglbSettings { bound: Bound::named(name).unwrap(), ..CglbSettings::default() }
}

pub(crate) fn condition(
    hyper: &Hyperparameters,
    z: &ArrayRef2<f64>,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
) -> Cglb {
    Cglb::condition(hyper, z, x, y, &CglbSettings::default()).unwrap()
}

/// The exact log marginal likelihood, and how far rounding may move a bound on it.
pub(crate) fn exact_lml(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
) -> (f64, f64) {
    let problem = Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance).unwrap();
    let (exact, rounding) = (Exact::new(&problem).unwrap(), Rounding::new(&problem));
    let r = y.to_owned() - hyper.mean.value(x).insert_axis(Axis(1));
    let squares = exact.alpha(&r).unwrap().iter().map(|a| a * a).sum();
    let quad = rounding.quad(exact.quad(&r).unwrap().sum(), squares);
    let slack = quad + y.ncols() as f64 * rounding.log_det(exact.log_det());
    (exact.lml(&r).unwrap(), slack)
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

/// Data, inducing points and a model of the catalogue.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) hyper: Hyperparameters,
    pub(crate) x: Array2<f64>,
    pub(crate) y: Array2<f64>,
    pub(crate) z: Array2<f64>,
}

impl Case {
    pub(crate) fn cglb(&self) -> Cglb {
        condition(&self.hyper, &self.z, &self.x, &self.y)
    }
}

fn hyperparameters(d: usize) -> impl Strategy<Value = Hyperparameters> {
    let count = catalogue(d).unwrap().len();
    let factors = prop::collection::vec(-0.5..0.5f64, 40);
    (0..count, factors, -8.0..0.0f64, -1.0..1.0f64).prop_map(move |(index, factors, noise, c)| {
        let kernel = catalogue(d).unwrap().swap_remove(index);
        let mean = Mean::Constant(c);
        let hyper = Hyperparameters { kernel, noise_variance: 10f64.powf(noise), mean };
        let named = hyper.named_values();
        let values = named.iter().zip(&factors).map(|((_, v), f)| v * 10f64.powf(*f));
        hyper.with_values(&values.collect::<Vec<_>>()).unwrap()
    })
}

/// Up to two targets; some rows are repeated; some inducing points are rows, some not.
pub(crate) fn sparse_cases() -> impl Strategy<Value = Case> {
    (3..30usize, 1..=3usize, 1..=2usize, 0..8usize).prop_flat_map(|(n, d, p, m)| {
        let numbers = |count: usize| prop::collection::vec(-2.0..2.0f64, count);
        let numbers = (numbers(n * d), numbers(n * p), numbers(m * d));
        (hyperparameters(d), numbers, 0..n).prop_map(move |(hyper, (x, y, z), copied)| {
            let mut x = Array2::from_shape_vec((n, d), x).unwrap();
            let first = x.row(0).to_owned();
            x.row_mut(copied).assign(&first);
            let z = Array2::from_shape_vec((m, d), z).unwrap();
            let z = concatenate![Axis(0), z, x.slice(s![..m.min(2), ..])];
            let y = Array2::from_shape_vec((n, p), y).unwrap();
            Case { hyper, x, y, z }
        })
    })
}
