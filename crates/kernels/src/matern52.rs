//! Matérn covariance with smoothness 5/2: sample paths are twice differentiable.

use crate::stationary::{RadialProfile, Stationary, clamp_far};
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

    fn value(&self, r2: f64) -> f64 {
        let r2 = clamp_far(r2);
        let a = (5.0 * r2).sqrt();
        (1.0 + a + 5.0 / 3.0 * r2) * (-a).exp()
    }

    fn slope(&self, r2: f64) -> f64 {
        let a = (5.0 * clamp_far(r2)).sqrt();
        5.0 / 3.0 * (1.0 + a) * (-a).exp()
    }

    fn spec(&self, lengthscales: Vec<f64>, variance: f64) -> KernelSpec {
        KernelSpec::Matern52(StationarySpec { lengthscales, variance, active_dims: None })
    }
}
