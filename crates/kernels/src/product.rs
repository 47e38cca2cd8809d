//! Product of kernels: effects that modulate each other.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use crate::terms::Terms;
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// Product of kernels: effects that modulate each other.
///
/// ```text
/// k(x, x') = Π_t k_t(x, x'),   ∂k = Σ_t ∂k_t Π_{u≠t} k_u
/// ```
///
/// Source: Rasmussen & Williams (2006), section 4.2.4.
#[derive(Debug, Clone)]
pub struct Product {
    terms: Terms,
}

impl Product {
    /// The product of at least one kernel, none of them white.
    ///
    /// # Errors
    /// [`KernelError::Empty`], [`KernelError::WhiteInProduct`].
    pub fn new(terms: Vec<Box<dyn Kernel>>) -> Result<Self, KernelError> {
        if terms.iter().any(|term| term.white_variance() > 0.0) {
            return Err(KernelError::WhiteInProduct);
        }
        Ok(Self { terms: Terms::new(terms)? })
    }

    /// For each term the weights times all other terms' blocks.
    fn weights_of_terms(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
    ) -> Vec<Array2<f64>> {
        let blocks: Vec<_> = self.terms.iter().map(|term| term.block(x, x2)).collect();
        leave_one_out(&weights.to_owned(), &blocks)
    }
}

/// `weights` times the product of all `factors` but one, for each one left out.
fn leave_one_out<D: ndarray::Dimension>(
    weights: &ndarray::Array<f64, D>,
    factors: &[ndarray::Array<f64, D>],
) -> Vec<ndarray::Array<f64, D>> {
    let without = |left_out: usize| {
        let mut product = weights.clone();
        for (_, factor) in factors.iter().enumerate().filter(|(t, _)| *t != left_out) {
            product *= factor;
        }
        product
    };
    (0..factors.len()).map(without).collect()
}

impl Kernel for Product {
    fn name(&self) -> &'static str {
        "product"
    }

    fn spec(&self) -> KernelSpec {
        KernelSpec::Product { terms: self.terms.specs() }
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
        self.terms.set_parameters("product", values)
    }

    fn block(&self, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
        let mut block = Array2::ones((x.nrows(), x2.nrows()));
        self.terms.iter().for_each(|term| block *= &term.block(x, x2));
        block
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        let mut diag = Array1::ones(x.nrows());
        self.terms.iter().for_each(|term| diag *= &term.diag(x));
        diag
    }

    fn accumulate_gradient(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad: &mut [f64],
    ) {
        let weights = self.weights_of_terms(x, x2, weights);
        for ((term, part), weights) in self.terms.with_parts(grad).zip(&weights) {
            term.accumulate_gradient(x, x2, weights, part);
        }
    }

    fn accumulate_diag_gradient(
        &self,
        x: &ArrayRef2<f64>,
        weights: &ArrayRef1<f64>,
        grad: &mut [f64],
    ) {
        let diags: Vec<_> = self.terms.iter().map(|term| term.diag(x)).collect();
        let weights = leave_one_out(&weights.to_owned(), &diags);
        for ((term, part), weights) in self.terms.with_parts(grad).zip(&weights) {
            term.accumulate_diag_gradient(x, weights, part);
        }
    }

    fn accumulate_input_gradient(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad_x: &mut ArrayRef2<f64>,
    ) {
        let weights = self.weights_of_terms(x, x2, weights);
        for (term, weights) in self.terms.iter().zip(&weights) {
            term.accumulate_input_gradient(x, x2, weights, grad_x);
        }
    }

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        self.terms.embed(x)
    }
}
