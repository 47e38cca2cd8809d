//! The lower bound that needs no surrogate.

use super::product::add_product;
use super::{QuadBound, QuadPoint};
use crate::{BoundError, Gradient, Problem, QuadGradient, Side};
use linalg_cg::LinearOperator;
use ndarray::{Array1, ArrayRef1};

/// Lower bound on yᵀK⁻¹y from the Cauchy–Schwarz inequality on the residual.
///
/// ```text
/// yᵀK⁻¹y ≥ vᵀKv + 2rᵀv + (rᵀr)²/(rᵀKr),   r = y − Kv   (last term 0 when r = 0)
/// ```
///
/// Holds without inducing points. Cost: two products with K.
/// Source: (rᵀr)² = (rᵀK^(−½)K^(½)r)² ≤ rᵀK⁻¹r · rᵀKr, one further steepest-descent step on v.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CauchySchwarz;

/// rᵀr, Kr and rᵀr/rᵀKr of a residual that is not zero.
struct Curvature {
    squares: f64,
    k_r: Array1<f64>,
    ratio: f64,
}

impl QuadBound for CauchySchwarz {
    fn name(&self) -> &'static str {
        "cauchy-schwarz"
    }

    fn side(&self) -> Side {
        Side::Lower
    }

    fn value_at(&self, problem: &Problem<'_>, point: &QuadPoint<'_>) -> Result<f64, BoundError> {
        let gain = curvature(problem, point.residual()).map_or(0.0, |c| c.squares * c.ratio);
        Ok(point.base() + gain)
    }

    fn gradient_at(
        &self,
        problem: &Problem<'_>,
        point: &QuadPoint<'_>,
    ) -> Result<QuadGradient, BoundError> {
        let (v, r) = (point.v(), point.residual());
        let mut hyper = Gradient::zeros(problem);
        let Some(Curvature { k_r, ratio, .. }) = curvature(problem, r) else {
            add_product(problem, &mut hyper, &[(&-v, v)]);
            return Ok(QuadGradient { hyper, y: v * 2.0 });
        };
        // With ρ = rᵀr/rᵀKr: dF = −(v + q)ᵀdK v − ρ² rᵀdK r + (2v + q)ᵀdy, q = 4ρr − 2ρ²Kr.
        let q = r * (4.0 * ratio) - k_r * (2.0 * ratio * ratio);
        add_product(problem, &mut hyper, &[(&-(v + &*q), v), (&(r * (-ratio * ratio)), r)]);
        Ok(QuadGradient { hyper, y: v * 2.0 + q })
    }
}

/// `None` when r is zero, or so small that its square vanishes: the bound's last term is 0 then.
fn curvature(problem: &Problem<'_>, r: &ArrayRef1<f64>) -> Option<Curvature> {
    let squares = inner(r, r);
    if squares <= 0.0 {
        return None;
    }
    let k_r = problem.operator().apply_vec(r);
    let ratio = step_length(squares, inner(r, &k_r), problem.sigma2());
    Some(Curvature { squares, k_r, ratio })
}

/// rᵀr/rᵀKr, at most 1/σ².
///
/// K ⪰ σ²I bounds rᵀKr from below; where the kernel part of rᵀKr is lost to rounding, the clamp keeps
/// the lower bound from exceeding what σ²I allows.
///
/// The second clamp is for squares so small that times σ² nothing is left of them.
pub(crate) fn step_length(squares: f64, curvature: f64, sigma2: f64) -> f64 {
    (squares / curvature.max(sigma2 * squares)).min(sigma2.recip())
}

fn inner(a: &ArrayRef1<f64>, b: &ArrayRef1<f64>) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::step_length;

    #[test]
    fn a_curvature_below_the_noise_is_rounding() {
        assert!((step_length(4.0, 8.0, 0.5) - 0.5).abs() < 1e-15);
        assert!((step_length(4.0, -1e-3, 0.5) - 2.0).abs() < 1e-15);
        let tiny = f64::from_bits(1);
        assert!((step_length(tiny, 0.0, 1e-3) - 1e3).abs() < 1e-9);
    }
}
