//! `taut fit`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use gp_core::{StartReport, Trained};
use taut::{
    Evidence, EvidenceOptions, FitOptions, Fitted, Method, Model, leave_one_out_scores, test_scores,
};

use super::args::FitArgs;
use super::checkpoint::remove;
use super::failure::Failure;
use super::machine;
use super::options::candidates;
use super::output::{check_apart, check_writable, print, with_ending, write_json};
use super::progress::Display;
use super::report::{Lml, Report, Seconds, StartRow, Train};
use super::summary;
use super::table::{Tables, prepare, split_places};
use super::training::{Outcome, train};

pub(crate) fn run(args: &FitArgs) -> Result<(), Failure> {
    let began = Instant::now();
    machine::use_threads(args.common.threads)?;
    let out = args.out.clone().unwrap_or_else(|| default_out(&args.data));
    let checkpoint = args.checkpoint.clone().unwrap_or_else(|| with_ending(&out, ".ckpt"));
    check_places(args, &out, &checkpoint)?;
    let tables = prepare(args)?;
    let candidates = candidates(args, &tables)?;
    machine::check_memory(args, candidates[0].method, tables.train.x.nrows())?;
    if let Some(folder) = &args.split_out {
        tables.write_split(folder)?;
    }
    let mut display = Display::new(args.common.quiet);
    tables.notices().iter().for_each(|notice| display.say(&format!("note: {notice}")));
    if args.method.0.is_none() {
        chosen(&candidates[0]).iter().for_each(|line| display.say(line));
    }
    let whole = candidates[0].training_rows.is_none();
    let outcome = train(args, &tables, candidates, &checkpoint, &mut display)?;
    display.clear();
    let size = outcome.fitted.model.save(&out)?;
    if !outcome.resumable && !args.no_train {
        // The model holds all the checkpoint did.
        remove(&checkpoint);
    }
    let report = report(args, &tables, outcome, whole, began)?;
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    print(&summary::lines(&report, &out, size))
}

/// What `auto` chose, unless it is the exact method.
fn chosen(options: &FitOptions) -> Option<String> {
    if options.method == Method::Exact {
        return None;
    }
    let bound = options.bound.as_ref().map_or(String::new(), |bound| format!(", {bound}"));
    let rows = options.training_rows.map_or(String::new(), |rows| {
        format!(", trained on {rows} rows: more would take too long")
    });
    let (method, inducing) = (options.method.name(), options.surrogates.inducing);
    Some(format!("note: method {method}{bound}, {inducing} inducing points{rows}"))
}

/// The table's name with `.taut`, in the current folder.
fn default_out(data: &Path) -> PathBuf {
    PathBuf::from(format!("{}.taut", stem(data)))
}

/// A table's name without its ending.
pub(crate) fn stem(data: &Path) -> String {
    let name = data.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if stem.is_empty() || stem == "-" { "model".to_owned() } else { stem.to_owned() }
}

fn check_places(args: &FitArgs, out: &Path, checkpoint: &Path) -> Result<(), Failure> {
    let optional = |path: &'_ Option<PathBuf>| path.clone();
    let inputs = [
        Some(args.data.clone()),
        optional(&args.test),
        optional(&args.params),
        optional(&args.inducing_points),
    ];
    let outputs = [Some(out.to_owned()), Some(checkpoint.to_owned()), optional(&args.report)];
    let split = args.split_out.as_deref().map(split_places);
    let inputs: Vec<&Path> = inputs.iter().flatten().map(PathBuf::as_path).collect();
    let outputs: Vec<&Path> = outputs.iter().flatten().map(PathBuf::as_path).collect();
    let split: Vec<&Path> = split.iter().flatten().map(PathBuf::as_path).collect();
    check_apart(&inputs, &[&split[..], &outputs].concat())?;
    // The split's folder may still have to be made.
    let there = split.iter().filter(|path| path.parent().is_some_and(Path::is_dir));
    outputs.iter().chain(there).try_for_each(|path| check_writable(path))
}

fn report(
    args: &FitArgs,
    tables: &Tables,
    outcome: Outcome,
    whole: bool,
    began: Instant,
) -> Result<Report, Failure> {
    let Outcome { fitted, kernels, resumable } = outcome;
    let model = &fitted.model;
    let predicting = Instant::now();
    let test = tables.test.as_ref().map(|test| test_scores(model, test)).transpose()?;
    let predict = test.is_some().then(|| predicting.elapsed().as_secs_f64());
    let evidence = model.evidence(&evidence_options(args, model, whole))?;
    let n = model.x().nrows();
    let loo = (n <= args.exact_limit && n > 1).then(|| leave_one_out_scores(model)).transpose()?;
    Ok(Report {
        method: model.method().name(),
        kernel: summary::kernel_text(&model.params().kernel, &model.encoder().feature_names()),
        n_train: n,
        n_test: tables.test.as_ref().map_or(0, |test| test.x.nrows()),
        d: model.x().ncols(),
        inducing: model.inducing_points().map(|z| z.nrows()),
        neighbours: model.neighbours(),
        bound: model.bound().map(str::to_owned),
        seed: args.seed,
        threads: rayon::current_num_threads(),
        units: model.units(),
        params: model.params(),
        lml: Lml::new(&evidence, model.original_offset()),
        elbo: evidence.elbo,
        cg: fitted.cg.with(evidence.cg),
        train: train_part(fitted.trained.as_ref()),
        test,
        loo: loo.flatten(),
        seconds: Seconds {
            train: fitted.trained.is_some().then(|| kernels.iter().map(|row| row.seconds).sum()),
            predict,
            total: began.elapsed().as_secs_f64(),
        },
        peak_rss_bytes: machine::peak_rss_bytes(),
        jitter: evidence.jitter,
        warnings: warnings(tables, &fitted, &evidence, resumable),
        kernels: (kernels.len() > 1).then_some(kernels),
    })
}

/// Where time was too short to train on all rows, more bounds wait until they are asked for.
fn evidence_options(args: &FitArgs, model: &Model, whole: bool) -> EvidenceOptions {
    let defaults = EvidenceOptions::default();
    EvidenceOptions {
        surrogates: model.surrogates(),
        cg_max_steps: args.cg_max_steps.unwrap_or(defaults.cg_max_steps),
        exact_limit: args.exact_limit,
        memory_budget: Some(machine::memory_budget(args.memory)),
        thorough: whole,
    }
}

fn train_part(trained: Option<&Trained>) -> Train {
    let starts = || trained.iter().flat_map(|trained| &trained.starts);
    let row =
        |start: &StartReport| StartRow { name: start.name.clone(), objective: start.objective };
    let won = trained.and_then(|trained| trained.starts.get(trained.start));
    Train {
        iterations: trained.map_or(0, |trained| trained.iterations),
        evaluations: trained.map_or(0, |trained| trained.evaluations),
        stop_reason: trained.map(|trained| trained.stop_reason),
        start: won.map(|start| start.name.clone()),
        starts: starts().map(row).collect(),
    }
}

fn warnings(tables: &Tables, fitted: &Fitted, evidence: &Evidence, resumable: bool) -> Vec<String> {
    let hint = "the same command with --resume and wider limits goes on from here".to_owned();
    let notices = tables.notices().into_iter();
    let models = fitted.warnings.iter().chain(&evidence.warnings).cloned();
    notices.chain(models).chain(resumable.then_some(hint)).collect()
}
