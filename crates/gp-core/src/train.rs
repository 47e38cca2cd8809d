//! Training: a few cheap starts, the best one carried to the end.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::GpError;
use crate::adam::AdamState;
use crate::lbfgs::{LbfgsOptions, LbfgsState};
use crate::objective::Objective;
use crate::observer::{Observer, Progress};
use crate::stop_reason::StopReason;
use crate::watched::Watched;

/// How training runs.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `lbfgs` | see [`LbfgsOptions`] | |
/// | `screening_iters` | 20 | ≥ 1 steps given to each start |
/// | `time_limit` | none | checked between steps, and before each evaluation among several starts |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainOptions {
    /// The optimiser's own options, for the final run.
    pub lbfgs: LbfgsOptions,
    /// Steps each start gets before the best is chosen.
    pub screening_iters: usize,
    /// Wall-clock limit for the whole of training.
    pub time_limit: Option<Duration>,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self { lbfgs: LbfgsOptions::default(), screening_iters: 20, time_limit: None }
    }
}

/// A starting point with a name people can read.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Such as "lengthscales 1, noise variance 0.1".
    pub name: String,
    /// The unconstrained point.
    pub u: Vec<f64>,
}

/// What became of a start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartReport {
    /// The start's name.
    pub name: String,
    /// Where its screening run ended; empty if the start could not be evaluated.
    pub u: Vec<f64>,
    /// The screening objective there, on the screening rows; `None` if it could not be evaluated,
    /// or was not, because it is the only start.
    pub objective: Option<f64>,
    /// Why it could not be evaluated.
    #[serde(default)]
    pub failure: Option<String>,
}

/// All that training needs to go on after an interruption, bit for bit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrainState {
    /// Finished starts, in order.
    pub starts: Vec<StartReport>,
    /// The run under way: of the next start, or the final one when all starts are finished.
    pub run: Option<LbfgsState>,
    /// The objective's auxiliary variables.
    pub auxiliary: Vec<f64>,
    /// Seconds spent.
    pub seconds: f64,
    /// Objective calls of finished runs.
    pub evaluations: usize,
    /// A run of Adam that follows L-BFGS, in models that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adam: Option<AdamState>,
    /// Which of its runs that is, counted from 0.
    #[serde(default)]
    pub stage: usize,
}

impl TrainState {
    /// Whether there is nothing to resume.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty() && self.run.is_none() && self.adam.is_none()
    }
}

/// The end of training.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// The best point found.
    pub u: Vec<f64>,
    /// The objective there.
    pub objective: f64,
    /// Steps of the final run.
    pub iterations: usize,
    /// Objective calls of all runs.
    pub evaluations: usize,
    /// Why the final run stopped.
    pub stop_reason: StopReason,
    /// Which start was carried to the end.
    pub start: usize,
    /// What became of each start.
    pub starts: Vec<StartReport>,
    /// Seconds, resumed parts included.
    pub seconds: f64,
    /// The state to resume from.
    pub state: TrainState,
}

/// Maximises `full`, from the best of `starts` after a few steps of each on `screening`.
///
/// `screening` is a cheaper stand-in for `full` in the same variables (the same model on a subset
/// of the rows, say). A single start goes straight to the final run.
///
/// Limits of time and interruptions end the final run where its last step ended. Once one of several starts
/// could be evaluated, no evaluation of any begins after them, and neither does the final run: the
/// best point so far is returned, with its screening objective.
///
/// # Errors
/// [`GpError::BadStart`] when no start can be evaluated.
pub fn train(
    screening: &mut dyn Objective,
    full: &mut dyn Objective,
    starts: &[Start],
    options: &TrainOptions,
    resume: Option<TrainState>,
    observer: &mut dyn Observer,
) -> Result<Trained, GpError> {
    let state = resume.unwrap_or_default();
    let mut session =
        Session { began: Instant::now(), before: state.seconds, state, options, observer };
    if starts.len() > 1 {
        while session.state.starts.len() < starts.len() {
            let start = &starts[session.state.starts.len()];
            let stop = session.screen(screening, start)?;
            if let Some(stop) = stop.or_else(|| session.stop_after_failure()) {
                return session.stopped_early(stop);
            }
        }
    } else if session.state.starts.is_empty() {
        let Some(Start { name, u }) = starts.first().cloned() else {
            return Err(GpError::BadStart { reason: "there is no start".to_owned() });
        };
        session.state.starts.push(StartReport { name, u, objective: None, failure: None });
    }
    session.finish(full)
}

