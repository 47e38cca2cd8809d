//! The stochastic estimate of the log marginal likelihood and its gradient.

use std::ops::ControlFlow;

use bounds::Problem;
use gp_core::{GpError, HyperGradient, Hyperparameters, check_data};
use kernels::{KernelOperator, Store};
use linalg_cg::{LanczosOptions, LanczosSolution, StopReason, cg_lanczos_watched};
use ndarray::{Array1, Array2, ArrayRef2, Axis, concatenate, s};

use crate::gradient::{TraceGradient, form, mean_gradient, trace_gradient};
use crate::options::EstimatorOptions;
use crate::probes::probes;
use crate::report::SolverReport;
use crate::surrogate::{Chosen, Surrogate};
use crate::value::LmlValue;

/// Products that an estimate is likely to take, for whether keeping tiles pays.
const PRODUCTS: usize = 40;
/// Rounding of a sum of forms, relative to it.
const ROUNDING: f64 = 1e-8;

/// An estimate of the log marginal likelihood, in nats, summed over targets.
///
/// The truth lies within a few standard errors of `value`, and above by at most what
/// [`SolverReport::quad_slack`] and [`SolverReport::log_det_slack`] say: solves and quadratures that
/// end early make the estimate smaller, never larger.
#[derive(Debug, Clone, PartialEq)]
pub struct LmlEstimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error over the probes, with what rounding may do.
    pub standard_error: f64,
    /// The estimate of the gradient, as [`Hyperparameters::named_values`] orders it.
    pub gradient: HyperGradient,
    /// Its standard errors; those of the mean's parameters are 0. Infinite where the probes were
    /// summed, as in training.
    pub gradient_standard_error: HyperGradient,
    /// Σ_p y_pᵀK⁻¹y_p, never too small by more than rounding.
    pub quad: f64,
    /// The estimate of log|K|.
    pub log_det: f64,
    /// Its standard error.
    pub log_det_standard_error: f64,
    /// α = K⁻¹(y − m(X)) `[N, P]`, as solved.
    pub alpha: Array2<f64>,
    /// How the solves went.
    pub solver: SolverReport,
}

/// Estimates the log marginal likelihood of `y` `[N, P]` at `x` `[N, D]` with its gradient, by one
/// block of conjugate gradients over the targets and t probes.
///
/// ```text
/// log|K| ≈ log|P| + (1/t) Σ_j N e₁ᵀ log(T_j) e₁
/// d log|K| ≈ d log|P| + (1/t) Σ_j [u_jᵀ dK b_j − b_jᵀ dP b_j],   u = K⁻¹w,  b = P⁻¹w,  E wwᵀ = P
/// ```
///
/// Costs O(N² D) a step and O(N (M + t + P)) memory beside the cache. The same bits for equal
/// seeds, whatever the number of threads. Source: Gardner et al. (2018); Ubaru, Chen &
/// Saad (2017), "Fast estimation of tr(f(A)) via stochastic Lanczos quadrature"; Wenger et al.
/// (2022), "Preconditioning for scalable Gaussian process hyperparameter optimization", for the
/// exact part of the gradient.
///
/// # Errors
/// Data that are empty, not finite or of disagreeing shapes; parameters and options out of range; a
/// surrogate that cannot be built.
///
/// ```
/// use gp_core::Hyperparameters;
/// use iterative_gp::{EstimatorOptions, lml_estimate};
/// use kernels::{Mean, SquaredExponential};
/// use ndarray::array;
///
/// let kernel = Box::new(SquaredExponential::new(vec![1.0], 1.0)?);
/// let hyper = Hyperparameters { kernel, noise_variance: 0.1, mean: Mean::Zero };
/// let options = EstimatorOptions::default();
/// let estimate = lml_estimate(&hyper, &array![[0.0]], &array![[2.0]], &options, 1)?;
/// assert!((estimate.value - -2.784_775_441_3).abs() < 1e-7);
/// # Ok::<(), gp_core::GpError>(())
/// ```
pub fn lml_estimate(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    options: &EstimatorOptions,
    seed: u64,
) -> Result<LmlEstimate, GpError> {
    check_data(hyper, x, y)?;
    options.check()?;
    let chosen = Chosen::at(hyper, x, &options.preconditioning);
    chosen.with(hyper, x, |problem, surrogate| {
        Task::new(hyper, problem, surrogate, options).estimate(y, seed)
    })
}

/// As [`lml_estimate`], with a surrogate of one's own in place of
/// [`EstimatorOptions::preconditioning`].
///
/// # Errors
/// As [`lml_estimate`].
pub fn lml_estimate_with(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    surrogate: &dyn Surrogate,
    options: &EstimatorOptions,
    seed: u64,
) -> Result<LmlEstimate, GpError> {
    check_data(hyper, x, y)?;
    options.check()?;
    let problem = &Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance)?;
    Task::new(hyper, problem, surrogate, options).estimate(y, seed)
}

/// One estimate to make.
pub(crate) struct Task<'t, 'a> {
    pub(crate) hyper: &'t Hyperparameters,
    pub(crate) problem: &'t Problem<'a>,
    pub(crate) surrogate: &'t dyn Surrogate,
    pub(crate) options: &'t EstimatorOptions,
    /// Whether gradients of probes are summed in one pass, without a standard error.
    pub(crate) together: bool,
    /// Once this says `true` the estimate is given up as interrupted.
    pub(crate) stop: &'t dyn Fn() -> bool,
}

