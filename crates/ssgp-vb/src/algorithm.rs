//! Algorithms 1 and 2: cycles of updates until the lower bound stands still.

use std::mem;
use std::time::Instant;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::SsgpError;
use crate::gaussian::Gaussian;
use crate::moments::Moments;
use crate::observer::{Cycle, Observer};
use crate::options::{Algorithm, FitOptions, OnDecrease, Start};
use crate::passes::{Kept, Lambda};
use crate::problem::{Factors, LambdaGradient, SparseSpectrum};

/// Steps below this are given up: the bound stands still to rounding.
const MIN_STEP: f64 = 1e-8;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// The bound rose by less than the tolerance.
    Converged,
    /// The bound fell: Algorithm 1's last cycle, or Algorithm 2 without damping.
    Decreased,
    /// No step however short raises the bound, or none can be evaluated: without noise, rounding is
    /// met before the end.
    Stalled,
    /// The limit on cycles was reached.
    MaxCycles,
    /// The observer asked to stop.
    Interrupted,
}

/// The end of a run.
#[derive(Debug, Clone)]
pub struct Run {
    /// q.
    pub factors: Factors,
    /// The lower bound on log p(y), in nats.
    pub bound: f64,
    /// Why the run ended.
    pub status: Status,
    /// Cycles, failed attempts included.
    pub cycles: usize,
    /// Every attempt in order; the first is the start, with step 0.
    pub trace: Vec<Cycle>,
}

impl Run {
    /// Whether the bound of accepted cycles never fell.
    #[must_use]
    pub fn is_monotone(&self) -> bool {
        let accepted: Vec<f64> =
            self.trace.iter().filter(|cycle| cycle.accepted).map(|cycle| cycle.bound).collect();
        accepted.windows(2).all(|pair| pair[1] >= pair[0])
    }
}

/// A point of the search with all that the next cycle needs.
struct State {
    factors: Factors,
    lambda: Lambda,
    kept: Kept,
    /// Σ_λ⁻¹.
    precision: Array2<f64>,
    /// E(1/σ²), E(1/γ²).
    kappa: f64,
    tau: f64,
    bound: f64,
}

impl SparseSpectrum {
    /// q at a start: q(λ) as given, C_σ and C_γ from the spread of the target, q(α) optimal.
    ///
    /// ```text
    /// C_γ = (N/2 − 1) var(y)/4,   C_σ = (M − 1) var(y)
    /// ```
    ///
    /// For N = 2 and for M = 1, where these are 0, N var(y)/8 and M var(y).
    /// Source: Tan, Ong, Nott & Jasra (2016), section 4.
    ///
    /// # Errors
    /// [`SsgpError::ConstantTarget`]; a start that does not fit.
    pub fn start(&self, lambda: &Gaussian) -> Result<Factors, SsgpError> {
        let factor = lambda.factor(self.d(), "start")?;
        let moments = self.moments(&self.with_factor(lambda, &factor), Kept::default());
        Ok(self.started(lambda, &moments)?.0)
    }

    /// The factors at a start and log|Σ_α|.
    fn started(&self, lambda: &Gaussian, moments: &Moments) -> Result<(Factors, f64), SsgpError> {
        let variance = self.target_variance();
        if variance <= 0.0 {
            return Err(SsgpError::ConstantTarget { value: self.y()[0] });
        }
        let (n, m) = (self.n() as f64, self.m() as f64);
        let c_gamma = if n > 2.0 { (0.5 * n - 1.0) * variance / 4.0 } else { n * variance / 8.0 };
        let c_sigma = if m > 1.0 { (m - 1.0) * variance } else { m * variance };
        let [(_, kappa), (_, tau)] = self.scale_moments(c_sigma, c_gamma)?;
        let update = self.alpha(moments, kappa, tau)?;
        Ok((
            Factors { lambda: lambda.clone(), alpha: update.alpha, c_sigma, c_gamma },
            update.log_det,
        ))
    }

