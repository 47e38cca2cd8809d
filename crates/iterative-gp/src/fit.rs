//! Training: a few exact steps to choose a start, L-BFGS, then Adam.

use std::time::Instant;

use gp_core::{
    AdamOptions, AdamState, GpError, Hyperparameters, Objective, Observer, ParameterSpace,
    Progress, StopReason, TrainState, Trained, Watched, check_data, random_rows, starts, train,
};
use ndarray::{Array2, ArrayRef2, Axis};

use crate::model::IterativeGp;
use crate::objective::{ExactScreening, IterativeObjective};
use crate::options::{GradientEstimator, IterativeOptions, Schedule};
use crate::probes::seed_of_round;
use crate::report::SolverReport;

/// Rows of the exact comparison of starts.
const SCREENING_ROWS: usize = 500;

impl IterativeGp {
    /// Trains the hyperparameters from `template` by maximising the estimated LML of `y` `[N, P]` at
    /// `x` `[N, D]`, and conditions on the data.
    ///
    /// Starts are compared by the exact LML of a few hundred rows. Then, as the
    /// [`Schedule`] says, L-BFGS with probes that stand still, and Adam with new ones each step. The
    /// objective of [`Trained`] is the last estimate; with a pathwise gradient it is a lower bound
    /// on the LML. A resumed fit takes the same steps to the bit.
    ///
    /// `plan.options.lbfgs.max_iters` limits the steps of all optimisers together. A schedule whose
    /// last step was taken ends as [`StopReason::Planned`]: Adam has no test of convergence.
    ///
    /// # Errors
    /// Data that are empty, not finite or of disagreeing shapes; parameters and options out of range;
    /// equal rows without noise; no usable start; [`GpError::Interrupted`] for an observer that gives up.
    pub fn fit(
        template: &Hyperparameters,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        options: &IterativeOptions,
        observer: &mut dyn Observer,
    ) -> Result<(Self, Trained), GpError> {
        check_data(template, x, y)?;
        options.check()?;
        let space = options.plan.space(template)?;
        let subset = Subset::new(x, y, options);
        let (subset, space, spent) = (&subset, &space, SolverReport::default());
        let mut training = Training { x, y, subset, space, options, observer, spent };
        let trained = training.run(template)?;
        let spent = training.spent;
        let hyper = space.unpack(&trained.u)?;
        let stop = || observer.given_up();
        let model = Self::condition_until(&hyper, x, y, &options.prediction, &stop)?;
        Ok((model.with_training(spent), trained))
    }
}

/// The rows the first optimisers see, where these are not all.
struct Subset(Option<[Array2<f64>; 2]>);

impl Subset {
    fn new(x: &ArrayRef2<f64>, y: &ArrayRef2<f64>, options: &IterativeOptions) -> Self {
        let Schedule::Staged { rows, .. } = options.schedule else { return Self(None) };
        Self((rows < x.nrows()).then(|| few(x, y, rows, options.plan.seed)))
    }
}

fn few(x: &ArrayRef2<f64>, y: &ArrayRef2<f64>, count: usize, seed: u64) -> [Array2<f64>; 2] {
    let rows = random_rows(x.nrows(), count, seed);
    [x.select(Axis(0), &rows), y.select(Axis(0), &rows)]
}

struct Training<'a> {
    x: &'a ArrayRef2<f64>,
    y: &'a ArrayRef2<f64>,
    subset: &'a Subset,
    space: &'a ParameterSpace,
    options: &'a IterativeOptions,
    observer: &'a mut dyn Observer,
    /// The solves of all optimisers.
    spent: SolverReport,
}

impl<'a> Training<'a> {
    fn run(&mut self, template: &Hyperparameters) -> Result<Trained, GpError> {
        let resume = self.options.plan.resume.clone();
        let before = resume.as_ref().map_or(0.0, |state| state.seconds);
        let clock = Clock { began: Instant::now(), before };
        let mut trained = match resume.filter(|state| state.adam.is_some()) {
            Some(state) => self.resumed(state)?,
            None => {
                let trained = self.lbfgs(template)?;
                let last = self.options.schedule == Schedule::Lbfgs || self.spent_all(&trained);
                if last || ended(trained.stop_reason) {
                    return Ok(trained);
                }
                trained
            }
        };
        for stage in trained.state.stage..2 {
            if stage == 0 && self.subset.0.is_none() {
                continue;
            }
            self.adam(&mut trained, stage, &clock)?;
            if stage == 0 && trained.stop_reason == StopReason::Planned && self.spent_all(&trained)
            {
                trained.stop_reason = StopReason::MaxIterations;
            }
            if trained.stop_reason != StopReason::Planned {
                break;
            }
        }
        Ok(trained)
    }

    /// Steps of all optimisers together.
    fn limit(&self) -> usize {
        self.options.plan.options.lbfgs.max_iters
    }

    fn spent_all(&self, trained: &Trained) -> bool {
        trained.iterations >= self.limit()
    }

    /// The first optimiser, on the subset where there is one.
    fn lbfgs(&mut self, template: &Hyperparameters) -> Result<Trained, GpError> {
        let plan = &self.options.plan;
        let [few_x, few_y] = few(self.x, self.y, SCREENING_ROWS, plan.seed);
        let mut screening = ExactScreening { x: &few_x, y: &few_y, space: self.space };
        let mut full = self.objective(0, false);
        let starts = starts(template, self.space, self.x.ncols(), plan.starts, plan.seed)?;
        let limits = self.options.train_options();
        let resume = plan.resume.clone();
        let trained = train(&mut screening, &mut full, &starts, &limits, resume, self.observer)?;
        self.spent = self.spent.with(full.spent);
        Ok(trained)
    }

