//! What the tests share: comparisons, models, objectives with known optima.

use gp_core::{
    Evaluation, GpError, HyperGradient, Hyperparameters, LbfgsOptions, Objective, ParameterSpace,
    Start, TrainOptions,
};
use kernels::{Kernel, Matern32, Mean, catalogue};

/// |a − b| against 1 + |b|.
#[track_caller]
pub(crate) fn close(what: &str, a: f64, b: f64, tolerance: f64) {
    let error = (a - b).abs() / (1.0 + b.abs());
    assert!(error <= tolerance, "{what}: {a} instead of {b}, relative error {error:e}");
}

pub(crate) fn bits<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    values.into_iter().map(|value| value.to_bits()).collect()
}

/// Matérn 3/2 on two columns, noise 0.1, constant mean 0.3.
pub(crate) fn model() -> Hyperparameters {
    let kernel = Box::new(Matern32::new(vec![0.5, 2.0], 1.2).unwrap());
    Hyperparameters { kernel, noise_variance: 0.1, mean: Mean::Constant(0.3) }
}

/// Each kernel of the catalogue with each kind of mean, for two columns.
pub(crate) fn models() -> Vec<Hyperparameters> {
    let means = [
        Mean::Zero,
        Mean::Constant(-0.4),
        Mean::Linear { weights: vec![0.5, -1.5], intercept: 2.0 },
    ];
    let with = |kernel: Box<dyn Kernel>| {
        means.clone().map(|mean| Hyperparameters {
            kernel: kernel.clone(),
            noise_variance: 0.07,
            mean,
        })
    };
    catalogue(2).unwrap().into_iter().flat_map(with).collect()
}

pub(crate) fn values(hyper: &Hyperparameters) -> Vec<f64> {
    hyper.named_values().into_iter().map(|(_, value)| value).collect()
}

pub(crate) fn named(hyper: &Hyperparameters, name: &str) -> f64 {
    hyper.named_values().into_iter().find(|(found, _)| found == name).unwrap().1
}

/// A smooth function of all hyperparameters with a gradient in the convention of models:
/// −½ Σ a (log θ − b)² for positive ones, −½ Σ a (θ − b)² for those of the mean.
pub(crate) fn bowl(hyper: &Hyperparameters, a: f64, b: f64) -> (f64, HyperGradient) {
    let n_kernel = hyper.kernel.parameters().len();
    let values = values(hyper);
    let (positive, mean) = values.split_at(n_kernel + 1);
    let distances = |values: &[f64], f: fn(f64) -> f64| -> Vec<f64> {
        values.iter().map(|value| f(*value) - b).collect()
    };
    let (positive, mean) = (distances(positive, f64::ln), distances(mean, |v| v));
    let value = positive.iter().chain(&mean).map(|r| -0.5 * a * r * r).sum();
    let slopes = |r: &[f64]| r.iter().map(|r| -a * r).collect::<Vec<_>>();
    let gradient = HyperGradient {
        log_kernel: slopes(&positive[..n_kernel]),
        log_noise_variance: -a * positive[n_kernel],
        mean: slopes(&mean),
    };
    (value, gradient)
}

/// [`bowl`] as an objective in the variables of a space.
pub(crate) struct Bowl<'a> {
    pub(crate) space: &'a ParameterSpace,
    pub(crate) a: f64,
    pub(crate) b: f64,
}

impl Objective for Bowl<'_> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        let (value, gradient) = bowl(&self.space.unpack(u)?, self.a, self.b);
        Ok(self.space.evaluation(u, value, &gradient))
    }
}

/// An objective given by a function of `u`.
pub(crate) struct Function<F>(pub(crate) F);

impl<F: FnMut(&[f64]) -> Result<Evaluation, GpError>> Objective for Function<F> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        (self.0)(u)
    }
}

/// −Σ [100 (u_{i+1} − u_i²)² + (1 − u_i)²]: a long curved ridge with its top at (1, …, 1).
pub(crate) fn rosenbrock(u: &[f64]) -> Result<Evaluation, GpError> {
    let (mut value, mut gradient) = (0.0, vec![0.0; u.len()]);
    for i in 0..u.len().saturating_sub(1) {
        let (bend, rest) = (u[i + 1] - u[i] * u[i], 1.0 - u[i]);
        value -= 100.0 * bend * bend + rest * rest;
        gradient[i] += 400.0 * bend * u[i] + 2.0 * rest;
        gradient[i + 1] -= 200.0 * bend;
    }
    Ok(Evaluation { value, gradient })
}

pub(crate) fn refuse() -> GpError {
    GpError::BadStart { reason: "a hole".to_owned() }
}

pub(crate) fn start(name: &str, u: &[f64]) -> Start {
    Start { name: name.to_owned(), u: u.to_vec() }
}

/// `max_iters` steps for the final run, `screening_iters` for each start.
pub(crate) fn limits(max_iters: usize, screening_iters: usize) -> TrainOptions {
    let lbfgs = LbfgsOptions { max_iters, ..LbfgsOptions::default() };
    TrainOptions { lbfgs, screening_iters, ..TrainOptions::default() }
}
