//! White covariance: noise of its own on every training row.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use crate::constant::Level;
use crate::kernel::{check_count, check_positive};
use crate::points::Inputs;
use crate::prepared::PreparedKernel;
use crate::single::{PreparedSingle, SingleLevel};
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// White covariance: noise of its own on every training row.
///
/// ```text
/// k(xᵢ, xⱼ) = s² [i = j],  on the training diagonal only
/// ```
///
/// It is zero between training and test rows, and between two rows with equal inputs. It adds to
/// the noise variance in K and is not part of the latent function. Units: s² as `y` squared.
#[derive(Debug, Clone)]
pub struct White {
    variance: f64,
}

impl White {
    /// s².
    ///
    /// # Errors
    /// [`KernelError::BadParameter`].
    pub fn new(variance: f64) -> Result<Self, KernelError> {
        check_positive("variance", variance)?;
        Ok(Self { variance })
    }
}

impl Kernel for White {
    fn name(&self) -> &'static str {
        "white"
    }

    fn spec(&self) -> KernelSpec {
        KernelSpec::White { variance: self.variance }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }

    fn check_columns(&self, _d: usize) -> Result<(), KernelError> {
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::new("variance", self.variance)]
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), KernelError> {
        check_count("white", 1, values.len())?;
        *self = Self::new(values[0])?;
        Ok(())
    }

    fn prepare(&self, inputs: &Inputs<'_>) -> Box<dyn PreparedKernel> {
        let _ = inputs;
        // Zero off the training diagonal, and so is its gradient.
        Box::new(Level(0.0))
    }

    fn prepare_single(&self, _inputs: &Inputs<'_>) -> Option<Box<dyn PreparedSingle>> {
        Some(Box::new(SingleLevel(0.0)))
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        Array1::zeros(x.nrows())
    }

    fn accumulate_diag_gradient(
        &self,
        _x: &ArrayRef2<f64>,
        _weights: &ArrayRef1<f64>,
        _grad: &mut [f64],
    ) {
        // Zero: `diag` is without white kernels.
    }

    fn white_variance(&self) -> f64 {
        self.variance
    }

    fn accumulate_white_gradient(&self, d_white: f64, grad: &mut [f64]) {
        grad[0] += self.variance * d_white;
    }

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        Array2::zeros((x.nrows(), 0))
    }
}
