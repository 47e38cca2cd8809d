//! Stationary kernels a strip at a time.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use super::gradients::Gradients;
use super::{RadialProfile, Stationary};
use crate::points::{Inputs, Sides};
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{LANES, Lanes, Pack, Simd, Square, Task};

/// Scaled differences are held within this, so that their squares stay finite.
const FAR: f64 = 1e150;

/// A stationary kernel for one pair of inputs.
#[derive(Debug)]
pub(super) struct Prepared<P> {
    pub(super) profile: P,
    pub(super) variance: f64,
    /// Whether all columns share one lengthscale.
    shared: bool,
    pub(super) scales: Vec<f64>,
    pub(super) sides: Sides,
    /// Whether the points are scaled already, and near each other.
    scaled: bool,
    simd: Simd,
}

impl<P: RadialProfile> Prepared<P> {
    pub(super) fn new(kernel: &Stationary<P>, inputs: &Inputs<'_>) -> Self {
        let scales = kernel.scales(inputs.x().ncols());
        let near = inputs.pack_scaled(&scales);
        Self {
            profile: kernel.profile.clone(),
            variance: kernel.variance,
            shared: kernel.lengthscales.len() == 1,
            scaled: near.is_some(),
            sides: near.unwrap_or_else(|| inputs.pack()),
            scales,
            simd: inputs.simd(),
        }
    }

    /// Adds to the gradient in the hyperparameters.
    fn add_to(&self, grad: &mut [f64], sums: &[Pack], [value, shape]: [f64; 2]) {
        let n_lengthscales = if self.shared { 1 } else { self.scales.len() };
        for (d, sum) in sums[..self.scales.len()].iter().enumerate() {
            grad[if self.shared { 0 } else { d }] += self.variance * sum.sum();
        }
        grad[n_lengthscales] += self.variance * value;
        if self.profile.shape().is_some() {
            grad[n_lengthscales + 1] += self.variance * shape;
        }
    }

    /// Gradients in the rows; what [`add_to`](Self::add_to) takes is left in `sums` and returned.
    fn add_rows(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad_x: &mut [Pack],
        sums: &mut [Pack],
        scratch: &mut Scratch,
    ) -> [f64; 2] {
        let mut pulls = scratch.take(weights.len());
        let (kernel, pulls_of) = (self, &mut pulls[..]);
        let result = if self.scaled {
            self.simd.run(Gradients::<P, true> {
                kernel,
                strip,
                weights,
                pulls: pulls_of,
                sums,
                grad_x,
            })
        } else {
            self.simd.run(Gradients::<P, false> {
                kernel,
                strip,
                weights,
                pulls: pulls_of,
                sums,
                grad_x,
            })
        };
        scratch.give(pulls);
        result
    }
}

impl<P: RadialProfile> PreparedKernel for Prepared<P> {
    fn fill(&self, strip: &Strip, k: &mut [Square], _scratch: &mut Scratch) {
        if self.scaled {
            self.simd.run(Fill::<P, true> { kernel: self, strip, k });
        } else {
            self.simd.run(Fill::<P, false> { kernel: self, strip, k });
        }
    }

    fn add_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        scratch: &mut Scratch,
    ) {
        let mut squares = scratch.take(self.scales.len());
        let mut sums = scratch.take(self.scales.len().div_ceil(LANES));
        let (stretch, sums_of) = (&mut squares[..], sums.as_flattened_mut());
        sums_of.fill(Pack::ZERO);
        let found = if self.scaled {
            self.simd.run(Gradient::<P, true> {
                kernel: self,
                strip,
                weights,
                stretch,
                sums: sums_of,
            })
        } else {
            self.simd.run(Gradient::<P, false> {
                kernel: self,
                strip,
                weights,
                stretch,
                sums: sums_of,
            })
        };
        self.add_to(grad, sums_of, found);
        scratch.give(sums);
        scratch.give(squares);
    }

    fn add_input_gradient(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [Pack],
        scratch: &mut Scratch,
    ) {
        let mut sums = scratch.take(self.scales.len().div_ceil(LANES));
        self.add_rows(strip, weights, grad, sums.as_flattened_mut(), scratch);
        scratch.give(sums);
    }

    fn add_gradients(
        &self,
        strip: &Strip,
        weights: &[Square],
        grad: &mut [f64],
        grad_x: &mut [Pack],
        scratch: &mut Scratch,
    ) {
        let mut sums = scratch.take(self.scales.len().div_ceil(LANES));
        let found = self.add_rows(strip, weights, grad_x, sums.as_flattened_mut(), scratch);
        self.add_to(grad, sums.as_flattened(), found);
        scratch.give(sums);
    }
}

/// The difference of eight points from one, in one coordinate and in scales.
#[inline(always)]
fn difference<V: Lanes, const SCALED: bool>(here: f64, there: V, scale: f64) -> V {
    let difference = V::splat(here).sub(there);
    if SCALED { difference } else { difference.mul(V::splat(scale)) }
}

/// [`difference`], held within what has a finite square.
#[inline(always)]
pub(super) fn held<V: Lanes, const SCALED: bool>(here: f64, there: V, scale: f64) -> V {
    let difference = difference::<V, SCALED>(here, there, scale);
    if SCALED { difference } else { difference.min(V::splat(FAR)).max(V::splat(-FAR)) }
}

