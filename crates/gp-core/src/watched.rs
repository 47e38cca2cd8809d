//! An objective that is not evaluated once training is to stop.

use crate::GpError;
use crate::objective::{Evaluation, Objective};

/// `objective`, until `stop` says `true`: from then on every evaluation is refused as interrupted.
pub(crate) struct Watched<'a> {
    pub(crate) objective: &'a mut dyn Objective,
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl Objective for Watched<'_> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        if (self.stop)() { Err(GpError::Interrupted) } else { self.objective.evaluate(u) }
    }

    fn started(&mut self, u: &[f64]) -> Result<(), GpError> {
        self.objective.started(u)
    }

    fn accepted(&mut self, u: &[f64]) -> Result<bool, GpError> {
        self.objective.accepted(u)
    }

    fn refine(&mut self, u: &[f64]) -> Result<bool, GpError> {
        self.objective.refine(u)
    }

    fn auxiliary(&self) -> Vec<f64> {
        self.objective.auxiliary()
    }

    fn restore_auxiliary(&mut self, auxiliary: &[f64]) {
        self.objective.restore_auxiliary(auxiliary);
    }
}
