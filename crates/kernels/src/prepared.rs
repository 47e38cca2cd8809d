//! A kernel made ready for one pair of inputs: what the engine of products calls.

use std::fmt::Debug;
use std::ops::Range;

use crate::simd::{Pack, Square};

/// Eight rows of a kernel matrix by some groups of eight columns: a square for each group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strip {
    /// The group of eight rows.
    pub rows: usize,
    /// The groups of eight columns.
    pub columns: Range<usize>,
}

/// A kernel made ready for one pair of inputs.
///
/// Work is done a [`Strip`] at a time. Where the inputs end within a group of eight, entries
/// beyond are values no one uses, and weights there are zero.
pub trait PreparedKernel: Debug + Send + Sync {
    /// Writes k(xᵢ, x2ⱼ), a square for each group of columns.
    fn fill(&self, strip: &Strip, k: &mut [Square], scratch: &mut Scratch);

    /// `grad[p] += Σᵢⱼ Wᵢⱼ ∂k(xᵢ, x2ⱼ)/∂log θ_p`.
    fn add_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        scratch: &mut Scratch,
    );

    /// `grad[d]`, of the strip's eight rows, `+= Σⱼ Wᵢⱼ ∂k(xᵢ, x2ⱼ)/∂xᵢ_d`.
    fn add_input_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [Pack],
        scratch: &mut Scratch,
    );

    /// [`add_gradient`](Self::add_gradient) and [`add_input_gradient`](Self::add_input_gradient)
    /// with the same weights, for kernels of which the two share work.
    fn add_gradients(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        grad_x: &mut [Pack],
        scratch: &mut Scratch,
    ) {
        self.add_gradient(strip, weights, grad, scratch);
        self.add_input_gradient(strip, weights, grad_x, scratch);
    }
}

/// Buffers that are used again and again.
#[derive(Debug, Default)]
pub struct Scratch {
    free: Vec<Vec<Square>>,
}

impl Scratch {
    /// A buffer of `length` squares of any content, to be given back.
    #[must_use]
    pub fn take(&mut self, length: usize) -> Vec<Square> {
        let mut buffer = self.free.pop().unwrap_or_default();
        buffer.resize(length, [Pack::ZERO; 8]);
        buffer
    }

    /// Takes back a buffer.
    pub fn give(&mut self, buffer: Vec<Square>) {
        self.free.push(buffer);
    }
}
