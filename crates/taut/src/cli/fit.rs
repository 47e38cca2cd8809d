//! `taut fit`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gp_core::{
    DEFAULT_STARTS, Floors, GpError, LbfgsOptions, MeanSpec, StopReason, TrainOptions, Trained,
    TrainingPlan, Units,
};
use kernels::KernelSpec;
use taut::{FitOptions, Fitted, Model, Surrogates, parse_kernel, read_params};

use super::args::{FitArgs, MeanKind, Method};
use super::checkpoint::{Watch, fingerprint, load};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::machine;
use super::output::{check_writable, with_ending, write_json};
use super::progress::Display;
use super::report::{Lml, Report, Seconds, Slack, StartRow, Test, Train};
use super::scores::{leave_one_out_scores, test_scores};
use super::summary;
use super::table::{Tables, prepare};

pub(crate) fn run(args: &FitArgs) -> Result<(), Failure> {
    let began = Instant::now();
    machine::use_threads(args.common.threads)?;
    let out = args.out.clone().unwrap_or_else(|| default_out(&args.data));
    let checkpoint = args.checkpoint.clone().unwrap_or_else(|| with_ending(&out, ".ckpt"));
    for path in [Some(&out), Some(&checkpoint), args.report.as_ref()].into_iter().flatten() {
        check_writable(path)?;
    }
    let tables = prepare(args)?;
    let options = options(args, &tables)?;
    let mut display = Display::new(args.common.quiet);
    tables.train.notices.iter().for_each(|notice| display.say(&format!("note: {notice}")));
    let fitted = train(args, &tables, options, &out, &checkpoint, &mut display)?;
    display.clear();
    let size = fitted.model.save(&out)?;
    // The model holds all the checkpoint did.
    let _ = std::fs::remove_file(&checkpoint);
    let report = report(args, &tables, &fitted, began)?;
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    summary::print(&report, &fitted, &out, size);
    Ok(())
}

/// The table's name with `.taut`, in the current folder.
fn default_out(data: &Path) -> PathBuf {
    let name = data.file_name().map(|name| name.to_string_lossy().into_owned());
    let stem = name.as_deref().and_then(|name| name.split('.').next()).filter(|s| !s.is_empty());
    PathBuf::from(format!("{}.taut", stem.filter(|stem| *stem != "-").unwrap_or("model")))
}

fn options(args: &FitArgs, tables: &Tables) -> Result<FitOptions, Failure> {
    let d = tables.train.x.ncols();
    let kernel = match &args.kernel {
        Some(text) => Some(parse_kernel(text, &tables.train.feature_names)?),
        None => None,
    };
    let units = if args.no_scale { Units::Original } else { Units::Standardised };
    let params = match &args.params {
        Some(path) => Some(read_params(path, kernel.as_ref(), units)?),
        None if args.no_train => {
            return Err(Failure::usage(
                "--no-train needs hyperparameters",
                "give them with --params FILE",
            ));
        }
        None => None,
    };
    if let (Some(kernel), Some(params)) = (&kernel, &params) {
        check_same_kernel(kernel, &params.kernel)?;
    }
    let defaults = Surrogates::default();
    let surrogates = Surrogates {
        inducing: args.surrogates.inducing.unwrap_or(defaults.inducing),
        neighbours: args.surrogates.neighbours.unwrap_or(defaults.neighbours),
        jitter: args.jitter,
    };
    Ok(FitOptions {
        kernel,
        mean: args.mean.map(|kind| starting_mean(kind, d)),
        scale: !args.no_scale,
        plan: plan(args, params.is_some()),
        params: params.map(|params| match args.mean {
            Some(kind) if !same_mean(kind, &params.mean) => {
                gp_core::Params { mean: starting_mean(kind, d), ..params }
            }
            _ => params,
        }),
        train: !args.no_train,
        surrogates,
        memory_budget: Some(machine::memory_budget(args.memory)),
    })
}

/// `--kernel` beside `--params` only says of which type a flat file's kernel is.
fn check_same_kernel(asked: &KernelSpec, given: &KernelSpec) -> Result<(), Failure> {
    let name = |spec: &KernelSpec| spec.build().map_or("invalid", |kernel| kernel.name());
    let (asked, given) = (name(asked), name(given));
    if asked == given {
        return Ok(());
    }
    Err(Failure::usage(
        format!("--kernel says {asked}, the parameter file {given}"),
        "leave --kernel out, or change the file",
    ))
}

fn starting_mean(kind: MeanKind, d: usize) -> MeanSpec {
    match kind {
        MeanKind::Zero => MeanSpec::Zero,
        MeanKind::Constant => MeanSpec::Constant(0.0),
        MeanKind::Linear => MeanSpec::Linear { weights: vec![0.0; d], intercept: 0.0 },
    }
}

fn same_mean(kind: MeanKind, mean: &MeanSpec) -> bool {
    matches!(
        (kind, mean),
        (MeanKind::Zero, MeanSpec::Zero)
            | (MeanKind::Constant, MeanSpec::Constant(_))
            | (MeanKind::Linear, MeanSpec::Linear { .. })
    )
}

