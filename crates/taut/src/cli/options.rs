//! From the arguments of `taut fit` to the options of the library.

use std::time::Duration;

use gp_core::{
    DEFAULT_STARTS, Floors, LbfgsOptions, MeanSpec, Params, TrainOptions, TrainingPlan, Units,
};
use kernels::KernelSpec;
use sparse_gp::Selector;
use taut::cglb::Preconditioning;
use taut::{
    AutoLimits, FitOptions, Method, SpectralOptions, Surrogates, automatic, parse_kernel,
    read_params, with_best_bound,
};

use super::args::{FitArgs, MeanKind, PreconditionerKind, Select};
use super::failure::Failure;
use super::machine;
use super::remedy::Purpose;
use super::table::{Tables, read};

/// What `--fix` calls the inducing points, which are no hyperparameters.
const INDUCING_POINTS: &str = "inducing_points";

/// The options of each kernel to be tried, at least one; what is chosen automatically is the same for
/// all.
pub(crate) fn candidates(args: &FitArgs, tables: &Tables) -> Result<Vec<FitOptions>, Failure> {
    let features = &tables.train.feature_names[..];
    let kernels = args.kernels.iter().map(|text| kernel(text, features));
    let kernels: Vec<KernelSpec> = kernels.collect::<Result<_, _>>()?;
    let given = FitOptions {
        mean: args.mean.map(|kind| starting_mean(kind, features.len())),
        scale: !args.no_scale,
        plan: plan(args),
        params: starting_params(args, &kernels, features.len())?,
        train: !args.no_train,
        surrogates: surrogates(args, tables.train.x.nrows()),
        selector: selector(args, tables)?,
        train_inducing_points: !args.fix.iter().any(|name| name == INDUCING_POINTS),
        bound: args.bound.clone(),
        preconditioning: args.preconditioner.map(preconditioning),
        cg_tolerance: args.cg_tolerance,
        cg_max_steps: args.cg_max_steps,
        iterative: args.iterative.settings(),
        spectral: spectral(args),
        memory_budget: Some(machine::memory_budget(args.memory)),
        ..FitOptions::default()
    };
    let options = with_method(args, given, tables.train.x.dim());
    options.check()?;
    if kernels.is_empty() {
        return Ok(vec![options]);
    }
    let with = |kernel| FitOptions { kernel: Some(kernel), ..options.clone() };
    Ok(kernels.into_iter().map(with).collect())
}

fn with_method(args: &FitArgs, options: FitOptions, (n, d): (usize, usize)) -> FitOptions {
    if let Some(method) = args.method.0 {
        return with_best_bound(FitOptions { method, ..options }, n, d);
    }
    let limits = AutoLimits {
        exact_limit: args.exact_limit,
        seconds: args.time,
        fixed_inducing: args.inducing.is_some(),
    };
    automatic(options, n, d, &limits)
}

/// Where inducing points come from, if it was said.
fn selector(args: &FitArgs, tables: &Tables) -> Result<Option<Selector>, Failure> {
    if let Some(path) = &args.inducing_points {
        let points = tables.train.encoder.encode(&read(path)?);
        return Ok(Some(Selector::Given(points.map_err(|e| Purpose::Points.failure(e))?)));
    }
    Ok(args.select.map(|select| match select {
        Select::Greedy => Selector::Greedy,
        Select::Kmeans => Selector::KMeans,
        Select::Random => Selector::Random,
    }))
}

/// A kernel expression that can be built for these columns.
fn kernel(text: &str, features: &[String]) -> Result<KernelSpec, Failure> {
    let spec = parse_kernel(text, features)?;
    let built = spec.build().and_then(|kernel| kernel.check_columns(features.len()));
    built.map_err(|error| {
        Failure::from_sentence(&format!("kernel expression `{text}`: {error}")).into_usage()
    })?;
    Ok(spec)
}

