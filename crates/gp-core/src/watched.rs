//! An objective that is not evaluated once training is to stop.

use crate::GpError;
use crate::objective::{Evaluation, Objective};

/// `objective`, until `stop` says `true`: from then on whatever takes time is refused as interrupted.
pub(crate) struct Watched<'a> {
    pub(crate) objective: &'a mut dyn Objective,
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl Watched<'_> {
    fn goes_on(&mut self) -> Result<&mut dyn Objective, GpError> {
        if (self.stop)() { Err(GpError::Interrupted) } else { Ok(self.objective) }
    }
}

impl Objective for Watched<'_> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        self.goes_on()?.evaluate(u)
    }

    fn started(&mut self, u: &[f64]) -> Result<(), GpError> {
        self.objective.started(u)
    }

    fn accepted(&mut self, u: &[f64]) -> Result<bool, GpError> {
        self.goes_on()?.accepted(u)
    }

    fn refine(&mut self, u: &[f64]) -> Result<bool, GpError> {
        self.goes_on()?.refine(u)
    }

    fn auxiliary(&self) -> Vec<f64> {
        self.objective.auxiliary()
    }

    fn restore_auxiliary(&mut self, auxiliary: &[f64]) {
        self.objective.restore_auxiliary(auxiliary);
    }
}
