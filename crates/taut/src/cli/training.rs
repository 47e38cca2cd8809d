//! Training one kernel or several, with checkpoints.

use std::path::Path;
use std::time::Duration;

use gp_core::{GpError, StopReason, TrainState};
use taut::{FitOptions, Fitted};

use super::args::FitArgs;
use super::checkpoint::{Watch, fingerprint, load};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::options::fingerprint_text;
use super::progress::Display;
use super::report::KernelRow;
use super::summary::kernel_text;
use super::table::Tables;

/// The best model, and how each kernel did.
pub(crate) struct Outcome {
    pub(crate) fitted: Fitted,
    pub(crate) kernels: Vec<KernelRow>,
    /// A checkpoint was left for `--resume` with wider limits.
    pub(crate) resumable: bool,
}

/// Fits each candidate and keeps the one with the highest log marginal likelihood, or lower bound.
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
    let mut watch = Watch::new(checkpoint, fingerprint, &interrupt, display);
    let mut rows: Vec<KernelRow> = Vec::new();
    let mut best: Option<Fitted> = None;
    let mut saved = saved.into_iter();
    for (index, mut options) in candidates.into_iter().enumerate() {
        options.plan.resume = saved.next();
        options.plan.options.time_limit = share(args.time, &rows, count - index);
        let stage =
            if count > 1 { format!("kernel {}/{count}, ", index + 1) } else { String::new() };
        watch.begin(stage, options.n_starts(tables.train.x.ncols()));
        let fitted = one(tables, &options, &mut watch)?;
        let row = row(&fitted)?;
        if rows.iter().all(|other| row.lml > other.lml) {
            best = Some(fitted);
        }
        rows.push(row);
    }
    let fitted = best.ok_or_else(|| {
        Failure::new(
            "no kernel has a log marginal likelihood",
            "change the starting values with --params",
        )
    })?;
    let resumable = stopped_by_a_limit(&fitted) && watch.save(None).is_ok();
    if !args.common.quiet {
        interrupt.finishing();
    }
    Ok(Outcome { fitted, kernels: rows, resumable })
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
fn share(limit: Option<f64>, done: &[KernelRow], left: usize) -> Option<Duration> {
    let spent: f64 = done.iter().map(|row| row.seconds).sum();
    limit.map(|limit| Duration::from_secs_f64((limit - spent).max(0.0) / left as f64))
}

fn one(tables: &Tables, options: &FitOptions, watch: &mut Watch<'_>) -> Result<Fitted, Failure> {
    let fitted = match taut::fit(&tables.train, options, watch) {
        Err(GpError::Interrupted) => return Err(watch.interrupted(None)),
        Err(error @ GpError::SpreadNotSquarable { column, .. }) => {
            let name = format!("column `{}`", tables.train.target_names[column]);
            let text = error.to_string().replacen(&format!("column {column} of `y`"), &name, 1);
            return Err(Failure::from_sentence(&text));
        }
        other => other?,
    };
    let Some(trained) = &fitted.trained else { return Ok(fitted) };
    if trained.stop_reason == StopReason::Interrupted {
        return Err(watch.interrupted(Some(&trained.state)));
    }
    watch.finished.push(trained.state.clone());
    Ok(fitted)
}

fn row(fitted: &Fitted) -> Result<KernelRow, Failure> {
    let model = &fitted.model;
    Ok(KernelRow {
        kernel: kernel_text(&model.params().kernel, &model.encoder().feature_names()),
        lml: model.objective()?,
        seconds: fitted.trained.as_ref().map_or(0.0, |trained| trained.seconds),
    })
}

fn stopped_by_a_limit(fitted: &Fitted) -> bool {
    fitted.trained.as_ref().is_some_and(|trained| trained.stop_reason.limited())
}