/// Squared distances, held within what a profile takes; of scaled points all are.
#[inline(always)]
fn within_reach<P: RadialProfile, V: Lanes, const R: usize, const SCALED: bool>(
    mut q: [V; R],
) -> [V; R] {
    if !SCALED {
        for r in 0..R {
            q[r] = q[r].min(V::splat(P::FAR));
        }
    }
    q
}

/// Squared distances of eight points from each of `R`, those from `first` on.
#[inline(always)]
pub(super) fn squared_distances<P: RadialProfile, V: Lanes, const R: usize, const SCALED: bool>(
    here: &[Pack],
    there: &[Pack],
    scales: &[f64],
    first: usize,
) -> [V; R] {
    let mut q = [V::splat(0.0); R];
    for ((here, there), &scale) in here.iter().zip(there).zip(scales) {
        let there = V::load(there);
        for r in 0..R {
            let delta = difference::<V, SCALED>(here.0[first + r], there, scale);
            q[r] = delta.mul_add(delta, q[r]);
        }
    }
    within_reach::<P, V, R, SCALED>(q)
}

/// Writes kernel values.
struct Fill<'a, P, const SCALED: bool> {
    kernel: &'a Prepared<P>,
    strip: &'a Strip,
    k: &'a mut [Square],
}

impl<P: RadialProfile, const SCALED: bool> Task for Fill<'_, P, SCALED> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        match V::ROWS {
            8 => self.by_rows::<V, 8>(),
            4 => self.by_rows::<V, 4>(),
            _ => self.by_rows::<V, 2>(),
        }
    }
}

impl<P: RadialProfile, const SCALED: bool> Fill<'_, P, SCALED> {
    #[inline(always)]
    fn by_rows<V: Lanes, const R: usize>(self) {
        let kernel = self.kernel;
        let (variance, here) =
            (V::splat(kernel.variance), kernel.sides.rows.group(self.strip.rows));
        for (square, column) in self.k.iter_mut().zip(self.strip.columns.clone()) {
            let there = kernel.sides.columns.group(column);
            for first in (0..LANES).step_by(R) {
                let q = squared_distances::<P, V, R, SCALED>(here, there, &kernel.scales, first);
                for r in 0..R {
                    kernel.profile.scaled_value(q[r], variance).store(&mut square[first + r]);
                }
            }
        }
    }
}

/// Sums over a strip of W κ and of W times the shape derivative; in `sums`, of −2 κ' W δ².
struct Gradient<'a, P, const SCALED: bool> {
    kernel: &'a Prepared<P>,
    strip: &'a Strip,
    weights: &'a [Square],
    /// δ² of the rows at hand, a square for each coordinate.
    stretch: &'a mut [Square],
    sums: &'a mut [Pack],
}

impl<P: RadialProfile, const SCALED: bool> Task for Gradient<'_, P, SCALED> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<V: Lanes>(self) -> [f64; 2] {
        match V::ROWS {
            8 => self.by_rows::<V, 8>(),
            4 => self.by_rows::<V, 4>(),
            _ => self.by_rows::<V, 2>(),
        }
    }
}

impl<P: RadialProfile, const SCALED: bool> Gradient<'_, P, SCALED> {
    #[inline(always)]
    fn by_rows<V: Lanes, const R: usize>(mut self) -> [f64; 2] {
        let profile = &self.kernel.profile;
        let (mut value_sum, mut shape_sum) = (V::splat(0.0), V::splat(0.0));
        for (square, column) in self.weights.iter().zip(self.strip.columns.clone()) {
            for first in (0..LANES).step_by(R) {
                let q = self.distances::<V, R>(column, first);
                let mut pulls = [V::splat(0.0); R];
                for r in 0..R {
                    let weight = V::load(&square[first + r]);
                    let (value, slope) = profile.value_and_slope(q[r]);
                    value_sum = weight.mul_add(value, value_sum);
                    pulls[r] = weight.mul(slope);
                    if profile.shape().is_some() {
                        shape_sum = weight.mul_add(profile.shape_derivative(q[r]), shape_sum);
                    }
                }
                self.add_pulls(pulls);
            }
        }
        [value_sum.sum(), shape_sum.sum()]
    }

    /// Squared distances; leaves the squared differences in `stretch`.
    #[inline(always)]
    fn distances<V: Lanes, const R: usize>(&mut self, column: usize, first: usize) -> [V; R] {
        let kernel = self.kernel;
        let here = kernel.sides.rows.group(self.strip.rows);
        let there = kernel.sides.columns.group(column);
        let mut q = [V::splat(0.0); R];
        let coordinates = here.iter().zip(there).zip(&kernel.scales);
        for (((here, there), &scale), stretch) in coordinates.zip(self.stretch.iter_mut()) {
            let there = V::load(there);
            for r in 0..R {
                let delta = held::<V, SCALED>(here.0[first + r], there, scale);
                let squared = delta.mul(delta);
                squared.store(&mut stretch[r]);
                q[r] = q[r].add(squared);
            }
        }
        within_reach::<P, V, R, SCALED>(q)
    }

    #[inline(always)]
    fn add_pulls<V: Lanes, const R: usize>(&mut self, pulls: [V; R]) {
        for (sum, stretch) in self.sums.iter_mut().zip(self.stretch.iter()) {
            let mut total = V::load(sum);
            for r in 0..R {
                total = pulls[r].mul_add(V::load(&stretch[r]), total);
            }
            total.store(sum);
        }
    }
}
