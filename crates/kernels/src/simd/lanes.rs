//! The vector type inner loops are written with.

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
/// 1.5 · 2⁵²: adding and subtracting it rounds to an integer.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;

/// Eight numbers in registers.
///
/// Methods may only be called within [`Simd::run`](super::Simd::run), which has checked that the
/// processor has the instructions; a [`Task`](super::Task) gets its vector type from there.
/// Numbers never move between lanes: what one becomes does not depend on its neighbours.
pub trait Lanes: Copy {
    /// Rows of a square worked on at a time: what fits the registers.
    const ROWS: usize;

    /// Eight times the same number.
    fn splat(value: f64) -> Self;
    /// Reads memory.
    fn load(from: &Pack) -> Self;
    /// Writes memory.
    fn store(self, to: &mut Pack);
    /// `self + other`.
    fn add(self, other: Self) -> Self;
    /// `self − other`.
    fn sub(self, other: Self) -> Self;
    /// `self · other`.
    fn mul(self, other: Self) -> Self;
    /// `self / other`.
    fn div(self, other: Self) -> Self;
    /// `self · factor + term`, rounded once where the processor can.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// The smaller; `other` where `self` is not a number.
    fn min(self, other: Self) -> Self;
    /// The larger; `other` where `self` is not a number.
    fn max(self, other: Self) -> Self;
    /// The magnitude.
    fn abs(self) -> Self;
    /// √self for `self` = 0 and from 1e-290 to 1e300: error at most 1 ulp.
    fn sqrt(self) -> Self;
    /// `self · 2ⁿ`, `steps` = 1.5 · 2⁵² + n; 0 where `exponent` (−n, more or less) is beyond 1021.
    fn shift_exponent(self, steps: Self, exponent: Self) -> Self;

    /// 2^(−self) for `self` from 0 to 2²¹: error at most 1 ulp, exact at 0; 0 beyond 1021 or
    /// where the result would be subnormal.
    #[inline(always)]
    fn exp2_neg(self) -> Self {
        let round = Self::splat(ROUND);
        let steps = round.sub(self);
        let rest = self.add(steps.sub(round));
        let power = rest.mul_add(rest.horner(&EXP2), Self::splat(1.0));
        power.shift_exponent(steps, self)
    }

    /// A polynomial in `self`, the constant coefficient first.
    #[inline(always)]
    fn horner<const N: usize>(self, coefficients: &[f64; N]) -> Self {
        let mut sum = Self::splat(coefficients[N - 1]);
        let mut next = N - 1;
        while next > 0 {
            next -= 1;
            sum = sum.mul_add(self, Self::splat(coefficients[next]));
        }
        sum
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

    /// log(1 + self), one number at a time.
    #[inline(always)]
    fn ln_1p(self) -> Self {
        let mut numbers = Pack::ZERO;
        self.store(&mut numbers);
        Self::load(&Pack(numbers.0.map(f64::ln_1p)))
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
