//! Sum of kernels: independent effects added up.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use crate::terms::Terms;
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// Sum of kernels: independent effects added up.
///
/// ```text
/// k(x, x') = Σ_t k_t(x, x')
/// ```
///
/// Source: Rasmussen & Williams (2006), section 4.2.4.
#[derive(Debug, Clone)]
pub struct Sum {
    terms: Terms,
}

impl Sum {
    /// The sum of at least one kernel.
    ///
    /// # Errors
    /// [`KernelError::Empty`].
    pub fn new(terms: Vec<Box<dyn Kernel>>) -> Result<Self, KernelError> {
        Ok(Self { terms: Terms::new(terms)? })
    }
}

impl Kernel for Sum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn spec(&self) -> KernelSpec {
        KernelSpec::Sum { terms: self.terms.specs() }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }

    fn check_columns(&self, d: usize) -> Result<(), KernelError> {
        self.terms.check_columns(d)
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.terms.parameters()
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), KernelError> {
        self.terms.set_parameters("sum", values)
    }

    fn block(&self, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
        let mut block = Array2::zeros((x.nrows(), x2.nrows()));
        self.terms.iter().for_each(|term| block += &term.block(x, x2));
        block
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        let mut diag = Array1::zeros(x.nrows());
        self.terms.iter().for_each(|term| diag += &term.diag(x));
        diag
    }

    fn accumulate_gradient(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad: &mut [f64],
    ) {
        self.terms
            .with_parts(grad)
            .for_each(|(term, part)| term.accumulate_gradient(x, x2, weights, part));
    }

    fn accumulate_diag_gradient(
        &self,
        x: &ArrayRef2<f64>,
        weights: &ArrayRef1<f64>,
        grad: &mut [f64],
    ) {
        self.terms
            .with_parts(grad)
            .for_each(|(term, part)| term.accumulate_diag_gradient(x, weights, part));
    }

    fn accumulate_input_gradient(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad_x: &mut ArrayRef2<f64>,
    ) {
        self.terms.iter().for_each(|term| term.accumulate_input_gradient(x, x2, weights, grad_x));
    }

    fn white_variance(&self) -> f64 {
        self.terms.iter().map(Kernel::white_variance).sum()
    }

    fn accumulate_white_gradient(&self, d_white: f64, grad: &mut [f64]) {
        self.terms
            .with_parts(grad)
            .for_each(|(term, part)| term.accumulate_white_gradient(d_white, part));
    }

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        self.terms.embed(x)
    }
}
