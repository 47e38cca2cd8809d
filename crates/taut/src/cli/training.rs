//! Training one kernel or several, with checkpoints.

use std::path::Path;
use std::time::{Duration, Instant};

use gp_core::{GpError, StopReason, TrainState};
use taut::{Evidence, EvidenceOptions, FitOptions, Fitted, Model};

use super::args::FitArgs;
use super::certify::BEST_SECONDS;
use super::checkpoint::{Watch, fingerprint, load};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::machine;
use super::options::fingerprint_text;
use super::progress::Display;
use super::report::{KernelRow, rank};
use super::summary::kernel_text;
use super::table::Tables;

/// Part of `--time` that the best bounds may take beside it.
const BRACKET_SHARE: f64 = 0.2;

/// The best model, and how each kernel did.
pub(crate) struct Outcome {
    pub(crate) fitted: Fitted,
    /// What is known of its log marginal likelihood.
    pub(crate) evidence: Evidence,
    pub(crate) kernels: Vec<KernelRow>,
    /// A checkpoint was left for `--resume` with wider limits.
    pub(crate) resumable: bool,
}

/// Fits each candidate and keeps the one that ranks first, see [`rank`].
pub(crate) fn train(
    args: &FitArgs,
    tables: &Tables,
    candidates: Vec<FitOptions>,
    checkpoint: &Path,
    display: &mut Display,
) -> Result<Outcome, Failure> {
    let interrupt = Interrupt::listen()?;
    let fingerprint = fingerprint(&tables.train, &fingerprint_text(&candidates));
    let saved = saved_states(args, checkpoint, &fingerprint, display)?;
    let count = candidates.len();
    let mut watch = Watch::new(checkpoint, fingerprint, saved, &interrupt, display);
    let mut rows: Vec<KernelRow> = Vec::new();
    let mut best: Option<(Fitted, Evidence)> = None;
    let mut spent = 0.0;
    for (index, mut options) in candidates.into_iter().enumerate() {
        options.plan.options.time_limit = share(args.time, spent, count - index);
        let stage =
            if count > 1 { format!("kernel {}/{count}, ", index + 1) } else { String::new() };
        options.plan.resume = watch.begin(stage, options.n_starts(tables.train.x.ncols()));
        let began = Instant::now();
        let fitted = one(tables, &options, &mut watch)?;
        if index + 1 == count {
            interrupt.finishing(args.common.quiet);
        }
        let (clock, trained) = (began.elapsed().as_secs_f64(), fitted.trained.as_ref());
        // Training that was resumed has spent more, and some methods have none to tell of.
        let seconds = trained.map_or(clock, |trained| trained.seconds);
        spent += clock.max(seconds);
        let evidence_options = evidence_options(args, &fitted.model, &options, count);
        let evidence = fitted.model.evidence(&evidence_options)?;
        rows.push(row(&fitted, &evidence, seconds)?);
        if rank(&rows).order.first() == Some(&index) {
            best = Some((fitted, evidence));
        }
    }
    let (fitted, evidence) = best.ok_or_else(|| {
        Failure::new(
            "no kernel has a log marginal likelihood",
            "change the starting values with --params",
        )
    })?;
    let resumable = stopped_by_a_limit(&fitted) && watch.save().is_ok();
    Ok(Outcome { fitted, evidence, kernels: rows, resumable })
}

fn saved_states(
    args: &FitArgs,
    checkpoint: &Path,
    fingerprint: &str,
    display: &Display,
) -> Result<Vec<TrainState>, Failure> {
    if args.resume {
        return load(checkpoint, fingerprint);
    }
    if checkpoint.exists() && !args.no_train {
        let path = checkpoint.display();
        display.say(&format!("note: starting afresh; --resume would go on from {path}"));
    }
    Ok(Vec::new())
}

/// What is left of the time limit, divided among the kernels still to come.
fn share(limit: Option<f64>, spent: f64, left: usize) -> Option<Duration> {
    limit.map(|limit| Duration::from_secs_f64((limit - spent).max(0.0) / left as f64))
}

fn one(tables: &Tables, options: &FitOptions, watch: &mut Watch<'_>) -> Result<Fitted, Failure> {
    let fitted = match taut::fit(&tables.train, options, watch) {
        Err(GpError::Interrupted) => return Err(watch.interruption(None)),
        Err(error @ GpError::SpreadNotSquarable { column, .. }) => {
            let name = format!("column `{}`", tables.train.target_names[column]);
            let text = error.to_string().replacen(&format!("column {column} of `y`"), &name, 1);
            return Err(Failure::from_sentence(&text));
        }
        other => other?,
    };
    let Some(trained) = &fitted.trained else { return Ok(fitted) };
    if trained.stop_reason == StopReason::Interrupted {
        return Err(watch.interruption(Some(&trained.state)));
    }
    watch.end(trained.state.clone());
    Ok(fitted)
}

fn row(fitted: &Fitted, evidence: &Evidence, seconds: f64) -> Result<KernelRow, Failure> {
    let model = &fitted.model;
    Ok(KernelRow {
        kernel: kernel_text(&model.params().kernel, &model.encoder().feature_names()),
        lml: model.objective()?,
        lower: evidence.lower,
        upper: evidence.upper,
        exact: evidence.exact,
        seconds,
        stands_in: model.note().is_some(),
    })
}

/// Where time was too short to train on all rows, more bounds wait until they are asked for.
fn evidence_options(
    args: &FitArgs,
    model: &Model,
    options: &FitOptions,
    kernels: usize,
) -> EvidenceOptions {
    let defaults = EvidenceOptions::default();
    EvidenceOptions {
        surrogates: model.surrogates(),
        cg_max_steps: args.cg_max_steps.unwrap_or(defaults.cg_max_steps),
        exact_limit: args.exact_limit,
        memory_budget: Some(machine::memory_budget(args.memory)),
        best: best_time(args, kernels),
        thorough: options.training_rows.is_none(),
    }
}

/// With `--bound best` the brackets are the best that a part of the time allows, shared evenly.
fn best_time(args: &FitArgs, kernels: usize) -> Option<Duration> {
    let asked = args.bound.as_deref() == Some("best");
    let all = args.time.map_or(BEST_SECONDS, |time| BRACKET_SHARE * time);
    let seconds = all / kernels as f64;
    asked.then(|| Duration::from_secs_f64(seconds))
}

fn stopped_by_a_limit(fitted: &Fitted) -> bool {
    fitted.trained.as_ref().is_some_and(|trained| trained.stop_reason.limited())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::share;

    #[test]
    fn time_left_is_shared_by_kernels_to_come() {
        assert_eq!(share(None, 3.0, 2), None);
        assert_eq!(share(Some(10.0), 0.0, 4), Some(Duration::from_millis(2500)));
        assert_eq!(share(Some(10.0), 4.0, 3), Some(Duration::from_secs(2)));
        assert_eq!(share(Some(10.0), 11.0, 1), Some(Duration::ZERO));
    }
}
