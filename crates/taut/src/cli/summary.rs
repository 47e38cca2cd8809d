//! The few lines a person reads after a fit.

use std::path::Path;

use gp_core::{MeanSpec, StopReason, Units};
use kernels::{KernelSpec, StationarySpec};
use taut::{SpectralReport, TestScores, bytes_text, fixed};

use super::report::{KernelRow, Lml, RankedBy, RankingPart, Report};

/// The summary, line by line.
pub(crate) fn lines(report: &Report, out: &Path, size: u64) -> Vec<String> {
    let mut lines = vec![format!(
        "{} Gaussian process on {} rows, {} inputs{}: {}",
        report.method,
        report.n_train,
        report.d,
        built_from(report),
        report.kernel
    )];
    lines.push(format!(
        "  noise variance {:.4e}, mean {}, in {} units",
        report.params.noise_variance,
        mean_text(&report.params.mean),
        report.units.name()
    ));
    lines.extend(report.spectral.as_ref().map(|spectral| spectral_line(spectral, report.elbo)));
    lines.extend(lml_lines(report));
    lines.extend(training_line(report));
    lines.extend(report.kernels.iter().flatten().map(kernel_line));
    lines.extend(report.ranking.as_ref().map(ranking_line));
    lines.extend(
        report.loo.map(|loo| format!("  leave-one-out: {}", errors_text(loo.rmse, loo.nlpd))),
    );
    lines.extend(report.test.iter().flat_map(|test| test_lines(test, report.units)));
    lines.extend(report.warnings.iter().map(|warning| format!("  warning: {warning}")));
    lines.push(format!("  model: {} ({})", out.display(), bytes_text(size)));
    lines
}

fn built_from(report: &Report) -> String {
    let inducing = report.inducing.map(|m| format!(", {m} inducing points"));
    let bound = report.bound.as_ref().map(|bound| format!(", {bound}"));
    let neighbours = report.neighbours.map(|k| format!(" of {k} neighbours"));
    inducing.into_iter().chain(bound).chain(neighbours).collect()
}

fn spectral_line(spectral: &SpectralReport, elbo: Option<f64>) -> String {
    let SpectralReport { points, draws, local, variance_factor, .. } = spectral;
    let kept = format!("{points} spectral points, {draws} draws mixed");
    let factor = variance_factor
        .map_or(String::new(), |factor| format!(", variances multiplied by {}", fixed(factor, 3)));
    match (local, elbo) {
        (Some(k), _) => format!("  a fit to the {k} rows near each query, {kept}{factor}"),
        (None, Some(elbo)) => format!(
            "  {points} spectral points; {} nats <= log evidence of the sparse-spectrum model",
            fixed(elbo, 4)
        ),
        (None, None) => format!("  {kept}"),
    }
}

/// The value itself, or where it lies, and what was estimated of it.
fn lml_lines(report: &Report) -> Vec<String> {
    let mut lines = proven_lines(report);
    lines.extend(estimate_line(&report.lml));
    lines
}

fn estimate_line(lml: &Lml) -> Option<String> {
    let (value, error) = (lml.estimate?, lml.standard_error?);
    let place = match (lml.lower, lml.upper) {
        (_, Some(upper)) if value > upper => {
            format!("{} above the upper bound", fixed(value - upper, 4))
        }
        (Some(lower), _) if value < lower => {
            format!("{} below the lower bound", fixed(lower - value, 4))
        }
        (Some(_), Some(_)) => "between the bounds".to_owned(),
        _ => "no bounds were computed".to_owned(),
    };
    Some(format!(
        "    stochastic estimate {} ± {} (standard error) nats: {place}",
        fixed(value, 4),
        fixed(error, 4)
    ))
}

fn proven_lines(report: &Report) -> Vec<String> {
    let lml = &report.lml;
    let known = report.elbo.is_none() && report.spectral.is_none() && lml.estimate.is_none();
    match (lml.lower, lml.upper, lml.exact) {
        (Some(lower), Some(upper), Some(exact)) if known => vec![format!(
            "  log marginal likelihood {} nats (certified within {:.1e} for rounding)",
            fixed(exact, 4),
            0.5 * (upper - lower)
        )],
        (Some(lower), Some(upper), exact) => bracket_lines(lml, lower, upper, exact),
        (_, _, Some(exact)) => {
            vec![format!("  log marginal likelihood {} nats", fixed(exact, 4))]
        }
        _ => {
            let own = report.elbo.filter(|_| report.spectral.is_none());
            let elbo = own.map(|elbo| fixed(elbo, 4));
            elbo.iter().map(|elbo| format!("  lower bound trained: {elbo} nats")).collect()
        }
    }
}

fn bracket_lines(lml: &Lml, lower: f64, upper: f64, exact: Option<f64>) -> Vec<String> {
    let exact = exact.map_or(String::new(), |exact| format!(" (exact {})", fixed(exact, 4)));
    let part = |value: Option<f64>| value.map_or("unknown".to_owned(), |value| fixed(value, 4));
    vec![
        format!(
            "  {} <= log marginal likelihood <= {} nats{exact}",
            fixed(lower, 4),
            fixed(upper, 4)
        ),
        format!(
            "    width {}: {} from the quadratic term, {} from the log-determinant",
            fixed(upper - lower, 4),
            part(lml.slack.quad),
            part(lml.slack.logdet)
        ),
    ]
}

