//! Vectors of single precision as AVX-512 registers.
//!
//! SAFETY of every block: the instructions need avx512f and avx512dq, and a [`Vector`] method is
//! called only within `run_avx512`, which is entered only where both were found. Loads and stores
//! are of whole [`SinglePack`]s behind references.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{ROUND, SinglePack, Singles};
use crate::simd::vector::Vector;

/// Sixteen numbers in one register.
#[derive(Clone, Copy)]
pub(in crate::simd) struct Avx512Single(__m512);

/// 2^(j/16).
static SIXTEENTHS: SinglePack = SinglePack([
    1.0,
    1.044_273_8,
    1.090_507_7,
    1.138_788_6,
    1.189_207_1,
    1.241_857_8,
    1.296_839_6,
    1.354_255_5,
    std::f32::consts::SQRT_2,
    1.476_826_1,
    1.542_210_8,
    1.610_490_3,
    1.681_792_8,
    1.756_252_2,
    1.834_008_1,
    1.915_206_6,
]);
/// Coefficients of (2^(−f) − 1)/f for |f| ≤ 1/32; relative error of 2^(−f) below 1e-8.
const EXP2: [f64; 3] = [-std::f64::consts::LN_2, 0.240_226_506_959_1, -0.055_504_108_664_8];

/// A lane-wise function from an instruction.
macro_rules! lanewise {
    ($($name:ident($($argument:ident),*) = $instruction:ident;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $argument: Self)*) -> Self {
            // SAFETY: see the module.
            Self(unsafe { $instruction(self.0 $(, $argument.0)*) })
        }
    )*};
}

impl Vector for Avx512Single {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::broadcast(value as f32)
    }

    lanewise! {
        add(other) = _mm512_add_ps;
        sub(other) = _mm512_sub_ps;
        mul(other) = _mm512_mul_ps;
        div(other) = _mm512_div_ps;
        min(other) = _mm512_min_ps;
        max(other) = _mm512_max_ps;
        mul_add(factor, term) = _mm512_fmadd_ps;
        abs() = _mm512_abs_ps;
    }

    /// s = x y with y ≈ x^(−½) to 14 bits, then s (1 + e/2) with e = 1 − s y.
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        let inverse = Self(unsafe { _mm512_rsqrt14_ps(self.max(Self::splat(1e-35)).0) });
        let root = self.mul(inverse);
        // SAFETY: see the module.
        let error = Self(unsafe { _mm512_fnmadd_ps(root.0, inverse.0, _mm512_set1_ps(1.0)) });
        root.mul(Self::splat(0.5)).mul_add(error, root)
    }

    /// In sixteenths: a table of sixteen in a register, and a short polynomial.
    #[inline(always)]
    fn exp2_neg(self) -> Self {
        let round = Self::splat(ROUND / 16.0);
        let steps = round.sub(self);
        let sixteenths = steps.sub(round);
        let rest = self.add(sixteenths);
        let table = Self::load(&SIXTEENTHS);
        // SAFETY: see the module. The table is addressed by the last four bits of `steps`.
        let power = unsafe { _mm512_permutexvar_ps(_mm512_castps_si512(steps.0), table.0) };
        let power = Self(power);
        let power = power.mul_add(rest.mul(rest.horner(&EXP2)), power);
        // SAFETY: see the module. Scales by two to the power of `sixteenths` rounded down.
        Self(unsafe { _mm512_scalef_ps(power.0, sixteenths.0) })
    }

    #[inline(always)]
    fn ln_1p(self) -> Self {
        let mut numbers = SinglePack::ZERO;
        self.store(&mut numbers);
        Self::load(&SinglePack(numbers.0.map(f32::ln_1p)))
    }
}

impl Singles for Avx512Single {
    #[inline(always)]
    fn load(from: &SinglePack) -> Self {
        // SAFETY: see the module; a pack is sixteen numbers, aligned to 64 bytes.
        Self(unsafe { _mm512_load_ps(from.0.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut SinglePack) {
        // SAFETY: see the module; a pack is sixteen numbers, aligned to 64 bytes.
        unsafe { _mm512_store_ps(to.0.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn broadcast(value: f32) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    /// Eight vectors at once, and there are no fewer: each step folds the lanes of two into one.
    #[inline(always)]
    fn sums<const R: usize>(vectors: &[Self; R], sums: &mut [f32]) {
        assert!(R.is_multiple_of(8), "vectors come by eight");
        for (v, sums) in vectors.chunks_exact(8).zip(sums.chunks_exact_mut(8)) {
            let even = fold(halves(v[0], v[2]), halves(v[4], v[6]));
            let odd = fold(halves(v[1], v[3]), halves(v[5], v[7]));
            let mut lanes = SinglePack::ZERO;
            quarters(even, odd).store(&mut lanes);
            for (sums, lanes) in sums.chunks_exact_mut(2).zip(lanes.0.chunks_exact(4)) {
                sums.copy_from_slice(&lanes[..2]);
            }
        }
    }
}

/// The upper halves of both added to their lower ones, which end side by side.
#[inline(always)]
fn halves(a: Avx512Single, b: Avx512Single) -> Avx512Single {
    // SAFETY: see the module.
    let lower = Avx512Single(unsafe { _mm512_shuffle_f32x4::<0b01_00_01_00>(a.0, b.0) });
    // SAFETY: see the module.
    let upper = Avx512Single(unsafe { _mm512_shuffle_f32x4::<0b11_10_11_10>(a.0, b.0) });
    lower.add(upper)
}

/// The same of each half: the four sums of a and b, of four lanes each.
#[inline(always)]
fn fold(a: Avx512Single, b: Avx512Single) -> Avx512Single {
    // SAFETY: see the module.
    let lower = Avx512Single(unsafe { _mm512_shuffle_f32x4::<0b10_00_10_00>(a.0, b.0) });
    // SAFETY: see the module.
    let upper = Avx512Single(unsafe { _mm512_shuffle_f32x4::<0b11_01_11_01>(a.0, b.0) });
    lower.add(upper)
}

/// The sums of the four lanes of each quarter of a and of b, in the first two lanes of the quarter.
#[inline(always)]
fn quarters(a: Avx512Single, b: Avx512Single) -> Avx512Single {
    // SAFETY: see the module.
    let lower = Avx512Single(unsafe { _mm512_unpacklo_ps(a.0, b.0) });
    // SAFETY: see the module.
    let upper = Avx512Single(unsafe { _mm512_unpackhi_ps(a.0, b.0) });
    let pairs = lower.add(upper);
    // SAFETY: see the module.
    let second = Avx512Single(unsafe { _mm512_permute_ps::<0b11_10_11_10>(pairs.0) });
    pairs.add(second)
}
