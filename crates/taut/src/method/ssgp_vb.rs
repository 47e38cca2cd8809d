//! The variational sparse spectrum: one fit to all rows, or a fit to the rows near each query.

mod global;
mod local;
mod watch;

use gp_core::{Floors, GpError, Hyperparameters, Observer, TrainingPlan, check_length};
use kernels::{KernelSpec, Mean, Spectrum, StationarySpec};
use serde::{Deserialize, Serialize};
use ssgp_vb::{FitOptions as RunOptions, SpectralPoints, SsgpError, Starts};

use super::{Conditioned, Inference, Outcome, Rows, Setting};
use crate::{Evidence, EvidenceOptions, FitOptions, bytes_text};

const NAME: &str = "ssgp-vb";
/// Spectral points of a fit to all rows.
const POINTS: usize = 50;
/// Spectral points of a fit to a neighbourhood.
const LOCAL_POINTS: usize = 10;
const DRAWS: usize = 4;
const SPECTRA: &str = "choose se, matern12, matern32 or matern52, whose spectra it draws from";

pub(crate) struct SparseSpectrum;

impl Inference for SparseSpectrum {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "Variational sparse spectrum, of one target: time n m² d a cycle, memory n m; with --local, of the rows near each query"
    }

    fn settings(&self) -> &'static [Setting] {
        &[Setting::SpectralPoints, Setting::Draws, Setting::Local, Setting::Calibrate]
    }

    /// Every draw with every mean.
    fn n_starts(&self, options: &FitOptions, d: usize) -> usize {
        options.spectral.draws.unwrap_or(DRAWS) * means(options, d).len()
    }

    fn fit(
        &self,
        template: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, GpError> {
        check(template, rows, options)?;
        let spectrum = spectrum(&template.kernel.spec(), rows.x.ncols())?;
        match options.spectral.local {
            Some(_) => local::fit(spectrum, rows, options, observer),
            None => global::fit(spectrum, rows, options, observer),
        }
    }

    fn condition(
        &self,
        _: &Hyperparameters,
        _: &Rows,
        _: &FitOptions,
        _stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, GpError> {
        refuse("at given hyperparameters", "it finds a law of them, leave --no-train out")
    }
}

fn refuse<T>(with: impl Into<String>, remedy: &'static str) -> Result<T, GpError> {
    Err(GpError::NotForMethod { method: NAME, with: with.into(), remedy })
}

/// Refuses what the method has no answer for.
fn check(template: &Hyperparameters, rows: &Rows, options: &FitOptions) -> Result<(), GpError> {
    let (n, targets) = rows.y.dim();
    if targets != 1 {
        return refuse(
            format!("on {targets} targets at once"),
            "their variances differ, fit each target by itself",
        );
    }
    if n < 2 {
        return refuse(format!("on {n} row"), "at least 2 tell the noise from the signal");
    }
    if rows.y.iter().all(|value| value.to_bits() == rows.y[[0, 0]].to_bits()) {
        return refuse(
            "on a target that is the same in every row",
            "there is nothing to fit, predict that value",
        );
    }
    check_plan(options)?;
    if !matches!(template.mean, Mean::Constant(_)) {
        return refuse(
            "with a mean that is zero or linear",
            "it subtracts the mean of the target, leave --mean out",
        );
    }
    let spectral = options.spectral;
    if spectral.calibrate.is_some() && spectral.local.is_none() {
        return refuse("with --calibrate alone", "it is for local fits, add --local K");
    }
    at_least_one("spectral-points", spectral.points)?;
    at_least_one("draws", spectral.draws)?;
    at_least_one("starts", spectral.starts)?;
    at_least_one("calibrate", spectral.calibrate)
}

/// Hyperparameters have a posterior of their own; they neither start nor are held anywhere.
fn check_plan(options: &FitOptions) -> Result<(), GpError> {
    let TrainingPlan { fixed, priors, floors, .. } = &options.plan;
    let held = "hyperparameters have a posterior of their own, leave it out";
    let given = [
        (options.params.is_some(), "with starting values in --params"),
        (!fixed.is_empty(), "with --fix"),
        (!priors.is_empty(), "with priors on hyperparameters of a kernel"),
        (*floors != Floors::default(), "with --noise-floor"),
    ];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, with)) => refuse(with, held),
        None => Ok(()),
    }
}

fn at_least_one(option: &'static str, value: Option<usize>) -> Result<(), GpError> {
    if value != Some(0) {
        return Ok(());
    }
    let (found, accepted) = ("0".to_owned(), "a whole number of at least 1".to_owned());
    Err(GpError::OptionRange { option, found, accepted })
}

