//! The upper bound with an auxiliary vector.

use super::product::add_product;
use super::{QuadBound, QuadPoint};
use crate::surrogate::Sensitivity;
use crate::{BoundError, Gradient, Problem, QuadGradient, Side};
use linalg_cg::Preconditioner;
use ndarray::{Array1, ArrayRef1};

/// Upper bound on yᵀK⁻¹y that is tight when v solves Kv = y *or* Q equals K.
///
/// ```text
/// yᵀK⁻¹y ≤ vᵀKv + 2rᵀv + rᵀP⁻¹r,   r = y − Kv
/// ```
///
/// P = Q with inducing points; P = σ²I without them (or with M = 0), which is Gibbs & MacKay's.
/// v = 0 and P = Q give the quadratic term of sparse variational regression. Cost: one product with
/// K and O(N M). Source: Artemev, Burt & van der Wilk (2021), Lemma 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Auxiliary;

impl QuadBound for Auxiliary {
    fn name(&self) -> &'static str {
        "auxiliary"
    }

    fn side(&self) -> Side {
        Side::Upper
    }

    fn value_at(&self, problem: &Problem<'_>, point: &QuadPoint<'_>) -> Result<f64, BoundError> {
        Ok(point.base() + residual_quad(problem, point.residual())?)
    }

    fn gradient_at(
        &self,
        problem: &Problem<'_>,
        point: &QuadPoint<'_>,
    ) -> Result<QuadGradient, BoundError> {
        let p = residual_solve(problem, point.residual())?;
        // dF = −(v + 2p)ᵀdK v − pᵀdP p + 2(v + p)ᵀdy with p = P⁻¹r.
        let u = -(point.v() + &*(&p * 2.0));
        let mut hyper = match problem.inducing_points() {
            Some(_) => Sensitivity::quad(problem.nystrom()?, &p).gradient(problem)?,
            None => noise_quad(problem, &p),
        };
        add_product(problem, &mut hyper, &[(&u, point.v())]);
        Ok(QuadGradient { hyper, y: (point.v() + &*p) * 2.0 })
    }
}

/// rᵀP⁻¹r, the slack that is left in the bound.
pub(crate) fn residual_quad(problem: &Problem<'_>, r: &ArrayRef1<f64>) -> Result<f64, BoundError> {
    match problem.inducing_points() {
        Some(_) => Ok(problem.nystrom()?.quad_vec(r)),
        None => Ok(r.iter().map(|value| value * value).sum::<f64>() / problem.sigma2()),
    }
}

/// P⁻¹r.
fn residual_solve(problem: &Problem<'_>, r: &ArrayRef1<f64>) -> Result<Array1<f64>, BoundError> {
    match problem.inducing_points() {
        Some(_) => Ok(problem.nystrom()?.solve_vec(r)),
        None => Ok(r / problem.sigma2()),
    }
}

/// −pᵀdP p for P = σ²I.
fn noise_quad(problem: &Problem<'_>, p: &Array1<f64>) -> Gradient {
    let mut gradient = Gradient::zeros(problem);
    gradient.add_sigma2(problem, -p.iter().map(|value| value * value).sum::<f64>());
    gradient
}
