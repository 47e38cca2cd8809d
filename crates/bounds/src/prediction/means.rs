//! Intervals around the exact posterior mean.

use super::rounding::{norms, residual_rounding};
use super::variances::Variances;
use crate::quad::residual;
use crate::{BoundError, NystromSystem, Problem};
use kernels::cross_product;
use linalg_cg::{Preconditioner, ScaledIdentity, matmul_tn};
use ndarray::{Array1, Array2, ArrayRef2, Axis, Zip};

/// The exact posterior mean lies within, `[T, P]`.
pub(super) struct Interval {
    pub(super) lower: Array2<f64>,
    pub(super) upper: Array2<f64>,
}

impl Interval {
    fn around(centre: &Array2<f64>, radius: &Array2<f64>) -> Self {
        Self { lower: centre - radius, upper: centre + radius }
    }

    /// Both hold.
    pub(super) fn and(mut self, other: &Self) -> Self {
        Zip::from(&mut self.lower).and(&other.lower).for_each(|a, b| *a = a.max(*b));
        Zip::from(&mut self.upper).and(&other.upper).for_each(|a, b| *a = a.min(*b));
        self
    }

    /// How far its farther end is from `mean`.
    pub(super) fn reach_from(&self, mean: &Array2<f64>) -> Array2<f64> {
        let mut reach = mean - &self.lower;
        Zip::from(&mut reach).and(&self.upper).and(mean).for_each(|reach, upper, mean| {
            *reach = reach.max(upper - mean).max(0.0);
        });
        reach
    }
}

/// What v leaves of y, and how much that weighs.
pub(super) struct Means<'p, 'a> {
    problem: &'p Problem<'a>,
    system: Option<&'p NystromSystem>,
    v: &'p ArrayRef2<f64>,
    /// r = y − Kv `[N, P]`.
    r: Array2<f64>,
    /// VQ⁻¹r, with inducing points.
    coefficients: Option<Array2<f64>>,
    /// √(rᵀQ⁻¹r) of each column, widened.
    weight: Array1<f64>,
}

impl<'p, 'a> Means<'p, 'a> {
    pub(super) fn new(
        problem: &'p Problem<'a>,
        y: &ArrayRef2<f64>,
        v: &'p ArrayRef2<f64>,
    ) -> Result<Self, BoundError> {
        let r = residual(problem, y, v);
        let system = problem.inducing_points().map(|_| problem.nystrom()).transpose()?;
        let slack = match system {
            Some(system) => system.quad(&r),
            None => ScaledIdentity::new(problem.n(), problem.sigma2())?.quad(&r),
        };
        let weight = slack.mapv(|value| value.max(0.0).sqrt()) + residual_rounding(problem, v);
        let coefficients = system.map(|system| system.coefficients(&r));
        Ok(Self { problem, system, v, r, coefficients, weight })
    }

    /// m = k*ᵀv + q*ᵀQ⁻¹r `[T, P]`.
    pub(super) fn at_v(&self, x_new: &ArrayRef2<f64>) -> Array2<f64> {
        let plain = cross_product(self.problem.kernel(), x_new, self.problem.x(), self.v);
        match (self.projected(x_new), &self.coefficients) {
            (Some(a), Some(coefficients)) => plain + matmul_tn(&a, coefficients),
            _ => plain,
        }
    }

    /// Around m, which is `mean`: (√(k*ᵀK⁻¹k*) + √(q*ᵀQ⁻¹q*)) √(rᵀQ⁻¹r).
    pub(super) fn near_mean(
        &self,
        mean: &Array2<f64>,
        x_new: &ArrayRef2<f64>,
        ends: &Variances,
    ) -> Interval {
        let mut reach = ends.explained().mapv(f64::sqrt);
        if let (Some(system), Some(a)) = (self.system, self.projected(x_new)) {
            reach += &system.explained_forms(&a).mapv(f64::sqrt);
        }
        let radius = &reach.insert_axis(Axis(1)) * &self.weight;
        Interval::around(mean, &(radius + self.sum_rounding(ends)))
    }

    /// Around k*ᵀv + wᵀr: √(r*ᵀQ⁻¹r*) √(rᵀQ⁻¹r), for k*ᵀK⁻¹r = wᵀr + r*ᵀK⁻¹r.
    pub(super) fn near_solution(&self, ends: &Variances) -> Interval {
        let centre = matmul_tn(&ends.targets, self.v) + matmul_tn(&ends.solution, &self.r);
        let left = ends.slack.mapv(|value| value.max(0.0).sqrt())
            + residual_rounding(self.problem, &ends.solution);
        let radius = &left.insert_axis(Axis(1)) * &self.weight;
        Interval::around(&centre, &(radius + self.sum_rounding(ends)))
    }

    /// 4ε √N (‖k*‖ ‖v‖ + ‖w‖ ‖r‖): of the inner products themselves.
    fn sum_rounding(&self, ends: &Variances) -> Array2<f64> {
        let pairs = |a: &ArrayRef2<f64>, b: &ArrayRef2<f64>| {
            &norms(a).insert_axis(Axis(1)) * &norms(b).insert_axis(Axis(0))
        };
        let factor = 4.0 * f64::EPSILON * (self.problem.n() as f64).sqrt();
        (pairs(&ends.targets, self.v) + pairs(&ends.solution, &self.r)) * factor
    }

    /// L⁻¹k_u*.
    fn projected(&self, x_new: &ArrayRef2<f64>) -> Option<Array2<f64>> {
        let (system, z) = (self.system?, self.problem.inducing_points()?);
        Some(system.project(self.problem.kernel(), z, x_new))
    }
}
