//! Hyperparameters as they are written in files.

use kernels::{KernelSpec, Mean};
use serde::{Deserialize, Serialize};

use crate::GpError;
use crate::hyperparameters::Hyperparameters;

/// The scale hyperparameters refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Units {
    /// Inputs and targets of mean 0 and standard deviation 1 over the training rows.
    #[default]
    Standardised,
    /// The table's own units.
    Original,
}

impl Units {
    /// "standardised" or "original".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Standardised => "standardised",
            Self::Original => "original",
        }
    }
}

/// Hyperparameters with the scale they refer to.
///
/// ```json
/// {"kernel": {"type": "matern32", "lengthscales": [0.5], "variance": 1.2},
///  "noise_variance": 0.01, "mean": 0.0, "units": "standardised"}
/// ```
///
/// ```
/// use gp_core::{Params, Units};
///
/// let text = r#"{"kernel": {"type": "se", "lengthscales": [0.5], "variance": 2.0},
///                "noise_variance": 0.01, "mean": 1.5}"#;
/// let params: Params = serde_json::from_str(text)?;
/// assert_eq!(params.units, Units::Standardised);
/// let hyper = params.build(1)?;
/// assert_eq!(Params::new(&hyper, Units::Standardised), params);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The covariance function.
    pub kernel: KernelSpec,
    /// σ².
    pub noise_variance: f64,
    /// The prior mean.
    #[serde(default)]
    pub mean: MeanSpec,
    /// What scale these numbers are in.
    #[serde(default)]
    pub units: Units,
}

/// A prior mean as it is written in files: a number for a constant one, an object for a linear
/// one, `null` for none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MeanSpec {
    /// The zero mean.
    #[default]
    Zero,
    /// A constant.
    Constant(f64),
    /// `intercept + Σ_d weights_d x_d`.
    Linear {
        /// One weight for each column.
        weights: Vec<f64>,
        /// The value at the origin.
        intercept: f64,
    },
}

impl From<&Mean> for MeanSpec {
    fn from(mean: &Mean) -> Self {
        match mean.clone() {
            Mean::Zero => Self::Zero,
            Mean::Constant(value) => Self::Constant(value),
            Mean::Linear { weights, intercept } => Self::Linear { weights, intercept },
        }
    }
}

impl From<MeanSpec> for Mean {
    fn from(spec: MeanSpec) -> Self {
        match spec {
            MeanSpec::Zero => Self::Zero,
            MeanSpec::Constant(value) => Self::Constant(value),
            MeanSpec::Linear { weights, intercept } => Self::Linear { weights, intercept },
        }
    }
}

impl Params {
    /// Writes `hyper` down.
    #[must_use]
    pub fn new(hyper: &Hyperparameters, units: Units) -> Self {
        let mean = MeanSpec::from(&hyper.mean);
        Self { kernel: hyper.kernel.spec(), noise_variance: hyper.noise_variance, mean, units }
    }

    /// The hyperparameters, checked, for inputs of `d` columns.
    ///
    /// # Errors
    /// As [`Hyperparameters::check`].
    pub fn build(&self, d: usize) -> Result<Hyperparameters, GpError> {
        let kernel = self.kernel.build()?;
        let mean = self.mean.clone().into();
        let hyper = Hyperparameters { kernel, noise_variance: self.noise_variance, mean };
        hyper.check(d)?;
        Ok(hyper)
    }
}
