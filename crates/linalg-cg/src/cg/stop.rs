//! When conjugate gradients has converged.

use std::fmt;

use ndarray::{Array1, Array2, Axis};

use crate::check;
use crate::error::LinalgError;
use crate::preconditioner::Preconditioner;

/// The stopping measure of a column with residual `r = b − A v`, and what it must fall to.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Stop<'a> {
    /// `‖r‖ / ‖b‖ ≤ tolerance` (`‖r‖` itself where b = 0).
    RelativeResidual(f64),
    /// `½ rᵀP⁻¹r ≤ nats`, with `P ⪯ A`: at most so much can the quadratic bound
    /// `vᵀAv + 2rᵀv + rᵀP⁻¹r` on `bᵀA⁻¹b`, halved, still gain.
    ///
    /// P is Q or σ² I, never a Vecchia, FITC or VIF matrix: those are not below A. When P is also
    /// the preconditioner the measure costs nothing.
    QuadraticSlack {
        /// The slack allowed, in nats.
        nats: f64,
        /// P, by its solves.
        inverse: &'a dyn Preconditioner,
    },
}

impl fmt::Debug for Stop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RelativeResidual(tolerance) => {
                f.debug_tuple("RelativeResidual").field(tolerance).finish()
            }
            Self::QuadraticSlack { nats, .. } => {
                f.debug_struct("QuadraticSlack").field("nats", nats).finish_non_exhaustive()
            }
        }
    }
}

impl Stop<'_> {
    pub(crate) fn tolerance(&self) -> f64 {
        match self {
            Self::RelativeResidual(tolerance) => *tolerance,
            Self::QuadraticSlack { nats, .. } => *nats,
        }
    }

    pub(crate) fn check(&self, n: usize) -> Result<(), LinalgError> {
        let option = match self {
            Self::RelativeResidual(_) => "tolerance",
            Self::QuadraticSlack { inverse, .. } => {
                check::size("inverse", "rows", n, inverse.n())?;
                "nats"
            }
        };
        let found = self.tolerance();
        if found.is_finite() && found >= 0.0 {
            return Ok(());
        }
        Err(LinalgError::InvalidOption { option, found, accepted: "a finite number of at least 0" })
    }

    /// The measure of each column of `r [N, C]`, by the stable form of the quadratic slack.
    pub(crate) fn measure(&self, r: &Array2<f64>, rhs_norms: &[f64]) -> Array1<f64> {
        match self {
            Self::RelativeResidual(_) => relative_residuals(r, rhs_norms),
            Self::QuadraticSlack { inverse, .. } => 0.5 * inverse.quad(r),
        }
    }

    /// Whether the measure is `½ rᵀM⁻¹r` of the preconditioner M itself, which a run has anyway.
    pub(crate) fn is_measured_by(&self, preconditioner: &dyn Preconditioner) -> bool {
        matches!(self, Self::QuadraticSlack { inverse, .. } if same(*inverse, preconditioner))
    }
}

fn relative_residuals(r: &Array2<f64>, rhs_norms: &[f64]) -> Array1<f64> {
    let norms = r.axis_iter(Axis(1)).map(|column| column.dot(&column).sqrt());
    norms.zip(rhs_norms).map(|(norm, rhs)| if *rhs > 0.0 { norm / rhs } else { norm }).collect()
}

/// Whether both are the same object seen as the same type. Comparing the type's table as well keeps
/// a wrapper apart from its first field; a table that exists twice only costs a solve.
#[allow(ambiguous_wide_pointer_comparisons)]
fn same(a: &dyn Preconditioner, b: &dyn Preconditioner) -> bool {
    std::ptr::eq(a, b)
}
