//! Matérn covariance with smoothness 3/2: sample paths are once differentiable.

use crate::stationary::{RadialProfile, Stationary, clamp_far};
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

    fn value(&self, r2: f64) -> f64 {
        let a = (3.0 * clamp_far(r2)).sqrt();
        (1.0 + a) * (-a).exp()
    }

    fn slope(&self, r2: f64) -> f64 {
        3.0 * (-(3.0 * clamp_far(r2)).sqrt()).exp()
    }

    fn spec(&self, lengthscales: Vec<f64>, variance: f64) -> KernelSpec {
        KernelSpec::Matern32(StationarySpec { lengthscales, variance, active_dims: None })
    }
}
