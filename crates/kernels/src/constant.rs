//! Constant covariance: an unknown level common to all rows.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use crate::kernel::{check_count, check_positive};
use crate::points::Inputs;
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{Pack, Square};
use crate::single::{PreparedSingle, SingleLevel, VARIANCES};
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

    fn prepare(&self, inputs: &Inputs<'_>) -> Box<dyn PreparedKernel> {
        let _ = inputs;
        Box::new(Level(self.variance))
    }

    fn prepare_single(&self, _inputs: &Inputs<'_>) -> Option<Box<dyn PreparedSingle>> {
        let level = SingleLevel(self.variance as f32);
        VARIANCES.contains(&self.variance).then(|| Box::new(level) as Box<dyn PreparedSingle>)
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        Array1::from_elem(x.nrows(), self.variance)
    }

    fn accumulate_diag_gradient(
        &self,
        _x: &ArrayRef2<f64>,
        weights: &ArrayRef1<f64>,
        grad: &mut [f64],
    ) {
        grad[0] += self.variance * weights.iter().sum::<f64>();
    }

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        Array2::zeros((x.nrows(), 0))
    }
}

/// The same value everywhere.
#[derive(Debug)]
pub(crate) struct Level(pub(crate) f64);

impl PreparedKernel for Level {
    fn fill(&self, _strip: &Strip, k: &mut [Square], _scratch: &mut Scratch) {
        k.as_flattened_mut().fill(Pack([self.0; 8]));
    }

    fn add_gradient(
        &self,
        _strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        _scratch: &mut Scratch,
    ) {
        if let Some(grad) = grad.first_mut() {
            *grad += self.0 * weights.as_flattened().iter().map(Pack::sum).sum::<f64>();
        }
    }

    fn add_input_gradient(
        &self,
        _strip: &Strip,
        _weights: &[Square],
        _grad: &mut [Pack],
        _scratch: &mut Scratch,
    ) {
        // It does not depend on the inputs.
    }
}
