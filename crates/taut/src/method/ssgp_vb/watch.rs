//! Progress, limits and checkpoints of runs.

use std::cell::Cell;
use std::time::{Duration, Instant};

use gp_core::{Observer, Progress, StartReport, StopReason, TrainState};
use ndarray::{Array1, Array2};
use ssgp_vb::{Cycle, Factors, Gaussian, ScreenedStart};

/// Passes on what happens, and asks whether to stop.
pub(super) struct Watch<'a> {
    observer: &'a mut dyn Observer,
    /// Starts screened so far.
    pub(super) state: TrainState,
    began: Instant,
    /// Seconds of an earlier part.
    before: f64,
    limit: Option<Duration>,
    start: Option<usize>,
    pub(super) stopped: Cell<Option<StopReason>>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        observer: &'a mut dyn Observer,
        limit: Option<Duration>,
        before: f64,
    ) -> Self {
        let (state, began, stopped) = (TrainState::default(), Instant::now(), Cell::new(None));
        Self { observer, state, began, before, limit, start: None, stopped }
    }

    pub(super) fn seconds(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }

    /// Says how far a computation is that has no checkpoint.
    pub(super) fn tell(&mut self, iteration: usize, objective: f64) {
        let progress = self.progress(iteration, objective);
        self.observer.step(&progress, &self.state);
    }

    fn progress(&self, iteration: usize, objective: f64) -> Progress {
        Progress {
            start: self.start,
            iteration,
            objective,
            // Steps are of natural gradients, which have no size of their own.
            gradient_norm: f64::NAN,
            evaluations: self.state.evaluations + iteration,
            seconds: self.seconds(),
        }
    }

    /// Whether to stop; the reason is kept.
    pub(super) fn is_to_stop(&self) -> bool {
        let late = self.limit.is_some_and(|limit| self.seconds() >= limit.as_secs_f64());
        let reason = match self.observer.interrupted() {
            true => Some(StopReason::Interrupted),
            false => late.then_some(StopReason::TimeLimit),
        };
        self.stopped.set(self.stopped.get().or(reason));
        self.stopped.get().is_some()
    }

    /// Whether who watches has asked to stop.
    pub(super) fn was_interrupted(&self) -> bool {
        self.stopped.get() == Some(StopReason::Interrupted)
    }
}

impl ssgp_vb::Observer for Watch<'_> {
    /// The last run is the final one.
    fn run(&mut self, run: usize, runs: usize) {
        self.start = (run + 1 < runs).then_some(run);
    }

    fn cycle(&mut self, cycle: &Cycle) {
        self.state.seconds = self.seconds();
        self.tell(cycle.cycle, cycle.bound);
    }

    fn screened(&mut self, start: &ScreenedStart) {
        self.state.evaluations += start.report.cycles;
        self.state.starts.push(saved(start));
    }

    fn interrupted(&self) -> bool {
        self.is_to_stop()
    }
}

/// A start as checkpoints hold it; all numbers of q stand in one row.
fn saved(start: &ScreenedStart) -> StartReport {
    let numbers = start.factors.as_ref().map(|factors| {
        let Factors { lambda, alpha, c_sigma, c_gamma } = factors;
        let laws = [lambda, alpha].into_iter();
        let laws = laws.flat_map(|law| law.mean.iter().chain(law.covariance.iter()));
        laws.chain([c_sigma, c_gamma]).copied().chain([start.report.cycles as f64]).collect()
    });
    StartReport {
        name: format!("draw {}, lambda {}", start.report.draw + 1, start.report.mean),
        u: numbers.unwrap_or_default(),
        objective: start.report.bound,
        failure: start.factors.is_none().then(|| "the bound has no finite value".to_owned()),
    }
}

/// The starts of a checkpoint, up to the first that is not whole, for `d` columns and `m` points.
pub(super) fn screened(
    state: &TrainState,
    means: &[f64],
    (d, m): (usize, usize),
) -> Vec<ScreenedStart> {
    let restore = |(index, start): (usize, &StartReport)| {
        let (factors, cycles) = factors(&start.u, d, m)?;
        let (draw, mean) = (index / means.len(), means[index % means.len()]);
        let report = ssgp_vb::StartReport { draw, mean, bound: start.objective, cycles };
        Some(ScreenedStart { report, factors: Some(factors) })
    };
    state.starts.iter().enumerate().map_while(restore).collect()
}

fn factors(numbers: &[f64], d: usize, m: usize) -> Option<(Factors, usize)> {
    let (lambda, rest) = numbers.split_at_checked(d + d * d)?;
    let (alpha, rest) = rest.split_at_checked(2 * m + 4 * m * m)?;
    let [c_sigma, c_gamma, cycles] = *rest else { return None };
    let law = |numbers: &[f64], d: usize| {
        let covariance = Array2::from_shape_vec((d, d), numbers[d..].to_vec()).ok()?;
        Some(Gaussian { mean: Array1::from(numbers[..d].to_vec()), covariance })
    };
    let (lambda, alpha) = (law(lambda, d)?, law(alpha, 2 * m)?);
    Some((Factors { lambda, alpha, c_sigma, c_gamma }, cycles as usize))
}
