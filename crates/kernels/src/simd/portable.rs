//! Vectors in plain Rust: what the compiler makes of arrays on any processor.

use super::lanes::{INTEGER, Lanes, SQRT_HALF, exp2_neg, ln_1p};
use super::pack::{LANES, Pack};
use super::single::PortableSingle;
use super::vector::Vector;

/// Eight numbers as an array.
#[derive(Clone, Copy)]
pub(super) struct Portable([f64; LANES]);

/// Whether a fused multiply-add is an instruction here and not a library call.
const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

impl Portable {
    #[inline(always)]
    fn map(self, value: impl Fn(f64) -> f64) -> Self {
        Self(self.0.map(value))
    }

    #[inline(always)]
    fn zip(self, other: Self, value: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|lane| value(self.0[lane], other.0[lane])))
    }
}

impl Vector for Portable {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; LANES])
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
        self.map(f64::abs)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    #[inline(always)]
    fn exp2_neg(self) -> Self {
        exp2_neg(self)
    }

    #[inline(always)]
    fn ln_1p(self) -> Self {
        ln_1p(self)
    }
}

impl Lanes for Portable {
    type Single = PortableSingle;

    const ROWS: usize = 2;

    #[inline(always)]
    fn fused(self, factor: Self, term: Self) -> Self {
        let entry = |lane: usize| self.0[lane].mul_add(factor.0[lane], term.0[lane]);
        Self(std::array::from_fn(entry))
    }

    #[inline(always)]
    fn load(from: &Pack) -> Self {
        Self(from.0)
    }

    #[inline(always)]
    fn store(self, to: &mut Pack) {
        to.0 = self.0;
    }

    #[inline(always)]
    fn shift_exponent(self, steps: Self, exponent: Self) -> Self {
        let shifted = self.zip(steps, |value, steps| {
            f64::from_bits(value.to_bits().wrapping_add(steps.to_bits() << 52))
        });
        shifted.zip(exponent, |value, exponent| if exponent <= 1021.0 { value } else { 0.0 })
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let steps = |value: f64| (value.to_bits().wrapping_sub(SQRT_HALF)) >> 52;
        let mantissa =
            self.map(|value| f64::from_bits(value.to_bits().wrapping_sub(steps(value) << 52)));
        let integer = f64::from_bits(INTEGER);
        (mantissa, self.map(|value| f64::from_bits(steps(value) | INTEGER) - integer))
    }
}
