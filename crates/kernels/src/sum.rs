//! Sum of kernels: independent effects added up.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use crate::points::Inputs;
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{Pack, Square};
use crate::single::{PreparedSingle, SingleTerms};
use crate::terms::{PreparedTerm, Terms, combine};
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

    fn prepare(&self, inputs: &Inputs<'_>) -> Box<dyn PreparedKernel> {
        Box::new(Prepared(self.terms.prepare(inputs)))
    }

    fn prepare_single(&self, inputs: &Inputs<'_>) -> Option<Box<dyn PreparedSingle>> {
        let combine = |sum, value| sum + value;
        Some(Box::new(SingleTerms { terms: self.terms.prepare_single(inputs)?, combine }))
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        let mut diag = Array1::zeros(x.nrows());
        self.terms.iter().for_each(|term| diag += &term.diag(x));
        diag
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

/// The terms, each made ready.
#[derive(Debug)]
struct Prepared(Vec<PreparedTerm>);

impl PreparedKernel for Prepared {
    fn fill(&self, strip: &Strip, k: &mut [Square], scratch: &mut Scratch) {
        let mut values = scratch.take(k.len());
        for (index, term) in self.0.iter().enumerate() {
            if index == 0 {
                term.kernel.fill(strip, k, scratch);
                continue;
            }
            term.kernel.fill(strip, &mut values, scratch);
            combine(k, &values, |sum, value| sum + value);
        }
        scratch.give(values);
    }

    fn add_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        scratch: &mut Scratch,
    ) {
        for term in &self.0 {
            let part = &mut grad[term.parameters.clone()];
            term.kernel.add_gradient(strip, weights, part, scratch);
        }
    }

    fn add_input_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [Pack],
        scratch: &mut Scratch,
    ) {
        self.0
            .iter()
            .for_each(|term| term.kernel.add_input_gradient(strip, weights, grad, scratch));
    }
    fn add_gradients(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        grad_x: &mut [Pack],
        scratch: &mut Scratch,
    ) {
        for term in &self.0 {
            let part = &mut grad[term.parameters.clone()];
            term.kernel.add_gradients(strip, weights, part, grad_x, scratch);
        }
    }
}
