//! What a user of a fitted model should know.

use datasets::Design;
use gp_core::{GpError, Standardiser, Trained, disagreement};

use crate::{FitOptions, Model};

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
    let stopped = (!trained.stop_reason.converged()).then(|| {
        format!(
            "training stopped before it converged ({:?} after {} steps)",
            trained.stop_reason, trained.iterations
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

/// Rows are counted from 1 in the table the design was made from.
fn disagreements(design: &Design, model: &Model) -> Vec<String> {
    let noise = model.hyperparameters().total_noise_variance();
    let residual = model.gp().residual();
    let sentence = |(target, column): (usize, ndarray::ArrayView1<'_, f64>)| {
        let found = disagreement(model.gp().x(), &column, noise)?;
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
