//! Sixteen numbers in single precision: for conjugate gradients' directions alone.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use super::vector::Vector;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2Single;
#[cfg(target_arch = "x86_64")]
pub(super) use avx512::Avx512Single;
pub(super) use portable::PortableSingle;

/// Numbers in a vector of single precision.
pub const SINGLES: usize = 16;

/// Sixteen numbers in memory, on a cache line of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct SinglePack(pub [f32; SINGLES]);

/// A block of 16 × 16 numbers, a [`SinglePack`] for each row.
pub type SingleSquare = [SinglePack; SINGLES];

impl SinglePack {
    /// Sixteen zeros.
    pub const ZERO: Self = Self([0.0; SINGLES]);

    /// The sum, in an order that lets vector instructions do it.
    #[inline(always)]
    #[must_use]
    pub fn sum(&self) -> f32 {
        let eight: [f32; 8] = std::array::from_fn(|lane| self.0[lane] + self.0[lane + 8]);
        let four: [f32; 4] = std::array::from_fn(|lane| eight[lane] + eight[lane + 4]);
        (four[0] + four[2]) + (four[1] + four[3])
    }
}

/// Sixteen numbers in registers, in single precision.
pub trait Singles: Vector {
    /// Reads memory.
    fn load(from: &SinglePack) -> Self;
    /// Writes memory.
    fn store(self, to: &mut SinglePack);
    /// The same number in every lane.
    fn broadcast(value: f32) -> Self;

    /// The sum of the lanes of each vector, as [`SinglePack::sum`] has it, to the last bit.
    #[inline(always)]
    fn sums<const R: usize>(vectors: &[Self; R], sums: &mut [f32]) {
        for r in 0..R {
            let mut lanes = SinglePack::ZERO;
            vectors[r].store(&mut lanes);
            sums[r] = lanes.sum();
        }
    }
}

/// Coefficients of (2^(−f) − 1)/f for |f| ≤ ½; relative error of 2^(−f) below 1e-8.
const EXP2: [f64; 7] = [
    -std::f64::consts::LN_2,
    0.240_226_506_959_100_97,
    -0.055_504_108_664_821_6,
    0.009_618_129_107_606_888,
    -0.001_333_355_814_641_693_6,
    0.000_154_035_304_417_360_5,
    -1.525_273_382_983_612e-5,
];
/// 1.5 · 2²³: adding and subtracting it rounds to an integer.
const ROUND: f64 = 12_582_912.0;
/// Beyond this 2^(−x) would be subnormal, and is 0.
const VANISHED: f32 = 125.0;

/// 2^(−x) = 2ⁿ power, as power and 1.5 · 2²³ + n.
#[inline(always)]
fn exp2_parts<V: Vector>(x: V) -> (V, V) {
    let round = V::splat(ROUND);
    let steps = round.sub(x);
    let rest = x.add(steps.sub(round));
    (rest.mul_add(rest.horner(&EXP2), V::splat(1.0)), steps)
}