fn training_line(report: &Report) -> Option<String> {
    let train = &report.train;
    let reason = match train.stop_reason? {
        StopReason::Gradient => "the gradient vanished",
        StopReason::Value => "no more to gain",
        StopReason::LineSearch => "no better point to be found",
        StopReason::MaxIterations => "step limit reached",
        StopReason::TimeLimit => "time limit reached",
        StopReason::NothingFree => "nothing to train",
        StopReason::Planned => "all planned steps taken",
        _ => "stopped",
    };
    Some(format!(
        "  trained in {:.1} s, {} steps, {} evaluations: {reason}",
        report.seconds.train?, train.iterations, train.evaluations
    ))
}

/// The value where it is known, else the bracket; the objective where they are another model's.
fn kernel_line(row: &KernelRow) -> String {
    let KernelRow { kernel, lml, lower, upper, exact, seconds, stands_in } = row;
    let value = match (exact, lower, upper) {
        _ if *stands_in => format!("{:>14}", fixed(*lml, 4)),
        (Some(exact), ..) => format!("{:>14}", fixed(*exact, 4)),
        (None, Some(lower), Some(upper)) => {
            format!("{:>14} to {:>14}", fixed(*lower, 4), fixed(*upper, 4))
        }
        _ => format!("{:>14}", fixed(*lml, 4)),
    };
    format!("    {value} nats  {kernel} ({seconds:.1} s)")
}

fn ranking_line(ranking: &RankingPart) -> String {
    let best = ranking.order.first().map_or("", String::as_str);
    if ranking.by == RankedBy::Objective {
        return format!(
            "    {best} has the highest objective; the ranking is not certain: no bounds are known of what is compared"
        );
    }
    match (ranking.is_certain, ranking.best_is_certain) {
        (true, _) => "    the ranking is certain: no two brackets overlap".to_owned(),
        (false, true) => format!(
            "    {best} is certainly the best; the order of the others is not certain: their brackets overlap"
        ),
        _ => format!(
            "    the ranking is not certain: the bracket of {best} overlaps with another; --method exact, or cglb with --bound best, tells more"
        ),
    }
}

fn test_lines(test: &TestScores, units: Units) -> Vec<String> {
    let mut lines = vec![format!(
        "  test: {}, 95 % intervals cover {:.1} %",
        errors_text(test.scores.rmse, test.scores.nlpd),
        100.0 * test.scores.coverage95
    )];
    if units == Units::Standardised {
        lines.push(format!(
            "    in the target's own units: {}",
            errors_text(test.rmse_original, test.nlpd_original)
        ));
    }
    lines
}

fn errors_text(rmse: f64, nlpd: f64) -> String {
    format!("RMSE {}, NLPD {}", fixed(rmse, 4), fixed(nlpd, 4))
}

fn mean_text(mean: &MeanSpec) -> String {
    match mean {
        MeanSpec::Zero => "zero".to_owned(),
        MeanSpec::Constant(value) => fixed(*value, 4),
        MeanSpec::Linear { intercept, .. } => {
            format!("linear (intercept {})", fixed(*intercept, 4))
        }
    }
}

/// A kernel in the form of the command line, without its numbers, over the inputs `features`.
pub(crate) fn kernel_text(kernel: &KernelSpec, features: &[String]) -> String {
    let text = |term: &KernelSpec| kernel_text(term, features);
    match kernel {
        KernelSpec::Sum { terms } => terms.iter().map(text).collect::<Vec<_>>().join(" + "),
        KernelSpec::Product { terms } => {
            let factor = |term: &KernelSpec| match term {
                KernelSpec::Sum { .. } => format!("({})", text(term)),
                _ => text(term),
            };
            terms.iter().map(factor).collect::<Vec<_>>().join(" * ")
        }
        leaf => leaf_text(leaf, features),
    }
}

fn leaf_text(leaf: &KernelSpec, features: &[String]) -> String {
    let (name, active_dims) = match leaf {
        KernelSpec::SquaredExponential(StationarySpec { active_dims, .. }) => ("se", active_dims),
        KernelSpec::Matern12(StationarySpec { active_dims, .. }) => ("matern12", active_dims),
        KernelSpec::Matern32(StationarySpec { active_dims, .. }) => ("matern32", active_dims),
        KernelSpec::Matern52(StationarySpec { active_dims, .. }) => ("matern52", active_dims),
        KernelSpec::RationalQuadratic { active_dims, .. } => ("rq", active_dims),
        KernelSpec::Periodic { active_dims, .. } => ("periodic", active_dims),
        KernelSpec::Linear { active_dims, .. } => ("linear", active_dims),
        KernelSpec::Constant { .. } => ("constant", &None),
        _ => ("white", &None),
    };
    let column = |&dim: &usize| features.get(dim).cloned().unwrap_or_else(|| dim.to_string());
    match active_dims {
        Some(dims) => format!("{name}[{}]", dims.iter().map(column).collect::<Vec<_>>().join(",")),
        None => name.to_owned(),
    }
}
