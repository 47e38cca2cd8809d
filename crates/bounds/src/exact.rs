//! The dense reference: everything exact, by one Cholesky factorisation of K.
//!
//! This is the only place of the crate that holds N × N matrices. [`bytes_needed`] says how much
//! memory that takes, before anything is allocated.

mod gradient;
mod leave_one_out;

pub use gradient::ExactGradient;
pub use leave_one_out::LeaveOneOut;

use crate::{BoundError, Problem, check};
use linalg_cg::{Cholesky, LinalgError};
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use std::f64::consts::PI;

/// The exact log-determinant, quadratic form and log marginal likelihood of a problem.
///
/// ```text
/// K = L Lᵀ,   log|K| = 2 Σ log L_ii,   α = K⁻¹y
/// LML = Σ_p [ −½ y_pᵀα_p − ½ log|K| − (N/2) log 2π ]
/// ```
///
/// Targets are `[N, P]` with the mean subtracted; the columns share the hyperparameters. Cost:
/// O(N³) time, 8N² bytes.
/// Source: Rasmussen & Williams (2006), algorithm 2.1.
///
/// ```
/// use bounds::{Problem, exact::Exact};
/// use kernels::SquaredExponential;
/// use ndarray::array;
///
/// let x = array![[0.0]];
/// let kernel = SquaredExponential::new(vec![1.0], 1.0)?;
/// let problem = Problem::new(&kernel, &x, 0.1)?;
/// let exact = Exact::new(&problem)?;
/// assert!((exact.lml(&array![[2.0]])? - -2.784_775_441_3).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Exact<'p, 'a> {
    problem: &'p Problem<'a>,
    cholesky: Cholesky,
}

/// Bytes that [`Exact`] will hold for `n` rows: the factor, and for gradients or leave-one-out the
/// inverse and the inverse factor beside it.
#[must_use]
pub fn bytes_needed(n: usize, with_gradient: bool) -> u64 {
    let matrices = if with_gradient { 3 } else { 1 };
    matrices * 8 * (n as u64).saturating_mul(n as u64)
}

impl<'p, 'a> Exact<'p, 'a> {
    /// Builds and factorises K, without jitter.
    ///
    /// # Errors
    /// When K is not positive definite in float64: the noise is too small for the duplicates.
    pub fn new(problem: &'p Problem<'a>) -> Result<Self, BoundError> {
        let mut k = kernels::gram_matrix(problem.kernel(), problem.x());
        k.diag_mut().mapv_inplace(|value| value + problem.sigma2());
        let cholesky = Cholesky::factor(k).map_err(|error| match error {
            LinalgError::NotPositiveDefinite { n, jitter, .. } => {
                BoundError::NotPositiveDefinite { matrix: "covariance of the data", n, jitter }
            }
            other => other.into(),
        })?;
        Ok(Self { problem, cholesky })
    }

    /// Number of data rows N.
    #[must_use]
    pub fn n(&self) -> usize {
        self.problem.n()
    }

    /// The problem it belongs to.
    #[must_use]
    pub fn problem(&self) -> &'p Problem<'a> {
        self.problem
    }

    /// The factor of K.
    #[must_use]
    pub fn cholesky(&self) -> &Cholesky {
        &self.cholesky
    }

    /// The factor of K, for a model that outlives the problem.
    #[must_use]
    pub fn into_cholesky(self) -> Cholesky {
        self.cholesky
    }

    /// log|K|, nats.
    #[must_use]
    pub fn log_det(&self) -> f64 {
        self.cholesky.log_det()
    }

    /// α = K⁻¹Y, `[N, P]`.
    ///
    /// # Errors
    /// When `y` has another number of rows than the data or a number is not finite.
    pub fn alpha(&self, y: &ArrayRef2<f64>) -> Result<Array2<f64>, BoundError> {
        check::length("y", y.nrows(), self.n())?;
        check::finite("y", y)?;
        Ok(self.cholesky.solve(y))
    }

    /// y_pᵀK⁻¹y_p for each column, `[P]`, as ‖L⁻¹y_p‖².
    ///
    /// # Errors
    /// As [`alpha`](Self::alpha).
    pub fn quad(&self, y: &ArrayRef2<f64>) -> Result<Array1<f64>, BoundError> {
        check::length("y", y.nrows(), self.n())?;
        check::finite("y", y)?;
        let whitened = self.cholesky.solve_lower(y);
        Ok(whitened.mapv(|value| value * value).sum_axis(Axis(0)))
    }

    /// The log marginal likelihood, nats, summed over the columns of `y [N, P]`.
    ///
    /// # Errors
    /// As [`alpha`](Self::alpha).
    pub fn lml(&self, y: &ArrayRef2<f64>) -> Result<f64, BoundError> {
        Ok(self.assemble_lml(self.quad(y)?.sum(), y.ncols()))
    }

    fn assemble_lml(&self, quad: f64, targets: usize) -> f64 {
        let per_target = self.log_det() + self.n() as f64 * (2.0 * PI).ln();
        -0.5 * quad - 0.5 * targets as f64 * per_target
    }
}
