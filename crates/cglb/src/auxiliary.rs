//! The auxiliary vectors v ≈ K⁻¹y.

use std::ops::ControlFlow;

use bounds::{NystromSystem, Problem};
use gp_core::GpError;
use linalg_cg::{
    CgBlockSolution, CgOptions, CgProgress, CgReport, Preconditioner, Stop, StopReason,
    cg_block_watched,
};
use ndarray::{Array1, Array2, ArrayRef2, Axis};

use crate::preconditioning::{Preconditioning, Watch, steps_worth_changing};
use crate::settings::{CglbSettings, SearchPrecision};

/// Early rates are no better than this: Vecchia is given up only for so many times the steps that Q
/// was given up for.
const GENEROSITY: f64 = 2.0;

/// Auxiliary vectors with their true residuals.
#[derive(Debug, Clone)]
pub(crate) struct Solved {
    /// V `[N, P]`: of each column the iterate with the least slack.
    pub(crate) v: Array2<f64>,
    /// Y − K V, from its definition.
    pub(crate) residual: Array2<f64>,
    /// Of each column the iterate where the bound itself was lowest, where it is another.
    pub(crate) lowest: Option<Array2<f64>>,
    /// Steps, of the column that took most.
    pub(crate) steps: usize,
    /// Whether every column met the tolerance.
    pub(crate) converged: bool,
    /// What was settled on: never [`Preconditioning::Auto`].
    pub(crate) preconditioning: Preconditioning,
}

/// Solves K V = Y until ½ rᵀQ⁻¹r ≤ `tolerance` nats for each column, from `start` or zero.
///
/// Source: Artemev, Burt & van der Wilk (2021), section 3.5.
pub(crate) fn solve(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    start: Option<&ArrayRef2<f64>>,
    tolerance: f64,
    settings: &CglbSettings,
) -> Result<Solved, GpError> {
    solve_until(problem, y, start, tolerance, settings, &|| false)
}

/// As [`solve`]; refused as interrupted once `stop` says `true`.
pub(crate) fn solve_until(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    start: Option<&ArrayRef2<f64>>,
    tolerance: f64,
    settings: &CglbSettings,
    stop: &dyn Fn() -> bool,
) -> Result<Solved, GpError> {
    let task = Task { problem, system: problem.nystrom()?, y, tolerance, settings, stop };
    match settings.preconditioning {
        Preconditioning::Auto if settings.neighbours > 0 => task.choosing(start),
        Preconditioning::Auto => task.run(Preconditioning::Nystrom, start, 0, None),
        given => task.run(given, start, 0, None),
    }
}

/// A solve to be done, by whatever preconditioner.
#[derive(Clone, Copy)]
struct Task<'t, 'p> {
    problem: &'t Problem<'p>,
    system: &'t NystromSystem,
    y: &'t ArrayRef2<f64>,
    tolerance: f64,
    settings: &'t CglbSettings,
    stop: &'t dyn Fn() -> bool,
}

impl Task<'_, '_> {
    /// Starts with Q, goes on with Vecchia where that promises to be cheaper, and comes back to Q
    /// where it turns out not to be.
    fn choosing(self, start: Option<&ArrayRef2<f64>>) -> Result<Solved, GpError> {
        let most = steps_worth_changing(self.problem, self.settings.neighbours);
        let watch = Watch::new(self.tolerance, most);
        let first = self.run(Preconditioning::Nystrom, start, 0, Some(&watch))?;
        let Some(left) = watch.given_up() else { return Ok(first) };
        let watch = Watch::new(self.tolerance, GENEROSITY * left);
        let at = Some(&*first.v);
        let second = self.run(Preconditioning::Vecchia, at, first.steps, Some(&watch))?;
        match watch.given_up() {
            None => Ok(second),
            Some(_) => self.run(Preconditioning::Nystrom, Some(&second.v), second.steps, None),
        }
    }

    /// One run, after so many steps of others.
    fn run(
        self,
        preconditioning: Preconditioning,
        start: Option<&ArrayRef2<f64>>,
        taken: usize,
        watch: Option<&Watch>,
    ) -> Result<Solved, GpError> {
        let mut operator = self.problem.operator();
        if self.settings.search != SearchPrecision::Double {
            operator = operator.search_in_single_precision();
        }
        let preconditioner: &dyn Preconditioner = preconditioning.of(self.problem, self.system)?;
        let stop = Stop::QuadraticSlack { nats: self.tolerance, inverse: self.system };
        let most = self.settings.cg_max_steps.saturating_sub(taken);
        let options =
            CgOptions::default().max_iters(most).restart_every(self.settings.restart_every);
        let look = |progress: &CgProgress| {
            if (self.stop)() {
                return ControlFlow::Break(());
            }
            watch.map_or(ControlFlow::Continue(()), |watch| watch.look(progress))
        };
        let y = self.y;
        let solution =
            cg_block_watched(&operator, y, preconditioner, &stop, start, &options, &look)?;
        let mut ends = solution.reports.iter().map(|report| report.stop_reason);
        let given_up = watch.is_some_and(|watch| watch.given_up().is_some());
        if !given_up && ends.any(|end| end == StopReason::Interrupted) {
            return Err(GpError::Interrupted);
        }
        Ok(solved(solution, taken, preconditioning))
    }
}

fn solved(solution: CgBlockSolution, taken: usize, preconditioning: Preconditioning) -> Solved {
    let steps = solution.reports.iter().map(|report| report.steps).max();
    let converged = solution.reports.iter().all(CgReport::converged);
    let CgBlockSolution { v, residual, lowest, .. } = solution;
    let lowest = lowest.filter(|lowest| *lowest != v);
    let steps = taken + steps.unwrap_or(0);
    Solved { v, residual, lowest, steps, converged, preconditioning }
}

/// The largest ½ rᵀQ⁻¹r of a target.
pub(crate) fn largest_slack(system: &NystromSystem, residual: &ArrayRef2<f64>) -> f64 {
    system.quad(residual).iter().fold(0.0, |most, quad| most.max(0.5 * quad))
}

/// Of each column the v, old or new, with the tighter bound.
pub(crate) fn better(
    problem: &Problem<'_>,
    y: &Array2<f64>,
    (old, old_residual): (&Array2<f64>, &Array2<f64>),
    new: &Solved,
) -> Result<(Array2<f64>, Array2<f64>), GpError> {
    let system = problem.nystrom()?;
    let before = quad_upper(system, y, old, old_residual);
    let after = quad_upper(system, y, &new.v, &new.residual);
    let (mut v, mut residual) = (new.v.clone(), new.residual.clone());
    for (column, (before, after)) in before.iter().zip(&after).enumerate() {
        if before <= after {
            v.column_mut(column).assign(&old.column(column));
            residual.column_mut(column).assign(&old_residual.column(column));
        }
    }
    Ok((v, residual))
}

/// U_q(v) = vᵀ(y + r) + rᵀQ⁻¹r of each column.
pub(crate) fn quad_upper(
    system: &NystromSystem,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
    residual: &ArrayRef2<f64>,
) -> Array1<f64> {
    ((y + residual) * v).sum_axis(Axis(0)) + system.quad(residual)
}
