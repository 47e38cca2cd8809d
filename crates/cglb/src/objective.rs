//! The bound as a training objective: v solved for wherever it is evaluated, to what the run gains a step.

use std::borrow::Cow;

use bounds::quad::residual;
use bounds::{LogDetGradient, LowerPoint, NystromSystem, Problem};
use gp_core::{Evaluation, GpError, Hyperparameters, Objective, ParameterSpace};
use ndarray::{Array2, ArrayRef2};

use crate::accuracy::Accuracy;
use crate::auxiliary::{Solved, better, largest_slack, solve, solve_until};
use crate::gradient::CglbGradient;
use crate::kept::Kept;
use crate::points::Points;
use crate::preconditioning::Preconditioning;
use crate::setting::{Structures, problem};
use crate::settings::CglbSettings;
use crate::stats::CgStats;

/// What a round holds fixed, chosen at the hyperparameters it starts from.
struct Anchor {
    z: Option<Array2<f64>>,
    structures: Structures,
}

/// What is known about the point last looked at.
struct Last {
    u: Vec<f64>,
    /// The objective; `None` where it was not evaluated yet.
    value: Option<f64>,
    system: NystromSystem,
    residual: Array2<f64>,
    /// The log-determinant's part, which v leaves as it is, where it is apart.
    log_det: Option<LogDetGradient>,
    /// The largest ½ rᵀQ⁻¹r of a target.
    slack: f64,
}

/// The bound in the variables `u = [hyperparameters | Z]`.
pub(crate) struct CglbObjective<'a> {
    pub(crate) x: &'a ArrayRef2<f64>,
    pub(crate) y: &'a ArrayRef2<f64>,
    pub(crate) space: &'a ParameterSpace,
    pub(crate) points: Points,
    pub(crate) settings: CglbSettings,
    /// Rounds finished.
    pub(crate) round: usize,
    /// All solves so far.
    pub(crate) stats: CgStats,
    /// Steps of conjugate gradients in each call of the objective.
    pub(crate) steps: Vec<usize>,
    anchor_u: Option<Vec<f64>>,
    anchor: Option<Anchor>,
    v: Option<Array2<f64>>,
    kept: Kept,
    /// Whether the run that comes goes on where the last one ended, as the next round of it.
    continues: bool,
    accuracy: Accuracy,
    last: Option<Last>,
    /// Where [`Preconditioning::Auto`] has come to Vecchia in this round: its neighbours are those of
    /// that point, and found once.
    vecchia_u: Option<Vec<f64>>,
}

impl<'a> CglbObjective<'a> {
    pub(crate) fn new(
        x: &'a ArrayRef2<f64>,
        y: &'a ArrayRef2<f64>,
        space: &'a ParameterSpace,
        points: Points,
        settings: CglbSettings,
    ) -> Self {
        let (stats, steps) = (CgStats::default(), Vec::new());
        let (round, anchor_u, anchor, v, last, vecchia_u) = (0, None, None, None, None, None);
        let (continues, accuracy) = (false, Accuracy::new(settings.training_tolerance));
        let kept = Kept::default();
        Self {
            x,
            y,
            space,
            points,
            settings,
            round,
            stats,
            steps,
            anchor_u,
            anchor,
            v,
            kept,
            continues,
            accuracy,
            last,
            vecchia_u,
        }
    }

    /// Counts a round, from whose end the next starts.
    pub(crate) fn end_round(&mut self) {
        self.round += 1;
        self.continues = true;
    }

    /// Whether anything is chosen anew from one round to the next.
    pub(crate) fn has_rounds(&self) -> bool {
        matches!(self.points, Points::Chosen { .. }) || self.settings.uses_structures()
    }

