//! The two exponentials of a pair of spectral points, without cancellation.

use std::f64::consts::LN_2;

use kernels::simd::{Lanes, Pack};

use super::features::Features;

/// Exponents of two beyond which everything is zero; what the vectors' power accepts at most.
pub(super) const FAR: f64 = 2e6;
/// While no exponent ½ v log₂e is above this, neither w_r w_l nor e^|c| leaves the range of numbers.
pub(super) const NEAR: f64 = 500.0;
/// 1.5 · 2⁵²: adding and subtracting it rounds to an integer.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// sinh(x log 2)/x in x² for |x| ≤ ½, through Chebyshev's points: relative error below 4e-17.
const SINH: [f64; 6] = [
    LN_2,
    0.055_504_108_664_821_625,
    0.001_333_355_814_640_647,
    1.525_273_384_155_677_3e-5,
    1.017_805_708_773_394_1e-7,
    4.455_817_908_336_064_5e-10,
];
/// (cosh(x log 2) − 1)/x² likewise: relative error below 3e-16, of a term that is a fifth of the other at most.
const COSH: [f64; 5] = [
    0.240_226_506_959_100_75,
    0.009_618_129_107_618_665,
    0.000_154_035_304_247_765_29,
    1.321_545_163_322_143_4e-6,
    7.070_977_866_508_138e-9,
];
/// (2^(−x) − 1)/x in x for |x| ≤ ½, by Taylor to 1e-16.
const EXP2: [f64; 13] = alternating();

/// −(log 2)ⁿ⁺¹/(n + 1)! with alternating signs.
const fn alternating() -> [f64; 13] {
    let mut coefficients = [0.0; 13];
    let (mut term, mut n) = (-LN_2, 0);
    while n < 13 {
        coefficients[n] = term;
        term *= -LN_2 / (n + 2) as f64;
        n += 1;
    }
    coefficients
}

/// Spectral points that are paired with another one at a time: their sums stand in registers.
pub(super) const TILE: usize = 4;

/// The `W` values from `first` on.
#[inline(always)]
pub(super) fn tile<T, const W: usize>(values: &[T], first: usize) -> &[T; W] {
    &values[first..first + W].as_chunks().0[0]
}

/// The same, to be written to.
#[inline(always)]
pub(super) fn tile_mut<T, const W: usize>(values: &mut [T], first: usize) -> &mut [T; W] {
    &mut values[first..first + W].as_chunks_mut().0[0]
}

/// The `W` spectral points from `first` on beside l, at group b.
pub(super) struct Beside<'a, V, const W: usize> {
    pub(super) pairs: [Pair<V>; W],
    left: &'a [[Pack; 2]; W],
    right: [V; 2],
}

impl<'a, V: Lanes, const W: usize> Beside<'a, V, W> {
    /// `NEARBY` says that no exponent is above [`NEAR`].
    #[inline(always)]
    pub(super) fn new<const NEARBY: bool>(
        features: &'a Features,
        (first, l, b): (usize, usize, usize),
    ) -> Self {
        let c = covariances::<V, W>(features, first, l, b);
        let at = (features.at(first, b), features.at(l, b));
        if NEARBY {
            return Self::of(Pair::near(c), &features.mean, at);
        }
        let mut pairs = [Pair::none(); W];
        for i in 0..W {
            pairs[i] = Pair::distant(c[i], features, (first + i, l, b));
        }
        Self::of(pairs, &features.circle, at)
    }

    /// Of one group, with the means and the exponentials that pass 1 kept.
    #[inline(always)]
    pub(super) fn recalled(
        kept: &[[Pack; 2]; W],
        means: &'a [[Pack; 2]],
        at: (usize, usize),
    ) -> Self {
        let mut pairs = [Pair::none(); W];
        for i in 0..W {
            pairs[i] = Pair::recalled(&kept[i]);
        }
        Self::of(pairs, means, at)
    }

    #[inline(always)]
    fn of(pairs: [Pair<V>; W], angles: &'a [[Pack; 2]], (first, l): (usize, usize)) -> Self {
        let [cos, sin] = &angles[l];
        Self { pairs, left: tile::<_, W>(angles, first), right: [V::load(cos), V::load(sin)] }
    }

    /// Of the `i`-th of them with l.
    #[inline(always)]
    pub(super) fn angles(&self, i: usize) -> Angles<V> {
        Angles::new(&self.left[i], self.right)
    }
}

/// c = g_r'g_l of the `W` spectral points from `first` on with l, at group b. Side by side, since a
/// sum alone waits for itself.
#[inline(always)]
fn covariances<V: Lanes, const W: usize>(
    features: &Features,
    first: usize,
    l: usize,
    b: usize,
) -> [V; W] {
    let mut c = [V::splat(0.0); W];
    for g in features.coordinates(b) {
        let (left, right) = (tile::<_, W>(g, first), V::load(&g[l]));
        for i in 0..W {
            c[i] = right.mul_add(V::load(&left[i]), c[i]);
        }
    }
    c
}