fn starting_params(
    args: &FitArgs,
    kernels: &[KernelSpec],
    d: usize,
) -> Result<Option<Params>, Failure> {
    let Some(path) = &args.params else { return Ok(None) };
    if kernels.len() > 1 {
        return Err(Failure::usage(
            "--params gives the starting values of one kernel, several are to be compared",
            "leave --params out, or give one --kernel",
        ));
    }
    let units = if args.no_scale { Units::Original } else { Units::Standardised };
    let params = read_params(path, kernels.first(), units)?;
    if let Some(kernel) = kernels.first() {
        check_same_kernel(kernel, &params.kernel)?;
    }
    Ok(Some(match args.mean {
        Some(kind) if !same_mean(kind, &params.mean) => {
            Params { mean: starting_mean(kind, d), ..params }
        }
        _ => params,
    }))
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

fn surrogates(args: &FitArgs, n: usize) -> Surrogates {
    let defaults = Surrogates::default();
    let usual = args.method.0.map_or(defaults.neighbours, Method::neighbours);
    Surrogates {
        inducing: args.inducing.unwrap_or(defaults.inducing.min(n)),
        neighbours: args.neighbours.unwrap_or(usual),
        jitter: args.jitter,
    }
}

fn floors(args: &FitArgs) -> Floors {
    let usual = args.method.0.map_or(Floors::default().noise_variance, Method::noise_floor);
    Floors { noise_variance: args.noise_floor.unwrap_or(usual), ..Floors::default() }
}

fn preconditioning(kind: PreconditionerKind) -> Preconditioning {
    match kind {
        PreconditionerKind::Auto => Preconditioning::Auto,
        PreconditionerKind::Nystrom => Preconditioning::Nystrom,
        PreconditionerKind::Vecchia => Preconditioning::Vecchia,
    }
}

fn spectral(args: &FitArgs) -> SpectralOptions {
    SpectralOptions {
        points: args.spectral_points,
        draws: args.draws,
        starts: args.starts,
        local: args.local,
        calibrate: args.calibrate,
    }
}

fn plan(args: &FitArgs) -> TrainingPlan {
    let hyper = |name: &&String| name.as_str() != INDUCING_POINTS;
    TrainingPlan {
        floors: floors(args),
        fixed: args.fix.iter().filter(hyper).cloned().collect(),
        starts: args.starts.unwrap_or(if args.params.is_some() { 1 } else { DEFAULT_STARTS }),
        seed: args.seed,
        options: TrainOptions {
            lbfgs: LbfgsOptions { max_iters: args.max_iters, ..LbfgsOptions::default() },
            time_limit: args.time.map(Duration::from_secs_f64),
            ..TrainOptions::default()
        },
        ..TrainingPlan::default()
    }
}

/// Everything but the data that shapes training, limits left out: a longer run may go on from a
/// shorter one.
pub(crate) fn fingerprint_text(candidates: &[FitOptions]) -> String {
    candidates.iter().map(fingerprint_line).collect::<Vec<_>>().join("\n")
}

fn fingerprint_line(options: &FitOptions) -> String {
    let plan = &options.plan;
    let training = format!(
        "{:?} {:?} {:?} {} {:?} {:?} {} {}",
        options.kernel,
        options.mean,
        options.params,
        options.scale,
        plan.floors,
        plan.fixed,
        plan.starts,
        plan.seed
    );
    let method = format!(
        "{} {:?} {:?} {} {} {:?} {:?} {:?} {:?} {:?} {:?}",
        options.method.name(),
        options.spectral,
        options.surrogates,
        selector_text(options.selector.as_ref()),
        options.train_inducing_points,
        options.training_rows,
        options.bound,
        options.preconditioning,
        options.cg_tolerance,
        options.cg_max_steps,
        options.iterative,
    );
    format!("{training} {method}")
}

/// Every bit of given points, which `Debug` would abbreviate.
fn selector_text(selector: Option<&Selector>) -> String {
    match selector {
        Some(Selector::Given(z)) => {
            let bits = z.iter().map(|value| value.to_bits().to_string());
            bits.collect::<Vec<_>>().join(",")
        }
        other => format!("{other:?}"),
    }
}
