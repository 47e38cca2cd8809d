//! The two exponentials of a pair of spectral points, without cancellation.

use std::f64::consts::LN_2;

use kernels::simd::{Lanes, Pack};

/// Exponents of two beyond which everything is zero; what the vectors' power accepts at most.
pub(super) const FAR: f64 = 2e6;
/// 1.5 · 2⁵²: adding and subtracting it rounds to an integer.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Coefficients of (2^(−f) − 1)/f for |f| ≤ ½, by Taylor; relative error below 1e-17.
const EXP2: [f64; 13] = taylor();

const fn taylor() -> [f64; 13] {
    let mut coefficients = [0.0; 13];
    let (mut term, mut n) = (-LN_2, 0);
    while n < 13 {
        coefficients[n] = term;
        term *= -LN_2 / (n + 2) as f64;
        n += 1;
    }
    coefficients
}

/// For t_r, t_l with variances v and covariance c of their angles, w = exp(−v/2):
///
/// ```text
/// joint = w_r w_l cosh c,   cross = w_r w_l sinh c,   excess = w_r w_l (cosh c − 1)
/// ```
pub(super) struct Pair<V> {
    pub(super) joint: V,
    pub(super) cross: V,
    pub(super) excess: V,
}

impl<V: Lanes> Pair<V> {
    /// From the larger of the two exponentials, e = exp(−(v_r + v_l)/2 + |c|) ≤ 1, and
    /// δ = 1 − exp(−|c|): excess = ½ e δ², |cross| = ½ e δ (2 − δ), joint = ½ e (1 + (1 − δ)²).
    /// No digit is lost for small c, and nothing overflows for large v.
    #[inline(always)]
    pub(super) fn new(left: &[Pack], right: &[Pack], halves: V) -> Self {
        let mut c = V::splat(0.0);
        for (left, right) in left.iter().zip(right) {
            c = V::load(left).mul_add(V::load(right), c);
        }
        let size = c.abs().min(V::splat(FAR));
        // Rounding may take the exponent below zero, where its least value is zero.
        let exponent = halves.sub(size).max(V::splat(0.0)).min(V::splat(FAR));
        let half = exponent.exp2_neg().mul(V::splat(0.5));
        let lost = one_minus_exp2_neg(size);
        let kept = V::splat(1.0).sub(lost);
        let linear = half.mul(lost);
        Self {
            joint: kept.mul(kept).mul_add(half, half),
            cross: sign(c).mul(linear.mul(V::splat(2.0).sub(lost))),
            excess: linear.mul(lost),
        }
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

/// Products of the cosines and sines of two angles: cos cos, sin sin, cos_r sin_l, sin_r cos_l.
#[inline(always)]
pub(super) fn products<V: Lanes>(r: (V, V), l: (V, V)) -> [V; 4] {
    [r.0.mul(l.0), r.1.mul(l.1), r.0.mul(l.1), r.1.mul(l.0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernels::simd::{Simd, Task};
    use std::f64::consts::LOG2_E;

    /// joint, cross and excess of one coordinate each.
    struct One {
        left: Pack,
        right: Pack,
    }

    impl Task for One {
        type Output = [Pack; 3];

        #[inline(always)]
        fn run<V: Lanes>(self) -> [Pack; 3] {
            let half = |g: &Pack| V::load(g).mul(V::load(g)).mul(V::splat(0.5));
            let halves = half(&self.left).add(half(&self.right));
            let pair = Pair::<V>::new(&[self.left], &[self.right], halves);
            let mut out = [Pack::ZERO; 3];
            pair.joint.store(&mut out[0]);
            pair.cross.store(&mut out[1]);
            pair.excess.store(&mut out[2]);
            out
        }
    }

    #[test]
    fn hyperbolic_functions_keep_their_digits_at_every_size() {
        let left = Pack([1e-8, 1e-3, 0.3, -0.7, 1.0, 2.5, 30.0, 0.0]);
        let right = Pack([2e-8, -1e-4, 0.4, 0.5, 1.0, -2.4, -30.0, 1.0]);
        for simd in Simd::available() {
            let root = LOG2_E.sqrt();
            let scaled = |pack: &Pack| Pack(pack.0.map(|value| value * root));
            let found = simd.run(One { left: scaled(&left), right: scaled(&right) });
            for lane in 0..8 {
                let (a, b) = (left.0[lane], right.0[lane]);
                let (c, w) = (a * b, (-0.5 * (a * a + b * b)).exp());
                let (plus, minus) =
                    ((-0.5 * (a - b).powi(2)).exp(), (-0.5 * (a + b).powi(2)).exp());
                let small = c.abs() < 0.5;
                let cross = if small { w * c.sinh() } else { 0.5 * (plus - minus) };
                let excess = if small {
                    2.0 * w * (0.5 * c).sinh().powi(2)
                } else {
                    0.5 * (plus + minus) - w
                };
                for (found, exact) in found.iter().zip([0.5 * (plus + minus), cross, excess]) {
                    let error = (found.0[lane] - exact).abs();
                    assert!(error <= 2e-13 * exact.abs(), "{} lane {lane}: {error:e}", simd.name());
                }
            }
        }
    }
}