/// For t_r, t_l with variances v and covariance c of their angles, w = exp(−v/2):
///
/// ```text
/// minus = ω (e^c − 1),   plus = ω (e^(−c) − 1),   weight = ω
/// ```
///
/// times what [`Angles`] gives are covariances, and with the weight added to them expectations. ω is
/// w_r w_l; or 1 where the weights may stand in the angles, which is cheaper.
#[derive(Clone, Copy)]
pub(super) struct Pair<V> {
    pub(super) minus: V,
    pub(super) plus: V,
    pub(super) weight: V,
}

impl<V: Lanes> Pair<V> {
    /// Of c = 0: what places are filled with until they are.
    #[inline(always)]
    fn none() -> Self {
        Self { minus: V::splat(0.0), plus: V::splat(0.0), weight: V::splat(1.0) }
    }

    /// As pass 1 kept it; the weights stand in the angles.
    #[inline(always)]
    fn recalled([minus, plus]: &[Pack; 2]) -> Self {
        Self { minus: V::load(minus), plus: V::load(plus), weight: V::splat(1.0) }
    }

    /// For pass 2.
    #[inline(always)]
    pub(super) fn keep(&self, [minus, plus]: &mut [Pack; 2]) {
        self.minus.store(minus);
        self.plus.store(plus);
    }

    /// Of spectral points r and l at group b with covariance `c`, where weights may underflow.
    #[inline(always)]
    fn distant(c: V, features: &Features, (r, l, b): (usize, usize, usize)) -> Self {
        let (at_r, at_l) = (features.at(r, b), features.at(l, b));
        let weight = V::load(&features.weight[at_r]).mul(V::load(&features.weight[at_l]));
        let halves = V::load(&features.half[at_r]).add(V::load(&features.half[at_l]));
        Self::far(c, weight, halves)
    }

    /// c = k + x with |x| ≤ ½ in powers of two: 2^(±c) − 1 = (2^(±k) − 1) + 2^(±k) (2^(±x) − 1), and
    /// 2^(±x) − 1 = (cosh − 1) ± sinh. No digit is lost for small c.
    #[inline(always)]
    fn near<const W: usize>(c: [V; W]) -> [Self; W] {
        let mut steps = [V::splat(ROUND); W];
        let (mut x, mut squares, mut pairs) = (c, c, [Self::none(); W]);
        for i in 0..W {
            steps[i] = steps[i].add(c[i]);
            x[i] = c[i].sub(steps[i].sub(V::splat(ROUND)));
            squares[i] = x[i].mul(x[i]);
        }
        let (sinh, cosh) = (horner(&squares, &SINH), horner(&squares, &COSH));
        for i in 0..W {
            let (odd, even) = (x[i].mul(sinh[i]), squares[i].mul(cosh[i]));
            pairs[i] = Self::of_powers(steps[i], [even.add(odd), even.sub(odd)]);
        }
        pairs
    }

    /// From k, to which [`ROUND`] is added, and 2^(±x) − 1.
    #[inline(always)]
    fn of_powers(steps: V, [rise, fall]: [V; 2]) -> Self {
        let (round, one) = (V::splat(ROUND), V::splat(1.0));
        let k = steps.sub(round);
        let up = one.shift_exponent(steps, V::splat(0.0).sub(k));
        let down = one.shift_exponent(round.sub(k), k);
        Self {
            minus: up.mul_add(rise, up.sub(one)),
            plus: down.mul_add(fall, down.sub(one)),
            weight: one,
        }
    }

    /// Where weights underflow: from the larger exponential, e = exp(−(v_r + v_l)/2 + |c|) ≤ 1, and
    /// δ = 1 − exp(−|c|): their sum is e δ², the size of their difference e δ (2 − δ).
    #[inline(always)]
    fn far(c: V, weight: V, halves: V) -> Self {
        let size = c.abs().min(V::splat(FAR));
        // Rounding may take the exponent below zero, where its least value is zero.
        let exponent = halves.sub(size).max(V::splat(0.0)).min(V::splat(FAR));
        let half = exponent.exp2_neg().mul(V::splat(0.5));
        let lost = one_minus_exp2_neg(size);
        let linear = half.mul(lost);
        let even = linear.mul(lost);
        let odd = sign(c).mul(linear.mul(V::splat(2.0).sub(lost)));
        Self { minus: even.add(odd), plus: even.sub(odd), weight }
    }
}

