//! Rational quadratic covariance: a mixture of squared exponentials of many lengthscales.

use std::f64::consts::LOG2_E;

use crate::simd::Vector;
use crate::stationary::{RadialProfile, Stationary};
use crate::{KernelError, KernelSpec};

/// Rational quadratic covariance: a mixture of squared exponentials of many lengthscales.
///
/// ```text
/// k(x, x') = s² (1 + r²/(2α))^(−α),   r = ‖(x − x') / ℓ‖
/// ```
///
/// It tends to [`SquaredExponential`](crate::SquaredExponential) as α grows. Units: ℓ as `x`, s²
/// as `y` squared, α without. Source: Rasmussen & Williams (2006), eq. 4.19.
pub type RationalQuadratic = Stationary<RationalQuadraticProfile>;

/// The radial profile of [`RationalQuadratic`].
#[derive(Debug, Clone, Copy)]
pub struct RationalQuadraticProfile {
    alpha: f64,
}

impl RationalQuadratic {
    /// One lengthscale for all columns, or one for each; s²; α.
    ///
    /// # Errors
    /// [`KernelError`] for values that are not positive and finite, or no lengthscale.
    pub fn new(lengthscales: Vec<f64>, variance: f64, alpha: f64) -> Result<Self, KernelError> {
        Self::with_profile(lengthscales, variance, RationalQuadraticProfile { alpha })
    }
}

impl RationalQuadraticProfile {
    /// (1 + q)^(−α) for q up to [`FAR`](RadialProfile::FAR).
    #[inline(always)]
    fn power<V: Vector>(&self, q: V) -> V {
        let exponent = q.ln_1p().mul(V::splat((self.alpha * LOG2_E).min(f64::MAX)));
        exponent.min(V::splat(crate::stationary::FAR)).exp2_neg()
    }
}

impl RadialProfile for RationalQuadraticProfile {
    const NAME: &'static str = "rq";
    /// Tails are heavy: only what overflows is far.
    const FAR: f64 = 1e300;

    /// q = r²/(2α).
    fn scale(&self) -> f64 {
        (0.5 / self.alpha).sqrt()
    }

    #[inline(always)]
    fn value_and_slope<V: Vector>(&self, q: V) -> (V, V) {
        let value = self.power(q);
        let slope = value.mul(V::splat((2.0 * self.alpha).min(f64::MAX))).div(q.add(V::splat(1.0)));
        (value, slope)
    }

    fn shape(&self) -> Option<(&'static str, f64)> {
        Some(("alpha", self.alpha))
    }

    fn set_shape(&mut self, value: f64) {
        self.alpha = value;
    }

    /// ∂κ/∂log α = κ (α q/(1 + q) − α log(1 + q)).
    #[inline(always)]
    fn shape_derivative<V: Vector>(&self, q: V) -> V {
        let share = q.div(q.add(V::splat(1.0)));
        self.power(q).mul(V::splat(self.alpha)).mul(share.sub(q.ln_1p()))
    }

    fn spec(&self, lengthscales: Vec<f64>, variance: f64) -> KernelSpec {
        KernelSpec::RationalQuadratic {
            lengthscales,
            variance,
            alpha: self.alpha,
            active_dims: None,
        }
    }
}
