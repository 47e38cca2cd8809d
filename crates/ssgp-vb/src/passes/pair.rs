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
/// sinh(x log 2)/x and (cosh(x log 2) − 1)/x² in x², for |x| ≤ ½, by Taylor to 1e-16.
const SINH: [f64; 7] = taylor(1);
const COSH: [f64; 6] = taylor(2);
/// (2^(−x) − 1)/x for |x| ≤ ½: the same in powers of x.
const EXP2: [f64; 13] = alternating();

/// (log 2)ⁿ/n! for n = `first`, `first` + 2, …
const fn taylor<const N: usize>(first: usize) -> [f64; N] {
    let mut coefficients = [0.0; N];
    let (mut term, mut n) = (LN_2, 1);
    let mut index = 0;
    while index < N {
        if n == first + 2 * index {
            coefficients[index] = term;
            index += 1;
        }
        n += 1;
        term *= LN_2 / n as f64;
    }
    coefficients
}

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
    features: &'a Features,
    at: (usize, usize, usize),
    c: [V; W],
    /// What pass 1 kept of the pairs.
    kept: Option<&'a [[Pack; 2]; W]>,
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
        let angles = if NEARBY { &features.mean } else { &features.circle };
        let mut row = Self::of(features, angles, (first, l, b));
        row.c = covariances::<V, W>(features, first, l, b);
        row
    }

    /// With the exponentials that pass 1 kept; of `features` only the means are read.
    #[inline(always)]
    pub(super) fn recalled(
        features: &'a Features,
        at: (usize, usize, usize),
        kept: &'a [[Pack; 2]; W],
    ) -> Self {
        Self { kept: Some(kept), ..Self::of(features, &features.mean, at) }
    }

    #[inline(always)]
    fn of(
        features: &'a Features,
        angles: &'a [[Pack; 2]],
        (first, l, b): (usize, usize, usize),
    ) -> Self {
        let [cos, sin] = &angles[features.at(l, b)];
        Self {
            features,
            at: (first, l, b),
            c: [V::splat(0.0); W],
            kept: None,
            left: tile::<_, W>(angles, features.at(first, b)),
            right: [V::load(cos), V::load(sin)],
        }
    }

    /// Of the `i`-th of them with l.
    #[inline(always)]
    pub(super) fn pair<const NEARBY: bool>(&self, i: usize) -> (Pair<V>, Angles<V>) {
        let (first, l, b) = self.at;
        let pair = match (self.kept, NEARBY) {
            (Some(kept), _) => Pair::recalled(&kept[i]),
            (None, true) => Pair::near(self.c[i]),
            (None, false) => Pair::distant(self.c[i], self.features, (first + i, l, b)),
        };
        (pair, Angles::new(&self.left[i], self.right))
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
    let right = features.g(l, b);
    let mut left = [right; W];
    for (i, left) in left.iter_mut().enumerate() {
        *left = &features.g(first + i, b)[..right.len()];
    }
    let mut c = [V::splat(0.0); W];
    for (j, right) in right.iter().enumerate() {
        let right = V::load(right);
        for i in 0..W {
            c[i] = right.mul_add(V::load(&left[i][j]), c[i]);
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
pub(super) struct Pair<V> {
    pub(super) minus: V,
    pub(super) plus: V,
    pub(super) weight: V,
}

impl<V: Lanes> Pair<V> {
    /// As pass 1 kept it; the weights stand in the angles.
    #[inline(always)]
    fn recalled([minus, plus]: &[Pack; 2]) -> Self {
        Self { minus: V::load(minus), plus: V::load(plus), weight: V::splat(1.0) }
    }

    /// For pass 2.
    #[inline(always)]
    pub(super) fn kept(&self) -> [Pack; 2] {
        let mut kept = [Pack::ZERO; 2];
        self.minus.store(&mut kept[0]);
        self.plus.store(&mut kept[1]);
        kept
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
    fn near(c: V) -> Self {
        let (round, one) = (V::splat(ROUND), V::splat(1.0));
        let steps = c.add(round);
        let k = steps.sub(round);
        let x = c.sub(k);
        let square = x.mul(x);
        let sinh = x.mul(square.horner(&SINH));
        let cosh = square.mul(square.horner(&COSH));
        let up = one.shift_exponent(steps, V::splat(0.0).sub(k));
        let down = one.shift_exponent(round.sub(k), k);
        Self {
            minus: up.mul_add(cosh.add(sinh), up.sub(one)),
            plus: down.mul_add(cosh.sub(sinh), down.sub(one)),
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
                (Pair::near(c), weight)
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
