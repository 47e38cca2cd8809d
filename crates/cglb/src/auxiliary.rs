//! The auxiliary vectors v ≈ K⁻¹y.

use bounds::{NystromSystem, Problem, SurrogateKind};
use gp_core::GpError;
use linalg_cg::{CgBlockSolution, CgOptions, Preconditioner, Stop, cg_block};
use ndarray::{Array1, Array2, ArrayRef2, Axis};

use crate::settings::{CglbSettings, Preconditioning};

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
    let system: &NystromSystem = problem.nystrom()?;
    let preconditioner: &dyn Preconditioner = match settings.preconditioning {
        Preconditioning::Nystrom => system,
        Preconditioning::Vecchia => problem.surrogate(SurrogateKind::Vecchia)?,
    };
    let mut operator = problem.operator();
    if settings.search_in_single_precision {
        operator = operator.search_in_single_precision();
    }
    let stop = Stop::QuadraticSlack { nats: tolerance, inverse: system };
    let options =
        CgOptions::default().max_iters(settings.cg_max_steps).restart_every(settings.restart_every);
    Ok(solved(cg_block(&operator, y, preconditioner, &stop, start, &options)?))
}

fn solved(solution: CgBlockSolution) -> Solved {
    let steps = solution.reports.iter().map(|report| report.steps).max();
    let converged = solution.reports.iter().all(linalg_cg::CgReport::converged);
    let CgBlockSolution { v, residual, lowest, .. } = solution;
    let lowest = lowest.filter(|lowest| *lowest != v);
    Solved { v, residual, lowest, steps: steps.unwrap_or(0), converged }
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
