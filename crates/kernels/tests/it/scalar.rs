//! Kernel values one pair at a time with the standard library's functions, from the formulas of
//! the README: what the engine is compared with.

use std::f64::consts::PI;

use kernels::{KernelSpec, StationarySpec};
use ndarray::{Array2, ArrayRef2};

/// k(x, x') of a specification, white noise left out.
pub(crate) fn value(spec: &KernelSpec, x: &[f64], x2: &[f64]) -> f64 {
    match spec {
        KernelSpec::SquaredExponential(leaf) => stationary(leaf, x, x2, |r2| (-0.5 * r2).exp()),
        KernelSpec::Matern12(leaf) => stationary(leaf, x, x2, |r2| (-r2.sqrt()).exp()),
        KernelSpec::Matern32(leaf) => stationary(leaf, x, x2, |r2| {
            let a = (3.0 * r2).sqrt();
            (1.0 + a) * (-a).exp()
        }),
        KernelSpec::Matern52(leaf) => stationary(leaf, x, x2, |r2| {
            let a = (5.0 * r2).sqrt();
            (1.0 + a + 5.0 / 3.0 * r2) * (-a).exp()
        }),
        KernelSpec::RationalQuadratic { lengthscales, variance, alpha, active_dims } => {
            let r2 = squared_distance(lengthscales, active_dims.as_deref(), x, x2);
            variance * (-alpha * (r2 / (2.0 * alpha)).ln_1p()).exp()
        }
        KernelSpec::Periodic { lengthscales, variance, period, active_dims } => {
            let (x, x2) = (picked(x, active_dims.as_deref()), picked(x2, active_dims.as_deref()));
            let term = |d: usize| {
                ((PI * (x[d] - x2[d]) / period).sin() / of_column(lengthscales, d)).powi(2)
            };
            variance * (-2.0 * (0..x.len()).map(term).sum::<f64>()).exp()
        }
        KernelSpec::Linear { variances, active_dims } => {
            let (x, x2) = (picked(x, active_dims.as_deref()), picked(x2, active_dims.as_deref()));
            (0..x.len()).map(|d| of_column(variances, d) * x[d] * x2[d]).sum()
        }
        KernelSpec::Constant { variance } => *variance,
        KernelSpec::White { .. } => 0.0,
        KernelSpec::Sum { terms } => terms.iter().map(|term| value(term, x, x2)).sum(),
        KernelSpec::Product { terms } => terms.iter().map(|term| value(term, x, x2)).product(),
    }
}

/// k(X, X').
pub(crate) fn block(spec: &KernelSpec, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
    let entry = |(i, j): (usize, usize)| value(spec, &x.row(i).to_vec(), &x2.row(j).to_vec());
    Array2::from_shape_fn((x.nrows(), x2.nrows()), entry)
}

fn stationary(leaf: &StationarySpec, x: &[f64], x2: &[f64], profile: impl Fn(f64) -> f64) -> f64 {
    let r2 = squared_distance(&leaf.lengthscales, leaf.active_dims.as_deref(), x, x2);
    // Beyond, no profile is more than 1e-200.
    leaf.variance * profile(r2.min(1e6))
}

fn squared_distance(
    lengthscales: &[f64],
    active_dims: Option<&[usize]>,
    x: &[f64],
    x2: &[f64],
) -> f64 {
    let (x, x2) = (picked(x, active_dims), picked(x2, active_dims));
    (0..x.len()).map(|d| ((x[d] - x2[d]) / of_column(lengthscales, d)).powi(2)).sum()
}

fn picked(x: &[f64], active_dims: Option<&[usize]>) -> Vec<f64> {
    active_dims.map_or_else(|| x.to_vec(), |dims| dims.iter().map(|&dim| x[dim]).collect())
}

fn of_column(values: &[f64], d: usize) -> f64 {
    values[if values.len() == 1 { 0 } else { d }]
}
