//! Every bound around the log marginal likelihood of given hyperparameters.

use std::time::{Duration, Instant};

use bounds::exact::{Exact, bytes_needed};
use bounds::{
    BoundRow, Bracket, Budget, Evaluation, LogDetBound, Problem, ProblemSize, Purpose, QuadBound,
    REFERENCE_THREADS, best_affordable, free_log_det_catalogue, log_det_catalogue, quad_catalogue,
    solve_auxiliary,
};
use gp_core::{GpError, Hyperparameters};
use linalg_cg::{CgBlockSolution, CgOptions, StopReason};
use ndarray::{Array2, ArrayRef2, Axis};
use serde::Serialize;
use sparse_gp::greedy_conditional_variance;

use crate::Surrogates;
use crate::auto::BLOCK;

/// Which bounds to evaluate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Selection {
    /// Every bound of the catalogue, certificates of O(N²) time included.
    All,
    /// Those that cost no more than the kernel products training pays for.
    #[default]
    Free,
    /// The most promising that take at most so much time together, by the estimates of
    /// [`bounds::best_affordable`], and fit the memory.
    Best(Duration),
    /// Those of these names.
    Names(Vec<String>),
}

/// How bounds are evaluated.
///
/// | option | default |
/// | --- | --- |
/// | `surrogates` | see [`Surrogates`] |
/// | `inducing_points` | none: chosen greedily, as many as `surrogates` says |
/// | `start` | none: conjugate gradients start from zero |
/// | `selection` | free |
/// | `exact_limit` | 3000: with at most so many rows the exact value is computed too |
/// | `tolerance_nats` | 1e-3: slack conjugate gradients may leave in the quadratic term |
/// | `cg_max_steps` | 1000 |
/// | `memory_budget` | none: bytes the matrices of the exact value, and of a best selection, may take |
#[derive(Debug, Clone, PartialEq)]
pub struct CertifyOptions {
    /// Sizes of the surrogates.
    pub surrogates: Surrogates,
    /// Inducing points `[M, D]` to use, in the scale of the rows.
    pub inducing_points: Option<Array2<f64>>,
    /// v `[N, P]` to start from.
    pub start: Option<Array2<f64>>,
    /// Which bounds.
    pub selection: Selection,
    /// Largest number of rows for the exact value.
    pub exact_limit: usize,
    /// Where conjugate gradients stop, in nats per target.
    pub tolerance_nats: f64,
    /// Cap on their steps.
    pub cg_max_steps: usize,
    /// Above this many bytes the exact value is left out, with a warning; so are bounds of
    /// [`Selection::Best`].
    pub memory_budget: Option<u64>,
}

impl Default for CertifyOptions {
    fn default() -> Self {
        Self {
            surrogates: Surrogates::default(),
            inducing_points: None,
            start: None,
            selection: Selection::Free,
            exact_limit: 3000,
            tolerance_nats: 1e-3,
            cg_max_steps: 1000,
            memory_budget: None,
        }
    }
}

/// The exact value and its two terms, all targets together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExactTerms {
    /// log|K|.
    pub log_det: f64,
    /// Σ_p y_pᵀK⁻¹y_p.
    pub quad: f64,
    /// The log marginal likelihood.
    pub lml: f64,
    /// Seconds of the factorisation and solves.
    pub seconds: f64,
}

/// How the conjugate-gradient solves went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CgSummary {
    /// Systems solved.
    pub solves: usize,
    /// Steps of all of them.
    pub steps_total: usize,
    /// Steps of the longest.
    pub steps_max: usize,
    /// How many stopped before their tolerance.
    pub capped: usize,
}

/// All bounds at given hyperparameters.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// lower ≤ LML ≤ upper.
    pub bracket: Bracket,
    /// Each bound of the catalogue, by itself.
    pub rows: Vec<BoundRow>,
    /// The exact value, when there are few enough rows and the factorisation succeeds.
    pub exact: Option<ExactTerms>,
    /// The solves behind v.
    pub cg: CgSummary,
    /// Inducing points used.
    pub inducing: usize,
    /// Absolute jitter on Kuu, when there are inducing points.
    pub jitter: Option<f64>,
    /// What a reader of the numbers should know.
    pub warnings: Vec<String>,
    /// Seconds of everything.
    pub seconds: f64,
}

