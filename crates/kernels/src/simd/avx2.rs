//! Vectors as pairs of AVX2 registers, with fused multiply-add.
//!
//! SAFETY of every block: the instructions need avx2 and fma, and a [`Lanes`] method is called
//! only within `run_avx2`, which is entered only where both were found. Loads and stores are of
//! whole [`Pack`]s behind references.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::lanes::{INTEGER, Lanes, SQRT_HALF, exp2_neg, ln_1p};
use super::pack::Pack;
use super::single::Avx2Single;
use super::vector::Vector;

/// Eight numbers in two registers.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256d, __m256d);

/// A lane-wise function of one to three vectors from an instruction on half of each.
macro_rules! lanewise {
    ($($name:ident($($argument:ident),*) = $instruction:ident($($operand:ident),*);)*) => {$(
        #[inline(always)]
        fn $name(self $(, $argument: Self)*) -> Self {
            lanewise!(@one self, $instruction, $($operand),*)
        }
    )*};
    (@one $this:ident, $instruction:ident, $a:ident) => {{
        let _ = stringify!($a);
        // SAFETY: see the module.
        unsafe { Self($instruction($this.0), $instruction($this.1)) }
    }};
    (@one $this:ident, $instruction:ident, $a:ident, $b:ident) => {{
        let _ = stringify!($a);
        // SAFETY: see the module.
        unsafe { Self($instruction($this.0, $b.0), $instruction($this.1, $b.1)) }
    }};
    (@one $this:ident, $instruction:ident, $a:ident, $b:ident, $c:ident) => {{
        let _ = stringify!($a);
        // SAFETY: see the module.
        unsafe { Self($instruction($this.0, $b.0, $c.0), $instruction($this.1, $b.1, $c.1)) }
    }};
}

pub(in crate::simd) use lanewise;

impl Vector for Avx2 {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: see the module.
        let half = unsafe { _mm256_set1_pd(value) };
        Self(half, half)
    }

    lanewise! {
        add(other) = _mm256_add_pd(this, other);
        sub(other) = _mm256_sub_pd(this, other);
        mul(other) = _mm256_mul_pd(this, other);
        div(other) = _mm256_div_pd(this, other);
        min(other) = _mm256_min_pd(this, other);
        max(other) = _mm256_max_pd(this, other);
        mul_add(factor, term) = _mm256_fmadd_pd(this, factor, term);
        sqrt() = _mm256_sqrt_pd(this);
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            Self(_mm256_andnot_pd(sign, self.0), _mm256_andnot_pd(sign, self.1))
        }
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

impl Lanes for Avx2 {
    type Single = Avx2Single;

    const ROWS: usize = 4;

    #[inline(always)]
    fn load(from: &Pack) -> Self {
        let from = from.0.as_ptr();
        // SAFETY: see the module; a pack is eight numbers, aligned to 64 bytes.
        unsafe { Self(_mm256_load_pd(from), _mm256_load_pd(from.add(4))) }
    }

    #[inline(always)]
    fn store(self, to: &mut Pack) {
        let to = to.0.as_mut_ptr();
        // SAFETY: see the module; a pack is eight numbers, aligned to 64 bytes.
        unsafe {
            _mm256_store_pd(to, self.0);
            _mm256_store_pd(to.add(4), self.1);
        }
    }

    #[inline(always)]
    fn shift_exponent(self, steps: Self, exponent: Self) -> Self {
        Self(shift(self.0, steps.0, exponent.0), shift(self.1, steps.1, exponent.1))
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let (first, second) = (split(self.0), split(self.1));
        (Self(first.0, second.0), Self(first.1, second.1))
    }
}

#[inline(always)]
fn shift(value: __m256d, steps: __m256d, exponent: __m256d) -> __m256d {
    // SAFETY: see the module.
    unsafe {
        let steps = _mm256_slli_epi64::<52>(_mm256_castpd_si256(steps));
        let shifted = _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(value), steps));
        let normal = _mm256_cmp_pd::<_CMP_LE_OQ>(exponent, _mm256_set1_pd(1021.0));
        _mm256_and_pd(shifted, normal)
    }
}

#[inline(always)]
fn split(value: __m256d) -> (__m256d, __m256d) {
    // SAFETY: see the module.
    unsafe {
        let bits = _mm256_castpd_si256(value);
        let half = _mm256_set1_epi64x(SQRT_HALF.cast_signed());
        let integer = _mm256_set1_epi64x(INTEGER.cast_signed());
        let steps = _mm256_srli_epi64::<52>(_mm256_sub_epi64(bits, half));
        let mantissa = _mm256_sub_epi64(bits, _mm256_slli_epi64::<52>(steps));
        let exponent = _mm256_castsi256_pd(_mm256_or_si256(steps, integer));
        let exponent = _mm256_sub_pd(exponent, _mm256_castsi256_pd(integer));
        (_mm256_castsi256_pd(mantissa), exponent)
    }
}