/// A polynomial in each of `x`, the constant coefficient first, all in step.
#[inline(always)]
fn horner<V: Lanes, const W: usize, const N: usize>(x: &[V; W], coefficients: &[f64; N]) -> [V; W] {
    let mut sums = [V::splat(coefficients[N - 1]); W];
    for coefficient in coefficients[..N - 1].iter().rev() {
        let coefficient = V::splat(*coefficient);
        for i in 0..W {
            sums[i] = sums[i].mul_add(x[i], coefficient);
        }
    }
    sums
}

/// ±1, and 0 for 0 (and for what is as small).
#[inline(always)]
fn sign<V: Lanes>(value: V) -> V {
    value.mul(V::splat(1e300)).min(V::splat(1.0)).max(V::splat(-1.0))
}

/// 1 − 2^(−x) for x from 0 to [`FAR`], with all digits for small x.
#[inline(always)]
fn one_minus_exp2_neg<V: Lanes>(x: V) -> V {
    let round = V::splat(ROUND);
    let steps = round.sub(x);
    let rest = x.add(steps.sub(round));
    let power = V::splat(1.0).shift_exponent(steps, x);
    let fraction = rest.mul(rest.horner(&EXP2));
    V::splat(1.0).sub(power).sub(power.mul(fraction))
}

/// Cosine and sine of the difference a_r − a_l, and of the sum; times w_r w_l with `NEARBY`.
pub(super) struct Angles<V> {
    pub(super) cos_minus: V,
    pub(super) sin_minus: V,
    pub(super) cos_plus: V,
    pub(super) sin_plus: V,
}

impl<V: Lanes> Angles<V> {
    /// From cosine and sine of either angle.
    #[inline(always)]
    fn new(left: &[Pack; 2], [cos_l, sin_l]: [V; 2]) -> Self {
        let (cos_r, sin_r) = (V::load(&left[0]), V::load(&left[1]));
        let (ss, cs) = (sin_r.mul(sin_l), cos_r.mul(sin_l));
        let (cos_minus, sin_plus) = (cos_r.mul_add(cos_l, ss), sin_r.mul_add(cos_l, cs));
        let twice = V::splat(-2.0);
        Self {
            cos_minus,
            sin_minus: cs.mul_add(twice, sin_plus),
            cos_plus: ss.mul_add(twice, cos_minus),
            sin_plus,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernels::simd::{Simd, Task};

    struct One {
        c: Pack,
        weight: Pack,
        halves: Pack,
        near: bool,
    }

    impl Task for One {
        type Output = [Pack; 2];

        #[inline(always)]
        fn run<V: Lanes>(self) -> [Pack; 2] {
            let (c, weight) = (V::load(&self.c), V::load(&self.weight));
            let (pair, factor) = if self.near {
                let [pair] = Pair::near([c]);
                (pair, weight)
            } else {
                (Pair::far(c, weight, V::load(&self.halves)), V::splat(1.0))
            };
            let mut out = [Pack::ZERO; 2];
            pair.minus.mul(factor).store(&mut out[0]);
            pair.plus.mul(factor).store(&mut out[1]);
            out
        }
    }

    /// 2^(−halves) (2^(±c) − 1) at every size of c, small ones to all digits.
    #[test]
    fn differences_of_exponentials_keep_their_digits() {
        let c = Pack([1e-9, -1e-3, 0.3, -0.5, 0.51, -1.7, 40.0, -300.0]);
        let halves = Pack([1e-3, 0.5, 0.6, 1.0, 2.0, 4.0, 41.0, 310.0]);
        let weight = Pack(halves.0.map(|half| (-half).exp2()));
        for simd in Simd::available() {
            for near in [true, false] {
                let [minus, plus] = simd.run(One { c, weight, halves, near });
                for lane in 0..8 {
                    let (c, weight) = (c.0[lane] * LN_2, weight.0[lane]);
                    for (found, exact) in [
                        (minus.0[lane], weight * c.exp_m1()),
                        (plus.0[lane], weight * (-c).exp_m1()),
                    ] {
                        let largest = weight * c.abs().exp_m1();
                        let error = (found - exact).abs() / largest;
                        assert!(error < 1e-13, "{} {near} lane {lane}: {error:e}", simd.name());
                    }
                }
            }
        }
    }

    /// Two features that nearly cancel while both weights are zero in double precision.
    #[test]
    fn weights_may_underflow() {
        let pack = |value: f64| Pack([value; 8]);
        for simd in Simd::available() {
            let one =
                One { c: pack(-3000.0), weight: Pack::ZERO, halves: pack(3001.0), near: false };
            let [minus, plus] = simd.run(one);
            assert!((plus.0[0] - 0.5).abs() < 1e-12 && minus.0[0].abs() < 1e-12, "{plus:?}");
        }
    }
}
