//! What floating point may do to a bound: defined once, for reports and tests alike.

use crate::Problem;

/// Relative part, which covers sums of about N terms.
const RELATIVE: f64 = 1e-8;

/// How far float64 may move a bound across the truth.
///
/// ```text
/// log|K|:    1e-8 (1 + |x|) + 4ε (variance + σ²) N / σ²
/// yᵀK⁻¹y:    1e-8 (1 + q)   + 4ε [N (variance + σ²) ‖K⁻¹y‖² + q]
/// ```
///
/// The second parts are the first-order effect of rounding the entries of K, which a plain Cholesky
/// factorisation of K suffers too. Reported brackets are widened by these terms, and the tests use
/// them as tolerance. Derivation: `docs/src/math/bracket.md`; the factors were measured
/// against 80-bit arithmetic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounding {
    n: f64,
    scale: f64,
    sigma2: f64,
}

impl Rounding {
    /// The terms for a problem.
    #[must_use]
    pub fn new(problem: &Problem<'_>) -> Self {
        let sigma2 = problem.sigma2();
        Self { n: problem.n() as f64, scale: problem.largest_variance() + sigma2, sigma2 }
    }

    /// For a bound on log|K| of this value, nats.
    #[must_use]
    pub fn log_det(&self, value: f64) -> f64 {
        RELATIVE * (1.0 + value.abs()) + 4.0 * f64::EPSILON * self.scale * self.n / self.sigma2
    }

    /// For a bound on yᵀK⁻¹y of this value, given (an upper bound on) ‖K⁻¹y‖².
    #[must_use]
    pub fn quad(&self, value: f64, solution_squares: f64) -> f64 {
        let entries = self.n * self.scale * solution_squares + value.abs();
        RELATIVE * (1.0 + value.abs()) + 4.0 * f64::EPSILON * entries
    }

    /// An upper bound on ‖K⁻¹y‖² from v and the slack rᵀP⁻¹r that is left with it.
    ///
    /// ```text
    /// ‖K⁻¹y‖ ≤ ‖v‖ + ‖K⁻¹r‖,   ‖K⁻¹r‖² ≤ rᵀK⁻¹r / σ² ≤ rᵀP⁻¹r / σ²
    /// ```
    #[must_use]
    pub fn solution_squares(&self, v_squares: f64, residual_quad: f64) -> f64 {
        (v_squares.sqrt() + (residual_quad.max(0.0) / self.sigma2).sqrt()).powi(2)
    }
}
