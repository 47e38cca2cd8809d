//! An objective that is given up once training is to stop.

use crate::GpError;
use crate::objective::{Evaluation, Objective};

/// An objective, until `stop` says `true`: from then on whatever takes time is refused as interrupted.
/// What was under way then may have left it in any state: [`Objective::restore_auxiliary`] follows.
pub struct Watched<'a> {
    /// What is watched.
    pub objective: &'a mut dyn Objective,
    /// Whether to stop.
    pub stop: &'a dyn Fn() -> bool,
}

impl Watched<'_> {
    fn goes_on(&mut self) -> Result<&mut dyn Objective, GpError> {
        if (self.stop)() { Err(GpError::Interrupted) } else { Ok(self.objective) }
    }
}

impl Objective for Watched<'_> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        let stop = self.stop;
        self.goes_on()?.evaluate_until(u, stop)
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
