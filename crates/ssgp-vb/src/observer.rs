//! Watching fits, and stopping them.

use serde::{Deserialize, Serialize};

use crate::starts::ScreenedStart;

/// One attempt to raise the lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cycle {
    /// Its number; 0 is the start.
    pub cycle: usize,
    /// The step taken on q(λ).
    pub step: f64,
    /// The lower bound after it, in nats; −∞ where it could not be evaluated.
    pub bound: f64,
    /// Whether the bound did not fall; Algorithm 2 takes back what is not accepted.
    pub accepted: bool,
    /// Seconds since the run began.
    pub seconds: f64,
}

/// Watches a fit, and can stop it.
pub trait Observer {
    /// Called when a run from another start begins: its number, and how many there are in all.
    fn run(&mut self, run: usize, runs: usize) {
        let _ = (run, runs);
    }

    /// Called after every attempt.
    fn cycle(&mut self, cycle: &Cycle) {
        let _ = cycle;
    }

    /// Called when a start was screened to the end: what [`SsgpVb::resume`](crate::SsgpVb::resume) goes on from.
    fn screened(&mut self, start: &ScreenedStart) {
        let _ = start;
    }

    /// Asked between cycles; `true` stops the fit, which keeps what it has.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl Observer for () {}

/// Watches local predictions, from several threads at once.
pub trait LocalObserver: Sync {
    /// Called after each query: how many are done, of how many.
    fn query(&self, done: usize, queries: usize) {
        let _ = (done, queries);
    }

    /// Asked before each query; `true` stops the prediction with an error.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl LocalObserver for () {}
