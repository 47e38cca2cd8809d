//! What the arithmetic of a kernel entry takes when nothing has to be fetched or written.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use std::hint::black_box;
use std::time::Instant;

use kernels::simd::{LANES, Lanes, Simd, Task};
use kernels::{
    Matern32Profile, Matern52Profile, RadialProfile, SquaredExponentialProfile as SeProfile,
};

use crate::{Kind, clock};

/// The arithmetic done once a pair of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    /// Coordinates: a subtraction and a multiply-add each.
    pub(crate) d: usize,
    /// Whether the slope is wanted beside the value.
    pub(crate) slope: bool,
    /// Multiply-adds with the value or the slope of each term of the kernel.
    pub(crate) per_term: usize,
    /// Multiply-adds that are done once, whatever the terms.
    pub(crate) once: usize,
}

/// Pairs in one timed loop, more or less.
const PAIRS: usize = 4_000_000;
/// Loops of which the median is taken.
const LOOPS: usize = 7;
/// Squares after which coordinates start again, so that distances stay ordinary.
const RESTART: usize = 64;

/// ns a pair takes one core when `threads` do this at once.
pub(crate) fn ns_per_pair(kernel: Kind, work: Work, threads: usize) -> f64 {
    match kernel {
        Kind::Se => ns(SeProfile, work, threads),
        Kind::Matern32 => ns(Matern32Profile, work, threads),
        Kind::Matern52 => ns(Matern52Profile, work, threads),
        Kind::Sum => {
            // Of the first term a value is added to that of the second; slopes stay apart.
            let first = Work { once: usize::from(!work.slope), ..work };
            ns(Matern32Profile, first, threads) + ns(SeProfile, work, threads)
        }
    }
}

fn ns<P: RadialProfile>(profile: P, work: Work, threads: usize) -> f64 {
    let each = rayon::broadcast(|_| {
        let mut times: Vec<f64> = (0..LOOPS).map(|_| once(&profile, work)).collect();
        clock::median(&mut times)
    });
    each.iter().sum::<f64>() / threads as f64
}

/// ns a pair in one loop.
fn once<P: RadialProfile>(profile: &P, work: Work) -> f64 {
    let start = Instant::now();
    let (pairs, sum) = Simd::detect().run(Arithmetic { profile, work: black_box(work) });
    black_box(sum);
    start.elapsed().as_secs_f64() * 1e9 / pairs as f64
}

/// The loop; tells the pairs it went through, and a sum so that all of it is needed.
struct Arithmetic<'a, P> {
    profile: &'a P,
    work: Work,
}

impl<P: RadialProfile> Task for Arithmetic<'_, P> {
    type Output = (usize, f64);

    #[inline(always)]
    fn run<V: Lanes>(self) -> (usize, f64) {
        match V::ROWS {
            8 => self.by_rows::<V, 8>(),
            4 => self.by_rows::<V, 4>(),
            _ => self.by_rows::<V, 2>(),
        }
    }
}

impl<P: RadialProfile> Arithmetic<'_, P> {
    #[inline(always)]
    fn by_rows<V: Lanes, const R: usize>(self) -> (usize, f64) {
        let steps = PAIRS / (LANES * R * RESTART);
        let mut totals = [V::splat(0.0); R];
        for _ in 0..steps {
            self.squares::<V, R>(&mut totals);
        }
        let mut sum = V::splat(0.0);
        for r in 0..R {
            sum = sum.add(totals[r]);
        }
        (steps * RESTART * LANES * R, sum.sum())
    }

    /// [`RESTART`] times the pairs of `R` rows with eight others, whose coordinates go up in steps: no two differences are
    /// equal, so none is taken only once.
    #[inline(always)]
    fn squares<V: Lanes, const R: usize>(&self, totals: &mut [V; R]) {
        let step = V::splat(1.0 / (RESTART * self.work.d) as f64);
        let mut here = [step; R];
        for r in 1..R {
            here[r] = here[r - 1].add(step);
        }
        let (mut there, mut sums) = (step, *totals);
        for _ in 0..RESTART {
            let mut q = [V::splat(0.0); R];
            for _ in 0..self.work.d {
                there = there.add(step);
                for r in 0..R {
                    let delta = here[r].sub(there);
                    q[r] = delta.mul_add(delta, q[r]);
                }
            }
            self.values(q, there, &mut sums);
        }
        *totals = sums;
    }

    /// The profile, and what is done with it.
    #[inline(always)]
    fn values<V: Lanes, const R: usize>(&self, mut q: [V; R], weight: V, sums: &mut [V; R]) {
        for r in 0..R {
            let (value, slope) = self.profile.value_and_slope(q[r]);
            q[r] = value;
            if self.work.slope {
                sums[r] = value.mul_add(weight, sums[r]);
                q[r] = slope.mul(weight);
            }
        }
        for _ in 0..self.work.per_term + self.work.once {
            for r in 0..R {
                sums[r] = q[r].mul_add(weight, sums[r]);
            }
        }
    }
}
