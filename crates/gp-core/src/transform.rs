//! From positive parameters to the unconstrained variables an optimiser moves.

/// How one parameter is seen by the optimiser.
///
/// ```text
/// Positive:  θ = floor + K log(1 + eᵘ/K),   dθ/du = eᵘ / (1 + eᵘ/K)
/// Real:      θ = u
/// ```
///
/// Below the knee K this is `floor + eᵘ`: a step in u is a step in the ratio of θ to its floor's
/// distance, so that orders of magnitude take few steps. Beyond it θ grows in proportion to u, so
/// that the lengthscale of a column that does not matter stops somewhere instead of overflowing.
/// With K = 1 it is the softplus of Artemev, Burt & van der Wilk (2021), section 4, which takes
/// many more steps where lengthscales are large: see `docs/src/math/training.md`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Transform {
    /// For parameters above a floor.
    Positive {
        /// Smallest value training can reach, excluded.
        floor: f64,
        /// K, the distance to the floor beyond which growth is no longer exponential.
        knee: f64,
    },
    /// For parameters of any sign.
    Real,
}

impl Transform {
    /// The parameter θ at the unconstrained value `u`.
    #[must_use]
    pub fn forward(self, u: f64) -> f64 {
        match self {
            Self::Positive { floor, knee } => floor + knee * softplus(u - knee.ln()),
            Self::Real => u,
        }
    }

    /// The unconstrained value at which [`forward`](Self::forward) gives `theta`.
    ///
    /// A `theta` at or below the floor has none: the result is then not finite.
    #[must_use]
    pub fn inverse(self, theta: f64) -> f64 {
        match self {
            Self::Positive { floor, knee } => inverse_softplus((theta - floor) / knee) + knee.ln(),
            Self::Real => theta,
        }
    }

    /// dθ/du at `u`.
    #[must_use]
    pub fn derivative(self, u: f64) -> f64 {
        match self {
            Self::Positive { knee, .. } => knee * sigmoid(u - knee.ln()),
            Self::Real => 1.0,
        }
    }
}

fn softplus(u: f64) -> f64 {
    u.max(0.0) + (-u.abs()).exp().ln_1p()
}

/// log(eᵗ − 1), in the form that neither overflows for large t nor cancels for small t.
fn inverse_softplus(t: f64) -> f64 {
    if t > 0.0 { t + (-(-t).exp_m1()).ln() } else { f64::NAN }
}

fn sigmoid(u: f64) -> f64 {
    if u >= 0.0 { 1.0 / (1.0 + (-u).exp()) } else { u.exp() / (1.0 + u.exp()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn inverse_undoes_forward(log10 in -12.0..6.0_f64) {
            let transform = Transform::Positive { floor: 1e-6, knee: 100.0 };
            let theta = 1e-6 + 10f64.powf(log10);
            let back = transform.forward(transform.inverse(theta));
            prop_assert!((back - theta).abs() <= 1e-12 * theta + 1e-21);
        }

        #[test]
        fn derivative_is_the_slope_of_forward(u in -5.0..30.0_f64) {
            let transform = Transform::Positive { floor: 1e-6, knee: 100.0 };
            let h = 1e-5;
            let slope = (transform.forward(u + h) - transform.forward(u - h)) / (2.0 * h);
            prop_assert!((transform.derivative(u) - slope).abs() <= 1e-8 * slope + 1e-15);
        }
    }

    #[test]
    fn extremes_stay_finite() {
        let transform = Transform::Positive { floor: 1e-6, knee: 100.0 };
        for u in [-1e4, -391.0, 0.0, 391.0, 1e4] {
            assert!(transform.forward(u).is_finite() && transform.derivative(u).is_finite());
        }
        assert!(transform.inverse(1e-6).is_nan() && transform.inverse(1e-7).is_nan());
    }
}
