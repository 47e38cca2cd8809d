//! Hyperparameters brought by a user: a parameter file, a report or a model file.

use std::path::Path;

use gp_core::{GpError, MeanSpec, Params, Units};
use kernels::{KernelSpec, StationarySpec};
use serde::Deserialize;
use serde_json::Value;

/// The form for a single kernel without nesting.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Flat {
    #[serde(alias = "lengthscale")]
    lengthscales: OneOrMany,
    variance: f64,
    noise_variance: f64,
    #[serde(default)]
    mean: MeanSpec,
    units: Option<Units>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(f64),
    Many(Vec<f64>),
}

/// Reads hyperparameters from `path`.
///
/// Accepts `{"kernel": {…}, "noise_variance": …, "mean": …, "units": …}`; the flat
/// `{"lengthscales": […], "variance": …, "noise_variance": …}` for a single stationary kernel, of
/// the type of `leaf` (Matérn-3/2 without one); a report of `taut fit`; or a model file. Without
/// `units` the numbers are taken to be in `units`.
///
/// # Errors
/// [`GpError::Io`], [`GpError::BadFile`].
pub fn read_params(
    path: &Path,
    leaf: Option<&KernelSpec>,
    units: Units,
) -> Result<Params, GpError> {
    let io = |source| GpError::Io { action: "read", path: path.to_owned(), source };
    let bad = |problem: String| GpError::BadFile { path: path.to_owned(), problem };
    let text = std::fs::read(path).map_err(io)?;
    let value: Value = serde_json::from_slice(&text).map_err(|error| {
        bad(format!("is not JSON ({error}): give a parameter file, a report or a model file"))
    })?;
    // Models keep their parameters inside `content`, reports at the top.
    let inner = value.get("content").unwrap_or(&value);
    let mut value = inner.get("params").unwrap_or(inner).clone();
    let read = if value.get("kernel").is_some() {
        if let Some(object) = value.as_object_mut() {
            object.entry("units").or_insert_with(|| Value::from(units.name()));
        }
        Params::deserialize(value)
    } else {
        Flat::deserialize(value).map(|flat| flat.with_leaf(leaf, units))
    };
    read.map_err(|error| {
        bad(format!(
            "does not hold hyperparameters ({error}): kernel (or lengthscales and variance), noise_variance, mean and units are accepted"
        ))
    })
}

impl Flat {
    fn with_leaf(self, leaf: Option<&KernelSpec>, units: Units) -> Params {
        let lengthscales = match self.lengthscales {
            OneOrMany::One(value) => vec![value],
            OneOrMany::Many(values) => values,
        };
        let spec = StationarySpec { lengthscales, variance: self.variance, active_dims: None };
        let kernel = match leaf {
            Some(KernelSpec::SquaredExponential(_)) => KernelSpec::SquaredExponential(spec),
            Some(KernelSpec::Matern12(_)) => KernelSpec::Matern12(spec),
            Some(KernelSpec::Matern52(_)) => KernelSpec::Matern52(spec),
            _ => KernelSpec::Matern32(spec),
        };
        let units = self.units.unwrap_or(units);
        Params { kernel, noise_variance: self.noise_variance, mean: self.mean, units }
    }
}