/// The law of spectral points that belongs to a kernel of all `d` columns.
fn spectrum(kernel: &KernelSpec, d: usize) -> Result<Spectrum, GpError> {
    let (spectrum, spec) = match kernel {
        KernelSpec::SquaredExponential(spec) => (Spectrum::SquaredExponential, spec),
        KernelSpec::Matern12(spec) => (Spectrum::Matern12, spec),
        KernelSpec::Matern32(spec) => (Spectrum::Matern32, spec),
        KernelSpec::Matern52(spec) => (Spectrum::Matern52, spec),
        other => {
            let name = other.build().map_or("this", |kernel| kernel.name());
            return refuse(format!("with a kernel that is a {name}"), SPECTRA);
        }
    };
    match &spec.active_dims {
        Some(columns) if !columns.iter().copied().eq(0..d) => refuse(
            "with a kernel of some columns",
            "name the columns with --features, and none in the kernel",
        ),
        _ => Ok(spectrum),
    }
}

/// The kernel of a spectrum.
fn kernel(
    spectrum: Spectrum,
    lengthscales: Vec<f64>,
    variance: f64,
) -> Result<KernelSpec, GpError> {
    let spec = StationarySpec { lengthscales, variance, active_dims: None };
    Ok(match spectrum {
        Spectrum::SquaredExponential => KernelSpec::SquaredExponential(spec),
        Spectrum::Matern12 => KernelSpec::Matern12(spec),
        Spectrum::Matern32 => KernelSpec::Matern32(spec),
        Spectrum::Matern52 => KernelSpec::Matern52(spec),
        _ => return refuse("with this spectrum", SPECTRA),
    })
}

/// Hyperparameters that stand for a posterior.
fn hyperparameters(
    spectrum: Spectrum,
    lengthscales: Vec<f64>,
    [variance, noise_variance, mean]: [f64; 3],
) -> Result<Hyperparameters, GpError> {
    let d = lengthscales.len();
    let kernel = kernel(spectrum, lengthscales, variance)?.build()?;
    let hyper = Hyperparameters { kernel, noise_variance, mean: Mean::Constant(mean) };
    hyper.check(d)?;
    Ok(hyper)
}

fn points(spectrum: Spectrum, options: &FitOptions) -> SpectralPoints {
    let local = options.spectral.local.is_some();
    let usual = if local { LOCAL_POINTS } else { POINTS };
    SpectralPoints {
        points: options.spectral.points.unwrap_or(usual),
        spectrum,
        draws: options.spectral.draws.unwrap_or(DRAWS),
        seed: options.plan.seed,
        ..SpectralPoints::default()
    }
}

fn means(options: &FitOptions, d: usize) -> Vec<f64> {
    Starts::usual_means(d, options.spectral.starts)
}

fn run_options(options: &FitOptions) -> RunOptions {
    RunOptions { max_cycles: options.plan.options.lbfgs.max_iters, ..RunOptions::default() }
}

/// A few matrices of N×2M and the partial sums of 2M×2M.
fn check_memory(n: usize, m: usize, options: &FitOptions) -> Result<(), GpError> {
    let (n, m) = (n as u64, m as u64);
    let needed = 8 * (6 * m.saturating_mul(n) + 160 * m.saturating_mul(m));
    let Some(budget) = options.memory_budget.filter(|budget| needed > *budget) else {
        return Ok(());
    };
    Err(GpError::OverBudget {
        task: format!("{NAME} on {n} rows with {m} spectral points"),
        needed: bytes_text(needed),
        budget: bytes_text(budget),
        remedy: "raise it with --memory GB, or give fewer with --spectral-points M",
    })
}

/// The bracket of an exact Gaussian process at the hyperparameters shown, for few rows, and what
/// that is.
fn evidence(
    gp: &dyn Conditioned,
    known: Evidence,
    rows: &Rows,
    options: &EvidenceOptions,
) -> Result<Evidence, GpError> {
    let mut evidence = match options.is_thorough(rows.x.nrows(), 0, 0) {
        true => known.with_certificate(gp, rows, options)?,
        false => known,
    };
    evidence.warnings.extend(gp.note().map(str::to_owned));
    Ok(evidence)
}

/// The crate's refusals in the words of this one.
fn translated(error: SsgpError) -> GpError {
    match error {
        SsgpError::Neighbourhood { found, n } => GpError::OptionRange {
            option: "local",
            found: format!("{found} rows"),
            accepted: format!("2 to {n} rows"),
        },
        SsgpError::Option { option, found, accepted } => {
            GpError::OptionRange { option, found: found.to_string(), accepted: accepted.to_owned() }
        }
        other => other.into(),
    }
}

/// The part of a model file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Saved {
    Global(global::Saved),
    Local(Box<local::Saved>),
}

impl Saved {
    pub(crate) fn restore(
        self,
        hyper: Hyperparameters,
        rows: &Rows,
    ) -> Result<Box<dyn Conditioned>, GpError> {
        let (x_columns, targets) = (rows.x.ncols(), rows.y.ncols());
        check_length("y", "columns", targets, 1)?;
        match self {
            Self::Global(saved) => saved.restore(hyper, x_columns),
            Self::Local(saved) => saved.restore(hyper, rows),
        }
    }
}
