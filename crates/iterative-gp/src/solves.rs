//! Solves with K at prediction time.

use bounds::Problem;
use gp_core::GpError;
use kernels::{KernelOperator, kernel_matrix};
use linalg_cg::{CgOptions, CgProgress, Preconditioner, ScaledIdentity, Stop, cg_block_watched};
use ndarray::{Array1, Array2, ArrayRef2, Axis, s};

use crate::estimate::{not_interrupted, watch};
use crate::options::PredictionOptions;
use crate::report::SolverReport;
use crate::surrogate::Surrogate;

/// Right-hand sides solved together.
const CHUNK: usize = 32;
/// What a variance by solves may be too large by, relative to the prior variance.
const VARIANCE_TOLERANCE: f64 = 1e-12;

/// K with its surrogate, for one prediction.
pub(crate) struct Solver<'s, 'a> {
    pub(crate) problem: &'s Problem<'a>,
    pub(crate) surrogate: &'s dyn Surrogate,
    pub(crate) operator: &'s KernelOperator<'a>,
    pub(crate) options: &'s PredictionOptions,
    /// Once this says `true` a solve is given up as interrupted.
    pub(crate) stop: &'s dyn Fn() -> bool,
}

impl Solver<'_, '_> {
    /// K⁻¹B until ½ rᵀP⁻¹r ≤ `nats` for each column, with its report and slack.
    pub(crate) fn solve(
        &self,
        rhs: &ArrayRef2<f64>,
        start: Option<&ArrayRef2<f64>>,
        nats: f64,
    ) -> Result<(Array2<f64>, Array2<f64>, SolverReport), GpError> {
        let floor = ScaledIdentity::new(self.problem.n(), self.problem.sigma2())?;
        let below = self.surrogate.is_below();
        let inverse: &dyn Preconditioner = if below { self.surrogate } else { &floor };
        let stop = Stop::QuadraticSlack { nats, inverse };
        let options = CgOptions::default().max_iters(self.options.max_steps);
        let look = |_: &CgProgress| watch(self.stop);
        let (operator, surrogate) = (self.operator, self.surrogate);
        let run = cg_block_watched(operator, rhs, surrogate, &stop, start, &options, &look)?;
        not_interrupted(run.reports.iter().map(|report| report.stop_reason))?;
        let quad_slack = run.reports.iter().filter_map(|report| report.quadratic_slack).sum();
        let report = SolverReport { quad_slack, ..SolverReport::of_cg(&run) };
        Ok((run.v, run.residual, report))
    }

    /// k** − (2k*ᵀu − uᵀKu) for each row of `x_new`: never below the exact variance, above it by
    /// rᵀK⁻¹r at most.
    pub(crate) fn variance(&self, x_new: &ArrayRef2<f64>) -> Result<Array1<f64>, GpError> {
        let mut variance = self.problem.kernel().diag(x_new);
        for first in (0..x_new.nrows()).step_by(CHUNK) {
            let last = (first + CHUNK).min(x_new.nrows());
            let rows = x_new.slice(s![first..last, ..]);
            let cross = kernel_matrix(self.problem.kernel(), self.problem.x(), &rows);
            let nats = 0.5 * VARIANCE_TOLERANCE * self.problem.largest_variance();
            let (u, r, _) = self.solve(&cross, None, nats.max(f64::MIN_POSITIVE))?;
            let known = (&u * &(&cross + &r)).sum_axis(Axis(0));
            let mut target = variance.slice_mut(s![first..last]);
            target -= &known;
        }
        // The form lies between 0 and k** but for rounding.
        Ok(variance.mapv_into(|value| value.max(0.0)))
    }

    /// k*ᵀK⁻¹k* for all pairs of rows, symmetric to the bit.
    pub(crate) fn explained(&self, cross: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let nats = 0.5 * VARIANCE_TOLERANCE * self.problem.largest_variance();
        let (u, r, _) = self.solve(cross, None, nats.max(f64::MIN_POSITIVE))?;
        let product = linalg_cg::matmul_tn(&u, &(cross + &*r));
        Ok((&product + &product.t()) * 0.5)
    }
}
