//! Products with kernel matrices and their gradients.

use std::error::Error;

use kernels::{
    Kernel, KernelError, KernelOperator, Matern32, Matern52, SquaredExponential, Store, Sum,
    contract_gradients, cross_product, kernel_matrix,
};
use linalg_cg::LinearOperator;
use ndarray::Array2;

use crate::clock::median_seconds;
use crate::floor::{Work, ns_per_pair};
use crate::inputs::random;
use crate::{Dtype, Figures, Kind, Op, Spec};

pub(crate) fn measure(spec: &Spec) -> Result<Figures, Box<dyn Error>> {
    let kernel = kernel(spec.kernel, spec.d)?;
    let x = random(spec.n, spec.d, 1);
    let (n, work) = (spec.n as f64, work(spec));
    let floor = |share: f64| Some(share * ns_per_pair(spec.kernel, work, spec.threads));
    let (seconds, entries, floor_ns) = match spec.op {
        // Memory, not arithmetic, is what it takes.
        Op::StoredProduct => (square(spec, kernel.as_ref(), &x), n * n, None),
        // The floor is of double precision.
        Op::Product if spec.dtype == Dtype::F32 => (square(spec, kernel.as_ref(), &x), n * n, None),
        // A pair of rows is two entries.
        Op::Product | Op::Gradient => (square(spec, kernel.as_ref(), &x), n * n, floor(0.5)),
        _ => {
            let m = spec.m.ok_or("`m` is missing")?;
            let others = random(m, spec.d, 2);
            (rectangular(spec, kernel.as_ref(), &x, &others), n * m as f64, floor(1.0))
        }
    };
    Ok(Figures { seconds, entries: Some(entries), floor_ns, data: "random", ..Figures::default() })
}

/// ARD with different lengthscales, of the order of the distances.
fn kernel(kind: Kind, d: usize) -> Result<Box<dyn Kernel>, KernelError> {
    let lengthscales: Vec<f64> = (0..d).map(|column| 1.0 + 0.1 * column as f64).collect();
    Ok(match kind {
        Kind::Se => Box::new(SquaredExponential::new(lengthscales, 1.3)?),
        Kind::Matern32 => Box::new(Matern32::new(lengthscales, 1.3)?),
        Kind::Matern52 => Box::new(Matern52::new(lengthscales, 1.3)?),
        Kind::Sum => Box::new(Sum::new(vec![kernel(Kind::Matern32, d)?, kernel(Kind::Se, d)?])?),
    })
}

/// The least arithmetic of a pair, whatever the way there.
fn work(spec: &Spec) -> Work {
    let (d, columns) = (spec.d, spec.columns.unwrap_or(1));
    let (slope, per_term, once) = match spec.op {
        // To both rows of the pair.
        Op::Product => (false, 0, 2 * columns),
        // The weight from both rows; then to each lengthscale.
        Op::Gradient => (true, d, 2 * columns),
        Op::CrossProduct => (false, 0, columns),
        // To each lengthscale and each coordinate of Z.
        Op::KUfGradient => (true, 2 * d, 0),
        // The variance.
        _ => (false, 0, 1),
    };
    Work { d, slope, per_term, once }
}

fn square(spec: &Spec, kernel: &dyn Kernel, x: &Array2<f64>) -> f64 {
    let columns = spec.columns.unwrap_or(1);
    let operator = KernelOperator::new(kernel, x, 0.1);
    let (u, v) = (random(spec.n, columns, 3), random(spec.n, columns, 4));
    match spec.op {
        Op::Gradient => median_seconds(|| operator.gradient_product(&u, &v)),
        Op::StoredProduct => {
            let stored = operator.store(Store::IfItFits, u64::MAX);
            median_seconds(|| stored.apply(&v))
        }
        _ if spec.dtype == Dtype::F32 => {
            let single = operator.search_in_single_precision();
            median_seconds(|| single.apply_search(&v))
        }
        _ => median_seconds(|| operator.apply(&v)),
    }
}

fn rectangular(spec: &Spec, kernel: &dyn Kernel, x: &Array2<f64>, others: &Array2<f64>) -> f64 {
    match spec.op {
        Op::CrossProduct => {
            let v = random(spec.n, spec.columns.unwrap_or(1), 3);
            median_seconds(|| cross_product(kernel, others, x, &v))
        }
        Op::KUfGradient => {
            let weights = random(others.nrows(), spec.n, 3);
            median_seconds(|| contract_gradients(kernel, others, x, &weights))
        }
        _ => median_seconds(|| kernel_matrix(kernel, others, x)),
    }
}
