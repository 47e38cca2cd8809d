//! Prior densities on hyperparameters, added to the training objective.

use statrs::function::gamma::ln_gamma;

/// A prior on one hyperparameter, in its own (constrained) units.
///
/// The training objective becomes `LML + Σ log p(θ)`: a maximum a posteriori estimate. The density
/// is that of θ itself, not of the variable the optimiser moves, so the estimate does not depend
/// on the transform.
///
/// ```
/// use gp_core::Prior;
///
/// let prior = Prior::Normal { mean: 1.0, std: 0.5 };
/// let (log_density, slope) = prior.log_density(2.0);
/// assert!((log_density - (-2.0 - 0.5 * (0.5 * std::f64::consts::PI).ln())).abs() < 1e-14);
/// assert_eq!(slope, -4.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prior {
    /// `log θ ~ N(mean, std²)`, for positive parameters.
    LogNormal {
        /// Mean of log θ.
        mean: f64,
        /// Standard deviation of log θ.
        std: f64,
    },
    /// `θ ~ Gamma(shape, rate)`, for positive parameters.
    Gamma {
        /// Shape a > 0.
        shape: f64,
        /// Rate b > 0.
        rate: f64,
    },
    /// `θ ~ N(mean, std²)`.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        std: f64,
    },
}

impl Prior {
    /// log p(θ) and its derivative in θ.
    ///
    /// ```text
    /// LogNormal  −½((log θ − μ)/s)² − log(θ s √2π)
    /// Gamma      a log b − log Γ(a) + (a − 1) log θ − b θ
    /// Normal     −½((θ − μ)/s)² − log(s √2π)
    /// ```
    #[must_use]
    pub fn log_density(&self, theta: f64) -> (f64, f64) {
        let half_log_2pi = 0.5 * (2.0 * std::f64::consts::PI).ln();
        match *self {
            Self::LogNormal { mean, std } => {
                let z = (theta.ln() - mean) / std;
                let value = -0.5 * z * z - theta.ln() - std.ln() - half_log_2pi;
                (value, -(z / std + 1.0) / theta)
            }
            Self::Gamma { shape, rate } => {
                let constant = shape * rate.ln() - ln_gamma(shape);
                let value = constant + (shape - 1.0) * theta.ln() - rate * theta;
                (value, (shape - 1.0) / theta - rate)
            }
            Self::Normal { mean, std } => {
                let z = (theta - mean) / std;
                (-0.5 * z * z - std.ln() - half_log_2pi, -z / std)
            }
        }
    }

    /// Whether it is a density of positive numbers only.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        matches!(self, Self::LogNormal { .. } | Self::Gamma { .. })
    }

    /// Whether the numbers describe a density.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        match *self {
            Self::LogNormal { mean, std } | Self::Normal { mean, std } => {
                mean.is_finite() && std.is_finite() && std > 0.0
            }
            Self::Gamma { shape, rate } => {
                shape.is_finite() && rate.is_finite() && shape > 0.0 && rate > 0.0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIORS: [Prior; 3] = [
        Prior::LogNormal { mean: 0.3, std: 0.8 },
        Prior::Gamma { shape: 2.5, rate: 1.5 },
        Prior::Normal { mean: 1.2, std: 0.4 },
    ];

    #[test]
    fn derivatives_match_differences() {
        for prior in PRIORS {
            for theta in [0.2, 0.9, 3.0] {
                let h = 1e-6;
                let slope =
                    (prior.log_density(theta + h).0 - prior.log_density(theta - h).0) / (2.0 * h);
                assert!((prior.log_density(theta).1 - slope).abs() < 1e-7, "{prior:?} at {theta}");
            }
        }
    }

    #[test]
    fn densities_integrate_to_one() {
        for prior in PRIORS {
            let step = 1e-3;
            let points = (1..60_000).map(|i| f64::from(i) * step);
            let mass: f64 = points.map(|theta| prior.log_density(theta).0.exp() * step).sum();
            // The normal's tail below zero holds 0.13 % of its mass.
            assert!((mass - 1.0).abs() < 3e-3, "{prior:?} has mass {mass}");
        }
    }
}
