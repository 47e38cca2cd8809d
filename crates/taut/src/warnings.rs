//! What a user of a fitted model should know.

use datasets::Design;
use gp_core::{GpError, Standardiser, StopReason, Trained, Units, disagreement};
use kernels::Mean;

use crate::{FitOptions, Model};

/// A mean this many standard deviations from the targets' own says little about the targets.
const FAR: f64 = 10.0;

/// Everything worth saying about the fit of `design`, as sentences.
pub(crate) fn warnings(
    design: &Design,
    measured: [&Standardiser; 2],
    model: &Model,
    trained: Option<&Trained>,
    options: &FitOptions,
) -> Result<Vec<String>, GpError> {
    let mut all = constant_columns(design, measured);
    if let Some(trained) = trained {
        all.extend(training(model, trained, options)?);
        all.extend(far_mean(model, measured[1], options));
    }
    all.extend(disagreements(design, model));
    Ok(all)
}

/// A single row makes every column constant, which goes without saying.
fn constant_columns(design: &Design, measured: [&Standardiser; 2]) -> Vec<String> {
    if design.x.nrows() == 1 {
        return Vec::new();
    }
    let names = [&design.feature_names, &design.target_names];
    let roles = ["feature", "target"];
    let of_role = |((role, names), measured): ((&str, &Vec<String>), &Standardiser)| {
        let sentence = |&column: &usize| {
            let (name, value) = (&names[column], measured.mean()[column]);
            format!("{role} `{name}` is {value} in every training row: it carries no information")
        };
        measured.constant().iter().map(sentence).collect::<Vec<_>>()
    };
    roles.into_iter().zip(names).zip(measured).flat_map(of_role).collect()
}

fn training(
    model: &Model,
    trained: &Trained,
    options: &FitOptions,
) -> Result<Vec<String>, GpError> {
    let hyper = model.hyperparameters();
    let floors = options.plan.space(hyper)?.at_floor(hyper).into_iter();
    let stopped = trained.stop_reason.limited().then(|| {
        format!(
            "training stopped before it converged ({} after {} steps)",
            stop_text(trained.stop_reason),
            trained.iterations
        )
    });
    let failed = trained.starts.iter().filter_map(|start| {
        let reason = start.failure.as_ref()?;
        Some(format!("start \"{}\" could not be evaluated: {reason}", start.name))
    });
    Ok(floors
        .map(|floor| format!("training ended at a floor: {floor}"))
        .chain(stopped)
        .chain(failed)
        .collect())
}

fn stop_text(reason: StopReason) -> &'static str {
    match reason {
        StopReason::MaxIterations => "the step limit was reached",
        StopReason::TimeLimit => "the time limit was reached",
        StopReason::Interrupted => "it was interrupted",
        _ => "it stopped",
    }
}

/// A trained constant mean far outside the targets, which alarms who reads it and harms nothing.
fn far_mean(model: &Model, y: &Standardiser, options: &FitOptions) -> Option<String> {
    let Mean::Constant(value) = model.hyperparameters().mean else { return None };
    if options.plan.fixed.iter().any(|name| name == "mean") {
        return None;
    }
    let standardised = |(mean, scale): (&f64, &f64)| match model.units() {
        Units::Original => (value - mean) / scale,
        _ => value,
    };
    let all = y.mean().iter().zip(y.scale()).map(standardised);
    let farthest = all.max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    (farthest.abs() > FAR).then(|| {
        format!(
            "the mean is {farthest:.1} in standardised units: these data hardly identify a constant mean (its size trades off against the kernel's variance); predictions inside the data are unaffected, and `--mean zero` fixes it"
        )
    })
}

/// Rows are counted from 1 in the table the design was made from.
fn disagreements(design: &Design, model: &Model) -> Vec<String> {
    let noise = model.hyperparameters().total_noise_variance();
    let residual = model.residual();
    let sentence = |(target, column): (usize, ndarray::ArrayView1<'_, f64>)| {
        let found = disagreement(model.x(), &column, noise)?;
        let row = |row: usize| design.kept_rows[row] + 1;
        Some(format!(
            "rows {} and {} have equal inputs and values of `{}` further apart than the noise variance {noise:.3e} explains (repeated inputs scatter with variance {:.3e})",
            row(found.rows.0),
            row(found.rows.1),
            design.target_names[target],
            found.within_variance
        ))
    };
    residual.columns().into_iter().enumerate().filter_map(sentence).collect()
}
