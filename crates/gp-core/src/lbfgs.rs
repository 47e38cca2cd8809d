//! L-BFGS with one fused value-and-gradient call, and a state that can be put on disk.
//!
//! Our own rather than a library's, because training needs three things together: auxiliary
//! variables refreshed at accepted steps, trials that fail without ending the run, and bit-equal
//! resumption. Source: Nocedal & Wright (2006), algorithms 7.4 and 7.5.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::line_search::{Trial, strong_wolfe};
use crate::objective::{Evaluation, Objective};
use crate::{GpError, StopReason};

/// Of an objective, what its last digits may differ by where it is evaluated in another order.
const ROUNDING: f64 = 1e-12;
/// Steps in a row with next to no gain that end a run.
const ENOUGH_SMALL_GAINS: usize = 2;

/// When L-BFGS stops.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `max_iters` | 2000 | any |
/// | `gradient_tolerance` | 1e-5 | ≥ 0, largest component of ∂(objective)/∂u |
/// | `value_tolerance` | 1e-8 | ≥ 0, gain of a step relative to max(1, \|objective\|) |
/// | `gain_tolerance` | 0 | ≥ 0, gain of a step in the objective's own units |
/// | `memory` | 20 | ≥ 1 pairs of steps and gradient changes |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LbfgsOptions {
    /// Largest number of accepted steps.
    pub max_iters: usize,
    /// Stops once no component of the gradient is larger.
    pub gradient_tolerance: f64,
    /// Stops once two steps in a row gain less than this, relative to the objective.
    pub value_tolerance: f64,
    /// Stops once two steps in a row gain less than this: what the objective is uncertain by.
    pub gain_tolerance: f64,
    /// How many past steps shape the next one.
    pub memory: usize,
}

impl Default for LbfgsOptions {
    fn default() -> Self {
        Self {
            max_iters: 2000,
            gradient_tolerance: 1e-5,
            value_tolerance: 1e-8,
            gain_tolerance: 0.0,
            memory: 20,
        }
    }
}

/// Where a run of L-BFGS stands: all that the next step depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LbfgsState {
    /// The current point.
    pub u: Vec<f64>,
    /// The objective there.
    pub value: f64,
    /// Its gradient there.
    pub gradient: Vec<f64>,
    /// Accepted steps.
    pub iterations: usize,
    /// Calls of the objective.
    pub evaluations: usize,
    pairs: VecDeque<Pair>,
    small_gains: usize,
    /// Whether no better point was found from here.
    exhausted: bool,
}

/// One step and the change of the (descent) gradient along it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
}

impl LbfgsState {
    /// Evaluates the objective at `u`.
    ///
    /// # Errors
    /// [`GpError::BadStart`] when it is not finite there.
    pub fn start(objective: &mut dyn Objective, u: Vec<f64>) -> Result<Self, GpError> {
        let reason = "an infinite value or gradient".to_owned();
        let first = objective.started(&u).and_then(|()| objective.evaluate(&u));
        let Evaluation { value, gradient } = match first {
            Ok(evaluation) if evaluation.is_finite() => evaluation,
            Ok(_) => return Err(GpError::BadStart { reason }),
            Err(GpError::Interrupted) => return Err(GpError::Interrupted),
            Err(error) => return Err(GpError::BadStart { reason: error.to_string() }),
        };
        Ok(Self {
            u,
            value,
            gradient,
            iterations: 0,
            evaluations: 1,
            pairs: VecDeque::new(),
            small_gains: 0,
            exhausted: false,
        })
    }

    /// The largest component of the gradient.
    #[must_use]
    pub fn gradient_norm(&self) -> f64 {
        self.gradient.iter().fold(0.0, |largest, g| largest.max(g.abs()))
    }

    /// Takes one step, or says why there is none to take.
    ///
    /// # Errors
    /// [`GpError::Interrupted`] from the objective: go on from a copy made before the call. Other
    /// errors count as trials that failed, but for those at an accepted point.
    pub fn step(
        &mut self,
        objective: &mut dyn Objective,
        options: &LbfgsOptions,
    ) -> Result<Option<StopReason>, GpError> {
        if self.gradient_norm() <= options.gradient_tolerance {
            return Ok(Some(StopReason::Gradient));
        }
        if self.iterations >= options.max_iters {
            return Ok(Some(StopReason::MaxIterations));
        }
        // A finished state read from a file stays finished.
        if self.small_gains >= ENOUGH_SMALL_GAINS {
            return Ok(Some(StopReason::Value));
        }
        if self.exhausted {
            return Ok(Some(StopReason::LineSearch));
        }
        let Some((direction, trial)) = self.search(objective)? else {
            self.exhausted = true;
            return Ok(Some(StopReason::LineSearch));
        };
        let gain = self.value + trial.value;
        self.accept(&direction, trial, options.memory);
        if objective.accepted(&self.u)? {
            self.reevaluate(objective)?;
        }
        Ok(self.judge(-gain, options))
    }

