//! The arithmetic of a kernel product alone: no memory, no loops but over pairs.

use std::hint::black_box;

use kernels::RadialProfile;
use kernels::simd::{Lanes, Pack, Task};

/// The operations a product spends on `squares` of 64 pairs: for each pair `d` subtractions and
/// `d` multiply-adds for the distance, the profile and the variance, and two multiply-adds a
/// column. Everything stays in registers.
pub(crate) struct Floor<'a, P> {
    pub(crate) profile: &'a P,
    pub(crate) d: usize,
    pub(crate) columns: usize,
    pub(crate) squares: usize,
}

impl<P: RadialProfile> Task for Floor<'_, P> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Lanes>(self) -> f64 {
        let start = V::load(black_box(&Pack::from_fn(|lane| 0.1 * lane as f64)));
        let step = V::splat(black_box(1e-9));
        let (mut rows, mut columns) = ([start; 8], [start; 8]);
        let mut there = start;
        for _ in 0..self.squares {
            there = there.add(step);
            for (row, column) in rows.iter_mut().zip(&mut columns) {
                let (mut delta, mut q) = (there, V::splat(0.0));
                for _ in 0..self.d {
                    delta = delta.sub(step);
                    q = delta.mul_add(delta, q);
                }
                let k = self.profile.value_and_slope(q).0.mul(start);
                for _ in 0..self.columns {
                    *row = k.mul_add(start, *row);
                    *column = k.mul_add(there, *column);
                }
            }
        }
        rows.into_iter().chain(columns).map(|sum| sum.sum()).sum()
    }
}
