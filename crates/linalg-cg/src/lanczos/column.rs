//! One system of a Lanczos run.

use ndarray::{Array1, ArrayView1};

use super::LanczosReport;
use crate::cg::StopReason;
use crate::tridiagonal::Tridiagonal;

/// `rᵀM⁻¹r` below this multiple of its start is rounding: nothing is left of the Krylov space.
const EXHAUSTED: f64 = 1e-29;
/// How far the true `rᵀM⁻¹r` may lie above the tolerance for a column to count as converged.
const TRUE_EXCESS: f64 = 4.0;

pub(super) struct Column {
    pub(super) v: Array1<f64>,
    pub(super) r: Array1<f64>,
    pub(super) direction: Array1<f64>,
    pub(super) tridiagonal: Tridiagonal,
    rz: f64,
    rhs_quad: f64,
    tolerance: f64,
    /// The last step's length and the ratio of `rᵀz` after it.
    length: f64,
    ratio: f64,
    /// Earlier residuals and `M⁻¹` times them, scaled to `rᵀz = 1`, if they are kept.
    kept: Option<Vec<[Array1<f64>; 2]>>,
    stop_reason: Option<StopReason>,
}

impl Column {
    pub(super) fn new(r: Array1<f64>, z: Array1<f64>, tolerance: f64, keep: bool) -> Self {
        let rz = r.dot(&z);
        let mut column = Self {
            v: Array1::zeros(r.len()),
            direction: z.clone(),
            tridiagonal: Tridiagonal::default(),
            rz,
            rhs_quad: rz,
            tolerance,
            length: f64::INFINITY,
            ratio: 0.0,
            kept: keep.then(Vec::new),
            stop_reason: None,
            r,
        };
        column.judge();
        column.keep(&z);
        column
    }

    /// Whether another step is to be taken.
    pub(super) fn goes_on(&mut self, max_steps: usize) -> bool {
        let exhausted = self.kept.is_some() && self.tridiagonal.steps() >= self.r.len();
        if self.stop_reason.is_none() && (exhausted || self.tridiagonal.steps() >= max_steps) {
            self.stop_reason = Some(StopReason::MaxIterations);
        }
        self.stop_reason.is_none()
    }

    /// Ends here, whatever is left.
    pub(super) fn interrupt(&mut self) {
        self.stop_reason = Some(StopReason::Interrupted);
    }

    /// One step along the direction p, given `A p`.
    pub(super) fn advance(&mut self, product: &ArrayView1<'_, f64>) {
        let curvature = self.direction.dot(product);
        if !curvature.is_finite() {
            self.stop_reason = Some(StopReason::NonFinite);
        } else if curvature <= 0.0 {
            self.stop_reason = Some(StopReason::NonPositiveCurvature);
        } else {
            let length = self.rz / curvature;
            self.v.scaled_add(length, &self.direction);
            self.r.scaled_add(-length, product);
            self.tridiagonal.push(length.recip() + self.ratio / self.length, 0.0);
            self.length = length;
        }
    }

    /// The next direction, given `M⁻¹r`.
    pub(super) fn turn(&mut self, mut z: Array1<f64>) {
        if self.stop_reason.is_some() {
            return;
        }
        self.reorthogonalise(&mut z);
        let rz = self.r.dot(&z);
        self.ratio = rz / self.rz;
        self.rz = rz;
        self.judge();
        if rz > 0.0 {
            self.tridiagonal.couple(self.ratio.sqrt() / self.length);
            self.direction *= self.ratio;
            self.direction += &z;
            self.keep(&z);
        }
    }

    fn judge(&mut self) {
        self.stop_reason = if !self.rz.is_finite() {
            Some(StopReason::NonFinite)
        } else if self.rz < 0.0 {
            Some(StopReason::IndefinitePreconditioner)
        } else if self.rz <= self.tolerance.max(EXHAUSTED * self.rhs_quad) {
            Some(StopReason::Converged)
        } else {
            None
        };
    }

    /// Takes from r and z what lies along earlier ones; twice is enough.
    fn reorthogonalise(&mut self, z: &mut Array1<f64>) {
        let Some(kept) = &self.kept else { return };
        for _ in 0..2 {
            for [r_kept, z_kept] in kept {
                let along = self.r.dot(z_kept);
                self.r.scaled_add(-along, r_kept);
                z.scaled_add(-along, z_kept);
            }
        }
    }

    fn keep(&mut self, z: &Array1<f64>) {
        let Some(kept) = &mut self.kept else { return };
        if self.rz > 0.0 {
            let root = self.rz.sqrt();
            kept.push([&self.r / root, z / root]);
        }
    }

    /// The report, given `rᵀM⁻¹r` and the relative norm of the true residual.
    pub(super) fn report(&self, residual_quad: f64, relative_residual: f64) -> LanczosReport {
        let believed = self.stop_reason.unwrap_or(StopReason::MaxIterations);
        let floor = self.tolerance.max(1e-24 * self.rhs_quad);
        let stop_reason = if residual_quad <= floor {
            StopReason::Converged
        } else if believed == StopReason::Converged && residual_quad > TRUE_EXCESS * floor {
            StopReason::Stagnated
        } else {
            believed
        };
        let steps = self.tridiagonal.steps();
        LanczosReport {
            steps,
            stop_reason,
            relative_residual,
            residual_quad,
            rhs_quad: self.rhs_quad,
        }
    }
}
