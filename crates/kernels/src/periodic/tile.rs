//! The periodic kernel a strip at a time.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use std::f64::consts::{LOG2_E, PI};

use super::Periodic;
use crate::points::{Inputs, Sides};
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{LANES, Lanes, Pack, Simd, Square, Task};
use crate::stationary::FAR;

/// Cycles are held within this, where every whole number is a multiple of the spacing of numbers.
const FAR_CYCLES: f64 = 1e15;
/// Squared scaled sines are held below this, so that their sums stay finite.
const FAR_SQUARE: f64 = 1e300;

/// The periodic kernel for one pair of inputs.
#[derive(Debug)]
pub(super) struct Prepared {
    /// 1/ℓ of each column.
    inverse: Vec<f64>,
    period: f64,
    /// 1/p.
    frequency: f64,
    variance: f64,
    shared: bool,
    sides: Sides,
    simd: Simd,
}

impl Prepared {
    pub(super) fn new(kernel: &Periodic, inputs: &Inputs<'_>) -> Self {
        Self {
            inverse: (0..inputs.x().ncols()).map(|d| kernel.lengthscale(d).recip()).collect(),
            period: kernel.period,
            frequency: kernel.period.recip(),
            variance: kernel.variance,
            shared: kernel.lengthscales.len() == 1,
            sides: inputs.pack(),
            simd: inputs.simd(),
        }
    }

    fn pulls(&self, strip: &Strip, weights: &[Square], scratch: &mut Scratch) -> Vec<Square> {
        let mut pulls = scratch.take(weights.len());
        self.fill(strip, &mut pulls, scratch);
        crate::terms::combine(&mut pulls, weights, |value, weight| value * weight);
        pulls
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
        scratch: &mut Scratch,
    ) {
        let pulls = self.pulls(strip, weights, scratch);
        let n_lengthscales = if self.shared { 1 } else { self.inverse.len() };
        grad[n_lengthscales] += pulls.as_flattened().iter().map(Pack::sum).sum::<f64>();
        for d in 0..self.inverse.len() {
            let column = Column { kernel: self, strip, pulls: &pulls, d };
            let [stretch, shift] = self.simd.run(column);
            grad[if self.shared { 0 } else { d }] += 4.0 * stretch;
            grad[n_lengthscales + 1] += 2.0 * PI * shift;
        }
        scratch.give(pulls);
    }

    fn add_input_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [Pack],
        scratch: &mut Scratch,
    ) {
        let pulls = self.pulls(strip, weights, scratch);
        for (d, grad) in grad.iter_mut().enumerate() {
            self.simd.run(InputGradient { kernel: self, strip, pulls: &pulls, d, grad });
        }
        scratch.give(pulls);
    }
}

/// Cycles (x_d − x'_d)/p between one point and eight, and their distance from a whole number.
///
/// The distance comes from the remainder of the difference by the period, which is exact but for
/// one rounding, and from what rounding took off the difference: over millions of cycles it is as
/// accurate as over one.
#[inline(always)]
fn cycles<V: Lanes>(here: f64, there: V, period: f64, frequency: f64) -> [V; 2] {
    let here = V::splat(here);
    let difference = here.sub(there);
    let minus_there = difference.sub(here);
    let lost = here.sub(difference.sub(minus_there)).sub(there.add(minus_there));
    let far = V::splat(FAR_CYCLES);
    let cycles = difference.mul(V::splat(frequency)).min(far).max(V::splat(-FAR_CYCLES));
    let whole = cycles.sub(cycles.fraction());
    let remainder = whole.fused(V::splat(-period), difference).add(lost);
    // The nearest whole number may have been missed by one close to a half.
    let fraction = remainder.mul(V::splat(frequency)).fraction();
    [cycles, fraction.min(V::splat(0.5)).max(V::splat(-0.5))]
}

