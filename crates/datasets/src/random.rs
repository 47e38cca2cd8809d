//! The few random choices made here, written out so that a seed keeps its meaning when libraries change.

use rand::Rng;

/// Uniform on [0, 1), a multiple of 2⁻⁵³.
fn unit(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// Uniform on [low, high).
pub(crate) fn uniform(rng: &mut impl Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * unit(rng)
}

/// Uniform on 0, …, count − 1, without bias: values of the last incomplete round are drawn again.
fn below(rng: &mut impl Rng, count: u64) -> u64 {
    let rejected = (u64::MAX % count + 1) % count;
    loop {
        let drawn = rng.next_u64();
        if drawn <= u64::MAX - rejected {
            return drawn % count;
        }
    }
}

/// A random order of 0, …, n − 1 (Fisher–Yates).
pub(crate) fn permutation(rng: &mut impl Rng, n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for last in (1..n).rev() {
        let chosen = below(rng, last as u64 + 1) as usize;
        order.swap(last, chosen);
    }
    order
}
