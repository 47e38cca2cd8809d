//! Stationary kernels in single precision.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use super::{RadialProfile, Stationary};
use crate::points::{Inputs, Sides};
use crate::simd::{LANES, Lanes, SINGLES, Simd, SinglePack, SingleSquare, Singles, Task};
use crate::single::{PreparedSingle, SingleStrip, VARIANCES};

/// All coordinates but outliers lie within this many units of the median: their differences err by
/// at most 2⁻¹⁷.
const NEAR: f64 = 64.0;
/// One row in so many may be an outlier.
const OUTLIERS: usize = 100;
/// No coordinate is farther from the median: squares stay finite. An outlier is coarse among its like,
/// which are few, and without covariance with all others.
const FAR: f64 = 65_536.0;

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
        let sides = inputs.pack_relative(&kernel.scales(d));
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

/// Points relative to their median, rounded, if they are near it; the last group is filled up with
/// the last eight. The median, for one row far out puts all others far from a middle or a mean.
fn points(sides: &Sides, groups: usize, d: usize) -> Option<Vec<SinglePack>> {
    let medians = (0..d).map(|column| near_median(sides, groups, column));
    let medians = medians.collect::<Option<Vec<f64>>>()?;
    let mut points = Vec::with_capacity(groups.div_ceil(2) * d);
    for first in (0..groups).step_by(2) {
        let halves = [sides.rows.group(first), sides.rows.group((first + 1).min(groups - 1))];
        for column in 0..d {
            let median = medians[column];
            let value = |lane: usize| halves[lane / LANES][column].0[lane % LANES] - median;
            points.push(SinglePack(std::array::from_fn(|lane| value(lane) as f32)));
        }
    }
    Some(points)
}

/// The median of a column, if its entries are near enough to it; 0 without entries.
fn near_median(sides: &Sides, groups: usize, column: usize) -> Option<f64> {
    let group = |group| sides.rows.group(group)[column].0;
    let mut values: Vec<f64> = (0..groups).flat_map(group).collect();
    let half = values.len() / 2;
    let Some(_) = values.first() else { return Some(0.0) };
    let median = *values.select_nth_unstable_by(half, f64::total_cmp).1;
    let farther = |limit: f64| values.iter().filter(|v| (*v - median).abs() > limit).count();
    (farther(FAR) == 0 && farther(NEAR) * OUTLIERS <= values.len()).then_some(median)
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
                    let q = q[r].min(S::splat(P::FAR));
                    kernel.profile.scaled_value(q, variance).store(&mut square[first + r]);
                }
            }
        }
    }
}