    /// Chooses what this round holds fixed, unless that is done already. Points that stay and
    /// structures that are not needed are not chosen.
    fn ensure_anchor(&mut self, u: &[f64]) -> Result<(), GpError> {
        if self.anchor.is_some() {
            return self.ensure_neighbours();
        }
        let u = self.anchor_u.get_or_insert_with(|| u.to_vec()).clone();
        let (u_hyper, u_z) = u.split_at(self.space.len());
        let hyper = self.space.unpack(u_hyper)?;
        let z = match &self.points {
            Points::Chosen { selector, count, seed } => {
                Some(selector.choose(hyper.kernel.as_ref(), self.x, *count, *seed)?.z)
            }
            _ => None,
        };
        let structures = if self.settings.uses_structures() {
            let z = self.points.at(z.as_ref(), u_z, self.x.ncols());
            Structures::choose(&hyper, &z, self.x, &self.settings)?
        } else {
            Structures::none(&self.settings)
        };
        self.anchor = Some(Anchor { z, structures });
        self.ensure_neighbours()
    }

    /// Finds the neighbours of the preconditioner that has been come to, unless the bound has some.
    fn ensure_neighbours(&mut self) -> Result<(), GpError> {
        let (Some(u), Some(anchor)) = (&self.vecchia_u, &mut self.anchor) else { return Ok(()) };
        let hyper = self.space.unpack(&u[..self.space.len()])?;
        anchor.structures.ensure_neighbours(&hyper, self.x, &self.settings);
        Ok(())
    }

    /// Hyperparameters and inducing points at `u`.
    fn place(&self, u: &[f64]) -> Result<(Hyperparameters, Cow<'_, Array2<f64>>), GpError> {
        let (u_hyper, u_z) = u.split_at(self.space.len());
        let chosen = self.anchor.as_ref().and_then(|anchor| anchor.z.as_ref());
        Ok((self.space.unpack(u_hyper)?, self.points.at(chosen, u_z, self.x.ncols())))
    }

    fn structures(&self) -> Structures {
        self.anchor.as_ref().map_or_else(Structures::default, |anchor| anchor.structures.clone())
    }

    /// What is known about `u`; what is known about any other point is forgotten.
    fn take_last(&mut self, u: &[f64]) -> Option<Last> {
        self.last.take().filter(|last| last.u == u)
    }

    /// The settings of a solve: a choice once made stands for the round.
    fn solving(&self) -> CglbSettings {
        let mut settings = self.settings.clone();
        if self.vecchia_u.is_some() {
            settings.preconditioning = Preconditioning::Vecchia;
        }
        settings
    }

    /// Keeps count of a solve at `u`, and of what it came to.
    fn count(&mut self, solved: &Solved, u: &[f64]) {
        if self.settings.preconditioning == Preconditioning::Auto
            && solved.preconditioning == Preconditioning::Vecchia
        {
            self.vecchia_u.get_or_insert_with(|| u.to_vec());
        }
        self.stats.count(solved.steps, solved.converged);
        if let Some(steps) = self.steps.last_mut() {
            *steps += solved.steps;
        }
    }

    /// Value and gradient with a v solved for from that of the best point so far, or from zero.
    fn bound(&mut self, u: &[f64], stop: &dyn Fn() -> bool) -> Result<CglbGradient, GpError> {
        let mut known = self.take_last(u);
        let mut log_det = known.as_mut().and_then(|last| last.log_det.take());
        let v = self.v.take();
        let (hyper, z) = self.place(u)?;
        let y = hyper.residual(self.x, self.y);
        let built = problem(&hyper, &z, self.x, &self.structures(), self.settings.jitter)?;
        let (problem, known) = with_known(built, known)?;
        let (v, residual, solved) = match (v, known) {
            // Of this very point.
            (Some(v), Some(residual)) => (v, residual, None),
            (v, _) => {
                let start = self.kept.nearest().or(v.as_ref()).map(|v| &**v);
                let (tolerance, settings) = (self.accuracy.tolerance(), self.solving());
                let solved = solve_until(&problem, &y, start, tolerance, &settings, stop)?;
                (solved.v.clone(), solved.residual.clone(), Some(solved))
            }
        };
        let free = matches!(self.points, Points::Free);
        let point = LowerPoint { y: &y, v: &v, residual: &residual };
        let lower = point.gradient_keeping(&problem, &self.settings.bound, free, &mut log_det);
        let system = problem.into_nystrom();
        let bound = lower.map(|lower| CglbGradient::new(lower, &hyper, self.x));
        drop(z);
        self.v = Some(v);
        if let Some(solved) = &solved {
            self.count(solved, u);
        }
        let bound = bound?;
        let slack = bound.slack.iter().fold(0.0, |most: f64, slack| most.max(*slack));
        if self.accuracy.stands() && solved.is_some_and(|solved| !solved.converged) {
            self.accuracy.capped(slack);
        }
        let (u, value) = (u.to_vec(), None);
        self.last = system.map(|system| Last { u, value, system, residual, log_det, slack });
        Ok(bound)
    }