fn plan(args: &FitArgs, with_params: bool) -> TrainingPlan {
    TrainingPlan {
        floors: Floors { noise_variance: args.noise_floor, ..Floors::default() },
        fixed: args.fix.clone(),
        starts: args.starts.unwrap_or(if with_params { 1 } else { DEFAULT_STARTS }),
        seed: args.seed,
        options: TrainOptions {
            lbfgs: LbfgsOptions { max_iters: args.max_iters, ..LbfgsOptions::default() },
            time_limit: args.time.map(Duration::from_secs_f64),
            ..TrainOptions::default()
        },
        ..TrainingPlan::default()
    }
}

fn train(
    args: &FitArgs,
    tables: &Tables,
    mut options: FitOptions,
    out: &Path,
    checkpoint: &Path,
    display: &mut Display,
) -> Result<Fitted, Failure> {
    let interrupt = Interrupt::listen()?;
    let fingerprint = fingerprint(&tables.train, &options_text(args, &options));
    if args.resume {
        options.plan.resume = Some(load(checkpoint, &fingerprint)?);
    }
    let starts = options.plan.starts;
    let mut watch =
        Watch::new(checkpoint.to_owned(), fingerprint, &interrupt, display, starts);
    let fitted = taut::fit(&tables.train, &options, &mut watch).map_err(|error| match error {
        GpError::Interrupted => {
            Failure::interrupted("nothing had been computed yet: run the command again")
        }
        GpError::MemoryBudget { .. } if args.method == Method::Auto => Failure::from(error),
        other => Failure::from(other),
    })?;
    match &fitted.trained {
        Some(trained) if trained.stop_reason == StopReason::Interrupted => {
            watch.save(&trained.state)?;
            watch.display.clear();
            Err(Failure::interrupted(format!(
                "go on with the same command and --resume: the state is in {} and {} is not written yet",
                checkpoint.display(),
                out.display()
            )))
        }
        _ => Ok(fitted),
    }
}

/// Everything but the data that shapes training, limits left out.
fn options_text(args: &FitArgs, options: &FitOptions) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {} {:?} {:?} {} {}",
        options.kernel,
        options.mean,
        options.params,
        options.scale,
        args.no_train,
        options.plan.floors,
        options.plan.fixed,
        options.plan.starts,
        options.plan.seed
    )
}

fn report(
    args: &FitArgs,
    tables: &Tables,
    fitted: &Fitted,
    began: Instant,
) -> Result<Report, Failure> {
    let model = &fitted.model;
    let predicting = Instant::now();
    let test = match &tables.test {
        Some(test) => Some(test_scores(model, test)?),
        None => None,
    };
    let predict = predicting.elapsed().as_secs_f64();
    let n = model.gp().x().nrows();
    let loo = if n <= args.exact_limit && n > 1 { Some(leave_one_out_scores(model)?) } else { None };
    let trained = fitted.trained.as_ref();
    Ok(Report {
        method: model.method().name(),
        kernel: summary::kernel_text(&model.params().kernel),
        n_train: n,
        n_test: tables.test.as_ref().map_or(0, |test| test.x.nrows()),
        d: model.gp().x().ncols(),
        inducing: None,
        neighbours: None,
        seed: args.seed,
        threads: rayon::current_num_threads(),
        units: model.units(),
        params: model.params(),
        lml: exact_lml(model)?,
        elbo: None,
        cg: taut::CgSummary::default(),
        train: train_part(trained),
        test,
        loo,
        seconds: Seconds {
            train: trained.map_or(0.0, |trained| trained.seconds),
            predict,
            total: began.elapsed().as_secs_f64(),
        },
        peak_rss_bytes: machine::peak_rss_bytes(),
        jitter: None,
        warnings: warnings(tables, fitted),
    })
}

/// The exact value, and the bracket rounding leaves around it.
fn exact_lml(model: &Model) -> Result<Lml, Failure> {
    let value = model.gp().lml()?;
    Ok(Lml {
        lower: Some(value.value - value.rounding_quad - value.rounding_logdet),
        upper: Some(value.value + value.rounding_quad + value.rounding_logdet),
        exact: Some(value.value),
        estimate: None,
        standard_error: None,
        slack: Slack {
            quad: Some(2.0 * value.rounding_quad),
            logdet: Some(2.0 * value.rounding_logdet),
        },
        bound: Some("exact".to_owned()),
        bound_lower: Some("exact".to_owned()),
        original_offset: model.original_offset(),
    })
}

fn train_part(trained: Option<&Trained>) -> Train {
    let Some(trained) = trained else {
        return Train {
            iterations: 0,
            evaluations: 0,
            stop_reason: None,
            start: None,
            starts: Vec::new(),
        };
    };
    let row = |start: &gp_core::StartReport| StartRow {
        name: start.name.clone(),
        objective: start.objective,
    };
    Train {
        iterations: trained.iterations,
        evaluations: trained.evaluations,
        stop_reason: Some(trained.stop_reason),
        start: trained.starts.get(trained.start).map(|start| start.name.clone()),
        starts: trained.starts.iter().map(row).collect(),
    }
}

fn warnings(tables: &Tables, fitted: &Fitted) -> Vec<String> {
    let notices = tables.train.notices.iter().map(ToString::to_string);
    notices.chain(fitted.warnings.iter().cloned()).collect()
}

/// What a test table adds to the summary.
pub(crate) fn test_line(test: &Test) -> String {
    format!(
        "test: RMSE {:.4}, NLPD {:.4}, 95 % intervals cover {:.1} %",
        test.scores.rmse,
        test.scores.nlpd,
        100.0 * test.scores.coverage95
    )
}
