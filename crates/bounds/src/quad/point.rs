//! Targets, auxiliary vector and their shared product.

use crate::{BoundError, Problem, check};
use linalg_cg::LinearOperator;
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};
use std::sync::OnceLock;

/// Where a quadratic bound is evaluated: y, v and, computed once when first asked, K v.
///
/// ```text
/// r = y − K v,   yᵀK⁻¹y = vᵀKv + 2rᵀv + rᵀK⁻¹r = vᵀ(y + r) + rᵀK⁻¹r   for every v
/// ```
#[derive(Debug)]
pub struct QuadPoint<'p> {
    problem: &'p Problem<'p>,
    y: &'p ArrayRef1<f64>,
    v: &'p ArrayRef1<f64>,
    residual: OnceLock<Array1<f64>>,
}

impl<'p> QuadPoint<'p> {
    /// Takes targets `y [N]` (mean subtracted) and any `v [N]`.
    ///
    /// # Errors
    /// When a length disagrees with the data or a number is not finite.
    pub fn new(
        problem: &'p Problem<'_>,
        y: &'p ArrayRef1<f64>,
        v: &'p ArrayRef1<f64>,
    ) -> Result<Self, BoundError> {
        check::length("y", y.len(), problem.n())?;
        check::length("v", v.len(), problem.n())?;
        check::finite_vec("y", y)?;
        check::finite_vec("v", v)?;
        Ok(Self { problem, y, v, residual: OnceLock::new() })
    }

    /// As [`new`](Self::new), with the residual y − Kv known.
    pub(crate) fn with_residual(
        problem: &'p Problem<'_>,
        y: &'p ArrayRef1<f64>,
        v: &'p ArrayRef1<f64>,
        residual: Array1<f64>,
    ) -> Self {
        Self { problem, y, v, residual: OnceLock::from(residual) }
    }

    /// The targets, `[N]`.
    #[must_use]
    pub fn y(&self) -> &ArrayRef1<f64> {
        self.y
    }

    /// The auxiliary vector, `[N]`.
    #[must_use]
    pub fn v(&self) -> &ArrayRef1<f64> {
        self.v
    }

    /// r = y − Kv, from one fresh product: the residual that conjugate gradients update recursively
    /// drifts. Nothing is multiplied when v is zero.
    pub fn residual(&self) -> &Array1<f64> {
        self.residual.get_or_init(|| {
            let [y, v] = [self.y, self.v].map(|column| column.view().insert_axis(Axis(1)));
            residual(self.problem, &y, &v).remove_axis(Axis(1))
        })
    }

    /// vᵀKv + 2rᵀv = vᵀ(y + r), what both Cauchy–Schwarz and auxiliary bounds share.
    #[must_use]
    pub fn base(&self) -> f64 {
        let sums = self.y.iter().zip(self.residual()).map(|(y, r)| y + r);
        self.v.iter().zip(sums).map(|(v, sum)| v * sum).sum()
    }
}

/// R = Y − KV, `[N, P]`, all columns in one pass over the tiles of K; Y itself where V is zero.
///
/// `y [N, P]`, `v [N, P]`. From its definition: the residual that conjugate gradients update
/// recursively drifts.
///
/// # Panics
/// When the rows of `v` are not the problem's.
#[must_use]
pub fn residual(problem: &Problem<'_>, y: &ArrayRef2<f64>, v: &ArrayRef2<f64>) -> Array2<f64> {
    if v.iter().all(|value| value.abs() <= 0.0) {
        return y.to_owned();
    }
    y - &*problem.operator().apply(v)
}
