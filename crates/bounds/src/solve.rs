//! The auxiliary vector v ≈ K⁻¹y.

use crate::surrogate::NystromSystem;
use crate::{BoundError, Problem, check};
use linalg_cg::{CgBlockSolution, CgOptions, Preconditioner, ScaledIdentity, Stop, cg_block};
use ndarray::ArrayRef2;

/// Solves K V = Y by conjugate gradients until at most `tolerance_nats` of slack is left per column.
///
/// ```text
/// stop when ½ r_pᵀ P⁻¹ r_p ≤ tolerance,   r_p = y_p − K v_p,   P ⪯ K also preconditions
/// ```
///
/// P = Q with inducing points, σ²I without. Training takes 1 nat, prediction 1e-3. The quadratic
/// bounds hold for any V, so a solve that stops early is data in the result: its per-column reports
/// say how it ended. `start [N, P]` is an earlier solution to continue from. O(N² P) per step, O(N P)
/// memory beside the Nyström system.
///
/// # Errors
/// When a shape disagrees, a number is not finite, the tolerance is not positive, or the Nyström
/// system cannot be built.
///
/// Source: Artemev, Burt & van der Wilk (2021), section 3.5.
pub fn solve_auxiliary(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    tolerance_nats: f64,
    start: Option<&ArrayRef2<f64>>,
    options: &CgOptions,
) -> Result<CgBlockSolution, BoundError> {
    let noise = ScaledIdentity::new(problem.n(), problem.sigma2())?;
    let inverse = slack_measure(problem, &noise)?;
    solve(problem, y, tolerance_nats, [inverse, inverse], start, options)
}

/// As [`solve_auxiliary`], preconditioned by any C, such as a [`Surrogate`](crate::Surrogate): a better
/// one takes fewer steps. The slack that stops the solve is measured with P ⪯ K as there.
///
/// # Errors
/// As [`solve_auxiliary`].
pub fn solve_preconditioned(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    tolerance_nats: f64,
    preconditioner: &dyn Preconditioner,
    start: Option<&ArrayRef2<f64>>,
    options: &CgOptions,
) -> Result<CgBlockSolution, BoundError> {
    let noise = ScaledIdentity::new(problem.n(), problem.sigma2())?;
    let inverse = slack_measure(problem, &noise)?;
    solve(problem, y, tolerance_nats, [preconditioner, inverse], start, options)
}

/// P: Q with inducing points, σ²I without.
fn slack_measure<'p>(
    problem: &'p Problem<'_>,
    noise: &'p ScaledIdentity,
) -> Result<&'p dyn Preconditioner, BoundError> {
    match problem.inducing_points() {
        Some(_) => Ok(problem.nystrom()? as &NystromSystem),
        None => Ok(noise),
    }
}

fn solve(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    tolerance_nats: f64,
    [preconditioner, inverse]: [&dyn Preconditioner; 2],
    start: Option<&ArrayRef2<f64>>,
    options: &CgOptions,
) -> Result<CgBlockSolution, BoundError> {
    check::length("y", y.nrows(), problem.n())?;
    check::finite("y", y)?;
    if !(tolerance_nats.is_finite() && tolerance_nats > 0.0) {
        return Err(BoundError::InvalidTolerance { value: tolerance_nats });
    }
    let stop = Stop::QuadraticSlack { nats: tolerance_nats, inverse };
    Ok(cg_block(&problem.operator(), y, preconditioner, &stop, start, options)?)
}
