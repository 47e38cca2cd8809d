//! A kernel that sees only some of the input columns.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};

use crate::points::Inputs;
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{Pack, Square};
use crate::single::PreparedSingle;
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// A kernel that sees only some of the input columns.
///
/// ```text
/// k(x, x') = inner(x_dims, x'_dims)
/// ```
#[derive(Debug, Clone)]
pub struct ActiveDims<K> {
    inner: K,
    dims: Vec<usize>,
}

impl<K: Kernel> ActiveDims<K> {
    /// `inner` on the columns `dims`, in that order.
    ///
    /// # Errors
    /// [`KernelError::ActiveDims`] for no column or one named twice, [`KernelError::Columns`] when
    /// `inner` does not fit that many columns.
    pub fn new(inner: K, dims: Vec<usize>) -> Result<Self, KernelError> {
        let repeated = |(i, dim): (usize, &usize)| dims[..i].contains(dim);
        if dims.is_empty() || dims.iter().enumerate().any(repeated) {
            return Err(KernelError::ActiveDims { dims });
        }
        inner.check_columns(dims.len())?;
        Ok(Self { inner, dims })
    }

    fn select(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        x.select(Axis(1), &self.dims)
    }
}

impl<K: Kernel + Clone + 'static> Kernel for ActiveDims<K> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn spec(&self) -> KernelSpec {
        self.inner.spec().with_active_dims(&self.dims)
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }

    fn check_columns(&self, d: usize) -> Result<(), KernelError> {
        match self.dims.iter().find(|&&dim| dim >= d) {
            Some(&dim) => {
                Err(KernelError::ActiveDim { dim, columns: d, last: d.saturating_sub(1) })
            }
            None => Ok(()),
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.inner.parameters()
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), KernelError> {
        self.inner.set_parameters(values)
    }

    fn prepare(&self, inputs: &Inputs<'_>) -> Box<dyn PreparedKernel> {
        let (x, x2) = (self.select(inputs.x()), self.select(inputs.x2()));
        let inner = self.inner.prepare(&inputs.with_rows(&x, &x2));
        Box::new(Prepared { inner, dims: self.dims.clone() })
    }

    fn prepare_single(&self, inputs: &Inputs<'_>) -> Option<Box<dyn PreparedSingle>> {
        let (x, x2) = (self.select(inputs.x()), self.select(inputs.x2()));
        self.inner.prepare_single(&inputs.with_rows(&x, &x2))
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        self.inner.diag(&self.select(x))
    }

    fn accumulate_diag_gradient(
        &self,
        x: &ArrayRef2<f64>,
        weights: &ArrayRef1<f64>,
        grad: &mut [f64],
    ) {
        self.inner.accumulate_diag_gradient(&self.select(x), weights, grad);
    }

    fn white_variance(&self) -> f64 {
        self.inner.white_variance()
    }

    fn accumulate_white_gradient(&self, d_white: f64, grad: &mut [f64]) {
        self.inner.accumulate_white_gradient(d_white, grad);
    }

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        self.inner.embed(&self.select(x))
    }
}

/// The inner kernel made ready for its columns.
#[derive(Debug)]
struct Prepared {
    inner: Box<dyn PreparedKernel>,
    dims: Vec<usize>,
}

impl Prepared {
    /// Adds gradients in the active columns to those in all.
    fn spread(&self, inner: &[Pack], grad: &mut [Pack]) {
        for (&dim, inner) in self.dims.iter().zip(inner) {
            grad[dim].0.iter_mut().zip(inner.0).for_each(|(grad, value)| *grad += value);
        }
    }
}

impl PreparedKernel for Prepared {
    fn fill(&self, strip: &Strip, k: &mut [Square], scratch: &mut Scratch) {
        self.inner.fill(strip, k, scratch);
    }

    fn add_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        scratch: &mut Scratch,
    ) {
        self.inner.add_gradient(strip, weights, grad, scratch);
    }

    fn add_input_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [Pack],
        scratch: &mut Scratch,
    ) {
        let mut inner = vec![Pack::ZERO; self.dims.len()];
        self.inner.add_input_gradient(strip, weights, &mut inner, scratch);
        self.spread(&inner, grad);
    }

    fn add_gradients(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        grad_x: &mut [Pack],
        scratch: &mut Scratch,
    ) {
        let mut inner = vec![Pack::ZERO; self.dims.len()];
        self.inner.add_gradients(strip, weights, grad, &mut inner, scratch);
        self.spread(&inner, grad_x);
    }
}
