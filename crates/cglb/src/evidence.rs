//! What a model says about the evidence of its training rows.

use std::f64::consts::PI;

use bounds::logdet::{Hadamard, NystromLogDet};
use bounds::{Bracket, Evaluation, LogDetBound, Problem, quad_catalogue};
use gp_core::GpError;
use ndarray::ArrayRef2;
use serde::{Deserialize, Serialize};

use crate::auxiliary::{Solved, quad_upper};
use crate::bound::Bound;
use crate::stats::CgStats;

/// Bounds on the log marginal likelihood of N rows and P targets, and how they were found.
///
/// ```text
/// F = −½ Σ_p [U_q(v_p) + (upper bound on log|K|) + N log 2π]  ≤ LML,   U_q = vᵀKv + 2rᵀv + rᵀQ⁻¹r
/// lower ≤ LML ≤ upper,   upper − lower = slack_quad + slack_logdet
/// ```
///
/// Nats. F is as computed; `lower` and `upper` are the best of what costs next to nothing more,
/// widened by what rounding may have done. Source: Artemev, Burt & van der Wilk (2021), section 3.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// N.
    pub n: usize,
    /// The name of the bound on log|K| in F.
    pub bound: String,
    /// Its value.
    pub log_det_upper: f64,
    /// U_q of each target: at least yᵀK⁻¹y.
    pub quad_upper: Vec<f64>,
    /// ½ rᵀQ⁻¹r of each target: at most so many nats could a better v gain.
    pub slack: Vec<f64>,
    /// ‖r‖ of each target.
    pub residual_norm: Vec<f64>,
    /// Never above the log marginal likelihood.
    pub lower: f64,
    /// Never below it.
    pub upper: f64,
    /// The quadratic terms' part of upper − lower.
    pub slack_quad: f64,
    /// The log-determinant's part of it.
    pub slack_logdet: f64,
    /// How much of upper − lower is there for rounding alone.
    pub rounding: f64,
    /// The bound on log|K| that gave `lower`.
    pub lower_bound: String,
    /// The bound on log|K| that gave `upper`.
    pub upper_bound: String,
    /// Conjugate gradients for v.
    pub cg: CgStats,
}

impl Evidence {
    /// F for each target.
    #[must_use]
    pub fn elbo_per_target(&self) -> Vec<f64> {
        let constant = self.log_det_upper + self.n as f64 * (2.0 * PI).ln();
        self.quad_upper.iter().map(|quad| -0.5 * (quad + constant)).collect()
    }

    /// F, summed over targets: what training maximises, at the final v.
    #[must_use]
    pub fn elbo(&self) -> f64 {
        self.elbo_per_target().iter().sum()
    }

    /// The evidence at `solved`, for targets `y` `[N, P]` with the mean subtracted.
    pub(crate) fn new(
        problem: &Problem<'_>,
        y: &ArrayRef2<f64>,
        solved: &Solved,
        bound: &Bound,
        cg: CgStats,
    ) -> Result<Self, GpError> {
        let system = problem.nystrom()?;
        let slack = linalg_cg::Preconditioner::quad(system, &solved.residual) * 0.5;
        let norms = solved.residual.mapv(|r| r * r).sum_axis(ndarray::Axis(0)).mapv(f64::sqrt);
        let bracket = bracket(problem, y, solved, bound)?;
        let winner = |winners: Option<bounds::Winners>| {
            winners.map_or_else(String::new, |winners| winners.logdet.to_owned())
        };
        Ok(Self {
            n: problem.n(),
            bound: bound.name().to_owned(),
            log_det_upper: bound.value(problem)?,
            quad_upper: quad_upper(system, y, &solved.v, &solved.residual).to_vec(),
            slack: slack.to_vec(),
            residual_norm: norms.to_vec(),
            lower: bracket.lower,
            upper: bracket.upper,
            slack_quad: bracket.slack.quad,
            slack_logdet: bracket.slack.logdet,
            rounding: bracket.rounding,
            lower_bound: winner(bracket.lower_bounds),
            upper_bound: winner(bracket.upper_bounds),
            cg,
        })
    }
}

/// The bracket from the model's bound and those that come with the Nyström system, at v and, where
/// the bound was lower at another iterate, there too.
fn bracket(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    solved: &Solved,
    bound: &Bound,
) -> Result<Bracket, GpError> {
    let log_dets: [Box<dyn LogDetBound>; 3] =
        [Box::new(bound.clone()), Box::new(Hadamard), Box::new(NystromLogDet)];
    let at = |v: &ArrayRef2<f64>| -> Result<Bracket, GpError> {
        Ok(Evaluation::new(problem, y, v, &log_dets, &quad_catalogue())?.bracket())
    };
    let bracket = at(&solved.v)?;
    Ok(match &solved.lowest {
        Some(lowest) => narrowest(bracket, at(lowest)?),
        None => bracket,
    })
}

/// Both hold, so the higher lower end and the lower upper end do; log-determinants are the same.
fn narrowest(a: Bracket, b: Bracket) -> Bracket {
    let mut best = a;
    if b.lower > a.lower {
        (best.lower, best.lower_bounds) = (b.lower, b.lower_bounds);
    }
    if b.upper < a.upper {
        (best.upper, best.upper_bounds) = (b.upper, b.upper_bounds);
    }
    best.slack.quad = best.upper - best.lower - best.slack.logdet;
    best.rounding = a.rounding.max(b.rounding);
    best
}
