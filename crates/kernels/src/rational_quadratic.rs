//! Rational quadratic covariance: a mixture of squared exponentials of many lengthscales.

use crate::stationary::{RadialProfile, Stationary};
use crate::{KernelError, KernelSpec};

/// r² is held below this, the square of what scaled differences are held below.
const FAR: f64 = 1e300;

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
    /// r²/(2α), infinite only for r² far and α tiny.
    fn ratio(self, r2: f64) -> f64 {
        0.5 * r2.min(FAR) / self.alpha
    }

    /// log(1 + r²/(2α)).
    fn log_base(self, r2: f64) -> f64 {
        let ratio = self.ratio(r2);
        if ratio.is_finite() {
            return ratio.ln_1p();
        }
        (0.5 * r2.min(FAR)).ln() - self.alpha.ln()
    }
}

impl RadialProfile for RationalQuadraticProfile {
    const NAME: &'static str = "rq";

    fn value(&self, r2: f64) -> f64 {
        (-self.alpha * self.log_base(r2)).exp()
    }

    fn slope(&self, r2: f64) -> f64 {
        (-(self.alpha + 1.0) * self.log_base(r2)).exp()
    }

    fn shape(&self) -> Option<(&'static str, f64)> {
        Some(("alpha", self.alpha))
    }

    fn set_shape(&mut self, value: f64) {
        self.alpha = value;
    }

    /// ∂κ/∂log α = κ (α u/(1 + u) − α log(1 + u)),  u = r²/(2α).
    fn shape_derivative(&self, r2: f64) -> f64 {
        // u/(1 + u) in a form that is 1 where u is infinite.
        let share = (1.0 + self.ratio(r2).recip()).recip();
        self.value(r2) * self.alpha * (share - self.log_base(r2))
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
