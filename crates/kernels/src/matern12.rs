//! Matérn covariance with smoothness 1/2: sample paths are continuous, nowhere smooth.

use std::f64::consts::{LN_2, LOG2_E};

use crate::simd::Vector;
use crate::stationary::{RadialProfile, Stationary};
use crate::{KernelError, KernelSpec, StationarySpec};

/// Matérn covariance with smoothness 1/2: sample paths are continuous, nowhere smooth.
///
/// ```text
/// k(x, x') = s² exp(−r),   r = ‖(x − x') / ℓ‖
/// ```
///
/// Units: ℓ as `x`, s² as `y` squared. Source: Rasmussen & Williams (2006), eq. 4.18.
pub type Matern12 = Stationary<Matern12Profile>;

/// The radial profile of [`Matern12`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Matern12Profile;

impl Matern12 {
    /// One lengthscale for all columns, or one for each; s².
    ///
    /// # Errors
    /// [`KernelError`] for values that are not positive and finite, or no lengthscale.
    pub fn new(lengthscales: Vec<f64>, variance: f64) -> Result<Self, KernelError> {
        Self::with_profile(lengthscales, variance, Matern12Profile)
    }
}

impl RadialProfile for Matern12Profile {
    const NAME: &'static str = "matern12";

    /// q = (r log₂ e)², so that κ = 2^(−√q).
    fn scale(&self) -> f64 {
        LOG2_E
    }

    #[inline(always)]
    fn value_and_slope<V: Vector>(&self, q: V) -> (V, V) {
        let r = q.sqrt();
        let value = r.exp2_neg();
        // The slope is infinite at coinciding points, where it multiplies differences of zero.
        (value, value.mul(V::splat(LN_2)).div(r.max(V::splat(1e-100))))
    }

    fn spec(&self, lengthscales: Vec<f64>, variance: f64) -> KernelSpec {
        KernelSpec::Matern12(StationarySpec { lengthscales, variance, active_dims: None })
    }
}
