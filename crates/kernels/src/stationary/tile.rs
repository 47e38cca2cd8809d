//! Stationary kernels a strip at a time.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use super::{RadialProfile, Stationary};
use crate::points::{Inputs, Sides};
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{LANES, Lanes, Pack, Simd, Square, Task};

/// Scaled differences are held within this, so that their squares stay finite.
const FAR: f64 = 1e150;

/// A stationary kernel for one pair of inputs.
#[derive(Debug)]
pub(super) struct Prepared<P> {
    profile: P,
    variance: f64,
    /// Whether all columns share one lengthscale.
    shared: bool,
    scales: Vec<f64>,
    sides: Sides,
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

    /// −2 s² κ' Wᵢⱼ of each pair.
    fn pulls(&self, strip: &Strip, weights: &[Square], pulls: &mut [Square]) {
        if self.scaled {
            self.simd.run(Pulls::<P, true> { kernel: self, strip, weights, pulls });
        } else {
            self.simd.run(Pulls::<P, false> { kernel: self, strip, weights, pulls });
        }
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
        let [value, shape] = if self.scaled {
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
        let n_lengthscales = if self.shared { 1 } else { self.scales.len() };
        for (d, sum) in sums_of[..self.scales.len()].iter().enumerate() {
            grad[if self.shared { 0 } else { d }] += self.variance * sum.sum();
        }
        grad[n_lengthscales] += self.variance * value;
        if self.profile.shape().is_some() {
            grad[n_lengthscales + 1] += self.variance * shape;
        }
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
        let mut pulls = scratch.take(weights.len());
        self.pulls(strip, weights, &mut pulls);
        let (kernel, pulls_of) = (self, &pulls[..]);
        if self.scaled {
            self.simd.run(InputGradient::<P, true> { kernel, strip, pulls: pulls_of, grad });
        } else {
            self.simd.run(InputGradient::<P, false> { kernel, strip, pulls: pulls_of, grad });
        }
        scratch.give(pulls);
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
fn held<V: Lanes, const SCALED: bool>(here: f64, there: V, scale: f64) -> V {
    let difference = difference::<V, SCALED>(here, there, scale);
    if SCALED { difference } else { difference.min(V::splat(FAR)).max(V::splat(-FAR)) }
}

/// Squared distances of eight points from each of `R`, those from `first` on.
#[inline(always)]
fn squared_distances<V: Lanes, const R: usize, const SCALED: bool>(
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
    q
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
                let q = squared_distances::<V, R, SCALED>(here, there, &kernel.scales, first);
                for r in 0..R {
                    let (value, _) = kernel.profile.value_and_slope(q[r]);
                    value.mul(variance).store(&mut square[first + r]);
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
        q
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

/// Writes −2 s² κ' W of each pair.
struct Pulls<'a, P, const SCALED: bool> {
    kernel: &'a Prepared<P>,
    strip: &'a Strip,
    weights: &'a [Square],
    pulls: &'a mut [Square],
}

impl<P: RadialProfile, const SCALED: bool> Task for Pulls<'_, P, SCALED> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let kernel = self.kernel;
        let (variance, here) =
            (V::splat(kernel.variance), kernel.sides.rows.group(self.strip.rows));
        let squares = self.weights.iter().zip(self.pulls).zip(self.strip.columns.clone());
        for ((weights, pulls), column) in squares {
            let there = kernel.sides.columns.group(column);
            for first in (0..LANES).step_by(2) {
                let q = squared_distances::<V, 2, SCALED>(here, there, &kernel.scales, first);
                for r in 0..2 {
                    let (_, slope) = kernel.profile.value_and_slope(q[r]);
                    let weight = V::load(&weights[first + r]).mul(variance);
                    weight.mul(slope).store(&mut pulls[first + r]);
                }
            }
        }
    }
}

/// Adds −Σⱼ pullᵢⱼ δ_d scale_d of each row and coordinate.
struct InputGradient<'a, P, const SCALED: bool> {
    kernel: &'a Prepared<P>,
    strip: &'a Strip,
    pulls: &'a [Square],
    grad: &'a mut [Pack],
}

impl<P: RadialProfile, const SCALED: bool> Task for InputGradient<'_, P, SCALED> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let kernel = self.kernel;
        let here = kernel.sides.rows.group(self.strip.rows);
        let coordinates = here.iter().zip(&kernel.scales).zip(self.grad).enumerate();
        for (d, ((here, &scale), grad)) in coordinates {
            let mut sums = [V::splat(0.0); LANES];
            for (pulls, column) in self.pulls.iter().zip(self.strip.columns.clone()) {
                let there = V::load(&kernel.sides.columns.group(column)[d]);
                for r in 0..LANES {
                    let delta = held::<V, SCALED>(here.0[r], there, scale);
                    sums[r] = V::load(&pulls[r]).mul_add(delta, sums[r]);
                }
            }
            for r in 0..LANES {
                grad.0[r] -= scale * sums[r].sum();
            }
        }
    }
}
