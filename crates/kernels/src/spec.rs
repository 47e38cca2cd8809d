//! Kernels as they are written in files.

use serde::{Deserialize, Serialize};

use crate::{
    ActiveDims, Constant, Kernel, KernelError, Linear, Matern12, Matern32, Matern52, Periodic,
    Product, RationalQuadratic, SquaredExponential, Sum, White,
};

/// A kernel's type, hyperparameters and active columns.
///
/// ```json
/// {"type": "sum", "terms": [{"type": "matern32", "lengthscales": [0.5, 2.0], "variance": 1.0},
///                           {"type": "linear", "variances": [0.1], "active_dims": [1]}]}
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum KernelSpec {
    /// [`SquaredExponential`].
    #[serde(
        rename = "se",
        alias = "squared_exponential",
        alias = "squared-exponential",
        alias = "rbf"
    )]
    SquaredExponential(StationarySpec),
    /// [`Matern12`].
    Matern12(StationarySpec),
    /// [`Matern32`].
    Matern32(StationarySpec),
    /// [`Matern52`].
    Matern52(StationarySpec),
    /// [`RationalQuadratic`].
    #[serde(rename = "rq", alias = "rational_quadratic", alias = "rational-quadratic")]
    RationalQuadratic {
        /// ℓ, one for all columns or one for each.
        lengthscales: Vec<f64>,
        /// s².
        variance: f64,
        /// α.
        alpha: f64,
        /// Input columns, all when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        active_dims: Option<Vec<usize>>,
    },
    /// [`Periodic`].
    Periodic {
        /// ℓ, without units, one for all columns or one for each.
        lengthscales: Vec<f64>,
        /// s².
        variance: f64,
        /// p, in the units of the inputs.
        period: f64,
        /// Input columns, all when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        active_dims: Option<Vec<usize>>,
    },
    /// [`Linear`].
    Linear {
        /// Variance of each column's slope, one for all columns or one for each.
        variances: Vec<f64>,
        /// Input columns, all when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        active_dims: Option<Vec<usize>>,
    },
    /// [`Constant`].
    Constant {
        /// Variance of the constant.
        variance: f64,
    },
    /// [`White`].
    White {
        /// Variance on the training diagonal.
        variance: f64,
    },
    /// [`Sum`].
    Sum {
        /// What is added.
        terms: Vec<KernelSpec>,
    },
    /// [`Product`].
    Product {
        /// What is multiplied.
        terms: Vec<KernelSpec>,
    },
}

/// Hyperparameters of a stationary kernel without shape parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StationarySpec {
    /// ℓ in the units of the inputs, one for all columns or one for each.
    pub lengthscales: Vec<f64>,
    /// s² in the units of the target squared.
    pub variance: f64,
    /// Input columns, all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_dims: Option<Vec<usize>>,
}

impl KernelSpec {
    /// The kernel this describes.
    ///
    /// # Errors
    /// [`KernelError`] for values out of range, empty lists and white kernels inside products.
    pub fn build(&self) -> Result<Box<dyn Kernel>, KernelError> {
        match self {
            Self::SquaredExponential(spec) => spec.build(SquaredExponential::new),
            Self::Matern12(spec) => spec.build(Matern12::new),
            Self::Matern32(spec) => spec.build(Matern32::new),
            Self::Matern52(spec) => spec.build(Matern52::new),
            Self::RationalQuadratic { lengthscales, variance, alpha, active_dims } => {
                on(RationalQuadratic::new(lengthscales.clone(), *variance, *alpha)?, active_dims)
            }
            Self::Periodic { lengthscales, variance, period, active_dims } => {
                on(Periodic::new(lengthscales.clone(), *variance, *period)?, active_dims)
            }
            Self::Linear { variances, active_dims } => {
                on(Linear::new(variances.clone())?, active_dims)
            }
            Self::Constant { variance } => Ok(Box::new(Constant::new(*variance)?)),
            Self::White { variance } => Ok(Box::new(White::new(*variance)?)),
            Self::Sum { terms } => Ok(Box::new(Sum::new(build_all(terms)?)?)),
            Self::Product { terms } => Ok(Box::new(Product::new(build_all(terms)?)?)),
        }
    }

    /// The same kernel on other columns: every leaf, where it counts columns from 0, counts along
    /// `dims` instead.
    #[must_use]
    pub(crate) fn with_active_dims(mut self, dims: &[usize]) -> Self {
        match &mut self {
            Self::SquaredExponential(spec)
            | Self::Matern12(spec)
            | Self::Matern32(spec)
            | Self::Matern52(spec) => pick(&mut spec.active_dims, dims),
            Self::RationalQuadratic { active_dims, .. }
            | Self::Periodic { active_dims, .. }
            | Self::Linear { active_dims, .. } => pick(active_dims, dims),
            Self::Constant { .. } | Self::White { .. } => {}
            Self::Sum { terms } | Self::Product { terms } => {
                *terms = std::mem::take(terms)
                    .into_iter()
                    .map(|term| term.with_active_dims(dims))
                    .collect();
            }
        }
        self
    }
}

/// Columns of columns: those `active` names among `dims`, or all of `dims`.
fn pick(active: &mut Option<Vec<usize>>, dims: &[usize]) {
    *active = Some(match active.take() {
        Some(inner) => inner.into_iter().map(|index| dims[index]).collect(),
        None => dims.to_vec(),
    });
}

impl StationarySpec {
    fn build<K: Kernel + Clone + 'static>(
        &self,
        new: impl Fn(Vec<f64>, f64) -> Result<K, KernelError>,
    ) -> Result<Box<dyn Kernel>, KernelError> {
        on(new(self.lengthscales.clone(), self.variance)?, &self.active_dims)
    }
}

fn on<K: Kernel + Clone + 'static>(
    kernel: K,
    active_dims: &Option<Vec<usize>>,
) -> Result<Box<dyn Kernel>, KernelError> {
    match active_dims {
        Some(dims) => Ok(Box::new(ActiveDims::new(kernel, dims.clone())?)),
        None => Ok(Box::new(kernel)),
    }
}

fn build_all(terms: &[KernelSpec]) -> Result<Vec<Box<dyn Kernel>>, KernelError> {
    terms.iter().map(KernelSpec::build).collect()
}
