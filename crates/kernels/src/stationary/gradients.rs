//! Both gradients of stationary kernels a strip at a time.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use super::RadialProfile;
use super::tile::{Prepared, held, squared_distances};
use crate::prepared::Strip;
use crate::simd::{LANES, Lanes, Pack, Square, Task};

/// Adds −s² Σⱼ pullᵢⱼ δ_d scale_d to the gradient of each row and coordinate; leaves Σ pull δ_d² in
/// `sums`, and returns Σ W κ and that of W times the shape derivative. A pull is −2 κ' W.
pub(super) struct Gradients<'a, P, const SCALED: bool> {
    pub(super) kernel: &'a Prepared<P>,
    pub(super) strip: &'a Strip,
    pub(super) weights: &'a [Square],
    pub(super) pulls: &'a mut [Square],
    pub(super) sums: &'a mut [Pack],
    pub(super) grad_x: &'a mut [Pack],
}

impl<P: RadialProfile, const SCALED: bool> Task for Gradients<'_, P, SCALED> {
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

impl<P: RadialProfile, const SCALED: bool> Gradients<'_, P, SCALED> {
    #[inline(always)]
    fn by_rows<V: Lanes, const R: usize>(mut self) -> [f64; 2] {
        let found = self.pulls::<V, R>();
        for d in 0..self.kernel.scales.len() {
            let mut totals = [V::splat(0.0); 2];
            for first in (0..LANES).step_by(R) {
                self.coordinate::<V, R>(d, first, &mut totals);
            }
            totals[0].add(totals[1]).store(&mut self.sums[d]);
        }
        found
    }

    /// Writes the pulls.
    #[inline(always)]
    fn pulls<V: Lanes, const R: usize>(&mut self) -> [f64; 2] {
        let (kernel, profile) = (self.kernel, &self.kernel.profile);
        let here = kernel.sides.rows.group(self.strip.rows);
        let (mut value_sum, mut shape_sum) = (V::splat(0.0), V::splat(0.0));
        let squares = self.weights.iter().zip(self.pulls.iter_mut());
        for ((weights, pulls), column) in squares.zip(self.strip.columns.clone()) {
            let there = kernel.sides.columns.group(column);
            for first in (0..LANES).step_by(R) {
                let q = squared_distances::<P, V, R, SCALED>(here, there, &kernel.scales, first);
                for r in 0..R {
                    let weight = V::load(&weights[first + r]);
                    let (value, slope) = profile.value_and_slope(q[r]);
                    value_sum = weight.mul_add(value, value_sum);
                    weight.mul(slope).store(&mut pulls[first + r]);
                    if profile.shape().is_some() {
                        shape_sum = weight.mul_add(profile.shape_derivative(q[r]), shape_sum);
                    }
                }
            }
        }
        [value_sum.sum(), shape_sum.sum()]
    }

    /// What coordinate `d` adds for `R` rows from `first` on.
    #[inline(always)]
    fn coordinate<V: Lanes, const R: usize>(
        &mut self,
        d: usize,
        first: usize,
        totals: &mut [V; 2],
    ) {
        let (kernel, scale) = (self.kernel, self.kernel.scales[d]);
        let here = &kernel.sides.rows.group(self.strip.rows)[d];
        let mut sums = [V::splat(0.0); R];
        for (pulls, column) in self.pulls.iter().zip(self.strip.columns.clone()) {
            let there = V::load(&kernel.sides.columns.group(column)[d]);
            for r in 0..R {
                let delta = held::<V, SCALED>(here.0[first + r], there, scale);
                let moment = V::load(&pulls[first + r]).mul(delta);
                sums[r] = sums[r].add(moment);
                totals[r % 2] = moment.mul_add(delta, totals[r % 2]);
            }
        }
        for r in 0..R {
            self.grad_x[d].0[first + r] -= kernel.variance * scale * sums[r].sum();
        }
    }
}
