//! What the tests share: comparisons, owned problems, random problems.

use bounds::{
    LogDetBound, Problem, QuadBound, SurrogateKind, VecchiaStructure, log_det_catalogue,
    quad_catalogue,
};
use kernels::{Kernel, KernelSpec};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::Arc;

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

pub(crate) fn kernel(spec: &Value) -> Box<dyn Kernel> {
    serde_json::from_value::<KernelSpec>(spec.clone()).unwrap().build().unwrap()
}

/// A squared-exponential kernel with one lengthscale.
pub(crate) fn se(lengthscale: f64, variance: f64) -> Box<dyn Kernel> {
    kernel(&serde_json::json!({"type": "se", "lengthscales": [lengthscale], "variance": variance}))
}

pub(crate) fn vector(value: &Value) -> Array1<f64> {
    serde_json::from_value::<Vec<f64>>(value.clone()).unwrap().into()
}

pub(crate) fn matrix(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    let columns = rows.first().map_or(0, Vec::len);
    Array2::from_shape_vec((rows.len(), columns), rows.concat()).unwrap()
}

/// One column.
pub(crate) fn column(y: &ArrayRef1<f64>) -> Array2<f64> {
    y.to_owned().insert_axis(ndarray::Axis(1))
}

pub(crate) fn squares(a: &ArrayRef1<f64>) -> f64 {
    a.iter().map(|x| x * x).sum()
}

pub(crate) fn log_det(name: &str) -> Box<dyn LogDetBound> {
    log_det_catalogue().into_iter().find(|bound| bound.name() == name).unwrap()
}

pub(crate) fn quad(name: &str) -> Box<dyn QuadBound> {
    quad_catalogue().into_iter().find(|bound| bound.name() == name).unwrap()
}

/// −½(quad + log-determinant) − (n/2) log 2π.
pub(crate) fn evidence(n: usize, quad: f64, log_det: f64) -> f64 {
    -0.5 * (quad + log_det + n as f64 * (2.0 * std::f64::consts::PI).ln())
}

/// Everything a problem borrows.
#[derive(Debug)]
pub(crate) struct Owned {
    pub(crate) kernel: Box<dyn Kernel>,
    pub(crate) x: Array2<f64>,
    pub(crate) z: Array2<f64>,
    pub(crate) y: Array1<f64>,
    pub(crate) v: Array1<f64>,
    pub(crate) noise_variance: f64,
    pub(crate) jitter: f64,
    pub(crate) neighbours: usize,
    pub(crate) structure: Option<Arc<VecchiaStructure>>,
    pub(crate) block: usize,
    pub(crate) blocks: Option<Arc<VecchiaStructure>>,
}

impl Owned {
    pub(crate) fn problem(&self) -> Problem<'_> {
        let problem = Problem::new(self.kernel.as_ref(), &self.x, self.noise_variance).unwrap();
        let problem = problem.with_inducing_points(&self.z, self.jitter).unwrap();
        let problem = match &self.blocks {
            Some(blocks) => problem.with_shared_blocks(Arc::clone(blocks)).unwrap(),
            None => problem.with_blocks(self.block).unwrap(),
        };
        match &self.structure {
            Some(structure) => problem.with_shared_structure(Arc::clone(structure)).unwrap(),
            None => problem.with_neighbours(self.neighbours),
        }
    }

    pub(crate) fn n(&self) -> usize {
        self.x.nrows()
    }

    /// Fixes neighbours and blocks at what the present hyperparameters give.
    pub(crate) fn freeze_structure(&mut self) {
        let problem = self.problem();
        let structure = Arc::clone(problem.vecchia().unwrap().structure());
        let pitc = problem.surrogate(SurrogateKind::Pitc).unwrap();
        let blocks = Arc::clone(pitc.sparse().structure());
        (self.structure, self.blocks) = (Some(structure), Some(blocks));
    }

    /// Neighbours of blocks of rows instead of single rows.
    pub(crate) fn in_blocks(mut self, block: usize, k: usize) -> Self {
        let structure = VecchiaStructure::nearest_blocks(&self.kernel.embed(&self.x), block, k);
        self.structure = Some(Arc::new(structure));
        self
    }
}

