//! Periodic covariance: sample paths repeat themselves exactly.

mod tile;

use std::f64::consts::PI;

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use self::tile::Prepared;
use crate::kernel::{check_all_positive, check_count, check_per_column, check_positive};
use crate::points::Inputs;
use crate::prepared::PreparedKernel;
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// Periodic covariance: sample paths repeat themselves exactly.
///
/// ```text
/// k(x, x') = s² exp(−2 Σ_d sin²(π (x_d − x'_d) / p) / ℓ_d²)
/// ```
///
/// Units: p as `x`, ℓ without, s² as `y` squared. scikit-learn's convention; GPflow's ℓ is twice
/// this one, GPyTorch's λ its square. Source: Rasmussen & Williams (2006), eq. 4.31.
#[derive(Debug, Clone)]
pub struct Periodic {
    lengthscales: Vec<f64>,
    variance: f64,
    period: f64,
}

impl Periodic {
    /// One lengthscale for all columns, or one for each; s²; p.
    ///
    /// # Errors
    /// [`KernelError`] for values that are not positive and finite, or no lengthscale.
    pub fn new(lengthscales: Vec<f64>, variance: f64, period: f64) -> Result<Self, KernelError> {
        check_all_positive("lengthscales", &lengthscales)?;
        check_positive("variance", variance)?;
        check_positive("period", period)?;
        Ok(Self { lengthscales, variance, period })
    }

    fn lengthscale(&self, d: usize) -> f64 {
        self.lengthscales[if self.lengthscales.len() == 1 { 0 } else { d }]
    }
}

impl Kernel for Periodic {
    fn name(&self) -> &'static str {
        "periodic"
    }

    fn spec(&self) -> KernelSpec {
        KernelSpec::Periodic {
            lengthscales: self.lengthscales.clone(),
            variance: self.variance,
            period: self.period,
            active_dims: None,
        }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }

    fn check_columns(&self, d: usize) -> Result<(), KernelError> {
        check_per_column("lengthscales", self.lengthscales.len(), d)
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters: Vec<_> =
            Parameter::numbered("lengthscales", &self.lengthscales).collect();
        parameters.push(Parameter::new("variance", self.variance));
        parameters.push(Parameter::new("period", self.period));
        parameters
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), KernelError> {
        let d = self.lengthscales.len();
        check_count("periodic", d + 2, values.len())?;
        *self = Self::new(values[..d].to_vec(), values[d], values[d + 1])?;
        Ok(())
    }

    fn prepare(&self, inputs: &Inputs<'_>) -> Box<dyn PreparedKernel> {
        Box::new(Prepared::new(self, inputs))
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
        grad[self.lengthscales.len()] += self.variance * weights.iter().sum::<f64>();
    }

    /// Each column becomes a point on a circle of radius 1/ℓ: half the squared distance there is
    /// the exponent.
    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        let d = x.ncols();
        Array2::from_shape_fn((x.nrows(), 2 * d), |(i, column)| {
            let angle = 2.0 * PI * (x[[i, column % d]] / self.period);
            let coordinate = if column < d { angle.cos() } else { angle.sin() };
            coordinate / self.lengthscale(column % d)
        })
    }
}
