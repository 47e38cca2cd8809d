//! Vectors of single precision in plain Rust.

use super::{SINGLES, SinglePack, Singles, VANISHED, exp2_parts};
use crate::simd::vector::Vector;

/// Sixteen numbers as an array.
#[derive(Clone, Copy)]
pub(in crate::simd) struct PortableSingle([f32; SINGLES]);

/// Whether a fused multiply-add is an instruction here and not a library call.
const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

impl PortableSingle {
    #[inline(always)]
    fn zip(self, other: Self, value: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|lane| value(self.0[lane], other.0[lane])))
    }
}

impl Vector for PortableSingle {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::broadcast(value as f32)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        let entry = |lane: usize| {
            let (a, b, c) = (self.0[lane], factor.0[lane], term.0[lane]);
            if FUSED { a.mul_add(b, c) } else { a * b + c }
        };
        Self(std::array::from_fn(entry))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn exp2_neg(self) -> Self {
        let (power, steps) = exp2_parts(self);
        let shifted = power.zip(steps, |value, steps| {
            f32::from_bits(value.to_bits().wrapping_add(steps.to_bits() << 23))
        });
        shifted.zip(self, |value, exponent| if exponent <= VANISHED { value } else { 0.0 })
    }

    #[inline(always)]
    fn ln_1p(self) -> Self {
        Self(self.0.map(f32::ln_1p))
    }
}

impl Singles for PortableSingle {
    #[inline(always)]
    fn load(from: &SinglePack) -> Self {
        Self(from.0)
    }

    #[inline(always)]
    fn store(self, to: &mut SinglePack) {
        to.0 = self.0;
    }

    #[inline(always)]
    fn broadcast(value: f32) -> Self {
        Self([value; SINGLES])
    }
}