    fn judge(&mut self, gain: f64, options: &LbfgsOptions) -> Option<StopReason> {
        let relative = options.value_tolerance * self.value.abs().max(1.0);
        let small = gain <= relative.max(options.gain_tolerance);
        self.small_gains = if small { self.small_gains + 1 } else { 0 };
        (self.small_gains >= ENOUGH_SMALL_GAINS).then_some(StopReason::Value)
    }

    /// Searches along the quasi-Newton direction, again while the objective can be evaluated more
    /// accurately, and along the gradient if that fails.
    fn search(
        &mut self,
        objective: &mut dyn Objective,
    ) -> Result<Option<(Vec<f64>, Trial)>, GpError> {
        loop {
            let direction = self.direction();
            if let Some(trial) = self.search_along(objective, &direction)? {
                return Ok(Some((direction, trial)));
            }
            if !self.refined(objective)? {
                break;
            }
        }
        if self.pairs.is_empty() {
            return Ok(None);
        }
        self.pairs.clear();
        let gradient = self.gradient.clone();
        let trial = self.search_along(objective, &gradient)?;
        Ok(trial.map(|trial| (gradient, trial)))
    }

    /// Whether the objective can be evaluated more accurately where the run stands, and has been.
    fn refined(&mut self, objective: &mut dyn Objective) -> Result<bool, GpError> {
        let before = (self.value, self.gradient.clone());
        let refined = match objective.refine(&self.u) {
            Ok(true) => self.reevaluate(objective),
            Ok(false) => return Ok(false),
            Err(error) => Err(error),
        };
        match refined {
            // Where auxiliary variables have been lost it can come out worse.
            Ok(()) if self.value >= before.0 - ROUNDING * before.0.abs() => {
                self.value = self.value.max(before.0);
                Ok(true)
            }
            Err(GpError::Interrupted) => Err(GpError::Interrupted),
            _ => {
                (self.value, self.gradient) = before;
                Ok(false)
            }
        }
    }

    fn search_along(
        &mut self,
        objective: &mut dyn Objective,
        direction: &[f64],
    ) -> Result<Option<Trial>, GpError> {
        const MAX_TRIALS: usize = 25;
        let slope = -dot(&self.gradient, direction);
        if slope >= 0.0 || !slope.is_finite() {
            return Ok(None);
        }
        // A quasi-Newton step has its natural length; a first step along the gradient moves no
        // variable by more than one.
        let first_step = if self.pairs.is_empty() { 1.0 / norm1(direction).max(1.0) } else { 1.0 };
        let start = Trial { step: 0.0, value: -self.value, slope, gradient: Vec::new() };
        let mut evaluations = 0;
        let mut evaluate = |step: f64| {
            evaluations += 1;
            let u: Vec<f64> = self.u.iter().zip(direction).map(|(u, d)| u + step * d).collect();
            descend(objective, &u, direction, step)
        };
        let outcome = strong_wolfe(&start, first_step, MAX_TRIALS, &mut evaluate);
        self.evaluations += evaluations;
        outcome
    }

    /// The two-loop recursion: an ascent direction.
    fn direction(&self) -> Vec<f64> {
        let mut q = self.gradient.clone();
        let mut weights = Vec::with_capacity(self.pairs.len());
        for Pair { step, change } in self.pairs.iter().rev() {
            let weight = dot(step, &q) / dot(step, change);
            axpy(&mut q, -weight, change);
            weights.push(weight);
        }
        if let Some(Pair { step, change }) = self.pairs.back() {
            let scale = dot(step, change) / dot(change, change);
            q.iter_mut().for_each(|q| *q *= scale);
        }
        for (Pair { step, change }, weight) in self.pairs.iter().zip(weights.iter().rev()) {
            let correction = weight - dot(change, &q) / dot(step, change);
            axpy(&mut q, correction, step);
        }
        q
    }

