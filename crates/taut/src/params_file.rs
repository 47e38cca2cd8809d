//! Hyperparameters brought by a user: a parameter file, a report or a model file.

use std::path::Path;

use gp_core::{GpError, MeanSpec, Params, Units};
use kernels::{KernelSpec, StationarySpec};
use serde::Deserialize;
use serde_json::{Value, json};

/// The form for a single kernel without nesting.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Flat {
    #[serde(alias = "lengthscale")]
    lengthscales: OneOrMany,
    variance: f64,
    /// Of a rational quadratic kernel.
    alpha: Option<f64>,
    /// Of a periodic kernel.
    period: Option<f64>,
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
/// `{"lengthscales": […], "variance": …, "noise_variance": …}` for a single kernel, of the type of
/// `leaf` (Matérn-3/2 without one), with `alpha` for a rational quadratic and `period` for a
/// periodic one; a report of `taut fit`; or a model file. Without `units` the numbers are taken to
/// be in `units`. A mean is a number, `{"weights": […], "intercept": …}` or null, or an object with
/// `type` (`zero`, `constant` with `value`, `linear`).
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
    let value = inner.get("params").unwrap_or(inner).clone();
    parse(value, leaf, units).map_err(|error| {
        bad(format!(
            "does not hold hyperparameters ({error}): kernel (or lengthscales and variance), noise_variance, mean and units are accepted"
        ))
    })
}

fn parse(
    mut value: Value,
    leaf: Option<&KernelSpec>,
    units: Units,
) -> Result<Params, serde_json::Error> {
    if let Some(object) = value.as_object_mut() {
        object.entry("units").or_insert_with(|| Value::from(units.name()));
        if let Some(mean) = object.get_mut("mean") {
            untag(mean);
        }
    }
    if value.get("kernel").is_some() {
        return Params::deserialize(value);
    }
    Ok(Flat::deserialize(value)?.with_leaf(leaf, units))
}

/// `{"type": "constant", "value": 1}` to `1`, and the like for the other types.
fn untag(mean: &mut Value) {
    let plain = match mean.get("type").and_then(Value::as_str) {
        Some("zero") => Value::Null,
        Some("constant") => mean.get("value").cloned().unwrap_or_default(),
        Some("linear") => json!({
            "weights": mean.get("weights"),
            "intercept": mean.get("intercept").unwrap_or(&json!(0.0)),
        }),
        _ => return,
    };
    *mean = plain;
}

impl Flat {
    fn with_leaf(self, leaf: Option<&KernelSpec>, units: Units) -> Params {
        let lengthscales = match self.lengthscales {
            OneOrMany::One(value) => vec![value],
            OneOrMany::Many(values) => values,
        };
        let variance = self.variance;
        let spec =
            StationarySpec { lengthscales: lengthscales.clone(), variance, active_dims: None };
        let rational = |alpha: f64| KernelSpec::RationalQuadratic {
            lengthscales: lengthscales.clone(),
            variance,
            alpha,
            active_dims: None,
        };
        let periodic = |period: f64| KernelSpec::Periodic {
            lengthscales: lengthscales.clone(),
            variance,
            period,
            active_dims: None,
        };
        // A shape parameter says which kernel is meant, whatever else was asked for.
        let kernel = match (self.alpha, self.period, leaf) {
            (Some(alpha), _, _) => rational(alpha),
            (_, Some(period), _) => periodic(period),
            (_, _, Some(KernelSpec::RationalQuadratic { alpha, .. })) => rational(*alpha),
            (_, _, Some(KernelSpec::Periodic { period, .. })) => periodic(*period),
            (_, _, Some(KernelSpec::SquaredExponential(_))) => KernelSpec::SquaredExponential(spec),
            (_, _, Some(KernelSpec::Matern12(_))) => KernelSpec::Matern12(spec),
            (_, _, Some(KernelSpec::Matern52(_))) => KernelSpec::Matern52(spec),
            _ => KernelSpec::Matern32(spec),
        };
        let units = self.units.unwrap_or(units);
        Params { kernel, noise_variance: self.noise_variance, mean: self.mean, units }
    }
}
