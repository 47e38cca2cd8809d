//! Matérn covariance with smoothness 3/2: sample paths are once differentiable.

use std::f64::consts::{LN_2, LOG2_E};

use crate::simd::Vector;
use crate::stationary::{RadialProfile, Stationary};
use crate::{KernelError, KernelSpec, StationarySpec};

/// Matérn covariance with smoothness 3/2: sample paths are once differentiable.
///
/// ```text
/// k(x, x') = s² (1 + √3 r) exp(−√3 r),   r = ‖(x − x') / ℓ‖
/// ```
///
/// Units: ℓ as `x`, s² as `y` squared. Source: Rasmussen & Williams (2006), eq. 4.17.
pub type Matern32 = Stationary<Matern32Profile>;

/// The radial profile of [`Matern32`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Matern32Profile;

impl Matern32 {
    /// One lengthscale for all columns, or one for each; s².
    ///
    /// # Errors
    /// [`KernelError`] for values that are not positive and finite, or no lengthscale.
    pub fn new(lengthscales: Vec<f64>, variance: f64) -> Result<Self, KernelError> {
        Self::with_profile(lengthscales, variance, Matern32Profile)
    }
}

impl RadialProfile for Matern32Profile {
    const NAME: &'static str = "matern32";

    /// q = (√3 r log₂ e)², so that exp(−√3 r) = 2^(−√q).
    fn scale(&self) -> f64 {
        3.0_f64.sqrt() * LOG2_E
    }

    #[inline(always)]
    fn value_and_slope<V: Vector>(&self, q: V) -> (V, V) {
        let r = q.sqrt();
        let power = r.exp2_neg();
        let value = r.mul_add(V::splat(LN_2), V::splat(1.0)).mul(power);
        (value, power.mul(V::splat(LN_2 * LN_2)))
    }

    #[inline(always)]
    fn scaled_value<V: Vector>(&self, q: V, variance: V) -> V {
        let r = q.sqrt();
        r.mul_add(variance.mul(V::splat(LN_2)), variance).mul(r.exp2_neg())
    }

    fn spec(&self, lengthscales: Vec<f64>, variance: f64) -> KernelSpec {
        KernelSpec::Matern32(StationarySpec { lengthscales, variance, active_dims: None })
    }
}
