//! Matérn covariance with smoothness 1/2: sample paths are continuous, nowhere smooth.

use crate::stationary::{RadialProfile, Stationary, clamp_far};
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

    fn value(&self, r2: f64) -> f64 {
        (-clamp_far(r2).sqrt()).exp()
    }

    fn slope(&self, r2: f64) -> f64 {
        let r = clamp_far(r2).sqrt();
        // exp(−r)/r is infinite at coinciding points, where it multiplies differences of zero.
        if r > 0.0 { (-r).exp() / r } else { 0.0 }
    }

    fn spec(&self, lengthscales: Vec<f64>, variance: f64) -> KernelSpec {
        KernelSpec::Matern12(StationarySpec { lengthscales, variance, active_dims: None })
    }
}
