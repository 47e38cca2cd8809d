//! The iterative method: conjugate gradients and stochastic traces, without inducing points.

use std::sync::OnceLock;

use gp_core::{AdamOptions, GpError, Hyperparameters, Observer, Posterior, Prediction, Trained};
use iterative_gp::{
    EstimatorOptions, GradientEstimator, IterativeGp, IterativeOptions, IterativeParts, LmlValue,
    Preconditioning, PredictionOptions, Schedule, SolverReport, Variance,
};
use ndarray::{Array2, Array3, ArrayRef2};
use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{Conditioned, Inference, Method, Outcome, Part, Rows, Setting};
use crate::iterative_settings::at_least;
use crate::memory::IterativeNeed;
use crate::{
    CgSummary, Evidence, EvidenceOptions, FitOptions, Optimizer, TraceEstimator, VarianceFrom,
    fixed,
};

/// Random features of a pathwise probe, and the steps after which its solve ends.
const PATHWISE: GradientEstimator = GradientEstimator::Pathwise { features: 1024, max_steps: 20 };
/// What solves for the probes of the reported estimate may leave, relative to a probe: its square is what
/// the quadratures lose, far below what chance does.
const REPORTED_TOLERANCE: f64 = 3e-3;
/// The smaller the noise, the more steps solves take that do without a factorisation.
const NOISE_FLOOR: f64 = 1e-4;
/// Pivots, unless told otherwise.
const RANK: usize = 100;
/// Neighbours, bounds included: a surrogate that preconditions and carries the determinant is worth twice as
/// many as one that bounds it.
const NEIGHBOURS: usize = 60;
/// Rows between looks at who watches where each takes a solve; a multiple of those solved together.
const SOLVED_ROWS: usize = 256;

pub(crate) struct StochasticTraces;

