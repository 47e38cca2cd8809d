//! `taut certify`.

use std::path::Path;
use std::time::{Duration, Instant};

use bounds::{BoundRow, Side};
use gp_core::{Hyperparameters, Params, Scales, Units};
use serde::Serialize;
use taut::{
    Certificate, CertifyOptions, CgSummary, Evidence, Model, Selection, Surrogates, certify,
    read_params,
};

use super::args::CertifyArgs;
use super::failure::Failure;
use super::machine;
use super::output::{check_places, print, write_json};
use super::progress::Display;
use super::report::Lml;
use super::summary::kernel_text;

/// Seconds of the best bounds, unless told otherwise.
pub(crate) const BEST_SECONDS: f64 = 60.0;

pub(crate) fn run(args: &CertifyArgs) -> Result<(), Failure> {
    let began = Instant::now();
    machine::use_threads(args.common.threads)?;
    let inputs: Vec<&Path> =
        std::iter::once(args.model.as_path()).chain(args.params.as_deref()).collect();
    check_places(&inputs, &[args.report.as_deref()])?;
    let model = Model::load(&args.model)?;
    let hyper = hyperparameters(args, &model)?;
    let selection = selection(args)?;
    selection.check()?;
    let mut display = Display::new(args.common.quiet);
    display.now("bounding the log marginal likelihood".to_owned());
    let mut certificate = evaluate(args, selection, &model, &hyper)?;
    certificate.warnings.extend(own_note(args, &model));
    display.clear();
    let report = report(&model, &hyper, &certificate, began);
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    print(&lines(&report, &certificate))
}

/// Those of `--params` in the model's scale, or the model's own.
fn hyperparameters(args: &CertifyArgs, model: &Model) -> Result<Hyperparameters, Failure> {
    let Some(path) = &args.params else { return Ok(model.hyperparameters().clone()) };
    let leaf = model.params().kernel;
    let params = read_params(path, Some(&leaf), model.units())?;
    let scales = Scales { x: model.x_scaling(), y: model.y_scaling() };
    Ok(scales.convert(&params, model.units())?.build(model.x().ncols())?)
}

/// Said where the hyperparameters are the model's own and only stand for what it knows.
fn own_note(args: &CertifyArgs, model: &Model) -> Option<String> {
    model.note().filter(|_| args.params.is_none()).map(str::to_owned)
}

fn selection(args: &CertifyArgs) -> Result<Selection, Failure> {
    let selection = match args.bounds.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["all"] => Selection::All,
        ["free"] => Selection::Free,
        ["best"] => Selection::Best(Duration::from_secs_f64(args.time.unwrap_or(BEST_SECONDS))),
        _ => Selection::Names(args.bounds.clone()),
    };
    if args.time.is_some() && !matches!(selection, Selection::Best(_)) {
        return Err(Failure::usage(
            "--time makes no difference to bounds that were named",
            "leave it out, or use --bounds best",
        ));
    }
    Ok(selection)
}

fn evaluate(
    args: &CertifyArgs,
    selection: Selection,
    model: &Model,
    hyper: &Hyperparameters,
) -> Result<Certificate, Failure> {
    let saved = model.surrogates();
    let surrogates = Surrogates {
        inducing: args.inducing.unwrap_or(saved.inducing),
        neighbours: args.neighbours.unwrap_or(saved.neighbours),
        jitter: saved.jitter,
    };
    // A model's own points stand in for a choice, unless a number is given.
    let inducing_points = model.inducing_points().filter(|_| args.inducing.is_none()).cloned();
    let inducing = inducing_points.as_ref().map_or(surrogates.inducing, |z| z.nrows());
    machine::check_surrogates(model.x().nrows(), Surrogates { inducing, ..surrogates })?;
    let exact_limit = args.exact_limit;
    let memory_budget = Some(machine::memory_budget(args.memory));
    let options = CertifyOptions {
        surrogates,
        inducing_points,
        start: model.auxiliary().cloned(),
        selection,
        exact_limit,
        memory_budget,
        ..CertifyOptions::default()
    };
    let y = hyper.residual(model.x(), model.y());
    Ok(certify(hyper, model.x(), &y, &options)?)
}

/// The report of `taut certify`.
#[derive(Debug, Serialize)]
struct Report {
    kernel: String,
    n: usize,
    d: usize,
    units: Units,
    params: Params,
    inducing: usize,
    lml: Lml,
    /// log|K| and the quadratic form themselves, where the exact value was computed.
    exact_terms: Option<Terms>,
    bounds: Vec<Row>,
    cg: CgSummary,
    jitter: Option<f64>,
    seconds: f64,
    peak_rss_bytes: Option<u64>,
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Terms {
    logdet: f64,
    quad: f64,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    quantity: String,
    side: &'static str,
    value: Option<f64>,
    /// Distance to the best value on the other side.
    slack: Option<f64>,
    seconds: f64,
    skipped: Option<String>,
}

fn report(
    model: &Model,
    hyper: &Hyperparameters,
    certificate: &Certificate,
    began: Instant,
) -> Report {
    let params = Params::new(hyper, model.units());
    Report {
        kernel: kernel_text(&params.kernel, &model.encoder().feature_names()),
        n: model.x().nrows(),
        d: model.x().ncols(),
        units: model.units(),
        params,
        inducing: certificate.inducing,
        lml: Lml::new(&Evidence::from(certificate), model.original_offset()),
        exact_terms: certificate
            .exact
            .map(|exact| Terms { logdet: exact.log_det, quad: exact.quad }),
        bounds: rows(certificate),
        cg: certificate.cg,
        jitter: certificate.jitter,
        seconds: began.elapsed().as_secs_f64(),
        peak_rss_bytes: machine::peak_rss_bytes(),
        warnings: certificate.warnings.clone(),
    }
}

/// The bounds one by one, then the two ends of the bracket they make.
fn rows(certificate: &Certificate) -> Vec<Row> {
    let mut rows: Vec<Row> = certificate.rows.iter().map(row).collect();
    let bracket = &certificate.bracket;
    for (side, value) in [("lower", bracket.lower), ("upper", bracket.upper)] {
        rows.push(Row {
            name: "bracket".to_owned(),
            quantity: "lml".to_owned(),
            side,
            value: value.is_finite().then_some(value),
            slack: Some(bracket.width()).filter(|width| width.is_finite()),
            seconds: certificate.seconds,
            skipped: None,
        });
    }
    rows
}

fn row(bound: &BoundRow) -> Row {
    Row {
        name: bound.name.to_owned(),
        quantity: bound.quantity.to_string(),
        side: side(bound.side),
        value: bound.value,
        slack: bound.slack,
        seconds: bound.seconds,
        skipped: bound.skipped.as_ref().map(ToString::to_string),
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Lower => "lower",
        Side::Upper => "upper",
    }
}

fn lines(report: &Report, certificate: &Certificate) -> Vec<String> {
    let mut lines = vec![format!(
        "{} on {} rows, {} inputs, {} inducing points",
        report.kernel, report.n, report.d, report.inducing
    )];
    lines.extend(taut::table_lines(certificate));
    lines.extend(report.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines
}
