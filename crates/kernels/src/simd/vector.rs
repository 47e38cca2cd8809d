//! What numbers in registers can do, in either precision: what radial profiles are written with.

/// Numbers in registers.
///
/// Methods may only be called within [`Simd::run`](super::Simd::run), which has checked that the
/// processor has the instructions; a [`Task`](super::Task) gets its vector types from there.
/// Numbers never move between lanes: what one becomes does not depend on its neighbours. Errors
/// in units of the last place (ulp) are of double precision; single precision errs by 4 ulp of its
/// own at most, over its own range.
pub trait Vector: Copy {
    /// The same number in every lane.
    fn splat(value: f64) -> Self;
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
    /// 2^(−self) for `self` from 0 to 2²¹: error at most 1 ulp, exact at 0; 0 beyond 1021 or
    /// where the result would be subnormal.
    fn exp2_neg(self) -> Self;
    /// log(1 + self) for `self` from 0 to 1e300: error at most 3 ulp.
    fn ln_1p(self) -> Self;

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
}
