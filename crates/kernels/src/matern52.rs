//! Matérn covariance with smoothness 5/2: sample paths are twice differentiable.

use std::f64::consts::{LN_2, LOG2_E};

use crate::simd::Vector;
use crate::stationary::{RadialProfile, Stationary};
use crate::{KernelError, KernelSpec, StationarySpec};

/// Matérn covariance with smoothness 5/2: sample paths are twice differentiable.
///
/// ```text
/// k(x, x') = s² (1 + √5 r + 5r²/3) exp(−√5 r),   r = ‖(x − x') / ℓ‖
/// ```
///
/// Units: ℓ as `x`, s² as `y` squared. Source: Rasmussen & Williams (2006), eq. 4.17.
pub type Matern52 = Stationary<Matern52Profile>;

/// The radial profile of [`Matern52`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Matern52Profile;

impl Matern52 {
    /// One lengthscale for all columns, or one for each; s².
    ///
    /// # Errors
    /// [`KernelError`] for values that are not positive and finite, or no lengthscale.
    pub fn new(lengthscales: Vec<f64>, variance: f64) -> Result<Self, KernelError> {
        Self::with_profile(lengthscales, variance, Matern52Profile)
    }
}

impl RadialProfile for Matern52Profile {
    const NAME: &'static str = "matern52";

    /// q = (√5 r log₂ e)², so that exp(−√5 r) = 2^(−√q).
    fn scale(&self) -> f64 {
        5.0_f64.sqrt() * LOG2_E
    }

    #[inline(always)]
    fn value_and_slope<V: Vector>(&self, q: V) -> (V, V) {
        let a = q.sqrt();
        let power = a.exp2_neg();
        let polynomial = a.horner(&[1.0, LN_2, LN_2 * LN_2 / 3.0]);
        let slope = a.horner(&[LN_2 * LN_2 / 3.0, LN_2 * LN_2 * LN_2 / 3.0]);
        (polynomial.mul(power), slope.mul(power))
    }

    #[inline(always)]
    fn scaled_value<V: Vector>(&self, q: V, variance: V) -> V {
        let a = q.sqrt();
        let slope =
            a.mul_add(variance.mul(V::splat(LN_2 * LN_2 / 3.0)), variance.mul(V::splat(LN_2)));
        a.mul_add(slope, variance).mul(a.exp2_neg())
    }

    fn spec(&self, lengthscales: Vec<f64>, variance: f64) -> KernelSpec {
        KernelSpec::Matern52(StationarySpec { lengthscales, variance, active_dims: None })
    }
}
