//! Stationary kernels in single precision.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use super::{RadialProfile, Stationary};
use crate::points::{Inputs, Sides};
use crate::simd::{LANES, Lanes, SINGLES, Simd, SinglePack, SingleSquare, Singles, Task};
use crate::single::{PreparedSingle, SingleStrip, VARIANCES};

/// Coordinates lie within this many units of their mean: the differences of two rows err by at most
/// 2⁻²³ of the farther one, so 2⁻¹⁵ for the most outlying and hardly at all for the bulk.
const NEAR: f64 = 256.0;

/// A stationary kernel in single precision for one set of rows.
#[derive(Debug)]
pub(super) struct PreparedStationary<P> {
    profile: P,
    variance: f64,
    d: usize,
    /// Sixteen points together, a pack for each coordinate.
    points: Vec<SinglePack>,
    simd: Simd,
}

impl<P: RadialProfile> PreparedStationary<P> {
    /// `None` where single precision is not good enough.
    pub(super) fn new(kernel: &Stationary<P>, inputs: &Inputs<'_>) -> Option<Self> {
        let (n, d) = inputs.x().dim();
        let sides = inputs.pack_scaled(&kernel.scales(d))?;
        let points = points(&sides, crate::points::groups(n), d)?;
        let (profile, variance) = (kernel.profile.clone(), kernel.variance);
        VARIANCES.contains(&variance).then_some(Self {
            profile,
            variance,
            d,
            points,
            simd: inputs.simd(),
        })
    }

    #[inline(always)]
    fn group(&self, index: usize) -> &[SinglePack] {
        &self.points[index * self.d..(index + 1) * self.d]
    }
}

/// Points relative to their mean, rounded, if all are near it; the last group is filled up with the
/// last eight. The mean, not the middle: one row far out would put all others far from that.
fn points(sides: &Sides, groups: usize, d: usize) -> Option<Vec<SinglePack>> {
    let means: Vec<f64> = (0..d).map(|column| mean(sides, groups, column)).collect();
    let mut points = Vec::with_capacity(groups.div_ceil(2) * d);
    for first in (0..groups).step_by(2) {
        let halves = [sides.rows.group(first), sides.rows.group((first + 1).min(groups - 1))];
        for column in 0..d {
            let value = |lane: usize| halves[lane / LANES][column].0[lane % LANES] - means[column];
            if !(0..SINGLES).all(|lane| value(lane).abs() <= NEAR) {
                return None;
            }
            points.push(SinglePack(std::array::from_fn(|lane| value(lane) as f32)));
        }
    }
    Some(points)
}

fn mean(sides: &Sides, groups: usize, column: usize) -> f64 {
    let sum: f64 = (0..groups).flat_map(|group| sides.rows.group(group)[column].0).sum();
    sum / (groups * LANES) as f64
}

impl<P: RadialProfile> PreparedSingle for PreparedStationary<P> {
    fn fill(&self, strip: &SingleStrip, k: &mut [SingleSquare]) {
        self.simd.run(Fill { kernel: self, strip, k });
    }
}

/// Writes kernel values.
struct Fill<'a, P> {
    kernel: &'a PreparedStationary<P>,
    strip: &'a SingleStrip,
    k: &'a mut [SingleSquare],
}

impl<P: RadialProfile> Task for Fill<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        match V::ROWS {
            8 => self.by_rows::<V::Single, 8>(),
            4 => self.by_rows::<V::Single, 4>(),
            _ => self.by_rows::<V::Single, 2>(),
        }
    }
}

impl<P: RadialProfile> Fill<'_, P> {
    #[inline(always)]
    fn by_rows<S: Singles, const R: usize>(self) {
        let kernel = self.kernel;
        let (variance, here) = (S::splat(kernel.variance), kernel.group(self.strip.rows));
        for (square, column) in self.k.iter_mut().zip(self.strip.columns.clone()) {
            let there = kernel.group(column);
            for first in (0..SINGLES).step_by(R) {
                let mut q = [S::splat(0.0); R];
                for (here, there) in here.iter().zip(there) {
                    let there = S::load(there);
                    for r in 0..R {
                        let delta = S::broadcast(here.0[first + r]).sub(there);
                        q[r] = delta.mul_add(delta, q[r]);
                    }
                }
                for r in 0..R {
                    kernel.profile.scaled_value(q[r], variance).store(&mut square[first + r]);
                }
            }
        }
    }
}
