//! The estimated evidence as a training objective.

use std::f64::consts::PI;

use bounds::exact::Exact;
use bounds::logdet::ArithmeticGeometric;
use bounds::{LogDetBound, Problem};
use gp_core::{Evaluation, GpError, HyperGradient, Hyperparameters, Objective, ParameterSpace};
use linalg_cg::{CgOptions, CgProgress, Stop, cg_block_watched};
use ndarray::{Array2, ArrayRef2, Axis, concatenate, s};

use crate::draws::independent_draws;
use crate::estimate::{Task, not_interrupted, operator, watch};
use crate::gradient::{TraceGradient, form, mean_gradient};
use crate::options::{EstimatorOptions, GradientEstimator};
use crate::probes::seed_of_round;
use crate::report::SolverReport;
use crate::surrogate::{Chosen, Surrogate};

/// The estimate with probes and pivots that stand still until a step is accepted, or for good.
pub(crate) struct IterativeObjective<'a> {
    pub(crate) x: &'a ArrayRef2<f64>,
    pub(crate) y: &'a ArrayRef2<f64>,
    pub(crate) space: &'a ParameterSpace,
    pub(crate) options: &'a EstimatorOptions,
    pub(crate) gradient: GradientEstimator,
    pub(crate) seed: u64,
    /// Whether each accepted step draws new probes and pivots.
    pub(crate) fresh: bool,
    /// The solves of all evaluations.
    pub(crate) spent: SolverReport,
    state: State,
}

/// What moves between evaluations.
#[derive(Default)]
struct State {
    round: u64,
    chosen: Option<Chosen>,
    /// Where that was chosen.
    anchor: Vec<f64>,
    /// The last solutions, where the next solve starts.
    warm: Option<Array2<f64>>,
}

impl<'a> IterativeObjective<'a> {
    pub(crate) fn new(
        [x, y]: [&'a ArrayRef2<f64>; 2],
        space: &'a ParameterSpace,
        options: &'a EstimatorOptions,
        gradient: GradientEstimator,
        seed: u64,
        fresh: bool,
    ) -> Self {
        Self {
            x,
            y,
            space,
            options,
            gradient,
            seed,
            fresh,
            spent: SolverReport::default(),
            state: State::default(),
        }
    }

    /// Value and gradient from probes drawn from the prior, by solves that start from the last and
    /// end early. The value is a bound that needs no probes: at most the LML.
    fn pathwise(
        &mut self,
        task: &Task<'_, '_>,
        features: usize,
        max_steps: usize,
    ) -> Result<(f64, HyperGradient, SolverReport), GpError> {
        let (problem, surrogate) = (task.problem, task.surrogate);
        let r = task.hyper.residual(self.x, self.y);
        let (targets, probes) = (r.ncols(), self.options.probes);
        let w = independent_draws(task.hyper, self.x, features, probes, self.seed)?;
        let block = concatenate![Axis(1), r.view(), w];
        let operator = operator(problem, self.options.cache_bytes);
        let stop = Stop::RelativeResidual(self.options.tolerance);
        let cg = CgOptions::default().max_iters(max_steps);
        let start = self.state.warm.take();
        let look = |_: &CgProgress| watch(task.stop);
        let start = start.as_deref();
        let run = cg_block_watched(&operator, &block, surrogate, &stop, start, &cg, &look)?;
        not_interrupted(run.reports.iter().map(|report| report.stop_reason))?;
        let alpha = run.v.slice(s![.., ..targets]).to_owned();
        let left = run.residual.slice(s![.., ..targets]).to_owned();
        let solutions = run.v.slice(s![.., targets..]);
        let samples = solutions.axis_chunks_iter(Axis(1), probes);
        let mean = |z: ndarray::ArrayView2<'_, f64>| {
            let sum = form(problem, &operator, &z, &z);
            sum.into_iter().map(|value| value / probes as f64).collect()
        };
        let trace = TraceGradient::of_samples(samples.map(mean).collect());
        let (gradient, _) = task.gradient(&operator, &alpha, &trace);
        let (quad, _) = task.quad(&r, &alpha, &left);
        let constant = log_det_upper(problem, surrogate)? + self.x.nrows() as f64 * (2.0 * PI).ln();
        let solver = SolverReport::of_cg(&run);
        self.state.warm = Some(run.v);
        Ok((-0.5 * quad - 0.5 * targets as f64 * constant, gradient, solver))
    }
}

/// log|K| is at most this.
fn log_det_upper(problem: &Problem<'_>, surrogate: &dyn Surrogate) -> Result<f64, GpError> {
    if problem.inducing_points().is_some() {
        return Ok(ArithmeticGeometric.value(problem)?);
    }
    Ok(surrogate.log_det())
}

