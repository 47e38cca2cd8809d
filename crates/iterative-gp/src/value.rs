//! The value of the estimate, from solutions and Lanczos matrices.

use std::f64::consts::PI;

use bounds::Rounding;
use gp_core::GpError;
use linalg_cg::{LinearOperator, Tridiagonal};
use ndarray::{Array2, ArrayRef2, Axis};

use crate::estimate::{Task, operator};
use crate::gradient::mean_and_error;
use crate::report::SolverReport;

/// The Radau node: below 1, the least eigenvalue of P^(−½)KP^(−½), by more than rounding.
const RADAU_NODE: f64 = 1.0 - 1e-9;

/// An estimate of the log marginal likelihood without its gradient, in nats, summed over targets.
///
/// The truth lies within a few standard errors of `value`, and above by at most what
/// [`SolverReport::quad_slack`] and [`SolverReport::log_det_slack`] say: solves and quadratures that
/// end early make the estimate smaller, never larger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LmlValue {
    /// The estimate.
    pub value: f64,
    /// Its standard error over the probes, with what rounding may do.
    pub standard_error: f64,
    /// Σ_p y_pᵀK⁻¹y_p, never too small by more than rounding.
    pub quad: f64,
    /// The estimate of log|K|.
    pub log_det: f64,
    /// Its standard error.
    pub log_det_standard_error: f64,
    /// How the solves went.
    pub solver: SolverReport,
}

impl Task<'_, '_> {
    /// The value at `alpha` `[N, P]`, which is there already: probes alone are solved for.
    pub(crate) fn value_at(
        &self,
        y: &ArrayRef2<f64>,
        alpha: &ArrayRef2<f64>,
        seed: u64,
    ) -> Result<LmlValue, GpError> {
        let r = self.hyper.residual(self.problem.x(), y);
        let w = self.coloured(seed)?;
        let operator = operator(self.problem, self.options.cache_bytes);
        let left = &r - &operator.apply(alpha);
        let none = Array2::zeros((r.nrows(), 0));
        let run = self.solve(&operator, &none, &w)?;
        let solver = SolverReport::of_lanczos(&run);
        self.value([&r, alpha, &left], &w, &run.tridiagonals, solver)
    }

    /// The value from targets r with their solutions v and what those leave, `[N, P]` each, and probes
    /// w `[N, t]` with their Lanczos matrices.
    pub(crate) fn value(
        &self,
        [r, v, left]: [&ArrayRef2<f64>; 3],
        w: &Array2<f64>,
        tridiagonals: &[Tridiagonal],
        solver: SolverReport,
    ) -> Result<LmlValue, GpError> {
        let (n, p) = (r.nrows() as f64, r.ncols() as f64);
        let (quad, quad_slack) = self.quad(r, v, left);
        let lengths = (w * &self.surrogate.solve(w)).sum_axis(Axis(0));
        let (mut samples, mut slack) = (Vec::with_capacity(lengths.len()), 0.0);
        for (tridiagonal, length) in tridiagonals.iter().zip(&lengths) {
            let (log, less) = self.log_sample(tridiagonal, *length)?;
            slack += less;
            samples.push(log);
        }
        let log_det_slack =
            self.surrogate.is_below().then_some(0.5 * p * slack / lengths.len() as f64);
        let (mean, error) = mean_and_error(samples.into_iter());
        let log_det = self.surrogate.log_det() + mean;
        let log_det_standard_error = error.hypot(Rounding::new(self.problem).log_det(log_det));
        Ok(LmlValue {
            value: -0.5 * quad - 0.5 * p * (log_det + n * (2.0 * PI).ln()),
            standard_error: 0.5 * p * log_det_standard_error,
            quad,
            log_det,
            log_det_standard_error,
            solver: SolverReport { quad_slack, log_det_slack, ..solver },
        })
    }

    /// vᵀKv + 2rᵀv + rᵀP⁻¹r over targets, and what it may be too large by, halved.
    pub(crate) fn quad(
        &self,
        y: &ArrayRef2<f64>,
        v: &ArrayRef2<f64>,
        r: &ArrayRef2<f64>,
    ) -> (f64, f64) {
        let lower: f64 = ((y + r) * v).sum();
        let slack = if self.surrogate.is_below() {
            self.surrogate.quad(r).sum()
        } else {
            r.iter().map(|r| r * r).sum::<f64>() / self.problem.sigma2()
        };
        (lower + slack, 0.5 * slack)
    }

    /// zᵀ log(P^(−½)KP^(−½)) z of a probe, and how much less it may be where that is known.
    fn log_sample(&self, tridiagonal: &Tridiagonal, length: f64) -> Result<(f64, f64), GpError> {
        let log = length * tridiagonal.rule()?.apply(positive_ln);
        if !self.surrogate.is_below() {
            return Ok((log, 0.0));
        }
        let lower = length * tridiagonal.radau_rule(RADAU_NODE)?.apply(positive_ln);
        Ok((log, (log - lower).max(0.0)))
    }
}

/// Eigenvalues of T are at least those of a positive definite matrix; 0 and below are rounding.
fn positive_ln(value: f64) -> f64 {
    value.max(f64::MIN_POSITIVE).ln()
}
