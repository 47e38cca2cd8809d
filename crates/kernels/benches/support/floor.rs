//! The arithmetic of a kernel product alone: no memory, no loops but over pairs.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

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
        if V::ROWS == 8 { self.by_rows::<V, 8>() } else { self.by_rows::<V, 2>() }
    }
}

impl<P: RadialProfile> Floor<'_, P> {
    /// `R` rows at a time, so that no operation waits for the one before.
    #[inline(always)]
    fn by_rows<V: Lanes, const R: usize>(self) -> f64 {
        let start = V::load(black_box(&Pack::from_fn(|lane| 0.1 * lane as f64)));
        let step = V::splat(black_box(1e-9));
        let (mut rows, mut columns, mut there) = ([start; R], [start; R], start);
        for _ in 0..8 / R * self.squares {
            there = there.add(step);
            let (mut deltas, mut q) = ([there; R], [V::splat(0.0); R]);
            for r in 0..R {
                deltas[r] = rows[r].min(there);
            }
            for _ in 0..self.d {
                for r in 0..R {
                    deltas[r] = deltas[r].sub(step);
                    q[r] = deltas[r].mul_add(deltas[r], q[r]);
                }
            }
            for r in 0..R {
                q[r] = self.profile.value_and_slope(q[r]).0.mul(start);
            }
            for _ in 0..self.columns {
                for r in 0..R {
                    rows[r] = q[r].mul_add(start, rows[r]);
                    columns[r] = q[r].mul_add(there, columns[r]);
                }
            }
        }
        rows.into_iter().chain(columns).map(|sum| sum.sum()).sum()
    }
}
