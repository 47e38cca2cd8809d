//! Constant covariance: an unknown level common to all rows.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use crate::kernel::{check_count, check_positive};
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// Constant covariance: an unknown level common to all rows.
///
/// ```text
/// k(x, x') = s²
/// ```
///
/// Units: s² as `y` squared. Source: Rasmussen & Williams (2006), table 4.1.
#[derive(Debug, Clone)]
pub struct Constant {
    variance: f64,
}

impl Constant {
    /// s².
    ///
    /// # Errors
    /// [`KernelError::BadParameter`].
    pub fn new(variance: f64) -> Result<Self, KernelError> {
        check_positive("variance", variance)?;
        Ok(Self { variance })
    }
}

impl Kernel for Constant {
    fn name(&self) -> &'static str {
        "constant"
    }

    fn spec(&self) -> KernelSpec {
        KernelSpec::Constant { variance: self.variance }
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
        check_count("constant", 1, values.len())?;
        *self = Self::new(values[0])?;
        Ok(())
    }

    fn block(&self, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
        Array2::from_elem((x.nrows(), x2.nrows()), self.variance)
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        Array1::from_elem(x.nrows(), self.variance)
    }

    fn accumulate_gradient(
        &self,
        _x: &ArrayRef2<f64>,
        _x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad: &mut [f64],
    ) {
        grad[0] += self.variance * weights.iter().sum::<f64>();
    }

    fn accumulate_diag_gradient(
        &self,
        _x: &ArrayRef2<f64>,
        weights: &ArrayRef1<f64>,
        grad: &mut [f64],
    ) {
        grad[0] += self.variance * weights.iter().sum::<f64>();
    }

    fn accumulate_input_gradient(
        &self,
        _x: &ArrayRef2<f64>,
        _x2: &ArrayRef2<f64>,
        _weights: &ArrayRef2<f64>,
        _grad_x: &mut ArrayRef2<f64>,
    ) {
        // It does not depend on the inputs.
    }

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        Array2::zeros((x.nrows(), 0))
    }
}
