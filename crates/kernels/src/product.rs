//! Product of kernels: effects that modulate each other.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use crate::points::Inputs;
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{Pack, Square};
use crate::single::{PreparedSingle, SingleTerms};
use crate::terms::{PreparedTerm, Terms, combine};
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
}

/// `weights` times the product of all `factors` but one, for each one left out.
fn leave_one_out(weights: &Array1<f64>, factors: &[Array1<f64>]) -> Vec<Array1<f64>> {
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

    fn prepare(&self, inputs: &Inputs<'_>) -> Box<dyn PreparedKernel> {
        Box::new(Prepared(self.terms.prepare(inputs)))
    }

    fn prepare_single(&self, inputs: &Inputs<'_>) -> Option<Box<dyn PreparedSingle>> {
        let combine = |product, value| product * value;
        Some(Box::new(SingleTerms { terms: self.terms.prepare_single(inputs)?, combine }))
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        let mut diag = Array1::ones(x.nrows());
        self.terms.iter().for_each(|term| diag *= &term.diag(x));
        diag
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

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        self.terms.embed(x)
    }
}

/// The terms, each made ready.
#[derive(Debug)]
struct Prepared(Vec<PreparedTerm>);

impl Prepared {
    /// Hands `visit` each term with the weights times the values of all other terms.
    fn for_each_term(
        &self,
        strip: &Strip,
        weights: &[Square],
        scratch: &mut Scratch,
        mut visit: impl FnMut(&PreparedTerm, &[Square], &mut Scratch),
    ) {
        let mut values = Vec::with_capacity(self.0.len());
        for term in &self.0 {
            let mut k = scratch.take(weights.len());
            term.kernel.fill(strip, &mut k, scratch);
            values.push(k);
        }
        let mut others = scratch.take(weights.len());
        for (index, term) in self.0.iter().enumerate() {
            others.copy_from_slice(weights);
            for (_, values) in values.iter().enumerate().filter(|(other, _)| *other != index) {
                combine(&mut others, values, |weight, value| weight * value);
            }
            visit(term, &others, scratch);
        }
        values.into_iter().chain([others]).for_each(|buffer| scratch.give(buffer));
    }
}

impl PreparedKernel for Prepared {
    fn fill(&self, strip: &Strip, k: &mut [Square], scratch: &mut Scratch) {
        let mut values = scratch.take(k.len());
        for (index, term) in self.0.iter().enumerate() {
            if index == 0 {
                term.kernel.fill(strip, k, scratch);
                continue;
            }
            term.kernel.fill(strip, &mut values, scratch);
            combine(k, &values, |product, value| product * value);
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
        self.for_each_term(strip, weights, scratch, |term, weights, scratch| {
            let part = &mut grad[term.parameters.clone()];
            term.kernel.add_gradient(strip, weights, part, scratch);
        });
    }

    fn add_input_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [Pack],
        scratch: &mut Scratch,
    ) {
        self.for_each_term(strip, weights, scratch, |term, weights, scratch| {
            term.kernel.add_input_gradient(strip, weights, grad, scratch);
        });
    }

    fn add_gradients(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        grad_x: &mut [Pack],
        scratch: &mut Scratch,
    ) {
        self.for_each_term(strip, weights, scratch, |term, weights, scratch| {
            let part = &mut grad[term.parameters.clone()];
            term.kernel.add_gradients(strip, weights, part, grad_x, scratch);
        });
    }
}
