//! Linear covariance: Bayesian linear regression through the origin.

mod tile;

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use self::tile::Prepared;
use crate::kernel::{check_all_positive, check_count, check_per_column};
use crate::points::Inputs;
use crate::prepared::PreparedKernel;
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// Linear covariance: Bayesian linear regression through the origin.
///
/// ```text
/// k(x, x') = Σ_d v_d x_d x'_d
/// ```
///
/// Units: v as `y`/`x` squared. Source: Rasmussen & Williams (2006), section 4.2.2.
#[derive(Debug, Clone)]
pub struct Linear {
    variances: Vec<f64>,
}

impl Linear {
    /// One variance for all columns, or one for each.
    ///
    /// # Errors
    /// [`KernelError`] for values that are not positive and finite, or none.
    pub fn new(variances: Vec<f64>) -> Result<Self, KernelError> {
        check_all_positive("variances", &variances)?;
        Ok(Self { variances })
    }

    fn per_column(&self, d: usize) -> Array1<f64> {
        let shared = self.variances.len() == 1;
        (0..d).map(|i| self.variances[if shared { 0 } else { i }]).collect()
    }

    /// Adds Σ over columns of v_d `sums[d]` to the parameter each column belongs to.
    fn add(&self, sums: &Array1<f64>, grad: &mut [f64]) {
        let shared = self.variances.len() == 1;
        for (d, (sum, variance)) in sums.iter().zip(&self.per_column(sums.len())).enumerate() {
            grad[if shared { 0 } else { d }] += variance * sum;
        }
    }
}

impl Kernel for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn spec(&self) -> KernelSpec {
        KernelSpec::Linear { variances: self.variances.clone(), active_dims: None }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }

    fn check_columns(&self, d: usize) -> Result<(), KernelError> {
        check_per_column("variances", self.variances.len(), d)
    }

    fn parameters(&self) -> Vec<Parameter> {
        Parameter::numbered("variances", &self.variances).collect()
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), KernelError> {
        check_count("linear", self.variances.len(), values.len())?;
        *self = Self::new(values.to_vec())?;
        Ok(())
    }

    fn prepare(&self, inputs: &Inputs<'_>) -> Box<dyn PreparedKernel> {
        Box::new(Prepared::new(self, inputs))
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        let variances = self.per_column(x.ncols());
        let entry = |row: ndarray::ArrayView1<'_, f64>| {
            row.iter().zip(&variances).map(|(a, v)| (a * a) * v).sum()
        };
        x.outer_iter().map(entry).collect()
    }

    fn accumulate_diag_gradient(
        &self,
        x: &ArrayRef2<f64>,
        weights: &ArrayRef1<f64>,
        grad: &mut [f64],
    ) {
        let mut sums = Array1::zeros(x.ncols());
        for (row, &weight) in x.outer_iter().zip(weights) {
            sums.scaled_add(weight, &row.mapv(|value| value * value));
        }
        self.add(&sums, grad);
    }

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        x.to_owned() * &self.per_column(x.ncols()).mapv(f64::sqrt)
    }
}