/// Evaluates the bounds for targets `y` `[N, P]`, the mean subtracted, at inputs `x` `[N, D]`.
///
/// # Errors
/// Data or hyperparameters out of range; [`GpError::UnknownBound`] for a bound's name that is
/// not in the catalogue.
pub fn certify(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    options: &CertifyOptions,
) -> Result<Certificate, GpError> {
    let began = Instant::now();
    options.selection.check()?;
    let (z, asked) = match &options.inducing_points {
        Some(z) => (z.clone(), z.nrows()),
        None => {
            let asked = options.surrogates.inducing;
            (inducing_points(hyper, x, asked), asked)
        }
    };
    let (log_dets, quads) = chosen(&size(x, &z, options), options);
    let left_out = left_out(&options.selection, &log_dets);
    let problem = problem(hyper, x, &z, options.surrogates)?;
    let cg_options = CgOptions::default().max_iters(options.cg_max_steps);
    let start = options.start.as_deref();
    let solution = solve_auxiliary(&problem, y, options.tolerance_nats, start, &cg_options)?;
    let evaluation = Evaluation::new(&problem, y, &solution.v, &log_dets, &quads)?;
    let (exact, refused) = exact_if_affordable(&problem, y, options);
    let warnings = capped_warnings(&solution)
        .into_iter()
        .chain(fewer_points(z.nrows(), asked))
        .chain(refused)
        .chain(left_out)
        .collect();
    Ok(Certificate {
        bracket: evaluation.bracket(),
        rows: evaluation.rows().to_vec(),
        exact,
        cg: summary(&solution),
        inducing: z.nrows(),
        jitter: evaluation.jitter(),
        warnings,
        seconds: began.elapsed().as_secs_f64(),
    })
}

impl CgSummary {
    /// The work of both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            solves: self.solves + other.solves,
            steps_total: self.steps_total + other.steps_total,
            steps_max: self.steps_max.max(other.steps_max),
            capped: self.capped + other.capped,
        }
    }
}

impl Selection {
    /// Whether every name is that of a bound.
    ///
    /// # Errors
    /// [`GpError::UnknownBound`].
    pub fn check(&self) -> Result<(), GpError> {
        let Self::Names(names) = self else { return Ok(()) };
        let (log_dets, quads) = (log_det_catalogue(), quad_catalogue());
        let known: Vec<&str> =
            log_dets.iter().map(|b| b.name()).chain(quads.iter().map(|b| b.name())).collect();
        match names.iter().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => {
                Err(GpError::UnknownBound { name: name.clone(), known: known.join(", ") })
            }
        }
    }
}

type Chosen = (Vec<Box<dyn LogDetBound>>, Vec<Box<dyn QuadBound>>);

fn chosen(size: &ProblemSize, options: &CertifyOptions) -> Chosen {
    let (mut log_dets, mut quads) = (log_det_catalogue(), quad_catalogue());
    match &options.selection {
        Selection::All => {}
        Selection::Free => log_dets = free_log_det_catalogue(),
        Selection::Best(time) => {
            let bytes = options.memory_budget.unwrap_or(u64::MAX);
            let budget = Budget { seconds: time.as_secs_f64(), bytes };
            log_dets = best_affordable(size, &budget, Purpose::Certificate).bounds;
        }
        Selection::Names(names) => {
            let wanted = |name: &str| names.iter().any(|other| other == name);
            log_dets.retain(|bound| wanted(bound.name()));
            quads.retain(|bound| wanted(bound.name()));
        }
    }
    (log_dets, quads)
}

/// What the costs of bounds depend on; for a machine that is always the same, so that the choice is.
fn size(x: &ArrayRef2<f64>, z: &ArrayRef2<f64>, options: &CertifyOptions) -> ProblemSize {
    ProblemSize {
        n: x.nrows(),
        d: x.ncols(),
        inducing: z.nrows(),
        neighbours: options.surrogates.neighbours,
        block: BLOCK,
        threads: REFERENCE_THREADS,
    }
}

