//! Preconditioned conjugate gradients for one or many right-hand sides.

mod column;
mod options;
mod report;
mod solver;
mod stop;

use std::ops::ControlFlow;

use ndarray::{ArrayRef1, ArrayRef2, Axis};

use crate::check;
use crate::error::LinalgError;
use crate::operator::LinearOperator;
use crate::preconditioner::Preconditioner;

pub use options::{CgOptions, CgProgress, Restart};
pub use report::{CgBlockSolution, CgReport, CgSolution, StopReason};
pub use stop::Stop;

use solver::{Solver, System};

/// Solves `A v = b`, `rhs [N]`; one column of [`cg_block`].
///
/// # Errors
/// As [`cg_block`].
///
/// ```
/// use linalg_cg::{CgOptions, DenseOperator, ScaledIdentity, Stop, cg};
/// use ndarray::array;
///
/// let a = DenseOperator::new(array![[2.0, 1.0], [1.0, 3.0]])?;
/// let (stop, plain) = (Stop::RelativeResidual(1e-12), ScaledIdentity::identity(2));
/// let solution = cg(&a, &array![3.0, 4.0], &plain, &stop, None, &CgOptions::default())?;
/// assert!(solution.report.converged() && solution.report.steps <= 2);
/// assert!((&solution.v - &array![1.0, 1.0]).iter().all(|error| error.abs() < 1e-12));
/// # Ok::<(), linalg_cg::LinalgError>(())
/// ```
pub fn cg(
    op: &dyn LinearOperator,
    rhs: &ArrayRef1<f64>,
    preconditioner: &dyn Preconditioner,
    stop: &Stop<'_>,
    start: Option<&ArrayRef1<f64>>,
    options: &CgOptions,
) -> Result<CgSolution, LinalgError> {
    let rhs = rhs.view().insert_axis(Axis(1));
    let start = start.map(|v| v.view().insert_axis(Axis(1)));
    let start = start.as_deref();
    let mut block = cg_block(op, &rhs, preconditioner, stop, start, options)?;
    Ok(CgSolution {
        v: block.v.remove_axis(Axis(1)),
        residual: block.residual.remove_axis(Axis(1)),
        report: block.reports.swap_remove(0),
        n_products: block.n_products,
    })
}

/// Solves `A V = B`, `rhs [N, C]`, each column to its own convergence.
///
/// ```text
/// z = M⁻¹r,  p ← z + (rᵀz / previous rᵀz) p,  α = rᵀz / pᵀAp,  v ← v + α p,  r ← r − α A p
/// ```
///
/// Directions are multiplied by [`LinearOperator::apply_search`], which may be less exact; true
/// residuals are by `apply`. Columns share the products with A; one that is done leaves them. Every
/// [`restart_every`](CgOptions::restart_every) steps the residual is computed from its definition,
/// and the run restarts from it if the recursive one has drifted. So it is before convergence is
/// believed. The iterate with the smallest stopping measure is returned, with its true residual; where
/// that shows that recursion was wrong, an iterate that is proved to be better.
/// Stopping early is data in the report, not an error.
///
/// `start [N, C]` is the first iterate, zero if `None`. Cost: one product with A and one solve
/// with M per step. The same bits for any number of threads if A and M have that property.
/// Source: Hestenes & Stiefel (1952); Golub & Van Loan (2013), algorithm 11.5.1.
///
/// # Errors
/// [`LinalgError::ShapeMismatch`], [`LinalgError::NonFinite`] for `rhs` or `start`,
/// [`LinalgError::InvalidOption`] for a negative or non-finite tolerance.
pub fn cg_block(
    op: &dyn LinearOperator,
    rhs: &ArrayRef2<f64>,
    preconditioner: &dyn Preconditioner,
    stop: &Stop<'_>,
    start: Option<&ArrayRef2<f64>>,
    options: &CgOptions,
) -> Result<CgBlockSolution, LinalgError> {
    cg_block_watched(op, rhs, preconditioner, stop, start, options, &|_| ControlFlow::Continue(()))
}

/// As [`cg_block`], asking `watch` before every step; where that says `Break` the run ends with the
/// best iterates so far, as [`StopReason::Interrupted`].
///
/// # Errors
/// As [`cg_block`].
///
/// ```
/// use std::ops::ControlFlow;
///
/// use linalg_cg::{CgOptions, DenseOperator, ScaledIdentity, Stop, StopReason, cg_block_watched};
/// use ndarray::array;
///
/// let a = DenseOperator::new(array![[2.0, 1.0], [1.0, 3.0]])?;
/// let (stop, plain) = (Stop::RelativeResidual(1e-12), ScaledIdentity::identity(2));
/// let (b, options) = (array![[3.0], [4.0]], CgOptions::default());
/// let once = |progress: &linalg_cg::CgProgress| {
///     if progress.steps < 1 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// };
/// let solution = cg_block_watched(&a, &b, &plain, &stop, None, &options, &once)?;
/// assert_eq!(solution.reports[0].stop_reason, StopReason::Interrupted);
/// # Ok::<(), linalg_cg::LinalgError>(())
/// ```
pub fn cg_block_watched(
    op: &dyn LinearOperator,
    rhs: &ArrayRef2<f64>,
    preconditioner: &dyn Preconditioner,
    stop: &Stop<'_>,
    start: Option<&ArrayRef2<f64>>,
    options: &CgOptions,
    watch: &dyn Fn(&CgProgress) -> ControlFlow<()>,
) -> Result<CgBlockSolution, LinalgError> {
    check::size("rhs", "rows", op.n(), rhs.nrows())?;
    check::size("preconditioner", "rows", op.n(), preconditioner.n())?;
    check::finite("rhs", rhs)?;
    if let Some(start) = start {
        check::size("start", "rows", op.n(), start.nrows())?;
        check::size("start", "columns", rhs.ncols(), start.ncols())?;
        check::finite("start", start)?;
    }
    stop.check(op.n())?;
    let system = System { op, rhs, preconditioner, stop, options, watch };
    Ok(Solver::new(system, start).run())
}