impl Inference for StochasticTraces {
    fn name(&self) -> &'static str {
        "iterative"
    }

    fn about(&self) -> &'static str {
        "Conjugate gradients and random probes: time n² a step, memory n, an estimated likelihood"
    }

    fn settings(&self) -> &'static [Setting] {
        &[
            Setting::Preconditioner,
            Setting::CgTolerance,
            Setting::CgMaxSteps,
            Setting::Probes,
            Setting::PreconditionerRank,
            Setting::Estimator,
            Setting::Optimizer,
            Setting::PretrainRows,
            Setting::AdamSteps,
            Setting::Variance,
            Setting::LoveRank,
        ]
    }

    fn noise_floor(&self) -> f64 {
        NOISE_FLOOR
    }

    fn neighbours(&self) -> usize {
        NEIGHBOURS
    }

    fn fit(
        &self,
        template: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, GpError> {
        let choice = Choice::new(rows, options)?;
        let iterative = choice.training(options);
        let (gp, trained) = IterativeGp::fit(template, &rows.x, &rows.y, &iterative, observer)?;
        let spent = gp.training_solver().copied().unwrap_or_default();
        let by_design = iterative.gradient != GradientEstimator::Hutchinson;
        let notices = if by_design { None } else { capped_training(&spent) };
        Ok(choice.outcome(gp, Some(trained), notices.into_iter().collect(), spent.into()))
    }

    fn condition(
        &self,
        hyper: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, GpError> {
        let choice = Choice::new(rows, options)?;
        let (x, y, prediction) = (&rows.x, &rows.y, &choice.prediction);
        let gp = IterativeGp::condition_until(hyper, x, y, prediction, stop)?;
        Ok(choice.outcome(gp, None, Vec::new(), CgSummary::default()))
    }
}

/// The options of the command as those of the library.
struct Choice {
    estimator: EstimatorOptions,
    prediction: PredictionOptions,
    seed: u64,
}

impl Choice {
    fn new(rows: &Rows, options: &FitOptions) -> Result<Self, GpError> {
        at_least("cg-max-steps", options.cg_max_steps, 1, "at least 1")?;
        let (given, usual) = (&options.iterative, PredictionOptions::default());
        let preconditioning = preconditioning(options);
        let estimator = EstimatorOptions {
            preconditioning: preconditioning.clone(),
            tolerance: REPORTED_TOLERANCE,
            ..EstimatorOptions::default()
        };
        let probes = given.probes.unwrap_or(estimator.probes);
        let max_steps = options.cg_max_steps.unwrap_or(estimator.max_steps);
        let variance = variance(options);
        let need = IterativeNeed::new(rows, &preconditioning, probes, variance);
        let cache_bytes = need.left_for_tiles(options.memory_budget, usual.cache_bytes)?;
        let prediction = PredictionOptions {
            preconditioning,
            variance,
            nats: usual.nats.min(options.cg_tolerance.unwrap_or(usual.nats)),
            max_steps: options.cg_max_steps.unwrap_or(usual.max_steps),
            cache_bytes,
            ..usual
        };
        let estimator = EstimatorOptions { probes, max_steps, cache_bytes, ..estimator };
        Ok(Self { estimator, prediction, seed: options.plan.seed })
    }

    fn training(&self, options: &FitOptions) -> IterativeOptions {
        let (given, usual) = (&options.iterative, IterativeOptions::default());
        let loose = EstimatorOptions::for_training();
        let schedule = match (given.optimizer.unwrap_or_default(), usual.schedule) {
            (Optimizer::Lbfgs, _) => Schedule::Lbfgs,
            (_, Schedule::Staged { rows, lbfgs_steps, adam_steps }) => {
                let rows = given.pretrain_rows.unwrap_or(rows);
                Schedule::Staged { rows, lbfgs_steps, adam_steps }
            }
            (_, other) => other,
        };
        let steps = given.adam_steps.unwrap_or(usual.adam.steps);
        IterativeOptions {
            plan: options.plan.clone(),
            schedule,
            adam: AdamOptions { steps, ..usual.adam },
            gradient: match given.estimator.unwrap_or_default() {
                TraceEstimator::Hutchinson => GradientEstimator::Hutchinson,
                TraceEstimator::Pathwise => PATHWISE,
            },
            training: EstimatorOptions {
                tolerance: loose.tolerance,
                nats: options.cg_tolerance.unwrap_or(loose.nats),
                ..self.estimator.clone()
            },
            prediction: self.prediction.clone(),
        }
    }

    fn outcome(
        self,
        gp: IterativeGp,
        trained: Option<Trained>,
        notices: Vec<String>,
        training: CgSummary,
    ) -> Outcome {
        let cg = training.with((*gp.solver()).into());
        let Self { mut estimator, seed, .. } = self;
        estimator.preconditioning = gp.parts().options.preconditioning.clone();
        let gp = Box::new(Iterative { gp, estimator, seed, estimate: OnceLock::new() });
        Outcome { gp, trained, notices, cg }
    }
}

fn preconditioning(options: &FitOptions) -> Preconditioning {
    use cglb::Preconditioning as Kind;
    let neighbours = options.surrogates.neighbours;
    let given = options.iterative.preconditioner_rank;
    let rank = given.unwrap_or(RANK);
    match options.preconditioning {
        Some(Kind::Vecchia) => Preconditioning::Vecchia { neighbours },
        Some(Kind::Nystrom) => Preconditioning::PivotedCholesky { rank },
        // Pivots alone where only they were asked for.
        None if given.is_some() => Preconditioning::PivotedCholesky { rank },
        _ => Preconditioning::Auto { rank, neighbours },
    }
}

fn variance(options: &FitOptions) -> Variance {
    match (options.iterative.variance.unwrap_or_default(), Variance::default()) {
        (VarianceFrom::Love, Variance::Love { rank, neighbours }) => {
            let rank = options.iterative.love_rank.unwrap_or(rank);
            Variance::Love { rank, neighbours }
        }
        (VarianceFrom::Love, other) => other,
        (VarianceFrom::Solves, _) => Variance::Exact,
    }
}

impl From<SolverReport> for CgSummary {
    fn from(report: SolverReport) -> Self {
        let SolverReport { solves, steps_total, steps_max, capped, .. } = report;
        Self { solves, steps_total, steps_max, capped }
    }
}

fn capped_training(spent: &SolverReport) -> Option<String> {
    (spent.capped > 0).then(|| {
        format!(
            "{} of the {} solves of training stopped before their tolerance, after up to {} steps with relative residuals up to {:.1e}: gradients were that much less accurate; more steps are allowed with --cg-max-steps; --preconditioner vecchia with more --neighbours saves some",
            spent.capped, spent.solves, spent.steps_max, spent.worst_residual
        )
    })
}

/// The model with what its likelihood is estimated by.
#[derive(Debug)]
pub(crate) struct Iterative {
    gp: IterativeGp,
    estimator: EstimatorOptions,
    seed: u64,
    estimate: OnceLock<LmlValue>,
}

impl Iterative {
    fn estimate(&self) -> Result<LmlValue, GpError> {
        if let Some(known) = self.estimate.get() {
            return Ok(*known);
        }
        let found = self.gp.estimate(&self.estimator, self.seed)?;
        Ok(*self.estimate.get_or_init(|| found))
    }
}

/// What a user of the estimate should know.
fn warnings(found: &LmlValue, evidence: &Evidence, of_mean: &SolverReport) -> Vec<String> {
    let capped = (of_mean.capped > 0).then(|| {
        format!(
            "conjugate gradients for the posterior mean stopped after {} steps with relative residual {:.1e}: its quadratic term is uncertain by {:.3e} nats, and predictions are that much less accurate; more steps are allowed with --cg-max-steps",
            of_mean.steps_max, of_mean.worst_residual, of_mean.quad_slack
        )
    });
    capped.into_iter().chain(capped_estimate(found)).chain(outside(found, evidence)).collect()
}

fn capped_estimate(LmlValue { solver, .. }: &LmlValue) -> Option<String> {
    let low = solver.quad_slack + solver.log_det_slack.unwrap_or(0.0);
    let unknown = if solver.log_det_slack.is_none() { " and more" } else { "" };
    (solver.capped > 0).then(|| {
        format!(
            "{} of the {} solves behind the estimated log marginal likelihood stopped after {} steps with relative residuals up to {:.1e}: it may be too small by {low:.3e} nats{unknown} beside its standard error",
            solver.capped, solver.solves, solver.steps_max, solver.worst_residual
        )
    })
}

/// What chance, or a standard error from few probes, has done.
fn outside(found: &LmlValue, evidence: &Evidence) -> Option<String> {
    let above = evidence.upper.map(|upper| (found.value - upper, "above the proven upper"));
    let below = evidence.lower.map(|lower| (lower - found.value, "below the proven lower"));
    let (by, side) = above.into_iter().chain(below).find(|(by, _)| *by > 0.0)?;
    Some(format!(
        "the estimated log marginal likelihood {} ± {} lies {} nats ({:.1} standard errors) {side} bound: go by the bounds",
        fixed(found.value, 4),
        fixed(found.standard_error, 4),
        fixed(by, 4),
        by / found.standard_error
    ))
}

impl Posterior for Iterative {
    fn predict_mean(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.gp.predict_mean(x_new)
    }

    fn predict(&self, x_new: &ArrayRef2<f64>) -> Result<Prediction, GpError> {
        self.gp.predict(x_new)
    }

    fn covariance(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.gp.covariance(x_new)
    }

    fn sample(
        &self,
        x_new: &ArrayRef2<f64>,
        count: usize,
        rng: &mut dyn Rng,
    ) -> Result<Array3<f64>, GpError> {
        self.gp.sample(x_new, count, rng)
    }
}

impl Conditioned for Iterative {
    fn method(&self) -> Method {
        Method::Iterative
    }

    fn hyperparameters(&self) -> &Hyperparameters {
        self.gp.hyperparameters()
    }

    fn part(&self) -> Part {
        let IterativeParts { alpha, options, solver, .. } = self.gp.parts();
        Part::Iterative(Box::new(Saved {
            alpha: alpha.clone(),
            prediction: options.clone(),
            solver: *solver,
            estimator: self.estimator.clone(),
            seed: self.seed,
        }))
    }

    fn objective(&self) -> Result<f64, GpError> {
        Ok(self.estimate()?.value)
    }

    /// The estimate beside the bracket, which knows no chance.
    fn evidence(&self, rows: &Rows, options: &EvidenceOptions) -> Result<Evidence, GpError> {
        let estimate = self.estimate()?;
        let known = Evidence {
            estimate: Some(estimate.value),
            standard_error: Some(estimate.standard_error),
            ..Evidence::default()
        };
        let n = rows.x.nrows();
        let mut found = if options.is_thorough(n, options.surrogates.inducing.min(n), usize::MAX) {
            known.with_certificate(self, rows, options)?
        } else {
            known
        };
        found.cg = found.cg.with(estimate.solver.into());
        let said = warnings(&estimate, &found, self.gp.solver());
        found.warnings.extend(said);
        Ok(found)
    }

    fn prediction_bytes(&self) -> u64 {
        let parts = self.gp.parts();
        IterativeNeed::prediction_bytes(parts.x.nrows(), parts.options.variance)
    }

    fn auxiliary(&self) -> Option<&Array2<f64>> {
        Some(self.gp.alpha())
    }

    fn uses_neighbours(&self) -> bool {
        matches!(self.gp.parts().options.preconditioning, Preconditioning::Vecchia { .. })
    }

    fn rows_at_a_time(&self) -> Option<usize> {
        let solves = self.gp.parts().options.variance == Variance::Exact;
        solves.then_some(SOLVED_ROWS)
    }
}

/// α, and what it is predicted and estimated with.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saved {
    alpha: Array2<f64>,
    prediction: PredictionOptions,
    solver: SolverReport,
    estimator: EstimatorOptions,
    seed: u64,
}

impl Saved {
    pub(crate) fn restore(
        self,
        hyper: Hyperparameters,
        rows: &Rows,
    ) -> Result<Box<dyn Conditioned>, GpError> {
        let Self { alpha, prediction: options, solver, estimator, seed } = self;
        let (x, y) = (rows.x.clone(), rows.y.clone());
        let parts = IterativeParts { hyper, x, y, alpha, options, solver };
        let gp = IterativeGp::from_parts(parts)?;
        Ok(Box::new(Iterative { gp, estimator, seed, estimate: OnceLock::new() }))
    }
}
