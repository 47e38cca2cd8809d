//! Who watches training, and what is told.

use crate::train::TrainState;

/// Where training stands, for progress displays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Index of the start being screened, or `None` in the final run.
    pub start: Option<usize>,
    /// Accepted steps of the current run.
    pub iteration: usize,
    /// The objective, in nats.
    pub objective: f64,
    /// Largest component of its gradient.
    pub gradient_norm: f64,
    /// Calls of the objective in the current run.
    pub evaluations: usize,
    /// Seconds since training began, resumed parts included.
    pub seconds: f64,
}

/// Watches training, and can stop it.
pub trait Observer {
    /// Called after every accepted step, with the state a resumed run would start from.
    fn step(&mut self, progress: &Progress, state: &TrainState) {
        let _ = (progress, state);
    }

    /// Asked before each evaluation, and during one that takes long; `true` stops training where the
    /// last step ended.
    fn interrupted(&self) -> bool {
        false
    }

    /// Asked while the model is conditioned on the data after training, where that takes long; `true`
    /// gives the fit up as [`GpError::Interrupted`](crate::GpError::Interrupted). What [`step`](Self::step) was told last can be
    /// resumed all the same.
    fn given_up(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl Observer for () {}