    fn accept(&mut self, direction: &[f64], trial: Trial, memory: usize) {
        let step: Vec<f64> = direction.iter().map(|d| trial.step * d).collect();
        let change: Vec<f64> =
            self.gradient.iter().zip(&trial.gradient).map(|(a, b)| a - b).collect();
        axpy(&mut self.u, 1.0, &step);
        self.value = -trial.value;
        self.gradient = trial.gradient;
        self.iterations += 1;
        // Without curvature along the step the pair would make the next direction meaningless.
        if dot(&step, &change) > 1e-10 * dot(&change, &change).sqrt() * dot(&step, &step).sqrt() {
            self.pairs.push_back(Pair { step, change });
        }
        while self.pairs.len() > memory.max(1) {
            self.pairs.pop_front();
        }
    }

    fn reevaluate(&mut self, objective: &mut dyn Objective) -> Result<(), GpError> {
        let evaluation = objective.evaluate(&self.u)?;
        self.evaluations += 1;
        if evaluation.is_finite() {
            self.value = evaluation.value;
            self.gradient = evaluation.gradient;
        }
        Ok(())
    }
}

/// The trial at `u` in terms of what is minimised: the objective's negative.
fn descend(
    objective: &mut dyn Objective,
    u: &[f64],
    direction: &[f64],
    step: f64,
) -> Result<Trial, GpError> {
    match objective.evaluate(u) {
        Ok(evaluation) if evaluation.is_finite() => {
            let slope = -dot(&evaluation.gradient, direction);
            Ok(Trial { step, value: -evaluation.value, slope, gradient: evaluation.gradient })
        }
        Err(GpError::Interrupted) => Err(GpError::Interrupted),
        _ => Ok(Trial { step, value: f64::INFINITY, slope: f64::NAN, gradient: Vec::new() }),
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm1(a: &[f64]) -> f64 {
    a.iter().map(|a| a.abs()).sum()
}

fn axpy(y: &mut [f64], scale: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += scale * x);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// −Rosenbrock, with a hole where it cannot be evaluated.
    struct Rosenbrock {
        hole: bool,
    }

    impl Objective for Rosenbrock {
        fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
            let (x, y) = (u[0], u[1]);
            if self.hole && x > 1.5 {
                return Err(GpError::NoRows { argument: "hole" });
            }
            let value = -((1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2));
            let gradient = vec![2.0 * (1.0 - x) + 400.0 * x * (y - x * x), -200.0 * (y - x * x)];
            Ok(Evaluation { value, gradient })
        }
    }

    fn run(hole: bool) -> LbfgsState {
        let mut objective = Rosenbrock { hole };
        let mut state = LbfgsState::start(&mut objective, vec![-1.2, 1.0]).expect("finite");
        let options = LbfgsOptions { value_tolerance: 0.0, ..LbfgsOptions::default() };
        while state.step(&mut objective, &options).expect("no interruption").is_none() {}
        state
    }

    #[test]
    fn gains_below_their_tolerance_end_a_run_early() {
        let steps = |gain_tolerance: f64| {
            let mut objective = Rosenbrock { hole: false };
            let mut state = LbfgsState::start(&mut objective, vec![-1.2, 1.0]).expect("finite");
            let options = LbfgsOptions { gain_tolerance, ..LbfgsOptions::default() };
            while state.step(&mut objective, &options).expect("no interruption").is_none() {}
            (state.iterations, state.value)
        };
        let ((all, _), (few, value)) = (steps(0.0), steps(0.05));
        assert!(few < all && value < -1e-6, "{few} of {all} steps, {value}");
    }

    #[test]
    fn climbs_the_banana() {
        for hole in [false, true] {
            let state = run(hole);
            assert!((state.u[0] - 1.0).abs() < 1e-5 && (state.u[1] - 1.0).abs() < 1e-5);
            assert!(state.evaluations < 90, "{} evaluations", state.evaluations);
        }
    }

    #[test]
    fn a_state_from_json_goes_on_with_the_same_bits() {
        let mut objective = Rosenbrock { hole: false };
        let options = LbfgsOptions::default();
        let mut state = LbfgsState::start(&mut objective, vec![-1.2, 1.0]).expect("finite");
        for _ in 0..7 {
            state.step(&mut objective, &options).expect("no interruption");
        }
        let json = serde_json::to_string(&state).expect("serialisable");
        let mut resumed: LbfgsState = serde_json::from_str(&json).expect("readable");
        for _ in 0..9 {
            state.step(&mut objective, &options).expect("no interruption");
            resumed.step(&mut objective, &options).expect("no interruption");
        }
        assert_eq!(state, resumed);
    }
}