impl Objective for IterativeObjective<'_> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        self.evaluate_until(u, &|| false)
    }

    fn evaluate_until(
        &mut self,
        u: &[f64],
        stop: &dyn Fn() -> bool,
    ) -> Result<Evaluation, GpError> {
        let hyper = self.space.unpack(u)?;
        let chosen = match self.state.chosen.take() {
            Some(chosen) => chosen,
            None => {
                self.state.anchor = u.to_vec();
                Chosen::at(&hyper, self.x, &self.options.preconditioning)
            }
        };
        let outcome = chosen.with(&hyper, self.x, |problem, surrogate| {
            let options = self.options;
            let task = Task { hyper: &hyper, problem, surrogate, options, together: true, stop };
            match self.gradient {
                GradientEstimator::Hutchinson => {
                    let seed = seed_of_round(self.seed, self.state.round);
                    let estimate = task.estimate(self.y, seed)?;
                    Ok((estimate.value, estimate.gradient, estimate.solver))
                }
                GradientEstimator::Pathwise { features, max_steps } => {
                    self.pathwise(&task, features, max_steps)
                }
            }
        });
        self.state.chosen = Some(chosen);
        let (value, gradient, solver) = outcome?;
        self.spent = self.spent.with(solver);
        Ok(self.space.evaluation(u, value, &gradient))
    }

    fn accepted(&mut self, _u: &[f64]) -> Result<bool, GpError> {
        if self.fresh {
            self.state.round += 1;
            self.state.chosen = None;
        }
        Ok(false)
    }

    /// The round; how long the point is where the surrogate's parts were chosen, and it; rows and
    /// columns of the last solutions, and these.
    fn auxiliary(&self) -> Vec<f64> {
        let State { round, chosen, anchor, warm } = &self.state;
        let anchor = if chosen.is_some() { &anchor[..] } else { &[] };
        let (rows, columns) = warm.as_ref().map_or((0, 0), Array2::dim);
        let mut numbers = vec![*round as f64, anchor.len() as f64];
        numbers.extend(anchor);
        numbers.extend([rows as f64, columns as f64]);
        numbers.extend(warm.iter().flatten());
        numbers
    }

    fn restore_auxiliary(&mut self, auxiliary: &[f64]) {
        let mut numbers = auxiliary.iter().copied();
        let mut count = || numbers.next().map_or(0, |value| value as usize);
        let (round, length) = (count() as u64, count());
        let anchor: Vec<f64> = numbers.by_ref().take(length).collect();
        let mut count = || numbers.next().map_or(0, |value| value as usize);
        let shape = (count(), count());
        let warm: Vec<f64> = numbers.collect();
        let chosen = self.space.unpack(&anchor).ok().filter(|_| anchor.len() == self.space.len());
        let chosen = chosen.map(|hyper| Chosen::at(&hyper, self.x, &self.options.preconditioning));
        let warm = Array2::from_shape_vec(shape, warm).ok().filter(|warm| !warm.is_empty());
        self.state = State { round, chosen, anchor, warm };
    }
}

/// The exact evidence of few rows: what starts are compared by.
pub(crate) struct ExactScreening<'a> {
    pub(crate) x: &'a ArrayRef2<f64>,
    pub(crate) y: &'a ArrayRef2<f64>,
    pub(crate) space: &'a ParameterSpace,
}

impl ExactScreening<'_> {
    fn lml(&self, hyper: &Hyperparameters) -> Result<(f64, HyperGradient), GpError> {
        let problem = Problem::new(hyper.kernel.as_ref(), self.x, hyper.noise_variance)?;
        let found = Exact::new(&problem)?.lml_gradient(&hyper.residual(self.x, self.y))?;
        let mean = mean_gradient(hyper, self.x, &found.y.mapv(|value| -value));
        Ok((found.value, HyperGradient::new(found.hyper, mean)))
    }
}

