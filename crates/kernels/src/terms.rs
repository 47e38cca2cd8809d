//! What sums and products of kernels have in common: a list of terms and their parameters.

use std::ops::Range;

use ndarray::{Array2, ArrayRef2, Axis, concatenate};

use crate::kernel::check_count;
use crate::points::Inputs;
use crate::prepared::PreparedKernel;
use crate::simd::Square;
use crate::single::PreparedSingle;
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// A list of at least one kernel.
#[derive(Debug, Clone)]
pub(crate) struct Terms(Vec<Box<dyn Kernel>>);

impl Terms {
    pub(crate) fn new(terms: Vec<Box<dyn Kernel>>) -> Result<Self, KernelError> {
        if terms.is_empty() { Err(KernelError::Empty { name: "terms" }) } else { Ok(Self(terms)) }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Kernel> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// Each term with its part of a slice over all parameters.
    pub(crate) fn with_parts<'a>(
        &'a self,
        mut all: &'a mut [f64],
    ) -> impl Iterator<Item = (&'a dyn Kernel, &'a mut [f64])> {
        self.iter().map(move |term| {
            let (part, rest) = std::mem::take(&mut all).split_at_mut(term.parameters().len());
            all = rest;
            (term, part)
        })
    }

    /// Each term made ready.
    pub(crate) fn prepare(&self, inputs: &Inputs<'_>) -> Vec<PreparedTerm> {
        let mut first = 0;
        let prepared = |term: &dyn Kernel| {
            let parameters = first..first + term.parameters().len();
            first = parameters.end;
            PreparedTerm { kernel: term.prepare(inputs), parameters }
        };
        self.iter().map(prepared).collect()
    }

    /// Each term made ready in single precision, if all can be.
    pub(crate) fn prepare_single(
        &self,
        inputs: &Inputs<'_>,
    ) -> Option<Vec<Box<dyn PreparedSingle>>> {
        self.iter().map(|term| term.prepare_single(inputs)).collect()
    }

    pub(crate) fn specs(&self) -> Vec<KernelSpec> {
        self.iter().map(Kernel::spec).collect()
    }

    pub(crate) fn check_columns(&self, d: usize) -> Result<(), KernelError> {
        self.iter().try_for_each(|term| term.check_columns(d))
    }

    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let prefixed = |(i, term): (usize, &dyn Kernel)| {
            let named =
                move |p: Parameter| Parameter::new(format!("terms[{i}].{}", p.name), p.value);
            term.parameters().into_iter().map(named).collect::<Vec<_>>()
        };
        self.iter().enumerate().flat_map(prefixed).collect()
    }

    /// All or nothing: the terms are replaced only when every value was accepted.
    pub(crate) fn set_parameters(
        &mut self,
        owner: &'static str,
        values: &[f64],
    ) -> Result<(), KernelError> {
        check_count(owner, self.parameters().len(), values.len())?;
        let mut changed = self.0.clone();
        let mut rest = values;
        for (i, term) in changed.iter_mut().enumerate() {
            let (part, others) = rest.split_at(term.parameters().len());
            term.set_parameters(part).map_err(|error| within(i, error))?;
            rest = others;
        }
        self.0 = changed;
        Ok(())
    }

    pub(crate) fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        let parts: Vec<_> = self.iter().map(|term| term.embed(x)).collect();
        let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
        // All parts have one row per row of `x`, so they fit side by side.
        concatenate(Axis(1), &views).unwrap_or_else(|_| Array2::zeros((x.nrows(), 0)))
    }
}

/// One term made ready, and its part of all parameters.
#[derive(Debug)]
pub(crate) struct PreparedTerm {
    pub(crate) kernel: Box<dyn PreparedKernel>,
    pub(crate) parameters: Range<usize>,
}

/// Combines values entry by entry.
pub(crate) fn combine(all: &mut [Square], with: &[Square], value: impl Fn(f64, f64) -> f64) {
    for (all, with) in all.as_flattened_mut().iter_mut().zip(with.as_flattened()) {
        all.0.iter_mut().zip(with.0).for_each(|(entry, other)| *entry = value(*entry, other));
    }
}

/// Prefixes the parameter's path with the term's.
fn within(i: usize, error: KernelError) -> KernelError {
    match error {
        KernelError::BadParameter { name, value } => {
            KernelError::BadParameter { name: format!("terms[{i}].{name}"), value }
        }
        other => other,
    }
}