/// Deterministic numbers in (−1, 1) without a generator's version behind them.
pub(crate) fn wave(i: usize, j: usize) -> f64 {
    let t = (i as f64 + 1.0) * 0.754_877_666_246_692_8 + (j as f64 + 1.0) * 0.569_840_290_998_053_3;
    2.0 * (t + 0.31 * ((i * (j + 3)) as f64).sin()).fract() - 1.0
}

pub(crate) fn points(n: usize, d: usize, offset: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |(i, j)| 2.0 * wave(i + offset, j))
}

fn power(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low..high).prop_map(|exponent: f64| 10f64.powf(exponent))
}

/// A kernel of the catalogue with lengthscales in 0.01…100 and variances in 0.01…100.
fn kernels(d: usize) -> impl Strategy<Value = Box<dyn Kernel>> {
    let count = kernels::catalogue(d).unwrap().len();
    (0..count, prop::collection::vec(-2.0..2.0f64, 64)).prop_map(move |(index, exponents)| {
        let mut kernel = kernels::catalogue(d).unwrap().swap_remove(index);
        let parameters = kernel.parameters();
        let narrow = |name: &str| name.contains("alpha") || name.contains("period");
        let value = |(parameter, exponent): (&kernels::Parameter, &f64)| {
            10f64.powf(if narrow(&parameter.name) { 0.2 * exponent } else { *exponent })
        };
        let values: Vec<f64> = parameters.iter().zip(exponents.iter().cycle()).map(value).collect();
        kernel.set_parameters(&values).unwrap();
        kernel
    })
}

/// Inputs on several scales, often with duplicated or nearly duplicated rows.
fn inputs(n: usize, d: usize) -> impl Strategy<Value = Array2<f64>> {
    let values = prop::collection::vec(-2.0..2.0f64, n * d);
    let copies = prop::collection::vec(0..n, n);
    (values, copies, 0..4usize).prop_map(move |(values, copies, mode)| {
        let x = Array2::from_shape_vec((n, d), values).unwrap();
        match mode {
            0 => Array2::from_shape_fn((n, d), |(i, j)| x[[copies[i] / 2, j]]),
            1 => Array2::from_shape_fn((n, d), |(i, j)| x[[copies[i] / 2, j]] + 1e-9 * x[[i, j]]),
            2 => x.mapv(|value| (2.0 * value).round() / 2.0),
            _ => x,
        }
    })
}

/// Random problems: all kernels, d ≤ 5, n ≤ 60, noise 1e-8…10, duplicates, Z among the rows or near.
pub(crate) fn problems() -> impl Strategy<Value = Owned> {
    (2..=60usize, 1..=5usize).prop_flat_map(|(n, d)| {
        let sizes = (0..=n, prop_oneof![Just(0usize), Just(1), Just(5), Just(n)], 0..3usize);
        let numbers = prop::collection::vec(-2.0..2.0f64, n);
        (kernels(d), inputs(n, d), sizes, power(-8.0, 1.0), numbers).prop_map(
            move |(kernel, x, (m, neighbours, shift), noise_variance, y)| {
                let scale = if shift == 0 { 0.05 } else { 0.0 };
                let z = Array2::from_shape_fn((m, d), |(i, j)| x[[i, j]] + scale * wave(i, j));
                let jitter = 1e-8 * largest(&kernel.diag(&z));
                let (y, v) = (Array1::from(y), Array1::zeros(n));
                Owned {
                    kernel,
                    x,
                    z,
                    y,
                    v,
                    noise_variance,
                    jitter,
                    neighbours,
                    structure: None,
                    block: 1 + n / 4,
                    blocks: None,
                }
            },
        )
    })
}

fn largest(diagonal: &ArrayRef1<f64>) -> f64 {
    diagonal.fold(0.0, |largest: f64, &value| largest.max(value))
}

/// Rows of `x` in another order.
pub(crate) fn permuted(x: &ArrayRef2<f64>, order: &[usize]) -> Array2<f64> {
    x.select(ndarray::Axis(0), order)
}
