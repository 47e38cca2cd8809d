//! The lower bound from two moments and a floor of the eigenvalues.

use super::LogDetBound;
use crate::{BoundError, Moments, Part, Problem, Side, SurrogateKind};

/// Lower bound from the two-point Gauss–Radau rule for the eigenvalues λ of C⁻¹K.
///
/// ```text
/// log|K| ≥ log|C| + N [w log a + (1 − w) log t],   a ≤ λ_min certified
/// μ = tr(C⁻¹K)/N,  s² = tr((C⁻¹K)²)/N − μ²,  w = s²/((μ − a)² + s²),  t = μ + s²/(μ − a)
/// ```
///
/// `moments-fitc` and so on; with C = Q and a = 1 it is `nystrom-moments`,
/// log|Q| + (t²/s) log(1 + s/t) with t = tr(Q⁻¹D), s = tr((Q⁻¹D)²). A certificate: one or two passes
/// over K. Source: Golub & Meurant (2010), "Matrices, moments and quadrature", ch. 6;
/// `docs/src/math/surrogates.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurrogateMoments {
    /// The surrogate C.
    pub kind: SurrogateKind,
}

impl SurrogateMoments {
    /// The bound with another certified floor a, `aC ⪯ K`, than that of [`Moments::floor`].
    ///
    /// # Errors
    /// As [`value`](LogDetBound::value).
    pub fn value_with_floor(&self, problem: &Problem<'_>, a: f64) -> Result<f64, BoundError> {
        let moments = problem.moments(self.kind)?;
        let log_det = problem.surrogate(self.kind)?.log_det();
        Ok(log_det + problem.n() as f64 * radau(&moments, a))
    }
}

impl LogDetBound for SurrogateMoments {
    fn name(&self) -> &'static str {
        match self.kind {
            SurrogateKind::Nystrom => "nystrom-moments",
            SurrogateKind::Fitc => "moments-fitc",
            SurrogateKind::Pitc => "moments-pitc",
            SurrogateKind::Vecchia => "moments-vecchia",
            SurrogateKind::Vif => "moments-vif",
        }
    }

    fn side(&self) -> Side {
        Side::Lower
    }

    fn parts(&self) -> Vec<Part> {
        Part::of_surrogate(self.kind).into_iter().chain([Part::Moments(self.kind)]).collect()
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        self.value_with_floor(problem, problem.moments(self.kind)?.floor)
    }
}

/// w log a + (1 − w) log t, with logarithms of 1 + something.
fn radau(moments: &Moments, a: f64) -> f64 {
    let mean_excess = moments.trace_excess / moments.n as f64;
    let gap = mean_excess + (1.0 - a);
    // All eigenvalues at the floor, up to rounding.
    if gap <= 0.0 {
        return a.ln();
    }
    let w = moments.variance / (gap * gap + moments.variance);
    w * a.ln() + (1.0 - w) * (mean_excess + moments.variance / gap).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::radau;
    use crate::Moments;

    #[test]
    fn two_eigenvalues_are_recovered_from_their_floor() {
        // λ = 0.5 and 2: the mean of their logarithms is 0.
        let moments = Moments {
            n: 2,
            trace_excess: 0.5,
            variance: 0.5625,
            squares: 1.25,
            inverse_squares: 1.0,
            floor: 0.5,
        };
        assert!(radau(&moments, 0.5).abs() < 1e-15);
        assert!(radau(&moments, 0.4) < -1e-3);
    }
}
