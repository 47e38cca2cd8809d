//! Linear covariance: Bayesian linear regression through the origin.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use crate::kernel::{check_all_positive, check_count, check_per_column};
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

/// Σⱼ Wᵢⱼ x2ⱼ_d `[A, D]`, one row at a time.
fn weighted_rows(weights: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
    let mut sums = Array2::zeros((weights.nrows(), x2.ncols()));
    for (weights, mut sum) in weights.outer_iter().zip(sums.outer_iter_mut()) {
        for (&weight, row) in weights.iter().zip(x2.outer_iter()) {
            sum.scaled_add(weight, &row);
        }
    }
    sums
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

    fn block(&self, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
        let variances = self.per_column(x.ncols());
        // The three factors in an order that does not depend on which row comes first.
        let entry = |(i, j): (usize, usize)| {
            let product = |((a, b), v): ((&f64, &f64), &f64)| (a * b) * v;
            x.row(i).iter().zip(x2.row(j)).zip(&variances).map(product).sum()
        };
        Array2::from_shape_fn((x.nrows(), x2.nrows()), entry)
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        let variances = self.per_column(x.ncols());
        let entry = |row: ndarray::ArrayView1<'_, f64>| {
            row.iter().zip(&variances).map(|(a, v)| (a * a) * v).sum()
        };
        x.outer_iter().map(entry).collect()
    }

    fn accumulate_gradient(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad: &mut [f64],
    ) {
        let sums = (weighted_rows(weights, x2) * x).sum_axis(ndarray::Axis(0));
        self.add(&sums, grad);
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

    fn accumulate_input_gradient(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad_x: &mut ArrayRef2<f64>,
    ) {
        let step = weighted_rows(weights, x2) * &self.per_column(x.ncols());
        grad_x.zip_mut_with(&step, |grad, step| *grad += step);
    }

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        x.to_owned() * &self.per_column(x.ncols()).mapv(f64::sqrt)
    }
}
