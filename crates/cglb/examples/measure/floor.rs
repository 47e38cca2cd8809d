//! What the arithmetic of a kernel entry takes when nothing has to be fetched from afar or written.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use std::hint::black_box;
use std::time::Instant;

use kernels::simd::{LANES, Lanes, Pack, Simd, Task};
use kernels::{
    Matern32Profile, Matern52Profile, RadialProfile, SquaredExponentialProfile as SeProfile,
};

use crate::Kind;

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

/// Pairs in one timed loop.
const PAIRS: usize = 1 << 21;
/// Loops of which the fastest counts: whatever else the machine does only adds.
const LOOPS: usize = 15;

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
        (0..LOOPS).map(|_| once(&profile, work)).fold(f64::INFINITY, f64::min)
    });
    each.iter().sum::<f64>() / threads as f64
}

/// ns a pair in one loop.
fn once<P: RadialProfile>(profile: &P, work: Work) -> f64 {
    let there: Vec<Pack> =
        (0..work.d).map(|k| Pack::from_fn(|lane| (1 + k + lane) as f64 / 8.0)).collect();
    let start = Instant::now();
    let sum = Simd::detect().run(Arithmetic { profile, work, there: black_box(&there) });
    black_box(sum);
    start.elapsed().as_secs_f64() * 1e9 / PAIRS as f64
}

/// The loop; its result is a sum that needs every pair.
struct Arithmetic<'a, P> {
    profile: &'a P,
    work: Work,
    /// Coordinates of eight points, of which a core has each at hand when it wants it.
    there: &'a [Pack],
}

impl<P: RadialProfile> Task for Arithmetic<'_, P> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Lanes>(self) -> f64 {
        match V::ROWS {
            8 => self.by_rows::<V, 8>(),
            4 => self.by_rows::<V, 4>(),
            _ => self.by_rows::<V, 2>(),
        }
    }
}

impl<P: RadialProfile> Arithmetic<'_, P> {
    /// `R` rows, which move a little after each square: no two squares are equal, so none is taken only once.
    #[inline(always)]
    fn by_rows<V: Lanes, const R: usize>(self) -> f64 {
        let step = V::splat(black_box(1e-9));
        let (mut here, mut sums) = ([step; R], [V::splat(0.0); R]);
        for r in 0..R {
            here[r] = V::splat(black_box(r as f64 / 8.0));
        }
        for _ in 0..PAIRS / (LANES * R) {
            let mut q = [V::splat(0.0); R];
            for there in self.there {
                let there = V::load(there);
                for r in 0..R {
                    let delta = here[r].sub(there);
                    q[r] = delta.mul_add(delta, q[r]);
                }
            }
            for r in 0..R {
                here[r] = here[r].add(step);
            }
            self.values(q, step, &mut sums);
        }
        let mut sum = V::splat(0.0);
        for r in 0..R {
            sum = sum.add(sums[r]);
        }
        sum.sum()
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