/// What a best selection had no time or memory for.
fn left_out(selection: &Selection, taken: &[Box<dyn LogDetBound>]) -> Option<String> {
    let Selection::Best(time) = selection else { return None };
    let taken: Vec<&str> = taken.iter().map(|bound| bound.name()).collect();
    let all = log_det_catalogue();
    let others: Vec<&str> =
        all.iter().map(|bound| bound.name()).filter(|name| !taken.contains(name)).collect();
    (!others.is_empty()).then(|| {
        format!(
            "bounds beyond {} s or the memory were left out: {}",
            time.as_secs_f64(),
            others.join(", ")
        )
    })
}

fn inducing_points(hyper: &Hyperparameters, x: &ArrayRef2<f64>, m: usize) -> Array2<f64> {
    let selection = greedy_conditional_variance(hyper.kernel.as_ref(), x, m.min(x.nrows()));
    x.select(Axis(0), &selection.rows)
}

pub(crate) fn problem<'a>(
    hyper: &'a Hyperparameters,
    x: &'a ArrayRef2<f64>,
    z: &'a ArrayRef2<f64>,
    surrogates: Surrogates,
) -> Result<Problem<'a>, GpError> {
    let variance = hyper.kernel.diag(x).fold(0.0, |largest: f64, v| largest.max(*v));
    Ok(Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance)?
        .with_inducing_points(z, surrogates.jitter * variance)?
        .with_neighbours(surrogates.neighbours)
        .with_blocks(BLOCK)?)
}

/// The exact value, or why it is left out though there are few enough rows.
fn exact_if_affordable(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    options: &CertifyOptions,
) -> (Option<ExactTerms>, Option<String>) {
    let n = y.nrows();
    if n > options.exact_limit {
        return (None, None);
    }
    let needed = bytes_needed(n, false);
    if options.memory_budget.is_some_and(|budget| needed > budget) {
        let gigabytes = needed as f64 / 1e9;
        let warning = format!("the exact value is left out: it needs {gigabytes:.2} GB of memory");
        return (None, Some(warning));
    }
    match exact_terms(problem, y) {
        Ok(terms) if terms.lml.is_finite() => (Some(terms), None),
        Ok(_) => (None, Some("the exact value is left out: it is not a finite number".to_owned())),
        Err(reason) => (None, Some(format!("the exact value is left out: {reason}"))),
    }
}

fn fewer_points(used: usize, asked: usize) -> Option<String> {
    (used < asked).then(|| {
        format!(
            "{used} inducing points used of {asked} asked for: more would add nothing but rounding"
        )
    })
}

fn exact_terms(problem: &Problem<'_>, y: &ArrayRef2<f64>) -> Result<ExactTerms, GpError> {
    let began = Instant::now();
    let exact = Exact::new(problem)?;
    let (log_det, quad, lml) = (exact.log_det(), exact.quad(y)?.sum(), exact.lml(y)?);
    Ok(ExactTerms { log_det, quad, lml, seconds: began.elapsed().as_secs_f64() })
}

fn summary(solution: &CgBlockSolution) -> CgSummary {
    let steps = || solution.reports.iter().map(|report| report.steps);
    CgSummary {
        solves: solution.reports.len(),
        steps_total: steps().sum(),
        steps_max: steps().max().unwrap_or(0),
        capped: solution.reports.iter().filter(|report| !report.converged()).count(),
    }
}

fn stop_text(reason: StopReason) -> &'static str {
    match reason {
        StopReason::MaxIterations => "their limit",
        StopReason::Stagnated => "rounding allows no more",
        StopReason::NonPositiveCurvature | StopReason::IndefinitePreconditioner => {
            "rounding has made a matrix indefinite"
        }
        StopReason::NonFinite => "a number was not finite",
        _ => "interrupted",
    }
}

fn capped_warnings(solution: &CgBlockSolution) -> Vec<String> {
    let stopped = solution.reports.iter().filter(|report| !report.converged());
    let describe = |report: &linalg_cg::CgReport| {
        format!(
            "conjugate gradients stopped after {} steps ({}) with relative residual {:.1e}: the quadratic bounds are up to {:.3e} nats looser than they could be, and still hold",
            report.steps,
            stop_text(report.stop_reason),
            report.relative_residual,
            report.quadratic_slack.unwrap_or(f64::NAN)
        )
    };
    stopped.map(describe).collect()
}
