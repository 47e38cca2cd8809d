//! Mean functions: what a Gaussian process returns to far from the data.

use ndarray::{Array1, ArrayRef1, ArrayRef2};
use serde::{Deserialize, Serialize};

use crate::kernel::check_count;
use crate::{KernelError, Parameter};

/// The mean function m(x) of a Gaussian process.
///
/// ```text
/// zero: m(x) = 0    constant: m(x) = c    linear: m(x) = b + Σ_d w_d x_d
/// ```
///
/// Units: c, b as `y`, w as `y`/`x`. Unlike a kernel's, the parameters have any sign, and
/// gradients are plain derivatives. Source: Rasmussen & Williams (2006), section 2.7.
///
/// ```
/// use kernels::Mean;
/// use ndarray::array;
///
/// let mean = Mean::Linear { weights: vec![2.0, -1.0], intercept: 0.5 };
/// assert_eq!(mean.value(&array![[1.0, 1.0], [3.0, 0.0]]), array![1.5, 6.5]);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mean {
    /// Zero, without parameters.
    #[default]
    Zero,
    /// The same value everywhere.
    Constant(f64),
    /// A weight for each column, and the value at the origin.
    Linear {
        /// w, one for each column.
        weights: Vec<f64>,
        /// b.
        intercept: f64,
    },
}

impl Mean {
    /// The name used in reports and on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Constant(_) => "constant",
            Self::Linear { .. } => "linear",
        }
    }

    /// Whether the mean fits inputs of `d` columns.
    ///
    /// # Errors
    /// [`KernelError::MeanWeights`].
    pub fn check_columns(&self, d: usize) -> Result<(), KernelError> {
        match self {
            Self::Linear { weights, .. } if weights.len() != d => {
                Err(KernelError::MeanWeights { found: weights.len(), columns: d })
            }
            _ => Ok(()),
        }
    }

    /// m at each row of `x [A, D]`, `[A]`.
    #[must_use]
    pub fn value(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        match self {
            Self::Zero => Array1::zeros(x.nrows()),
            Self::Constant(value) => Array1::from_elem(x.nrows(), *value),
            Self::Linear { weights, intercept } => {
                let plane = |row: ndarray::ArrayView1<'_, f64>| {
                    row.iter().zip(weights).fold(*intercept, |sum, (x, weight)| sum + x * weight)
                };
                x.rows().into_iter().map(plane).collect()
            }
        }
    }

    /// The parameters: none, `mean`, or `mean.weights[d]` for each column and `mean.intercept`.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        match self {
            Self::Zero => Vec::new(),
            Self::Constant(value) => vec![Parameter::new("mean", *value)],
            Self::Linear { weights, intercept } => Parameter::numbered("mean.weights", weights)
                .chain([Parameter::new("mean.intercept", *intercept)])
                .collect(),
        }
    }

    /// Replaces all parameters, in the order of [`parameters`](Self::parameters).
    ///
    /// # Errors
    /// [`KernelError::ParameterCount`], [`KernelError::NotFinite`]; the mean is then as before.
    pub fn set_parameters(&mut self, values: &[f64]) -> Result<(), KernelError> {
        let parameters = self.parameters();
        check_count(self.name(), parameters.len(), values.len())?;
        let bad = parameters.into_iter().zip(values).find(|(_, value)| !value.is_finite());
        if let Some((parameter, &value)) = bad {
            return Err(KernelError::NotFinite { name: parameter.name, value });
        }
        match (self, values) {
            (Self::Constant(constant), [value]) => *constant = *value,
            (Self::Linear { weights, intercept }, [slopes @ .., last]) => {
                weights.copy_from_slice(slopes);
                *intercept = *last;
            }
            _ => {}
        }
        Ok(())
    }

    /// `grad[p] += Σᵢ wᵢ ∂m(xᵢ)/∂p`, w `[A]`.
    pub fn accumulate_gradient(
        &self,
        x: &ArrayRef2<f64>,
        weights: &ArrayRef1<f64>,
        grad: &mut [f64],
    ) {
        match (self, grad) {
            (Self::Constant(_), [constant]) => *constant += weights.iter().sum::<f64>(),
            (Self::Linear { .. }, [slopes @ .., intercept]) => {
                *intercept += weights.iter().sum::<f64>();
                for (slope, column) in slopes.iter_mut().zip(x.columns()) {
                    *slope += column.iter().zip(weights).map(|(x, weight)| x * weight).sum::<f64>();
                }
            }
            _ => {}
        }
    }
}
