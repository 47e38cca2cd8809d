//! From a table's numbers to a fitted model.

use datasets::Design;
use exact_gp::{ExactGp, ExactGpOptions};
use gp_core::{
    GpError, Hyperparameters, MeanSpec, Observer, Params, Scales, Standardiser, Trained,
    TrainingPlan, Units, refuse_duplicates_without_noise,
};
use kernels::{KernelSpec, StationarySpec};
use ndarray::Array2;

use crate::warnings::warnings;
use crate::{Model, Surrogates};

/// How a table is fitted.
///
/// | option | default |
/// | --- | --- |
/// | `kernel` | Matérn-3/2 with one lengthscale per column |
/// | `mean` | a learned constant |
/// | `scale` | true: inputs and targets are standardised by the training rows |
/// | `params` | none: starting values, instead of `kernel` and `mean` |
/// | `train` | true; false conditions on the data at the starting values |
/// | `plan` | see [`TrainingPlan`] |
/// | `surrogates` | see [`Surrogates`]: used by bounds later |
/// | `memory_budget` | none: bytes for the N×N matrices |
#[derive(Debug, Clone)]
pub struct FitOptions {
    /// Covariance function with its starting values, in standardised units.
    pub kernel: Option<KernelSpec>,
    /// Prior mean with its starting values, in standardised units.
    pub mean: Option<MeanSpec>,
    /// Whether to standardise.
    pub scale: bool,
    /// Starting values with their units.
    pub params: Option<Params>,
    /// Whether to train.
    pub train: bool,
    /// Starts, limits, fixed parameters, priors.
    pub plan: TrainingPlan,
    /// Sizes of the surrogates behind later bounds.
    pub surrogates: Surrogates,
    /// Largest number of bytes of the matrices.
    pub memory_budget: Option<u64>,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            kernel: None,
            mean: None,
            scale: true,
            params: None,
            train: true,
            plan: TrainingPlan::default(),
            surrogates: Surrogates::default(),
            memory_budget: None,
        }
    }
}

/// A fitted model and how it came about.
#[derive(Debug)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// How training went; `None` when there was none.
    pub trained: Option<Trained>,
    /// What a user of the model should know.
    pub warnings: Vec<String>,
}

/// Fits a Gaussian process to a table.
///
/// # Errors
/// Data or parameters out of range, a kernel that does not fit the columns, too little memory, no
/// usable start.
pub fn fit(
    design: &Design,
    options: &FitOptions,
    observer: &mut dyn Observer,
) -> Result<Fitted, GpError> {
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
    let (x, y) = (x_scaling.apply(&design.x)?, y_scaling.apply(&design.y)?);
    let (gp, trained) = condition_or_train(&template, &x, &y, options, observer)?;
    let encoder = design.encoder.clone();
    let surrogates = options.surrogates;
    let model = Model { gp, encoder, x_scaling, y_scaling, units, surrogates };
    let measured = [&x_measured, &y_measured];
    let warnings = warnings(design, measured, &model, trained.as_ref(), options)?;
    Ok(Fitted { model, trained, warnings })
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

fn condition_or_train(
    template: &Hyperparameters,
    x: &Array2<f64>,
    y: &Array2<f64>,
    options: &FitOptions,
    observer: &mut dyn Observer,
) -> Result<(ExactGp, Option<Trained>), GpError> {
    if !options.train {
        return Ok((ExactGp::condition(template, x, y, options.memory_budget)?, None));
    }
    let exact = ExactGpOptions { plan: options.plan.clone(), memory_budget: options.memory_budget };
    let (gp, trained) = ExactGp::fit(template, x, y, &exact, observer)?;
    Ok((gp, Some(trained)))
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
