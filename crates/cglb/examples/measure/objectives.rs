//! Objectives of training: the exact log marginal likelihood with the factorisation it rests on, and
//! others by their methods.

use std::error::Error;

use bounds::exact::Exact;
use bounds::{BoundError, Problem};
use exact_gp::ExactGp;
use gp_core::Hyperparameters;
use kernels::{Matern32, Mean, gram_matrix};
use linalg_cg::Cholesky;
use ndarray::Array2;

use crate::clock::{median_seconds, median_seconds_of};
use crate::inputs::{Rows, rows};
use crate::{Figures, Method, Op, Spec, sparse};

/// Hyperparameters, with unit lengthscales and variance, that other packages are given too.
const NOISE: f64 = 0.1;

pub(crate) fn measure(spec: &Spec) -> Result<Figures, Box<dyn Error>> {
    let rows = rows(spec.n, spec.d)?;
    if rows.x.dim() != (spec.n, spec.d) {
        return Err(format!("{} is {:?}", rows.name, rows.x.dim()).into());
    }
    let kernel = Box::new(Matern32::new(vec![1.0; spec.d], 1.0)?);
    let mean = Mean::Constant(0.0);
    let hyper = Hyperparameters { kernel, noise_variance: NOISE, mean };
    let method = spec.method.unwrap_or_default();
    if method != Method::Exact {
        let m = spec.m.ok_or("`m` is missing")?;
        return match spec.op {
            Op::Condition => sparse::condition(&hyper, &rows, m, spec.dtype),
            _ => sparse::objective_gradient(method, &hyper, &rows, m),
        };
    }
    let (seconds, value) = match spec.op {
        Op::Cholesky => (cholesky(&hyper, &rows.x)?, None),
        Op::Objective => objective(&hyper, &rows)?,
        _ => objective_gradient(hyper, &rows)?,
    };
    Ok(Figures { seconds, value, data: rows.name, ..Figures::default() })
}

fn cholesky(hyper: &Hyperparameters, x: &Array2<f64>) -> Result<f64, Box<dyn Error>> {
    let mut k = gram_matrix(hyper.kernel.as_ref(), x);
    k.diag_mut().mapv_inplace(|value| value + NOISE);
    Cholesky::factor(k.clone())?;
    Ok(median_seconds_of(|| k.clone(), Cholesky::factor))
}

fn objective(hyper: &Hyperparameters, rows: &Rows) -> Result<(f64, Option<f64>), Box<dyn Error>> {
    let problem = Problem::new(hyper.kernel.as_ref(), &rows.x, NOISE)?;
    let lml = || -> Result<f64, BoundError> { Exact::new(&problem)?.lml(&rows.y) };
    let value = lml()?;
    Ok((median_seconds(lml), Some(value)))
}

fn objective_gradient(
    hyper: Hyperparameters,
    rows: &Rows,
) -> Result<(f64, Option<f64>), Box<dyn Error>> {
    let alpha = Array2::zeros(rows.y.dim());
    let model = ExactGp::from_parts(hyper, rows.x.clone(), rows.y.clone(), alpha)?;
    let (value, _) = model.lml_gradient()?;
    Ok((median_seconds(|| model.lml_gradient()), Some(value)))
}
