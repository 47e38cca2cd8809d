//! The vector type inner loops are written with.

use std::f64::consts::LN_2;

use super::single::Singles;
use super::vector::Vector;
use super::{Pack, Square};

/// Coefficients of (2^(−f) − 1)/f for |f| ≤ ½; relative error of 2^(−f) below 1e-17.
const EXP2: [f64; 11] = [
    -std::f64::consts::LN_2,
    0.240_226_506_959_100_97,
    -0.055_504_108_664_821_6,
    0.009_618_129_107_606_888,
    -0.001_333_355_814_641_693_6,
    0.000_154_035_304_417_360_5,
    -1.525_273_382_983_612e-5,
    1.321_544_258_792_169e-6,
    -1.017_806_244_584_577_4e-7,
    7.072_585_949_269_223e-9,
    -4.454_960_598_186_518_6e-10,
];
/// Coefficients of sin(πf)/f in f² for |f| ≤ ½; relative error below 1e-18.
const SIN_PI: [f64; 9] = [
    std::f64::consts::PI,
    -5.167_712_780_049_969,
    2.550_164_039_877_300_7,
    -0.599_264_529_318_944_7,
    0.082_145_886_573_102_9,
    -0.007_370_430_505_916_944,
    0.000_466_299_816_189_839_4,
    -2.190_349_707_462_601_8e-5,
    7.697_826_768_224_191e-7,
];
/// Coefficients of 2 atanh(s)/s in s² for |s| ≤ 0.1716; relative error below 1e-17.
const ATANH: [f64; 8] = [
    2.0,
    0.666_666_666_666_676_6,
    0.399_999_999_992_932_07,
    0.285_714_287_627_094_67,
    0.222_221_968_360_073_2,
    0.181_836_436_726_483_17,
    0.153_122_073_243_891_88,
    0.148_130_619_216_140_32,
];
/// The bits of √½.
pub(super) const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
/// The bits of 2⁵², among whose last ones a small integer can be written.
pub(super) const INTEGER: u64 = 0x4330_0000_0000_0000;
/// 1.5 · 2⁵²: adding and subtracting it rounds to an integer.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;

/// Eight numbers in registers.
///
/// Methods may only be called within [`Simd::run`](super::Simd::run), which has checked that the
/// processor has the instructions; a [`Task`](super::Task) gets its vector type from there.
/// Numbers never move between lanes: what one becomes does not depend on its neighbours.
pub trait Lanes: Vector {
    /// Single precision with the same instructions.
    type Single: Singles;

    /// Rows of a square worked on at a time: what fits the registers.
    const ROWS: usize;

    /// Reads memory.
    fn load(from: &Pack) -> Self;
    /// Writes memory.
    fn store(self, to: &mut Pack);
    /// `self · 2ⁿ`, `steps` = 1.5 · 2⁵² + n; 0 where `exponent` (−n, more or less) is beyond 1021.
    fn shift_exponent(self, steps: Self, exponent: Self) -> Self;

    /// `self` = m 2ᵏ as m and k, m between √½ and √2, for `self` from 1 on.
    fn split(self) -> (Self, Self);

    /// `self · factor + term` rounded once, on every processor: where that is no instruction it is a
    /// slow call, so this is for exact remainders only.
    #[inline(always)]
    fn fused(self, factor: Self, term: Self) -> Self {
        self.mul_add(factor, term)
    }

    /// `self` less the nearest integer, for |self| ≤ 2⁵⁰.
    #[inline(always)]
    fn fraction(self) -> Self {
        let round = Self::splat(ROUND);
        self.sub(self.add(round).sub(round))
    }

    /// sin(π self) for |self| ≤ ½: error at most 3 ulp.
    #[inline(always)]
    fn sin_pi(self) -> Self {
        self.mul(self.mul(self).horner(&SIN_PI))
    }

    /// The sum of the eight, in the order of [`Pack::sum`].
    #[inline(always)]
    fn sum(self) -> f64 {
        let mut numbers = Pack::ZERO;
        self.store(&mut numbers);
        numbers.sum()
    }

    /// The sum of each row.
    #[inline(always)]
    fn sums(rows: &Square) -> Self {
        Self::load(&Pack(rows.map(|row| row.sum())))
    }
}

/// 2^(−x) for `x` from 0 to 2²¹: error at most 1 ulp, exact at 0; 0 beyond 1021 or
/// where the result would be subnormal.
#[inline(always)]
pub(super) fn exp2_neg<V: Lanes>(x: V) -> V {
    let round = V::splat(ROUND);
    let steps = round.sub(x);
    let rest = x.add(steps.sub(round));
    let power = rest.mul_add(rest.horner(&EXP2), V::splat(1.0));
    power.shift_exponent(steps, x)
}

/// log(1 + x) for `x` from 0 to 1e300: error at most 3 ulp.
///
/// log w = k log 2 + log m with m between √½ and √2, log m = 2 atanh((m − 1)/(m + 1)), and
/// what 1 + x loses in rounding to w is made up for.
#[inline(always)]
pub(super) fn ln_1p<V: Lanes>(x: V) -> V {
    let one = V::splat(1.0);
    let sum = x.add(one);
    let lost = x.sub(sum.sub(one)).div(sum);
    let (mantissa, exponent) = sum.split();
    let ratio = mantissa.sub(one).div(mantissa.add(one));
    let log = ratio.mul_add(ratio.mul(ratio).horner(&ATANH), lost);
    exponent.mul_add(V::splat(LN_2), log)
}
