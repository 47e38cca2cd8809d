//! The lower bound from all the moments at hand.

use super::LogDetBound;
use super::dual::dual;
use crate::{BoundError, Moments, Part, Problem, Side, SurrogateKind};

/// Relative rounding of moments, which are sums over N² products, and of the cubic.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Lower bound from the best cubic below λ log λ.
///
/// ```text
/// log|K| ≥ log|C| + αN + β tr(C⁻¹K) + γ tr((C⁻¹K)²) + δκ,   log λ ≥ α + βλ + γλ² + δ/λ
/// ```
///
/// where λ(α + βλ + γλ²) + δ is the cubic that meets λ log λ and its slope at two nodes, below it
/// because the fourth derivative 2/λ³ is positive, and δ ≤ 0. It needs no floor and is never looser
/// than [`Dual`](super::Dual). The nodes are those of the Gauss rule for the measure dμ/λ, of which κ,
/// N, tr(C⁻¹K) and tr((C⁻¹K)²) are the moments; any two nodes give a bound. Where the eigenvalues are
/// so equal that the rule degenerates, its value is that of the dual.
/// A certificate: one or two passes over K. Source: `docs/src/math/surrogates.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DualMoments {
    /// The surrogate C.
    pub kind: SurrogateKind,
}

impl LogDetBound for DualMoments {
    fn name(&self) -> &'static str {
        match self.kind {
            SurrogateKind::Nystrom => "dual-moments-nystrom",
            SurrogateKind::Fitc => "dual-moments-fitc",
            SurrogateKind::Pitc => "dual-moments-pitc",
            SurrogateKind::Vecchia => "dual-moments-vecchia",
            SurrogateKind::Vif => "dual-moments-vif",
        }
    }

    fn side(&self) -> Side {
        Side::Lower
    }

    fn parts(&self) -> Vec<Part> {
        Part::of_surrogate(self.kind).into_iter().chain([Part::Moments(self.kind)]).collect()
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        let moments = problem.moments(self.kind)?;
        let fallback = dual(&moments);
        let best = nodes(&moments).map(|nodes| minorant(&moments, nodes));
        // A minorant at badly rounded nodes is still a bound, but need not be the better one.
        let gain = best.filter(|value| value.is_finite()).map_or(fallback, |v| v.max(fallback));
        Ok(problem.surrogate(self.kind)?.log_det() + gain)
    }
}

/// Σ s^j/λ over the eigenvalues λ = 1 + s, j = 0…3.
fn shifted(moments: &Moments) -> [Measured; 4] {
    let Moments { n, trace_excess, squares, inverse_squares, .. } = *moments;
    [
        sum([n as f64, -trace_excess, inverse_squares]),
        sum([trace_excess, -inverse_squares]),
        sum([inverse_squares]),
        sum([squares, -inverse_squares]),
    ]
}

/// The nodes s = λ − 1 of the two-point Gauss rule; `None` where it degenerates.
fn nodes(moments: &Moments) -> Option<[f64; 2]> {
    let [m0, m1, m2, m3] = shifted(moments).map(|moment| moment.value);
    let determinant = m0 * m2 - m1 * m1;
    if determinant <= f64::EPSILON * m0 * m2 {
        return None;
    }
    // s² + ps + q is orthogonal to 1 and s.
    let p = (m1 * m2 - m0 * m3) / determinant;
    let q = (m1 * m3 - m2 * m2) / determinant;
    let root = (0.25 * p * p - q).sqrt();
    let larger = -0.5 * p - root.copysign(p);
    let pair = [larger, q / larger];
    let valid = pair.iter().all(|s| s.is_finite() && *s > -1.0);
    (valid && (pair[0] - pair[1]).abs() > 1e-6 * (1.0 + larger.abs())).then_some(pair)
}

/// A number and the size of what was added up to get it, for its rounding.
#[derive(Clone, Copy)]
struct Measured {
    value: f64,
    size: f64,
}

/// Σ of terms.
fn sum<const T: usize>(terms: [f64; T]) -> Measured {
    Measured { value: terms.iter().sum(), size: terms.iter().map(|term| term.abs()).sum() }
}

impl Measured {
    fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, size: self.size * factor.abs() }
    }

    fn plus(self, other: Self) -> Self {
        Self { value: self.value + other.value, size: self.size + other.size }
    }

    fn product(self, other: Self) -> Self {
        Self { value: self.value * other.value, size: self.size * other.size }
    }
}

/// Σ_j c_j Σ s^j/λ for the cubic c that meets f(s) = (1 + s) log(1 + s) and its slope at two nodes,
/// less what rounding may have added.
fn minorant(moments: &Moments, [u, v]: [f64; 2]) -> f64 {
    let f = |s: f64| (1.0 + s) * s.ln_1p();
    let slope = |s: f64| s.ln_1p() + 1.0;
    let h = v - u;
    let secant = sum([f(v), -f(u)]).times(1.0 / h);
    let second = secant.plus(sum([-slope(u)])).times(1.0 / h);
    let third = secant.times(-2.0).plus(sum([slope(u), slope(v)])).times(1.0 / (h * h));
    // f(u) + f'(u)(s − u) + second (s − u)² + third (s − u)²(s − v), by powers of s.
    let coefficients = [
        sum([f(u), -slope(u) * u]).plus(second.times(u * u)).plus(third.times(-u * u * v)),
        sum([slope(u)]).plus(second.times(-2.0 * u)).plus(third.product(sum([u * u, 2.0 * u * v]))),
        second.plus(third.product(sum([-2.0 * u, -v]))),
        third,
    ];
    let parts = coefficients.into_iter().zip(shifted(moments)).map(|(c, moment)| c.product(moment));
    let Measured { value, size } = parts.fold(sum([0.0]), Measured::plus);
    value - ROUNDING * size
}

#[cfg(test)]
mod tests {
    use super::{minorant, nodes};
    use crate::Moments;

    fn moments(eigenvalues: &[f64]) -> Moments {
        let sum = |f: &dyn Fn(f64) -> f64| eigenvalues.iter().map(|&l| f(l)).sum::<f64>();
        let n = eigenvalues.len();
        let mean = sum(&|l| l) / n as f64;
        Moments {
            n,
            trace_excess: sum(&|l| l - 1.0),
            variance: sum(&|l| (l - mean).powi(2)) / n as f64,
            squares: sum(&|l| (l - 1.0).powi(2)),
            inverse_squares: sum(&|l| (l - 1.0).powi(2) / l),
            floor: 0.0,
        }
    }

    #[test]
    fn two_eigenvalues_are_recovered() {
        let moments = moments(&[0.5, 4.0, 4.0]);
        let value = minorant(&moments, nodes(&moments).expect("two nodes"));
        assert!((value - 8f64.ln()).abs() < 1e-9, "{value}");
    }

    #[test]
    fn any_nodes_give_a_lower_bound() {
        let eigenvalues = [0.2, 0.9, 1.0, 1.3, 3.0];
        let exact: f64 = eigenvalues.iter().map(|l: &f64| l.ln()).sum();
        for pair in [[-0.5, 0.5], [-0.1, 2.0], [-0.9, 0.0]] {
            assert!(minorant(&moments(&eigenvalues), pair) <= exact);
        }
        assert!(nodes(&moments(&[1.5, 1.5])).is_none());
    }
}
