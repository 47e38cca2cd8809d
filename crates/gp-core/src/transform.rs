//! From positive parameters to the unconstrained variables an optimiser moves.

/// How one parameter is seen by the optimiser.
///
/// ```text
/// Positive:  θ = floor + log(1 + eᵘ),   dθ/du = 1 / (1 + e⁻ᵘ)
/// Real:      θ = u
/// ```
///
/// Softplus behaves like `eᵘ` for small θ and like `u` for large θ, so that neither a tiny noise
/// variance nor a huge lengthscale is out of reach. Source: Artemev, Burt & van der Wilk (2021),
/// section 4 (softplus constraints bounded below by 1e-6).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Transform {
    /// For parameters above a floor.
    Positive {
        /// Smallest value training can reach, excluded.
        floor: f64,
    },
    /// For parameters of any sign.
    Real,
}

impl Transform {
    /// The parameter θ at the unconstrained value `u`.
    #[must_use]
    pub fn forward(self, u: f64) -> f64 {
        match self {
            Self::Positive { floor } => floor + softplus(u),
            Self::Real => u,
        }
    }

    /// The unconstrained value at which [`forward`](Self::forward) gives `theta`.
    ///
    /// A `theta` at or below the floor has none: the result is then not finite.
    #[must_use]
    pub fn inverse(self, theta: f64) -> f64 {
        match self {
            Self::Positive { floor } => inverse_softplus(theta - floor),
            Self::Real => theta,
        }
    }

    /// dθ/du at `u`.
    #[must_use]
    pub fn derivative(self, u: f64) -> f64 {
        match self {
            Self::Positive { .. } => sigmoid(u),
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
            let transform = Transform::Positive { floor: 1e-6 };
            let theta = 1e-6 + 10f64.powf(log10);
            let back = transform.forward(transform.inverse(theta));
            prop_assert!((back - theta).abs() <= 1e-12 * theta + 1e-21);
        }

        #[test]
        fn derivative_is_the_slope_of_forward(u in -30.0..30.0_f64) {
            let transform = Transform::Positive { floor: 1e-6 };
            let h = 1e-5;
            let slope = (softplus(u + h) - softplus(u - h)) / (2.0 * h);
            prop_assert!((transform.derivative(u) - slope).abs() <= 1e-8 * slope + 1e-15);
        }
    }

    #[test]
    fn extremes_stay_finite() {
        let transform = Transform::Positive { floor: 1e-6 };
        for u in [-1e4, -391.0, 0.0, 391.0, 1e4] {
            assert!(transform.forward(u).is_finite() && transform.derivative(u).is_finite());
        }
        assert!(transform.inverse(1e-6).is_nan() && transform.inverse(1e-7).is_nan());
    }
}
