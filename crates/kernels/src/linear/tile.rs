//! The linear kernel a strip at a time.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use super::Linear;
use crate::points::{Inputs, Sides};
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{LANES, Lanes, Pack, Simd, Square, Task};

/// The linear kernel for one pair of inputs.
#[derive(Debug)]
pub(super) struct Prepared {
    variances: Vec<f64>,
    shared: bool,
    sides: Sides,
    simd: Simd,
}

impl Prepared {
    pub(super) fn new(kernel: &Linear, inputs: &Inputs<'_>) -> Self {
        Self {
            variances: kernel.per_column(inputs.x().ncols()).to_vec(),
            shared: kernel.variances.len() == 1,
            sides: inputs.pack(),
            simd: inputs.simd(),
        }
    }

    /// Σⱼ Wᵢⱼ x2ⱼ_d of the eight rows and each coordinate.
    fn weighted(&self, strip: &Strip, weights: &[Square]) -> Vec<Pack> {
        let mut sums = vec![Pack::ZERO; self.variances.len()];
        self.simd.run(Weighted { kernel: self, strip, weights, sums: &mut sums });
        sums
    }
}

impl PreparedKernel for Prepared {
    fn fill(&self, strip: &Strip, k: &mut [Square], _scratch: &mut Scratch) {
        self.simd.run(Fill { kernel: self, strip, k });
    }

    fn add_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        _scratch: &mut Scratch,
    ) {
        let here = self.sides.rows.group(strip.rows);
        let weighted = self.weighted(strip, weights);
        for (d, (here, weighted)) in here.iter().zip(&weighted).enumerate() {
            let sum = Pack::from_fn(|row| here.0[row] * weighted.0[row]).sum();
            grad[if self.shared { 0 } else { d }] += self.variances[d] * sum;
        }
    }

    fn add_input_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [Pack],
        _scratch: &mut Scratch,
    ) {
        let weighted = self.weighted(strip, weights);
        for ((grad, weighted), variance) in grad.iter_mut().zip(&weighted).zip(&self.variances) {
            for (grad, weighted) in grad.0.iter_mut().zip(weighted.0) {
                *grad += variance * weighted;
            }
        }
    }
}

/// Writes Σ_d v_d x_d x'_d, the factors in an order that does not depend on which row is first.
struct Fill<'a> {
    kernel: &'a Prepared,
    strip: &'a Strip,
    k: &'a mut [Square],
}

impl Task for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let here = self.kernel.sides.rows.group(self.strip.rows);
        for (square, column) in self.k.iter_mut().zip(self.strip.columns.clone()) {
            let there = self.kernel.sides.columns.group(column);
            for (row, k) in square.iter_mut().enumerate() {
                let mut sum = V::splat(0.0);
                for ((here, there), &variance) in here.iter().zip(there).zip(&self.kernel.variances)
                {
                    let product = V::splat(here.0[row]).mul(V::load(there));
                    sum = product.mul_add(V::splat(variance), sum);
                }
                sum.store(k);
            }
        }
    }
}

/// Adds Σⱼ Wᵢⱼ x2ⱼ_d.
struct Weighted<'a> {
    kernel: &'a Prepared,
    strip: &'a Strip,
    weights: &'a [Square],
    sums: &'a mut [Pack],
}

impl Task for Weighted<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        for (d, sum) in self.sums.iter_mut().enumerate() {
            let mut sums = [V::splat(0.0); LANES];
            for (weights, column) in self.weights.iter().zip(self.strip.columns.clone()) {
                let there = V::load(&self.kernel.sides.columns.group(column)[d]);
                for row in 0..LANES {
                    sums[row] = V::load(&weights[row]).mul_add(there, sums[row]);
                }
            }
            for row in 0..LANES {
                sum.0[row] += sums[row].sum();
            }
        }
    }
}
