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
    // K ⪰ σ²I bounds rᵀKr from below, so the ratio is at most 1/σ² even after rounding.
    let ratio = squares / inner(r, &k_r).max(problem.sigma2() * squares);
    Some(Curvature { squares, k_r, ratio })
}

fn inner(a: &ArrayRef1<f64>, b: &ArrayRef1<f64>) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