impl<'t, 'a> Task<'t, 'a> {
    pub(crate) fn new(
        hyper: &'t Hyperparameters,
        problem: &'t Problem<'a>,
        surrogate: &'t dyn Surrogate,
        options: &'t EstimatorOptions,
    ) -> Self {
        Self { hyper, problem, surrogate, options, together: false, stop: &|| false }
    }

    pub(crate) fn estimate(&self, y: &ArrayRef2<f64>, seed: u64) -> Result<LmlEstimate, GpError> {
        let (x, targets) = (self.problem.x(), y.ncols());
        let r = self.hyper.residual(x, y);
        let w = self.coloured(seed)?;
        let operator = operator(self.problem, self.options.cache_bytes);
        let run = self.solve(&operator, &r, &w)?;
        let alpha = run.v.slice(s![.., ..targets]).to_owned();
        let left = run.residual.slice(s![.., ..targets]);
        let solver = SolverReport::of_lanczos(&run);
        let found = self.value([&r, &alpha, &left], &w, &run.tridiagonals[targets..], solver)?;
        let trace = self.trace(&operator, &run, &w, targets)?;
        let (gradient, gradient_standard_error) = self.gradient(&operator, &alpha, &trace);
        let LmlValue { value, standard_error, quad, log_det, log_det_standard_error, solver } =
            found;
        Ok(LmlEstimate {
            value,
            standard_error,
            gradient,
            gradient_standard_error,
            quad,
            log_det,
            log_det_standard_error,
            alpha,
            solver,
        })
    }

    /// Probes with covariance P, `[N, t]`.
    pub(crate) fn coloured(&self, seed: u64) -> Result<Array2<f64>, GpError> {
        let n = self.problem.n();
        self.surrogate.colour(&probes(self.options.kind, n, self.options.probes, seed))
    }

    /// One block over targets and probes.
    pub(crate) fn solve(
        &self,
        operator: &KernelOperator<'_>,
        r: &Array2<f64>,
        w: &Array2<f64>,
    ) -> Result<LanczosSolution, GpError> {
        let block = concatenate![Axis(1), r.view(), w.view()];
        let quads = self.surrogate.quad(&block);
        let relative = self.options.tolerance * self.options.tolerance;
        let of_target = |quad: f64| self.slack_tolerance(quad);
        let tolerance = |(i, quad)| if i < r.ncols() { of_target(quad) } else { relative * quad };
        let tolerances: Array1<f64> = quads.into_iter().enumerate().map(tolerance).collect();
        let options =
            LanczosOptions { max_steps: self.options.max_steps, ..LanczosOptions::default() };
        let look = |_| watch(self.stop);
        let run =
            cg_lanczos_watched(operator, &block, self.surrogate, &tolerances, &options, &look)?;
        not_interrupted(run.reports.iter().map(|report| report.stop_reason))?;
        Ok(run)
    }

    /// ½ rᵀP⁻¹r ≤ nats bounds the slack where P ⪯ K; elsewhere the residual is reduced as far as the
    /// same nats are of rᵀP⁻¹r at the start.
    fn slack_tolerance(&self, quad: f64) -> f64 {
        let absolute = 2.0 * self.options.nats;
        if self.surrogate.is_below() { absolute } else { absolute * (quad / (quad + 1.0)).min(1.0) }
    }

    fn trace(
        &self,
        operator: &KernelOperator<'_>,
        run: &LanczosSolution,
        w: &Array2<f64>,
        targets: usize,
    ) -> Result<TraceGradient, GpError> {
        let (u, b) = (run.v.slice(s![.., targets..]).to_owned(), self.surrogate.solve(w));
        trace_gradient(self.problem, operator, self.surrogate, [&u, &b], self.together)
    }

    /// ½ Σ_p α_pᵀ dK α_p − ½ P d log|K|, and its standard error.
    pub(crate) fn gradient(
        &self,
        operator: &KernelOperator<'_>,
        alpha: &Array2<f64>,
        trace: &TraceGradient,
    ) -> (HyperGradient, HyperGradient) {
        let half_p = 0.5 * alpha.ncols() as f64;
        let quad = form(self.problem, operator, alpha, alpha);
        let log_det = trace.mean();
        let value = quad.iter().zip(&log_det).map(|(q, l)| 0.5 * q - half_p * l).collect();
        let rounding = quad.iter().zip(&log_det).map(|(q, l)| ROUNDING * (1.0 + q.abs() + l.abs()));
        let errors = trace.standard_error().into_iter().zip(rounding);
        let error = errors.map(|(error, rounding)| half_p * error.hypot(rounding)).collect();
        let mean = mean_gradient(self.hyper, self.problem.x(), alpha);
        let zeros = vec![0.0; mean.len()];
        (split(value, mean), split(error, zeros))
    }
}

/// Ends a solve once `stop` says `true`.
pub(crate) fn watch(stop: &dyn Fn() -> bool) -> ControlFlow<()> {
    if stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Refuses what solves that were given up have left.
pub(crate) fn not_interrupted(mut ends: impl Iterator<Item = StopReason>) -> Result<(), GpError> {
    if ends.any(|end| end == StopReason::Interrupted) { Err(GpError::Interrupted) } else { Ok(()) }
}

/// Kernel parameters, then the noise variance.
fn split(mut flat: Vec<f64>, mean: Vec<f64>) -> HyperGradient {
    let log_noise_variance = flat.pop().unwrap_or(f64::NAN);
    HyperGradient { log_kernel: flat, log_noise_variance, mean }
}

/// K with its tiles kept where that fits and pays.
pub(crate) fn operator<'a>(problem: &Problem<'a>, cache_bytes: u64) -> KernelOperator<'a> {
    problem.operator().store(Store::IfItPays { products: PRODUCTS }, cache_bytes)
}
