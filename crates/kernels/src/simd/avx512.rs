//! Vectors as AVX-512 registers.
//!
//! SAFETY of every block: the instructions need avx512f, avx512dq, avx512vl, avx512bw and fma,
//! and a [`Lanes`] method is called only within `run_avx512`, which is entered only where all of
//! them were found. Loads and stores are of whole [`Pack`]s behind references.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::lanes::{INTEGER, Lanes, ROUND, SQRT_HALF, ln_1p};
use super::pack::{Pack, Square};
use super::single::Avx512Single;
use super::vector::Vector;

/// Eight numbers in one register.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512d);

/// 2^(j/16), in two registers.
static SIXTEENTHS: [Pack; 2] = [
    Pack([
        1.0,
        1.044_273_782_427_413_8,
        1.090_507_732_665_257_7,
        1.138_788_634_756_691_6,
        1.189_207_115_002_721,
        1.241_857_812_073_484,
        1.296_839_554_651_009_6,
        1.354_255_546_936_892_7,
    ]),
    Pack([
        std::f64::consts::SQRT_2,
        1.476_826_145_939_499_3,
        1.542_210_825_407_940_7,
        1.610_490_331_949_254_3,
        1.681_792_830_507_429,
        1.756_252_160_373_299_5,
        1.834_008_086_409_342_4,
        1.915_206_561_397_147_4,
    ]),
];
/// Coefficients of (2^(−f) − 1)/f for |f| ≤ 1/32; relative error of 2^(−f) below 2e-17.
const EXP2: [f64; 6] = [
    -0.693_147_180_559_945_8,
    0.240_226_506_959_100_75,
    -0.055_504_108_656_639_3,
    0.009_618_129_106_919_538,
    -0.001_333_378_157_678_427,
    0.000_154_037_239_807_492_56,
];

impl Vector for Avx512 {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_set1_pd(value) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_div_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_fmadd_pd(self.0, factor.0, term.0) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_min_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_max_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_abs_pd(self.0) })
    }

    /// s = x y with y ≈ x^(−½) to 14 bits, then s (1 − e)^(−½) with e = 1 − s y, to e³. The
    /// divider would take three times as long.
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        let inverse = Self(unsafe { _mm512_rsqrt14_pd(self.max(Self::splat(1e-290)).0) });
        let root = self.mul(inverse);
        // SAFETY: see the module.
        let error = Self(unsafe { _mm512_fnmadd_pd(root.0, inverse.0, _mm512_set1_pd(1.0)) });
        let series = error.horner(&[0.5, 0.375, 0.3125]);
        root.mul(error).mul_add(series, root)
    }

    /// In sixteenths: a table of sixteen in two registers, and a shorter polynomial.
    #[inline(always)]
    fn exp2_neg(self) -> Self {
        let round = Self::splat(ROUND / 16.0);
        let steps = round.sub(self);
        let sixteenths = steps.sub(round);
        let rest = self.add(sixteenths);
        let (low, high) = (Self::load(&SIXTEENTHS[0]).0, Self::load(&SIXTEENTHS[1]).0);
        // SAFETY: see the module. The tables are addressed by the last four bits of `steps`.
        let power = unsafe { _mm512_permutex2var_pd(low, _mm512_castpd_si512(steps.0), high) };
        let power = Self(power);
        let power = power.mul_add(rest.mul(rest.horner(&EXP2)), power);
        // SAFETY: see the module. Scales by two to the power of `sixteenths` rounded down.
        Self(unsafe { _mm512_scalef_pd(power.0, sixteenths.0) })
    }

    #[inline(always)]
    fn ln_1p(self) -> Self {
        ln_1p(self)
    }
}

impl Lanes for Avx512 {
    type Single = Avx512Single;

    const ROWS: usize = 8;

    #[inline(always)]
    fn load(from: &Pack) -> Self {
        // SAFETY: see the module; a pack is eight numbers, aligned to 64 bytes.
        Self(unsafe { _mm512_load_pd(from.0.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut Pack) {
        // SAFETY: see the module; a pack is eight numbers, aligned to 64 bytes.
        unsafe { _mm512_store_pd(to.0.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn shift_exponent(self, steps: Self, _exponent: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_scalef_pd(self.0, steps.sub(Self::splat(ROUND)).0) })
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        // SAFETY: see the module.
        unsafe { _mm512_reduce_add_pd(self.0) }
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let (mantissa, exponent) = split(self.0);
        (Self(mantissa), Self(exponent))
    }

    /// Adds halves of two rows at a time: eight rows to four, two and one.
    #[inline(always)]
    fn sums(rows: &Square) -> Self {
        let [a, b, c, d, e, f, g, h] = rows.each_ref().map(|row| Self::load(row).0);
        // SAFETY: see the module.
        unsafe {
            let (ab, cd, ef, gh) = (pairs(a, b), pairs(c, d), pairs(e, f), pairs(g, h));
            let (abcd, efgh) = (quads(ab, cd), quads(ef, gh));
            let low = _mm512_shuffle_f64x2::<0b01_00_01_00>(abcd, efgh);
            let high = _mm512_shuffle_f64x2::<0b11_10_11_10>(abcd, efgh);
            Self(_mm512_add_pd(low, high))
        }
    }
}

/// Sums of neighbours: a₀+a₁, b₀+b₁, a₂+a₃, b₂+b₃, …
#[inline(always)]
fn pairs(a: __m512d, b: __m512d) -> __m512d {
    // SAFETY: see the module.
    unsafe { _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)) }
}

/// Sums of [`pairs`] two apart: those of a, b, c, d from the first half, then from the second.
#[inline(always)]
fn quads(ab: __m512d, cd: __m512d) -> __m512d {
    // SAFETY: see the module.
    unsafe {
        let first = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
        let second = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
        let first = _mm512_permutex2var_pd(ab, first, cd);
        _mm512_add_pd(first, _mm512_permutex2var_pd(ab, second, cd))
    }
}

#[inline(always)]
fn split(value: __m512d) -> (__m512d, __m512d) {
    // SAFETY: see the module.
    unsafe {
        let bits = _mm512_castpd_si512(value);
        let half = _mm512_set1_epi64(SQRT_HALF.cast_signed());
        let integer = _mm512_set1_epi64(INTEGER.cast_signed());
        let steps = _mm512_srli_epi64::<52>(_mm512_sub_epi64(bits, half));
        let mantissa = _mm512_sub_epi64(bits, _mm512_slli_epi64::<52>(steps));
        let exponent = _mm512_castsi512_pd(_mm512_or_si512(steps, integer));
        let exponent = _mm512_sub_pd(exponent, _mm512_castsi512_pd(integer));
        (_mm512_castsi512_pd(mantissa), exponent)
    }
}