    /// Given factors and log|Σ_α|; where rounding has taken the definiteness of Σ_α, q(α) is updated.
    fn continued(&self, factors: &Factors, moments: &Moments) -> Result<(Factors, f64), SsgpError> {
        let mut factors = factors.clone();
        if let Ok(factor) = factors.alpha.factor(2 * self.m(), "start") {
            return Ok((factors, factor.log_det()));
        }
        let [(_, kappa), (_, tau)] = self.scale_moments(factors.c_sigma, factors.c_gamma)?;
        let update = self.alpha(moments, kappa, tau)?;
        factors.alpha = update.alpha;
        Ok((factors, update.log_det))
    }

    fn state_at(&self, start: &Start) -> Result<State, SsgpError> {
        let lambda = match start {
            Start::Isotropic { mean, variance } => Gaussian::isotropic(self.d(), *mean, *variance),
            Start::Lambda(lambda) => lambda.clone(),
            Start::Factors(factors) => factors.lambda.clone(),
        };
        let factor = lambda.factor(self.d(), "start")?;
        let arranged = self.with_factor(&lambda, &factor);
        let moments = self.moments(&arranged, Kept::for_gradient());
        let (factors, log_det_alpha) = match start {
            Start::Factors(factors) => self.continued(factors, &moments)?,
            _ => self.started(&lambda, &moments)?,
        };
        let log_dets = (factor.log_det(), log_det_alpha);
        let bound = self.bound_with(&factors, &moments, log_dets)?;
        if !bound.is_finite() {
            return Err(SsgpError::BadStart { bound, start: lambda.mean[0] });
        }
        let [(_, kappa), (_, tau)] = self.scale_moments(factors.c_sigma, factors.c_gamma)?;
        let (kept, precision) = (moments.kept, factor.inverse());
        Ok(State { factors, lambda: arranged, kept, precision, kappa, tau, bound })
    }

    /// One cycle from `state`, in the memory of `spare`, and the step it took.
    fn cycle(
        &self,
        state: &State,
        gradient: &LambdaGradient,
        (step, rho): (f64, f64),
        spare: Kept,
    ) -> Result<(State, f64), SsgpError> {
        let step = self.step(&state.factors.lambda, &state.precision, gradient, step, rho)?;
        let lambda = self.with_factor(&step.lambda, &step.factor);
        let moments = self.moments(&lambda, spare);
        let update = self.alpha(&moments, state.kappa, state.tau)?;
        let (c_sigma, c_gamma) = self.best_scales(&moments, &update.alpha);
        let scales = self.scale_moments(c_sigma, c_gamma)?;
        let log_dets = (step.factor.log_det(), update.log_det);
        let bound = self.simplified(&step.lambda, scales, log_dets);
        let [(_, kappa), (_, tau)] = scales;
        let factors = Factors { lambda: step.lambda, alpha: update.alpha, c_sigma, c_gamma };
        let (kept, precision) = (moments.kept, step.precision);
        Ok((State { factors, lambda, kept, precision, kappa, tau, bound }, step.step))
    }

    /// Runs Algorithm 1 or 2 from `start`.
    ///
    /// Algorithm 1 takes steps of length 1, and its bound may fall. Algorithm 2 lengthens the step by
    /// ρ after each success, goes back to 1 after a failure and, with damping, below: what it accepts
    /// never lowers the bound. A failed attempt counts as a cycle and costs half of one.
    /// Source: Tan, Ong, Nott & Jasra (2016), Algorithms 1 and 2; the damping is our own.
    ///
    /// # Errors
    /// [`SsgpError::BadStart`], [`SsgpError::ConstantTarget`], options out of range.
    pub fn run(
        &self,
        start: &Start,
        options: &FitOptions,
        observer: &mut dyn Observer,
    ) -> Result<Run, SsgpError> {
        options.check()?;
        let state = self.state_at(start)?;
        let begun = Instant::now();
        let first = Cycle { cycle: 0, step: 0.0, bound: state.bound, accepted: true, seconds: 0.0 };
        observer.cycle(&first);
        let mut search = Search {
            problem: self,
            options,
            observer,
            begun,
            trace: vec![first],
            spare: Kept::default(),
        };
        let (state, status) = match options.algorithm {
            Algorithm::Plain => search.plain(state),
            Algorithm::Adaptive => search.adaptive(state),
        };
        let trace = search.trace;
        Ok(Run {
            factors: state.factors,
            bound: state.bound,
            status,
            cycles: trace.len() - 1,
            trace,
        })
    }
}

