//! Stochastic gradients of the log-determinant.

use bounds::{Gradient, Problem};
use gp_core::{GpError, Hyperparameters};
use kernels::KernelOperator;
use ndarray::{Array2, ArrayRef2, Axis};

use crate::surrogate::Surrogate;

/// Σ_c u_cᵀ dK v_c: one entry for each kernel parameter, then the noise variance, by logarithms.
pub(crate) fn form(
    problem: &Problem<'_>,
    operator: &KernelOperator<'_>,
    u: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
) -> Vec<f64> {
    let d_sigma2 = u.iter().zip(v).map(|(u, v)| u * v).sum();
    with_sigma2(problem, operator.gradient_product(u, v), d_sigma2)
}

/// Adds the effect of σ² = noise variance + white variance.
fn with_sigma2(problem: &Problem<'_>, mut kernel: Vec<f64>, d_sigma2: f64) -> Vec<f64> {
    problem.kernel().accumulate_white_gradient(d_sigma2, &mut kernel);
    kernel.push(problem.noise_variance() * d_sigma2);
    kernel
}

/// Kernel parameters, then the noise variance.
fn flat(gradient: Gradient) -> Vec<f64> {
    let mut flat = gradient.kernel;
    flat.push(gradient.noise_variance);
    flat
}

/// The estimate of d log|K| = tr(K⁻¹dK), and what each probe says.
pub(crate) struct TraceGradient {
    /// What is known exactly: d log|P|, or zero.
    exact: Vec<f64>,
    /// One row for each probe, or for all of them together.
    samples: Vec<Vec<f64>>,
}

/// d log|K| from `u = K⁻¹W`, `b = P⁻¹W`, E wwᵀ = P.
///
/// ```text
/// d log|K| = d log|P| + E[uᵀ dK b − bᵀ dP b]
/// ```
///
/// The difference vanishes as P → K; where P has no derivative it is left out on both sides.
/// `together` sums over probes in one pass over the kernel matrix, which leaves no standard error.
pub(crate) fn trace_gradient(
    problem: &Problem<'_>,
    operator: &KernelOperator<'_>,
    surrogate: &dyn Surrogate,
    [u, b]: [&Array2<f64>; 2],
    together: bool,
) -> Result<TraceGradient, GpError> {
    let t = u.ncols();
    let width = if together { t } else { 1 };
    let panels = u.axis_chunks_iter(Axis(1), width).zip(b.axis_chunks_iter(Axis(1), width));
    let sample = |(u, b): (ndarray::ArrayView2<'_, f64>, ndarray::ArrayView2<'_, f64>)| {
        let mut sample = form(problem, operator, &u, &b);
        if let Some(derivative) = surrogate.derivative() {
            let control = flat(derivative.form(&b)?);
            sample.iter_mut().zip(control).for_each(|(sample, control)| *sample -= control);
        }
        sample.iter_mut().for_each(|value| *value /= width as f64);
        Ok(sample)
    };
    let samples = panels.map(sample).collect::<Result<_, GpError>>()?;
    let exact = match surrogate.derivative() {
        Some(derivative) => flat(derivative.log_det()?),
        None => vec![0.0; problem.kernel().parameters().len() + 1],
    };
    Ok(TraceGradient { exact, samples })
}

impl TraceGradient {
    /// From samples alone.
    pub(crate) fn of_samples(samples: Vec<Vec<f64>>) -> Self {
        let exact = vec![0.0; samples.first().map_or(0, Vec::len)];
        Self { exact, samples }
    }

    /// The estimate.
    pub(crate) fn mean(&self) -> Vec<f64> {
        let mean = |i: usize| mean_and_error(self.samples.iter().map(|sample| sample[i])).0;
        self.exact.iter().enumerate().map(|(i, exact)| exact + mean(i)).collect()
    }

    /// Its standard error.
    pub(crate) fn standard_error(&self) -> Vec<f64> {
        let error = |i: usize| mean_and_error(self.samples.iter().map(|sample| sample[i])).1;
        (0..self.exact.len()).map(error).collect()
    }
}

/// The mean of some samples and its standard error; infinite for fewer than two.
pub(crate) fn mean_and_error(samples: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let t = samples.len() as f64;
    let mean = samples.clone().sum::<f64>() / t;
    let squares: f64 = samples.map(|sample| (sample - mean).powi(2)).sum();
    if t < 2.0 { (mean, f64::INFINITY) } else { (mean, (squares / (t * (t - 1.0))).sqrt()) }
}

/// ∂LML/∂(mean parameters) = αᵀ ∂m.
pub(crate) fn mean_gradient(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    alpha: &ArrayRef2<f64>,
) -> Vec<f64> {
    let mut gradient = vec![0.0; hyper.mean.parameters().len()];
    hyper.mean.accumulate_gradient(x, &alpha.sum_axis(Axis(1)), &mut gradient);
    gradient
}
