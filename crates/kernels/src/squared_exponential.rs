//! Squared exponential covariance: sample paths are infinitely often differentiable.

use std::f64::consts::{LN_2, LOG2_E};

use crate::simd::Vector;
use crate::stationary::{RadialProfile, Stationary};
use crate::{KernelError, KernelSpec, StationarySpec};

/// Squared exponential covariance: sample paths are infinitely often differentiable.
///
/// ```text
/// k(x, x') = s² exp(−r²/2),   r = ‖(x − x') / ℓ‖
/// ```
///
/// Units: ℓ as `x`, s² as `y` squared. Source: Rasmussen & Williams (2006), eq. 4.9.
pub type SquaredExponential = Stationary<SquaredExponentialProfile>;

/// The radial profile of [`SquaredExponential`].
#[derive(Debug, Clone, Copy, Default)]
pub struct SquaredExponentialProfile;

impl SquaredExponential {
    /// One lengthscale for all columns, or one for each; s².
    ///
    /// # Errors
    /// [`KernelError`] for values that are not positive and finite, or no lengthscale.
    pub fn new(lengthscales: Vec<f64>, variance: f64) -> Result<Self, KernelError> {
        Self::with_profile(lengthscales, variance, SquaredExponentialProfile)
    }
}

impl RadialProfile for SquaredExponentialProfile {
    const NAME: &'static str = "se";

    /// q = r² log₂(e)/2, so that κ = 2^(−q).
    fn scale(&self) -> f64 {
        (LOG2_E / 2.0).sqrt()
    }

    #[inline(always)]
    fn value_and_slope<V: Vector>(&self, q: V) -> (V, V) {
        let value = q.exp2_neg();
        (value, value.mul(V::splat(2.0 * LN_2)))
    }

    fn spec(&self, lengthscales: Vec<f64>, variance: f64) -> KernelSpec {
        KernelSpec::SquaredExponential(StationarySpec { lengthscales, variance, active_dims: None })
    }
}