impl Objective for ExactScreening<'_> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        let (value, gradient) = self.lml(&self.space.unpack(u)?)?;
        Ok(self.space.evaluation(u, value, &gradient))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp)]

    use gp_core::Floors;
    use kernels::{Matern32, Mean};

    use super::*;
    use crate::gradient::mean_and_error;
    use crate::options::Preconditioning;

    fn data(n: usize) -> (Array2<f64>, Array2<f64>, ParameterSpace, Vec<f64>) {
        let x = Array2::from_shape_fn((n, 1), |(i, _)| (0.618_034 * (i + 1) as f64).fract());
        let y = x.mapv(|t| (7.0 * t).sin() + 0.1 * (91.0 * t).cos());
        let kernel = Box::new(Matern32::new(vec![0.3], 1.0).unwrap());
        let hyper = Hyperparameters { kernel, noise_variance: 0.05, mean: Mean::Constant(0.1) };
        let space = ParameterSpace::new(&hyper, Floors::default());
        let u = space.pack(&hyper).unwrap();
        (x, y, space, u)
    }

    /// Little but chance in the value: few probes, hardly any surrogate, exact solves.
    fn options(rank: usize) -> EstimatorOptions {
        let preconditioning = Preconditioning::PivotedCholesky { rank };
        let (tolerance, nats) = (1e-10, 1e-10);
        EstimatorOptions { probes: 4, preconditioning, tolerance, nats, ..Default::default() }
    }

    #[test]
    fn probes_stand_still_until_a_step_is_accepted_or_for_good() {
        let (x, y, space, u) = data(60);
        let elsewhere: Vec<f64> = u.iter().map(|u| u + 0.2).collect();
        let options = options(2);
        for fresh in [true, false] {
            let gradient = GradientEstimator::Hutchinson;
            let mut objective =
                IterativeObjective::new([&x, &y], &space, &options, gradient, 5, fresh);
            let first = objective.evaluate(&u).unwrap();
            assert_ne!(objective.evaluate(&elsewhere).unwrap(), first);
            assert_eq!(objective.evaluate(&u).unwrap(), first);
            let mut last = first;
            for _ in 0..3 {
                assert!(!objective.accepted(&u).unwrap());
                let next = objective.evaluate(&u).unwrap();
                assert_eq!(next != last, fresh, "{next:?} after {last:?}");
                assert_eq!(objective.evaluate(&u).unwrap(), next);
                last = next;
            }
        }
    }

    /// Ordering and neighbours, or pivots, are those of the first evaluation: a line search would lose
    /// its way among new ones.
    #[test]
    fn the_surrogates_parts_stand_still_too() {
        let x = Array2::from_shape_fn((80, 2), |(i, j)| {
            (((i + 1) * (j + 1)) as f64 * [0.618_034, 0.414_214][j]).fract()
        });
        let y = x.map_axis(Axis(1), |row| (5.0 * row[0] + row[1]).sin()).insert_axis(Axis(1));
        let kernel = Box::new(Matern32::new(vec![0.2, 2.0], 1.0).unwrap());
        let hyper = Hyperparameters { kernel, noise_variance: 0.05, mean: Mean::Zero };
        let space = ParameterSpace::new(&hyper, Floors::default());
        let u = space.pack(&hyper).unwrap();
        let mut elsewhere = u.clone();
        elsewhere.swap(0, 1);
        for preconditioning in [
            Preconditioning::PivotedCholesky { rank: 5 },
            Preconditioning::Vecchia { neighbours: 3 },
            Preconditioning::Auto { rank: 5, neighbours: 3 },
        ] {
            let options = EstimatorOptions { preconditioning, ..options(0) };
            let start = |u: &[f64]| {
                let gradient = GradientEstimator::Hutchinson;
                let mut objective =
                    IterativeObjective::new([&x, &y], &space, &options, gradient, 5, true);
                let first = objective.evaluate(u).unwrap();
                (objective, first)
            };
            let (mut objective, first) = start(&u);
            let (_, chosen_there) = start(&elsewhere);
            assert_ne!(objective.evaluate(&elsewhere).unwrap(), chosen_there);
            assert_eq!(objective.evaluate(&u).unwrap(), first);
            objective.accepted(&u).unwrap();
            let auxiliary = objective.auxiliary();
            let next = objective.evaluate(&elsewhere).unwrap();
            let (mut resumed, _) = start(&u);
            resumed.restore_auxiliary(&auxiliary);
            assert_eq!(resumed.evaluate(&elsewhere).unwrap(), next);
        }
    }

    #[test]
    fn a_pathwise_gradient_is_right_in_the_mean_and_its_value_a_lower_bound() {
        let (x, y, space, u) = data(60);
        let exact = ExactScreening { x: &x, y: &y, space: &space }.evaluate(&u).unwrap();
        let options = options(10);
        for max_steps in [2, 200] {
            let gradient = GradientEstimator::Pathwise { features: 64, max_steps };
            let found: Vec<Evaluation> = (0..40)
                .map(|seed| {
                    let mut objective =
                        IterativeObjective::new([&x, &y], &space, &options, gradient, seed, false);
                    objective.evaluate(&u).unwrap()
                })
                .collect();
            assert!(found.iter().all(|found| found.value <= exact.value), "{max_steps} steps");
            for (i, expected) in exact.gradient.iter().enumerate().filter(|_| max_steps > 2) {
                let (mean, error) = mean_and_error(found.iter().map(|found| found.gradient[i]));
                // The mean's parameter is left to no chance, but to rounding.
                let allowed = 5.0 * error + 1e-6 * (1.0 + expected.abs());
                assert!((mean - expected).abs() <= allowed, "{i}: {mean} ± {error}, {expected}");
            }
        }
    }
}
