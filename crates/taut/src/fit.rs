//! From a table's numbers to a fitted model.

use datasets::Design;
use gp_core::{
    GpError, Hyperparameters, MeanSpec, Observer, Params, Scales, Standardiser, StopReason,
    Trained, Units, random_rows, refuse_duplicates_without_noise,
};
use kernels::{KernelSpec, StationarySpec};
use sparse_gp::Selector;

use crate::auto::with_best_bound;
use crate::method::{Outcome, Rows};
use crate::warnings::warnings;
use crate::{CgSummary, FitOptions, Model};

/// A fitted model and how it came about.
#[derive(Debug)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// How training went; `None` when there was none.
    pub trained: Option<Trained>,
    /// Conjugate gradients of training and conditioning.
    pub cg: CgSummary,
    /// What a user of the model should know.
    pub warnings: Vec<String>,
}

/// Fits a Gaussian process to a table.
///
/// # Errors
/// Data or parameters out of range, a kernel that does not fit the columns, an option the method
/// has no use for, too little memory, no usable start.
pub fn fit(
    design: &Design,
    options: &FitOptions,
    observer: &mut dyn Observer,
) -> Result<Fitted, GpError> {
    options.check()?;
    let options = &with_best_bound(options.clone(), design.x.nrows(), design.x.ncols());
    let (x_measured, y_measured) =
        (Standardiser::fit(&design.x, "x")?, Standardiser::fit(&design.y, "y")?);
    y_measured.check_squares("y")?;
    refuse_duplicates(design, options)?;
    let template = starting_values(design, options, &x_measured, &y_measured)?;
    let (x_scaling, y_scaling, units) = if options.scale {
        (x_measured.clone(), y_measured.clone(), Units::Standardised)
    } else {
        let identity = Standardiser::identity;
        (identity(design.x.ncols()), identity(design.y.ncols()), Units::Original)
    };
    let rows = Rows { x: x_scaling.apply(&design.x)?, y: y_scaling.apply(&design.y)? };
    let scaled = with_scaled_points(options, &x_scaling)?;
    let (outcome, rows) = condition_or_train(&template, rows, &scaled, observer)?;
    let Outcome { gp, trained, notices, cg } = outcome;
    let (encoder, surrogates) = (design.encoder.clone(), options.surrogates);
    let model = Model { gp, rows, encoder, x_scaling, y_scaling, units, surrogates };
    let measured = [&x_measured, &y_measured];
    let mut all = warnings(design, measured, &model, trained.as_ref(), options)?;
    all.extend(notices);
    Ok(Fitted { model, trained, cg, warnings: all })
}

/// Inducing points given in the table's units, in the scale of the fit.
fn with_scaled_points(
    options: &FitOptions,
    x_scaling: &Standardiser,
) -> Result<FitOptions, GpError> {
    let mut scaled = options.clone();
    if let Some(Selector::Given(z)) = &mut scaled.selector {
        if z.ncols() != x_scaling.n_columns() {
            return Err(GpError::ShapeMismatch {
                argument: "inducing_points",
                unit: "columns",
                expected: x_scaling.n_columns(),
                found: z.ncols(),
            });
        }
        *z = x_scaling.apply(z)?;
    }
    Ok(scaled)
}

/// Equal inputs without noise, by their rows in the table the design was made from.
fn refuse_duplicates(design: &Design, options: &FitOptions) -> Result<(), GpError> {
    let Some(params) = &options.params else { return Ok(()) };
    refuse_duplicates_without_noise(&design.x, &design.y, params.noise_variance).map_err(|error| {
        let row = |row: usize| design.kept_rows[row - 1] + 1;
        match error {
            GpError::DuplicateRowsWithoutNoise { first, second, relation } => {
                let (first, second) = (row(first), row(second));
                GpError::DuplicateRowsWithoutNoise { first, second, relation }
            }
            other => other,
        }
    })
}

/// The model with the rows it stands on: all, unless training on some was interrupted.
fn condition_or_train(
    template: &Hyperparameters,
    rows: Rows,
    options: &FitOptions,
    observer: &mut dyn Observer,
) -> Result<(Outcome, Rows), GpError> {
    let (method, n) = (options.method, rows.x.nrows());
    if !options.train {
        return Ok((method.condition(template, &rows, options, &|| observer.given_up())?, rows));
    }
    let Some(count) = options.training_rows.filter(|count| *count < n) else {
        return Ok((method.fit(template, &rows, options, observer)?, rows));
    };
    let few = rows.select(&random_rows(n, count.max(1), options.plan.seed));
    let part = method.fit(template, &few, options, observer)?;
    if part.trained.as_ref().is_some_and(|t| t.stop_reason == StopReason::Interrupted) {
        return Ok((part, few));
    }
    let whole =
        method.condition(part.gp.hyperparameters(), &rows, options, &|| observer.given_up())?;
    let said = format!(
        "hyperparameters were trained on {count} of the {n} rows, drawn at random by the seed; the posterior uses all rows, and `taut certify` has more bounds"
    );
    let notices = std::iter::once(said).chain(part.notices).chain(whole.notices).collect();
    let cg = part.cg.with(whole.cg);
    Ok((Outcome { gp: whole.gp, trained: part.trained, notices, cg }, rows))
}

/// The hyperparameters before training, in the scale of the fit.
fn starting_values(
    design: &Design,
    options: &FitOptions,
    x: &Standardiser,
    y: &Standardiser,
) -> Result<Hyperparameters, GpError> {
    let units = if options.scale { Units::Standardised } else { Units::Original };
    let d = design.x.ncols();
    let scales = Scales { x, y };
    let params = match &options.params {
        Some(params) => scales.convert(params, units)?,
        None => {
            let standard = default_params(options, d);
            // Values that mean nothing in original units (a linear kernel's) start there as they
            // are in standardised ones.
            let unscaled = Params { units, ..standard.clone() };
            scales.convert(&standard, units).unwrap_or(unscaled)
        }
    };
    params.build(d)
}

/// Every kernel parameter and the noise variance at 1 (or above its floor), the mean at 0.
fn default_params(options: &FitOptions, d: usize) -> Params {
    let leaf = StationarySpec { lengthscales: vec![1.0; d], variance: 1.0, active_dims: None };
    Params {
        kernel: options.kernel.clone().unwrap_or(KernelSpec::Matern32(leaf)),
        noise_variance: f64::max(1.0, 2.0 * options.plan.floors.noise_variance),
        mean: options.mean.clone().unwrap_or(MeanSpec::Constant(0.0)),
        units: Units::Standardised,
    }
}