    /// Goes back to the v of a trial that was not the last one, if that was the best; its objective.
    fn go_back(&mut self, u: &[f64]) -> Option<f64> {
        let (objective, v) = self.kept.take_best(u)?;
        self.v = Some(v);
        Some(objective)
    }

    /// Improves v at `u`; whether it changed.
    fn refresh(&mut self, u: &[f64]) -> Result<bool, GpError> {
        let tolerance = self.accuracy.tolerance();
        let mut known = self.take_last(u);
        if known.as_ref().is_some_and(|last| last.slack <= tolerance) {
            self.last = known;
            return Ok(false);
        }
        let log_det = known.as_mut().and_then(|last| last.log_det.take());
        let Some(old) = self.v.clone() else { return Ok(false) };
        let (hyper, z) = self.place(u)?;
        let y = hyper.residual(self.x, self.y);
        let built = problem(&hyper, &z, self.x, &self.structures(), self.settings.jitter)?;
        let (problem, known) = with_known(built, known)?;
        let solved = solve(&problem, &y, Some(&old), tolerance, &self.solving())?;
        let old_residual = known.unwrap_or_else(|| residual(&problem, &y, &old));
        let (v, residual) = better(&problem, &y, (&old, &old_residual), &solved)?;
        let slack = largest_slack(problem.nystrom()?, &residual);
        let system = problem.into_nystrom();
        drop(z);
        self.count(&solved, u);
        if !solved.converged {
            self.accuracy.capped(slack);
        }
        let changed = v != old;
        self.v = Some(v);
        let (u, value) = (u.to_vec(), None);
        self.last = system.map(|system| Last { u, value, system, residual, log_det, slack });
        Ok(changed)
    }
}

/// The problem with the Nyström system of a point known already, and the residual there.
fn with_known<'a>(
    problem: Problem<'a>,
    known: Option<Last>,
) -> Result<(Problem<'a>, Option<Array2<f64>>), GpError> {
    Ok(match known {
        Some(Last { system, residual, .. }) => (problem.with_nystrom(system)?, Some(residual)),
        None => (problem, None),
    })
}

