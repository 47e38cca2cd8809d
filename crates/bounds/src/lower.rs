//! The lower bound on the evidence as one function: its value and gradient, shared work done once.

use crate::surrogate::Sensitivity;
use crate::{BoundError, DifferentiableLogDet, Gradient, NystromSystem, Problem};
use linalg_cg::matmul_tn;
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use std::f64::consts::PI;

/// Where the lower bound is evaluated.
///
/// ```text
/// F = −½ Σ_p [v_pᵀKv_p + 2r_pᵀv_p + r_pᵀQ⁻¹r_p] − ½ P · (upper bound on log|K|) − (NP/2) log 2π
/// ```
///
/// A lower bound on the log marginal likelihood for *any* v. Source: Artemev, Burt & van der Wilk
/// (2021), section 3.
#[derive(Debug, Clone, Copy)]
pub struct LowerPoint<'p> {
    /// Targets, the mean subtracted, `[N, P]`.
    pub y: &'p ArrayRef2<f64>,
    /// Any auxiliary vectors, `[N, P]`.
    pub v: &'p ArrayRef2<f64>,
    /// y − Kv, `[N, P]`: of [`residual`](crate::quad::residual), or a solver's true residual.
    pub residual: &'p ArrayRef2<f64>,
}

/// The lower bound with its derivatives, v held fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct LowerGradient {
    /// F, nats, summed over the target columns.
    pub value: f64,
    /// ∂F in the log kernel parameters, the log noise variance and, if asked for, Z.
    pub hyper: Gradient,
    /// ∂F/∂y, `[N, P]`: −(v + Q⁻¹r).
    pub y: Array2<f64>,
    /// ½ rᵀQ⁻¹r of each column: at most so many nats could a better v still gain.
    pub slack: Array1<f64>,
}

/// A bound on log|K| with its gradient, the same whatever v.
#[derive(Debug, Clone, PartialEq)]
pub struct LogDetGradient {
    /// The bound, nats.
    pub value: f64,
    /// In the log kernel parameters and the log noise variance.
    pub gradient: Gradient,
}

/// Q⁻¹R and what goes with it.
struct Residual {
    /// c = B⁻¹VR/σ² = VQ⁻¹R `[M, P]`.
    coefficients: Array2<f64>,
    /// Q⁻¹R = (R − Vᵀc)/σ² `[N, P]`.
    solution: Array2<f64>,
    /// rᵀQ⁻¹r of each column.
    quad: Array1<f64>,
}

impl LowerPoint<'_> {
    /// Value and gradient with `bound` for log|K|, on a problem with inducing points (M = 0 makes
    /// Q = σ²I); the gradient in Z only `with_z`.
    ///
    /// Cost on top of the Nyström system: 2 N M² flops, one pass over the derivatives of k(Z, X) (and
    /// one over those in Z) and one over those of k(X, X); memory O(M²). Where the bound has no
    /// [`sensitivity`](DifferentiableLogDet::sensitivity), its own gradient is added.
    ///
    /// # Errors
    /// [`BoundError::NeedsInducingPoints`], and those of `bound`.
    pub fn gradient(
        &self,
        problem: &Problem<'_>,
        bound: &dyn DifferentiableLogDet,
        with_z: bool,
    ) -> Result<LowerGradient, BoundError> {
        self.gradient_keeping(problem, bound, with_z, &mut None)
    }

    /// The same, the part of `bound` taken from `kept`, which is of this very problem, if it is there, and
    /// left there: what other v of the same problem need not compute again. A bound that shares its work
    /// with the quadratic term leaves nothing.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient).
    pub fn gradient_keeping(
        &self,
        problem: &Problem<'_>,
        bound: &dyn DifferentiableLogDet,
        with_z: bool,
        kept: &mut Option<LogDetGradient>,
    ) -> Result<LowerGradient, BoundError> {
        let system = problem.nystrom()?;
        let Residual { coefficients, solution, quad } = self.residual_in(system);
        let targets = self.y.ncols() as f64;
        let (log_det, shared) = log_det(problem, bound, kept)?;
        let mut sensitivity =
            shared.map_or_else(|| Sensitivity::none(system), |shared| shared.scaled(targets));
        sensitivity.add_quad(solution.clone(), coefficients);
        let mut hyper = sensitivity.gradient_of(problem, with_z)?;
        if let Some(LogDetGradient { gradient, .. }) = kept {
            hyper.scaled_add(targets, gradient);
        }
        self.add_products(problem, &solution, &mut hyper);
        let value = -0.5 * (self.base() + quad.sum() + targets * log_det) - self.constant();
        let (hyper, y) = (halved(hyper, with_z), -(solution + self.v));
        Ok(LowerGradient { value, hyper, y, slack: quad * 0.5 })
    }

    /// rᵀQ⁻¹r of each column in the stable form ‖r − Vᵀc‖²/σ² + ‖c‖².
    fn residual_in(&self, system: &NystromSystem) -> Residual {
        let coefficients = system.coefficients(self.residual);
        let left = self.residual - &*matmul_tn(system.v(), &coefficients);
        let quad = squares(&left) / system.sigma2() + squares(&coefficients);
        Residual { coefficients, solution: left / system.sigma2(), quad }
    }

    /// Adds Σ_p −(v_p + 2p_p)ᵀdK v_p, one pass over the tiles of K.
    fn add_products(&self, problem: &Problem<'_>, solution: &Array2<f64>, hyper: &mut Gradient) {
        if self.v.iter().all(|value| value.abs() <= 0.0) {
            return;
        }
        let u = solution * -2.0 - self.v;
        let d_kernel = problem.operator().gradient_product(&u, self.v);
        hyper.kernel.iter_mut().zip(d_kernel).for_each(|(sum, part)| *sum += part);
        // K = K_ff + σ²I: the shift contributes Σ_c u_cᵀv_c.
        hyper.add_sigma2(problem, u.iter().zip(self.v).map(|(u, v)| u * v).sum());
    }

    /// Σ_p vᵀ(y + r) = Σ_p [vᵀKv + 2rᵀv].
    fn base(&self) -> f64 {
        let sums = self.y.iter().zip(self.residual).map(|(y, r)| y + r);
        self.v.iter().zip(sums).map(|(v, sum)| v * sum).sum()
    }

    /// (NP/2) log 2π.
    fn constant(&self) -> f64 {
        0.5 * self.y.len() as f64 * (2.0 * PI).ln()
    }
}

/// The value, and what goes through the Nyström system of its gradient; all else of it is `kept`.
fn log_det<'p>(
    problem: &'p Problem<'_>,
    bound: &dyn DifferentiableLogDet,
    kept: &mut Option<LogDetGradient>,
) -> Result<(f64, Option<Sensitivity<'p>>), BoundError> {
    if let Some(LogDetGradient { value, .. }) = kept {
        return Ok((*value, None));
    }
    let value = bound.value(problem)?;
    let shared = bound.sensitivity(problem)?;
    if shared.is_none() {
        *kept = Some(LogDetGradient { value, gradient: bound.gradient(problem)? });
    }
    Ok((value, shared))
}

/// Of −½ the function; a part of Z that was not asked for is dropped.
fn halved(mut gradient: Gradient, with_z: bool) -> Gradient {
    gradient.kernel.iter_mut().for_each(|value| *value *= -0.5);
    gradient.noise_variance *= -0.5;
    gradient.z = gradient.z.filter(|_| with_z).map(|z| z * -0.5);
    gradient
}

fn squares(a: &Array2<f64>) -> Array1<f64> {
    a.mapv(|value| value * value).sum_axis(Axis(0))
}
