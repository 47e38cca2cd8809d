//! Vectors of single precision as pairs of AVX2 registers, with fused multiply-add.
//!
//! SAFETY of every block: the instructions need avx2 and fma, and a [`Vector`] method is called
//! only within `run_avx2`, which is entered only where both were found. Loads and stores are of
//! whole [`SinglePack`]s behind references.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{SinglePack, Singles, VANISHED, exp2_parts};
use crate::simd::avx2::lanewise;
use crate::simd::vector::Vector;

/// Sixteen numbers in two registers.
#[derive(Clone, Copy)]
pub(in crate::simd) struct Avx2Single(__m256, __m256);

impl Vector for Avx2Single {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::broadcast(value as f32)
    }

    lanewise! {
        add(other) = _mm256_add_ps(this, other);
        sub(other) = _mm256_sub_ps(this, other);
        mul(other) = _mm256_mul_ps(this, other);
        div(other) = _mm256_div_ps(this, other);
        min(other) = _mm256_min_ps(this, other);
        max(other) = _mm256_max_ps(this, other);
        mul_add(factor, term) = _mm256_fmadd_ps(this, factor, term);
        sqrt() = _mm256_sqrt_ps(this);
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.max(Self::splat(0.0).sub(self))
    }

    #[inline(always)]
    fn exp2_neg(self) -> Self {
        let (power, steps) = exp2_parts(self);
        Self(shift(power.0, steps.0, self.0), shift(power.1, steps.1, self.1))
    }

    #[inline(always)]
    fn ln_1p(self) -> Self {
        let mut numbers = SinglePack::ZERO;
        self.store(&mut numbers);
        Self::load(&SinglePack(numbers.0.map(f32::ln_1p)))
    }
}

impl Singles for Avx2Single {
    #[inline(always)]
    fn load(from: &SinglePack) -> Self {
        let from = from.0.as_ptr();
        // SAFETY: see the module; a pack is sixteen numbers, aligned to 64 bytes.
        unsafe { Self(_mm256_load_ps(from), _mm256_load_ps(from.add(8))) }
    }

    #[inline(always)]
    fn store(self, to: &mut SinglePack) {
        let to = to.0.as_mut_ptr();
        // SAFETY: see the module; a pack is sixteen numbers, aligned to 64 bytes.
        unsafe {
            _mm256_store_ps(to, self.0);
            _mm256_store_ps(to.add(8), self.1);
        }
    }

    #[inline(always)]
    fn broadcast(value: f32) -> Self {
        // SAFETY: see the module.
        let half = unsafe { _mm256_set1_ps(value) };
        Self(half, half)
    }
}

#[inline(always)]
fn shift(value: __m256, steps: __m256, exponent: __m256) -> __m256 {
    // SAFETY: see the module.
    unsafe {
        let steps = _mm256_slli_epi32::<23>(_mm256_castps_si256(steps));
        let shifted = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(value), steps));
        let normal = _mm256_cmp_ps::<_CMP_LE_OQ>(exponent, _mm256_set1_ps(VANISHED));
        _mm256_and_ps(shifted, normal)
    }
}