impl Objective for CglbObjective<'_> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        self.evaluate_until(u, &|| false)
    }

    fn evaluate_until(
        &mut self,
        u: &[f64],
        stop: &dyn Fn() -> bool,
    ) -> Result<Evaluation, GpError> {
        self.steps.push(0);
        let u_hyper = &u[..self.space.len()];
        self.ensure_anchor(u)?;
        let before = self.v.clone();
        let bound = self.bound(u, stop).inspect_err(|_| {
            self.v = before;
            self.accuracy.failed();
        })?;
        let mut evaluation = self.space.evaluation(u_hyper, bound.value, &bound.hyper);
        match (&self.points, bound.z) {
            (Points::Free, Some(z)) => evaluation.gradient.extend(&z),
            _ => evaluation.gradient.resize(u.len(), 0.0),
        }
        if let Some(last) = &mut self.last {
            last.value = Some(evaluation.value);
        }
        if self.accuracy.evaluated(evaluation.value) {
            self.kept.stands(self.v.as_ref());
        } else if let Some(v) = self.v.as_ref().filter(|_| self.accuracy.gains(evaluation.value)) {
            self.kept.tried(u, &evaluation, v);
        }
        Ok(evaluation)
    }

    fn started(&mut self, u: &[f64]) -> Result<(), GpError> {
        self.anchor_u = Some(u.to_vec());
        (self.anchor, self.last, self.vecchia_u) = (None, None, None);
        if std::mem::take(&mut self.continues) {
            self.v = self.kept.standing().cloned();
            self.kept.stands(self.v.as_ref());
            self.accuracy.start_round();
        } else {
            self.v = None;
            self.kept.stands(None);
            self.accuracy = Accuracy::new(self.settings.training_tolerance);
        }
        Ok(())
    }

    fn accepted(&mut self, u: &[f64]) -> Result<bool, GpError> {
        self.ensure_anchor(u)?;
        let known = self.last.as_ref().filter(|last| last.u == u).and_then(|last| last.value);
        let objective = known.or_else(|| self.go_back(u));
        self.accuracy.stepped(objective);
        let changed = objective.is_some() && self.refresh(u)?;
        if changed {
            self.accuracy.expect_here();
        } else if objective.is_none() {
            // Of a trial that is forgotten; that of the step before is nearer than the last trial's.
            self.v = self.kept.standing().cloned();
        }
        self.kept.stands(self.v.as_ref());
        Ok(changed)
    }

    fn refine(&mut self, u: &[f64]) -> Result<bool, GpError> {
        self.ensure_anchor(u)?;
        if !self.accuracy.refine() {
            return Ok(false);
        }
        if self.last.as_ref().is_none_or(|last| last.u != u) {
            self.v = self.kept.standing().cloned();
        }
        self.refresh(u)?;
        self.accuracy.expect_here();
        Ok(true)
    }

    fn auxiliary(&self) -> Vec<f64> {
        let counts = [
            self.round,
            self.stats.solves,
            self.stats.steps_total,
            self.stats.steps_max,
            self.stats.capped,
            self.steps.len(),
            self.anchor_u.as_ref().map_or(0, Vec::len),
            self.vecchia_u.as_ref().map_or(0, Vec::len),
        ];
        let mut all: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
        all.extend(self.accuracy.numbers());
        all.extend(self.steps.iter().map(|steps| *steps as f64));
        all.extend(self.anchor_u.iter().flatten());
        all.extend(self.vecchia_u.iter().flatten());
        // After a search that found nothing, v is that of its last trial.
        all.extend(self.kept.standing().or(self.v.as_ref()).into_iter().flatten());
        all
    }

    fn restore_auxiliary(&mut self, auxiliary: &[f64]) {
        let Some((counts, rest)) = auxiliary.split_first_chunk::<8>() else { return };
        let [round, solves, steps_total, steps_max, capped, calls, anchors, vecchia] =
            counts.map(|count| count as usize);
        (self.round, self.stats) = (round, CgStats { solves, steps_total, steps_max, capped });
        let Some((&accuracy, rest)) = rest.split_first_chunk::<4>() else { return };
        self.accuracy.restore(accuracy);
        let (steps, rest) = rest.split_at(calls.min(rest.len()));
        self.steps = steps.iter().map(|steps| *steps as usize).collect();
        let (anchor, rest) = rest.split_at(anchors.min(rest.len()));
        let (vecchia, v) = rest.split_at(vecchia.min(rest.len()));
        self.vecchia_u = (!vecchia.is_empty()).then(|| vecchia.to_vec());
        (self.anchor_u, self.anchor, self.last) = (Some(anchor.to_vec()), None, None);
        self.v = Array2::from_shape_vec(self.y.dim(), v.to_vec()).ok();
        self.kept.stands(self.v.as_ref());
    }
}

/// The number of finished rounds in what [`Objective::auxiliary`] returned.
pub(crate) fn round_of(auxiliary: &[f64]) -> usize {
    auxiliary.first().map_or(0, |round| *round as usize)
}

/// Writes that number there.
pub(crate) fn set_round(auxiliary: &mut [f64], round: usize) {
    if let Some(first) = auxiliary.first_mut() {
        *first = round as f64;
    }
}
