//! One system among those solved together.

use ndarray::{Array1, ArrayView1};

use super::options::{CgOptions, Restart};
use super::report::{CgReport, StopReason};

/// Distance between the recursive and the true residual, relative to the latter, that counts as
/// drift. Below it the direction is worth more than the last digits of the residual.
const DRIFT: f64 = 1e-2;

/// An iterate whose residual is known, recursively or (`exact`) from its definition.
#[derive(Clone)]
pub(super) struct Iterate {
    pub(super) v: Array1<f64>,
    pub(super) r: Array1<f64>,
    pub(super) exact: bool,
    measure: f64,
    step: usize,
}

pub(super) struct Column {
    pub(super) current: Iterate,
    /// The iterate with the smallest stopping measure so far.
    pub(super) best: Iterate,
    /// The best of those whose residual is known from its definition.
    proved: Iterate,
    /// The iterate where the quadratic bound is lowest, if that is what is measured.
    pub(super) lowest: Array1<f64>,
    lowest_form: f64,
    /// The residual through the preconditioner, `z = M⁻¹r`.
    z: Array1<f64>,
    pub(super) direction: Array1<f64>,
    rz: f64,
    /// `rᵀz` of the last step; `None` when the next direction starts afresh.
    last_rz: Option<f64>,
    stop_reason: Option<StopReason>,
    restarts: usize,
    /// The true measure when the recursive residual last claimed convergence in vain.
    failed_claim: Option<f64>,
    history: Vec<f64>,
}

impl Column {
    /// A column at its start `v`, with the true residual `r`.
    pub(super) fn new(v: Array1<f64>, r: Array1<f64>) -> Self {
        let blank = Array1::zeros(v.len());
        let current = Iterate { v, r, exact: true, measure: f64::INFINITY, step: 0 };
        Self {
            best: current.clone(),
            proved: current.clone(),
            lowest: current.v.clone(),
            lowest_form: f64::INFINITY,
            current,
            z: blank.clone(),
            direction: blank,
            rz: 0.0,
            last_rz: None,
            stop_reason: None,
            restarts: 0,
            failed_claim: None,
            history: Vec::new(),
        }
    }

    pub(super) fn is_active(&self) -> bool {
        self.stop_reason.is_none()
    }

    pub(super) fn measure(&self) -> f64 {
        self.current.measure
    }

    pub(super) fn steps(&self) -> usize {
        self.current.step
    }

    pub(super) fn end(&mut self, reason: StopReason) {
        self.stop_reason = Some(reason);
    }

    /// Takes in the stopping measure of the current iterate and the preconditioned residual, and
    /// ends the column where they say so. Returns whether a *recursive* residual claims
    /// convergence: nothing is decided then, the true one must be judged.
    pub(super) fn judge(
        &mut self,
        measure: f64,
        z: &ArrayView1<'_, f64>,
        tolerance: f64,
        options: &CgOptions,
    ) -> bool {
        self.current.measure = measure;
        self.z.assign(z);
        self.rz = self.current.r.dot(z);
        if !measure.is_finite() || !self.rz.is_finite() {
            self.end(StopReason::NonFinite);
            return false;
        }
        if measure <= tolerance && !self.current.exact {
            return true;
        }
        self.remember(options.keep_history);
        self.stop_reason = self.reason_to_stop(tolerance, options);
        false
    }

    fn remember(&mut self, keep_history: bool) {
        if self.current.measure < self.best.measure {
            self.best.clone_from(&self.current);
        }
        if self.current.exact && self.current.measure < self.proved.measure {
            self.proved.clone_from(&self.current);
        }
        if keep_history {
            self.history.push(self.current.measure);
        }
    }

    /// Takes in the quadratic bound at the current iterate.
    pub(super) fn remember_form(&mut self, form: f64) {
        if form < self.lowest_form {
            self.lowest_form = form;
            self.lowest.assign(&self.current.v);
        }
    }

    fn reason_to_stop(&self, tolerance: f64, options: &CgOptions) -> Option<StopReason> {
        let idle = self.current.step - self.best.step;
        if self.current.measure <= tolerance {
            Some(StopReason::Converged)
        } else if self.current.step >= options.max_iters {
            Some(StopReason::MaxIterations)
        } else if self.rz <= 0.0 {
            Some(StopReason::IndefinitePreconditioner)
        } else if options.stagnation > 0 && idle >= options.stagnation {
            Some(StopReason::Stagnated)
        } else {
            None
        }
    }

    /// The next direction: conjugate to the last one, or along z when starting afresh.
    pub(super) fn turn(&mut self) {
        match self.last_rz {
            Some(last) => {
                self.direction *= self.rz / last;
                self.direction += &self.z;
            }
            None => self.direction.assign(&self.z),
        }
        self.last_rz = Some(self.rz);
    }

    /// One step along the direction p, given `A p`.
    pub(super) fn advance(&mut self, product: &ArrayView1<'_, f64>) {
        let curvature = self.direction.dot(product);
        if !curvature.is_finite() {
            return self.end(StopReason::NonFinite);
        }
        if curvature <= 0.0 {
            return self.end(StopReason::NonPositiveCurvature);
        }
        let length = self.rz / curvature;
        self.current.v.scaled_add(length, &self.direction);
        self.current.r.scaled_add(-length, product);
        self.current.exact = false;
        self.current.step += 1;
    }

    /// Compares the recursive residual with the true one; where they have drifted apart (or the
    /// policy says so) goes on from the true one with a new direction. `replace` puts the true one
    /// in place even if the direction is kept.
    pub(super) fn refresh(&mut self, residual: Array1<f64>, policy: Restart, replace: bool) {
        let drift = &residual - &self.current.r;
        let drifted = drift.dot(&drift) > DRIFT * DRIFT * residual.dot(&residual);
        if drifted || policy == Restart::Always {
            self.last_rz = None;
            self.restarts += 1;
        } else if !replace {
            return;
        }
        self.current.r = residual;
        self.current.exact = true;
    }

    /// After the true residual has denied a claim of convergence: if the last denial was at less
    /// than twice this measure, rounding is all that is left.
    pub(super) fn deny_claim(&mut self) {
        let measure = self.current.measure;
        if self.failed_claim.is_some_and(|last| measure > 0.5 * last) {
            self.end(StopReason::Stagnated);
        }
        self.failed_claim = Some(measure);
    }

    /// Gives the best iterate its true residual and measure; where these show that the recursive ones
    /// were wrong, goes back to one that is proved to be better.
    pub(super) fn settle(&mut self, residual: Array1<f64>, measure: f64) {
        self.best.r = residual;
        self.best.exact = true;
        self.best.measure = measure;
        if self.proved.measure < measure || measure.is_nan() {
            self.best.clone_from(&self.proved);
        }
    }

    /// The report; `slack` says that the stopping measure is the quadratic slack.
    pub(super) fn report(&self, rhs_norm: f64, slack: bool) -> CgReport {
        let residual_norm = self.best.r.dot(&self.best.r).sqrt();
        let scale = if rhs_norm > 0.0 { rhs_norm } else { 1.0 };
        CgReport {
            steps: self.current.step,
            best_step: self.best.step,
            stop_reason: self.stop_reason.unwrap_or(StopReason::Interrupted),
            residual_norm,
            relative_residual: residual_norm / scale,
            quadratic_slack: slack.then_some(self.best.measure),
            restarts: self.restarts,
            history: self.history.clone(),
        }
    }
}
