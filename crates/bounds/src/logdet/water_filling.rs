//! The best bound from the eigenvalues of Q and the trace of K.

use super::{DifferentiableLogDet, LogDetBound};
use crate::surrogate::Sensitivity;
use crate::{BoundError, Part, Problem, Side};
use linalg_cg::{symmetric_eigen, symmetric_eigenvalues};
use ndarray::ArrayRef1;

/// Log-determinant bound by water-filling: all that can be said from Q's eigenvalues and tr K.
///
/// ```text
/// log|K| ≤ Σ_i log max(ℓ_i, ν),   Σ_i max(ℓ_i, ν) = tr K,   ℓ = eigenvalues of Q
/// ```
///
/// It is the maximum of Σ log λ_i subject to λ_i ≥ ℓ_i and Σ λ_i = tr K, hence never looser than
/// [`ArithmeticGeometric`](super::ArithmeticGeometric). Needs inducing points. Cost: O(M³ + N) on top
/// of the Nyström system.
/// Source: Artemev, Burt & van der Wilk (2021), appendix (the constrained problem); the closed form
/// is the water-filling solution of that concave programme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaterFilling;

impl LogDetBound for WaterFilling {
    fn name(&self) -> &'static str {
        "water-filling"
    }

    fn side(&self) -> Side {
        Side::Upper
    }

    fn parts(&self) -> Vec<Part> {
        vec![Part::Nystrom]
    }

    fn value(&self, problem: &Problem<'_>) -> Result<f64, BoundError> {
        let system = problem.nystrom()?;
        let levels = levels(problem.n(), system.sigma2(), &symmetric_eigenvalues(system.vvt())?);
        let nu = water_level(&levels, system.residual_trace());
        Ok(levels.iter().map(|level| level.max(nu).ln()).sum())
    }

    fn differentiable(&self) -> Option<&dyn DifferentiableLogDet> {
        Some(self)
    }
}

impl DifferentiableLogDet for WaterFilling {
    fn sensitivity<'p>(
        &self,
        problem: &'p Problem<'_>,
    ) -> Result<Option<Sensitivity<'p>>, BoundError> {
        let (system, n) = (problem.nystrom()?, problem.n() as f64);
        let (lambda, vectors) = symmetric_eigen(system.vvt())?;
        let nu =
            water_level(&levels(problem.n(), system.sigma2(), &lambda), system.residual_trace());
        // With T = tr K: ∂/∂T = 1/ν and ∂/∂ℓ_i = −(1/ν − 1/ℓ_i)₊, which is 0 for the N − M eigenvalues σ²
        // that lie under the water. T = Σ k(x_i, x_i) + Nσ² and ℓ_i = σ² + λ_i.
        let slopes = lambda.mapv(|l| -(1.0 / nu - 1.0 / (system.sigma2() + l.max(0.0))).max(0.0));
        let mut sensitivity = Sensitivity::spectral(system, &vectors, &lambda, &slopes);
        sensitivity.add_prior_trace(1.0 / nu);
        sensitivity.add_sigma2(n / nu + slopes.sum());
        Ok(Some(sensitivity))
    }
}

/// The N eigenvalues of Q, ascending, from those of VVᵀ.
///
/// VVᵀ ⪰ 0, so a negative eigenvalue is rounding error and its clamp moves it towards the truth. For
/// M > N the M − N smallest are zero in exact arithmetic and do not belong to the N×N matrix Q.
fn levels(n: usize, sigma2: f64, lambda: &ArrayRef1<f64>) -> Vec<f64> {
    let m = lambda.len();
    let mut levels = vec![sigma2; n.saturating_sub(m)];
    levels.extend(lambda.iter().skip(m.saturating_sub(n)).map(|l| sigma2 + l.max(0.0)));
    levels
}

/// The ν with Σ max(ℓ_i, ν) = Σ ℓ_i + `poured`, for ascending ℓ and `poured` ≥ 0.
///
/// With the k smallest under water, ν = (poured + ℓ_1 + … + ℓ_k)/k, no subtraction; the right k is the
/// first for which the water stays below ℓ_{k+1}. Nothing poured gives ν = ℓ_1 and the bound log|Q|.
fn water_level(levels: &[f64], poured: f64) -> f64 {
    let mut covered = poured;
    for (k, level) in levels.iter().enumerate() {
        covered += level;
        let nu = covered / (k + 1) as f64;
        if levels.get(k + 1).is_none_or(|next| nu <= *next) {
            return nu;
        }
    }
    poured
}

#[cfg(test)]
mod tests {
    use super::{levels, water_level};
    use ndarray::array;

    #[test]
    fn negative_eigenvalues_are_rounding_and_surplus_ones_are_dropped() {
        assert_eq!(levels(4, 0.5, &array![-1e-17, 2.0]), [0.5, 0.5, 0.5, 2.5]);
        assert_eq!(levels(1, 0.5, &array![-1e-17, 2.0]), [2.5]);
    }

    #[test]
    fn water_covers_the_lowest_levels_first() {
        assert!((water_level(&[1.0, 2.0, 9.0], 0.5) - 1.5).abs() < 1e-15);
        assert!((water_level(&[1.0, 2.0, 9.0], 3.0) - 3.0).abs() < 1e-15);
        assert!((water_level(&[1.0, 2.0, 9.0], 18.0) - 10.0).abs() < 1e-15);
    }

    #[test]
    fn nothing_poured_leaves_the_level_at_the_lowest() {
        assert!((water_level(&[0.5, 2.0], 0.0) - 0.5).abs() < 1e-15);
        assert!((water_level(&[0.5, 0.5, 2.0], 0.0) - 0.5).abs() < 1e-15);
    }
}