/// What came of an attempt.
struct Attempt {
    /// The step taken.
    used: f64,
    /// The point reached, when it could be evaluated.
    next: Option<State>,
}

struct Search<'a> {
    problem: &'a SparseSpectrum,
    options: &'a FitOptions,
    observer: &'a mut dyn Observer,
    begun: Instant,
    trace: Vec<Cycle>,
    /// Memory of pass 1 for the next attempt.
    spare: Kept,
}

impl Search<'_> {
    /// Why to stop before another cycle.
    fn limit(&self) -> Option<Status> {
        if self.observer.interrupted() {
            return Some(Status::Interrupted);
        }
        (self.trace.len() > self.options.max_cycles).then_some(Status::MaxCycles)
    }

    fn keep(&mut self, step: f64, bound: f64, accepted: bool) {
        let seconds = self.begun.elapsed().as_secs_f64();
        let cycle = Cycle { cycle: self.trace.len(), step, bound, accepted, seconds };
        self.observer.cycle(&cycle);
        self.trace.push(cycle);
    }

    /// The gradient; what pass 1 kept for it is memory for the next one.
    fn gradient_at(&mut self, state: &mut State) -> LambdaGradient {
        self.spare = mem::take(&mut state.kept);
        self.problem.gradient(&state.lambda, &mut self.spare, &state.factors.alpha, state.tau)
    }

    /// An attempt from `state`. One that rounding leaves without a bound has failed like one whose
    /// bound fell: it has the step that was asked for, and −∞ for its bound.
    fn attempt(&mut self, state: &State, gradient: &LambdaGradient, step: f64) -> Attempt {
        let spare = mem::take(&mut self.spare);
        match self.problem.cycle(state, gradient, (step, self.options.rho), spare) {
            Ok((next, used)) => {
                let accepted = next.bound >= state.bound;
                self.keep(used, next.bound, accepted);
                Attempt { used, next: Some(next) }
            }
            Err(_) => {
                self.keep(step, f64::NEG_INFINITY, false);
                Attempt { used: step, next: None }
            }
        }
    }

    fn plain(&mut self, mut state: State) -> (State, Status) {
        loop {
            if let Some(status) = self.limit() {
                return (state, status);
            }
            let gradient = self.gradient_at(&mut state);
            let Some(next) = self.attempt(&state, &gradient, 1.0).next else {
                return (state, Status::Stalled);
            };
            let gain = (next.bound - state.bound) / state.bound.abs();
            state = next;
            if gain < self.options.tolerance && self.trace.len() > 2 {
                let fell = gain < 0.0;
                return (state, if fell { Status::Decreased } else { Status::Converged });
            }
        }
    }

    fn adaptive(&mut self, mut state: State) -> (State, Status) {
        let (mut step, rho) = (1.0, self.options.rho);
        let mut gradient = self.gradient_at(&mut state);
        loop {
            if let Some(status) = self.limit() {
                return (state, status);
            }
            let Attempt { used, next } = self.attempt(&state, &gradient, step);
            match next {
                Some(next) if next.bound >= state.bound => {
                    let gain = (next.bound - state.bound) / state.bound.abs();
                    state = next;
                    step = rho * used;
                    if gain < self.options.tolerance {
                        return (state, Status::Converged);
                    }
                    gradient = self.gradient_at(&mut state);
                }
                failed => {
                    self.spare = failed.map_or_else(Kept::for_gradient, |failed| failed.kept);
                    let Some(shorter) = self.shorter(used) else {
                        return (state, self.given_up());
                    };
                    step = shorter;
                }
            }
        }
    }

    /// The step to try after `used` has failed.
    fn shorter(&self, used: f64) -> Option<f64> {
        let damp = self.options.on_decrease == OnDecrease::Damp && used > MIN_STEP;
        if used > 1.0 { Some(1.0) } else { damp.then(|| used / self.options.rho) }
    }

    fn given_up(&self) -> Status {
        match self.options.on_decrease {
            OnDecrease::Damp => Status::Stalled,
            OnDecrease::Stop => Status::Decreased,
        }
    }
}