/// (sin(π cycles)/ℓ)², from the fraction of a cycle.
#[inline(always)]
fn square<V: Lanes>(fraction: V, inverse: f64) -> V {
    let scaled = fraction.sin_pi().mul(V::splat(inverse));
    scaled.mul(scaled).min(V::splat(FAR_SQUARE))
}

/// sin(2π cycles)/ℓ², from the fraction of a cycle: held below, as its products are with weights
/// that vanish.
#[inline(always)]
fn swing<V: Lanes>(fraction: V, inverse: f64) -> V {
    let cosine = V::splat(0.5).sub(fraction.abs()).sin_pi();
    let product = fraction.sin_pi().mul(cosine).mul(V::splat(2.0 * inverse));
    let far = V::splat(FAR_SQUARE.sqrt());
    product.mul(V::splat(inverse)).min(far).max(V::splat(-FAR_SQUARE.sqrt()))
}

/// Writes kernel values.
struct Fill<'a> {
    kernel: &'a Prepared,
    strip: &'a Strip,
    k: &'a mut [Square],
}

impl Task for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let kernel = self.kernel;
        let here = kernel.sides.rows.group(self.strip.rows);
        for (k, column) in self.k.iter_mut().zip(self.strip.columns.clone()) {
            let there = kernel.sides.columns.group(column);
            for (row, k) in k.iter_mut().enumerate() {
                let mut sum = V::splat(0.0);
                for ((here, there), &inverse) in here.iter().zip(there).zip(&kernel.inverse) {
                    let there = V::load(there);
                    let [_, fraction] = cycles(here.0[row], there, kernel.period, kernel.frequency);
                    sum = sum.add(square(fraction, inverse));
                }
                let exponent = sum.mul(V::splat(2.0 * LOG2_E)).min(V::splat(FAR));
                exponent.exp2_neg().mul(V::splat(kernel.variance)).store(k);
            }
        }
    }
}

/// Sums over a strip, for one column, of pull·(sin/ℓ)² and pull·cycles·sin(2π cycles)/ℓ².
struct Column<'a> {
    kernel: &'a Prepared,
    strip: &'a Strip,
    pulls: &'a [Square],
    d: usize,
}

impl Task for Column<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<V: Lanes>(self) -> [f64; 2] {
        let (kernel, inverse) = (self.kernel, self.kernel.inverse[self.d]);
        let here = kernel.sides.rows.group(self.strip.rows)[self.d];
        let (mut stretch, mut shift) = (V::splat(0.0), V::splat(0.0));
        for (pulls, column) in self.pulls.iter().zip(self.strip.columns.clone()) {
            let there = V::load(&kernel.sides.columns.group(column)[self.d]);
            for row in 0..LANES {
                let pull = V::load(&pulls[row]);
                let [cycles, fraction] =
                    cycles(here.0[row], there, kernel.period, kernel.frequency);
                stretch = pull.mul_add(square(fraction, inverse), stretch);
                shift = pull.mul(cycles).mul_add(swing(fraction, inverse), shift);
            }
        }
        [stretch.sum(), shift.sum()]
    }
}

/// Adds −2π/p Σⱼ pullᵢⱼ sin(2π cycles)/ℓ² of each row, for one column.
struct InputGradient<'a> {
    kernel: &'a Prepared,
    strip: &'a Strip,
    pulls: &'a [Square],
    d: usize,
    grad: &'a mut Pack,
}

impl Task for InputGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let (kernel, inverse) = (self.kernel, self.kernel.inverse[self.d]);
        let here = kernel.sides.rows.group(self.strip.rows)[self.d];
        for row in 0..LANES {
            let mut sum = V::splat(0.0);
            for (pulls, column) in self.pulls.iter().zip(self.strip.columns.clone()) {
                let there = V::load(&kernel.sides.columns.group(column)[self.d]);
                let [_, fraction] = cycles(here.0[row], there, kernel.period, kernel.frequency);
                sum = V::load(&pulls[row]).mul_add(swing(fraction, inverse), sum);
            }
            self.grad.0[row] -= 2.0 * PI * kernel.frequency * sum.sum();
        }
    }
}