    /// Where a run of Adam was interrupted.
    fn resumed(&self, state: TrainState) -> Result<Trained, GpError> {
        let adam = state.adam.clone().unwrap_or_default();
        let (expected, found) = (self.space.len(), adam.u.len());
        if expected != found {
            let (argument, unit) = ("resume", "variables");
            return Err(GpError::ShapeMismatch { argument, unit, expected, found });
        }
        let done = if state.stage == 1 && self.subset.0.is_some() {
            self.adam_options(0).steps
        } else {
            0
        };
        let (mut start, mut score) = (0, f64::NEG_INFINITY);
        for (index, report) in state.starts.iter().enumerate() {
            if let Some(objective) = report.objective.filter(|objective| *objective > score) {
                (start, score) = (index, objective);
            }
        }
        Ok(Trained {
            objective: adam.value,
            iterations: state.run.as_ref().map_or(0, |run| run.iterations) + done,
            evaluations: 0,
            u: adam.u,
            stop_reason: StopReason::MaxIterations,
            start,
            starts: state.starts.clone(),
            seconds: state.seconds,
            state,
        })
    }

    /// The objective of a stage; fresh probes each step are Adam's.
    fn objective(&self, stage: usize, fresh: bool) -> IterativeObjective<'a> {
        let data: [&'a ArrayRef2<f64>; 2] = match &self.subset.0 {
            Some([x, y]) if stage == 0 => [x, y],
            _ => [self.x, self.y],
        };
        let options = self.options;
        let gradient = if fresh { options.gradient } else { GradientEstimator::Hutchinson };
        let seed = seed_of_round(options.plan.seed, stage as u64);
        IterativeObjective::new(data, self.space, &options.training, gradient, seed, fresh)
    }

    fn adam_options(&self, stage: usize) -> AdamOptions {
        match self.options.schedule {
            Schedule::Staged { adam_steps, .. } if stage == 0 => {
                AdamOptions { steps: adam_steps, ..self.options.adam }
            }
            _ => self.options.adam,
        }
    }

    /// One run of Adam, from where the last optimiser ended or where it was interrupted itself.
    fn adam(&mut self, trained: &mut Trained, stage: usize, clock: &Clock) -> Result<(), GpError> {
        let mut objective = self.objective(stage, true);
        let state = &mut trained.state;
        let adam = match state.adam.take().filter(|_| state.stage == stage) {
            Some(adam) => {
                objective.restore_auxiliary(&state.auxiliary);
                adam
            }
            None => AdamState::start(trained.u.clone()),
        };
        state.stage = stage;
        let room = self.limit().saturating_sub(trained.iterations);
        let (adam, stop) = self.climb(adam, &mut objective, state, room, clock)?;
        self.spent = self.spent.with(objective.spent);
        let run = state.run.as_ref().map_or(0, |run| run.evaluations);
        trained.evaluations = state.evaluations + run;
        trained.iterations += adam.steps;
        if !adam.value.is_nan() {
            trained.objective = adam.value;
        }
        trained.u = adam.u;
        trained.stop_reason = stop;
        trained.seconds = state.seconds;
        Ok(())
    }

    /// Steps until there is a reason to stop, at most `room`, each kept in the state.
    fn climb(
        &mut self,
        mut adam: AdamState,
        objective: &mut IterativeObjective<'_>,
        state: &mut TrainState,
        room: usize,
        clock: &Clock,
    ) -> Result<(AdamState, StopReason), GpError> {
        let options = self.adam_options(state.stage);
        // Those of this run are counted anew as it goes on.
        let before = state.evaluations.saturating_sub(adam.evaluations);
        loop {
            state.evaluations = before + adam.evaluations;
            state.adam = Some(adam.clone());
            state.auxiliary = objective.auxiliary();
            state.seconds = clock.seconds();
            self.observer.step(&progress(&adam, state), state);
            if let Some(stop) = self.outside_stop(state.seconds) {
                return Ok((adam, stop));
            }
            if adam.steps >= room.min(options.steps) {
                let all = adam.steps >= options.steps;
                return Ok((
                    adam,
                    if all { StopReason::Planned } else { StopReason::MaxIterations },
                ));
            }
            let before = adam.clone();
            let stop = || self.outside_stop(clock.seconds()).is_some();
            match adam.step(&mut Watched { objective, stop: &stop }, &options) {
                Ok(None) => {}
                Ok(Some(stop)) => return Ok((adam, stop)),
                Err(GpError::Interrupted) => {
                    objective.restore_auxiliary(&state.auxiliary);
                    let stop = self.outside_stop(clock.seconds());
                    return Ok((before, stop.unwrap_or(StopReason::Interrupted)));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn outside_stop(&self, seconds: f64) -> Option<StopReason> {
        if self.observer.interrupted() {
            return Some(StopReason::Interrupted);
        }
        let late = |limit: std::time::Duration| seconds >= limit.as_secs_f64();
        self.options.plan.options.time_limit.is_some_and(late).then_some(StopReason::TimeLimit)
    }
}

fn ended(reason: StopReason) -> bool {
    matches!(reason, StopReason::Interrupted | StopReason::TimeLimit)
}

fn progress(adam: &AdamState, state: &TrainState) -> Progress {
    Progress {
        start: None,
        iteration: adam.steps,
        objective: adam.value,
        gradient_norm: adam.gradient_norm,
        evaluations: adam.evaluations,
        seconds: state.seconds,
    }
}

/// Seconds since training began, earlier parts included.
struct Clock {
    began: Instant,
    before: f64,
}

impl Clock {
    fn seconds(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }
}