/// Where a run stands.
struct Found {
    u: Vec<f64>,
    objective: f64,
    iterations: usize,
    evaluations: usize,
}

impl Found {
    fn of_run(run: LbfgsState) -> Self {
        let LbfgsState { iterations, evaluations, value, u, .. } = run;
        Self { u, objective: value, iterations, evaluations }
    }
}

struct Session<'a> {
    began: Instant,
    before: f64,
    state: TrainState,
    options: &'a TrainOptions,
    observer: &'a mut dyn Observer,
}

impl Session<'_> {
    /// A few steps from one start; `Some` if training is to stop here.
    fn screen(
        &mut self,
        objective: &mut dyn Objective,
        start: &Start,
    ) -> Result<Option<StopReason>, GpError> {
        let name = start.name.clone();
        let max_iters = self.options.screening_iters.min(self.options.lbfgs.max_iters);
        let lbfgs = LbfgsOptions { max_iters, ..self.options.lbfgs };
        let report = match self.run(objective, &start.u, &lbfgs, Some(self.state.starts.len())) {
            Ok((_, Some(stop @ (StopReason::Interrupted | StopReason::TimeLimit)))) => {
                return Ok(Some(stop));
            }
            Ok((run, _)) => {
                // The run that has ended is kept, with the auxiliary variables that go with it.
                if let Some(stop) = self.outside_stop() {
                    return Ok(Some(stop));
                }
                self.state.evaluations += run.evaluations;
                StartReport { name, u: run.u, objective: Some(run.value), failure: None }
            }
            Err(GpError::BadStart { reason }) => {
                StartReport { name, u: Vec::new(), objective: None, failure: Some(reason) }
            }
            Err(GpError::Interrupted) if self.has_result() => return Ok(Some(self.why_cut_off())),
            Err(error) => return Err(error),
        };
        self.state.starts.push(report);
        self.state.run = None;
        self.state.auxiliary.clear();
        Ok(None)
    }

    fn finish(mut self, objective: &mut dyn Objective) -> Result<Trained, GpError> {
        let best = best_start(&self.state.starts)?;
        let u = self.state.starts[best].u.clone();
        match self.run(objective, &u, &self.options.lbfgs, None) {
            Ok((run, stop)) => {
                let stop = stop.unwrap_or(StopReason::MaxIterations);
                Ok(self.trained(Found::of_run(run), best, stop))
            }
            Err(GpError::Interrupted) if self.has_result() => {
                let stop = self.why_cut_off();
                self.stopped_early(stop)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether a start has come to something that can be returned.
    fn has_result(&self) -> bool {
        self.state.starts.iter().any(|start| start.objective.is_some())
    }

    /// Why an evaluation was given up.
    fn why_cut_off(&self) -> StopReason {
        self.outside_stop().unwrap_or(StopReason::Interrupted)
    }

    /// Whether to stop after a start that failed, with the end of an earlier one to return.
    fn stop_after_failure(&self) -> Option<StopReason> {
        let failed = self.state.starts.last().is_some_and(|start| start.failure.is_some());
        let usable = self.state.run.is_none() && best_start(&self.state.starts).is_ok();
        if failed && usable { self.outside_stop() } else { None }
    }

    /// Stopped among the starts: the best point so far is that of the run under way, or where an
    /// earlier start ended.
    fn stopped_early(self, stop: StopReason) -> Result<Trained, GpError> {
        let mut start = self.state.starts.len();
        let mut found = self.state.run.clone().map(Found::of_run);
        for (index, earlier) in self.state.starts.iter().enumerate() {
            let Some(objective) = earlier.objective else { continue };
            let best = found.as_ref().map_or(f64::NEG_INFINITY, |found| found.objective);
            if objective > best {
                let (iterations, evaluations) =
                    found.map_or((0, 0), |found| (found.iterations, found.evaluations));
                found = Some(Found { u: earlier.u.clone(), objective, iterations, evaluations });
                start = index;
            }
        }
        Ok(self.trained(found.ok_or(GpError::Interrupted)?, start, stop))
    }

    fn trained(mut self, found: Found, start: usize, stop_reason: StopReason) -> Trained {
        self.state.seconds = self.seconds();
        Trained {
            objective: found.objective,
            iterations: found.iterations,
            evaluations: self.state.evaluations + found.evaluations,
            u: found.u,
            stop_reason,
            start,
            starts: self.state.starts.clone(),
            seconds: self.state.seconds,
            state: self.state,
        }
    }

    /// Runs L-BFGS to one of its stops, from the resumed state if there is one.
    fn run(
        &mut self,
        objective: &mut dyn Objective,
        u: &[f64],
        lbfgs: &LbfgsOptions,
        start: Option<usize>,
    ) -> Result<(LbfgsState, Option<StopReason>), GpError> {
        let mut run = match self.state.run.take() {
            Some(run) => {
                objective.restore_auxiliary(&self.state.auxiliary);
                run
            }
            None => self.begin(objective, u)?,
        };
        loop {
            self.keep(&run, objective, start);
            if let Some(stop) = self.outside_stop() {
                return Ok((run, Some(stop)));
            }
            if run.u.is_empty() {
                return Ok((run, Some(StopReason::NothingFree)));
            }
            match self.step(&mut run, objective, lbfgs) {
                Ok(None) => {}
                Ok(Some(stop)) => {
                    self.keep(&run, objective, start);
                    return Ok((run, Some(stop)));
                }
                Err(GpError::Interrupted) => {
                    let stop = self.why_cut_off();
                    objective.restore_auxiliary(&self.state.auxiliary);
                    return Ok((self.state.run.clone().unwrap_or(run), Some(stop)));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The first evaluation; where there is nothing to return without it, whatever the limits.
    fn begin(&self, objective: &mut dyn Objective, u: &[f64]) -> Result<LbfgsState, GpError> {
        let stop = || self.has_result() && self.outside_stop().is_some();
        LbfgsState::start(&mut Watched { objective, stop: &stop }, u.to_vec())
    }

    /// One step, no further than limits allow.
    fn step(
        &self,
        run: &mut LbfgsState,
        objective: &mut dyn Objective,
        lbfgs: &LbfgsOptions,
    ) -> Result<Option<StopReason>, GpError> {
        let stop = || self.outside_stop().is_some();
        run.step(&mut Watched { objective, stop: &stop }, lbfgs)
    }

    fn keep(&mut self, run: &LbfgsState, objective: &dyn Objective, start: Option<usize>) {
        self.state.run = Some(run.clone());
        self.state.auxiliary = objective.auxiliary();
        self.state.seconds = self.seconds();
        let progress = Progress {
            start,
            iteration: run.iterations,
            objective: run.value,
            gradient_norm: run.gradient_norm(),
            evaluations: run.evaluations,
            seconds: self.state.seconds,
        };
        self.observer.step(&progress, &self.state);
    }

    fn outside_stop(&self) -> Option<StopReason> {
        let late = |limit: Duration| self.seconds() >= limit.as_secs_f64();
        if self.observer.interrupted() {
            Some(StopReason::Interrupted)
        } else {
            self.options.time_limit.is_some_and(late).then_some(StopReason::TimeLimit)
        }
    }

    fn seconds(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }
}

/// The start with the highest screening objective; the first of equals.
fn best_start(starts: &[StartReport]) -> Result<usize, GpError> {
    let usable = starts.iter().enumerate().filter(|(_, start)| start.failure.is_none());
    let score = |start: &StartReport| start.objective.unwrap_or(f64::NEG_INFINITY);
    let best = usable.reduce(|best, next| if score(next.1) > score(best.1) { next } else { best });
    best.map(|(index, _)| index).ok_or_else(|| {
        let first =
            starts.iter().find_map(|start| start.failure.as_deref()).unwrap_or("none given");
        GpError::BadStart {
            reason: format!("no starting point can be evaluated; the first: {first}"),
        }
    })
}
