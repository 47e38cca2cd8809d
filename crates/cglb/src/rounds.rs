//! Training in rounds: what line searches hold fixed is chosen anew between them.
//!
//! An ordering, neighbours and inducing points that are merely chosen belong to some lengthscales.
//! Rounds of growing length start from those of the last one's end, until that no longer changes
//! the bound.

use gp_core::{
    GpError, LbfgsState, Observer, Start, StopReason, TrainOptions, TrainState, Trained, train,
};

use crate::objective::{CglbObjective, round_of, set_round};

/// Fewest steps of the first round; each later one has twice as many as the one before.
const FIRST_ROUND: usize = 20;
/// Most rounds, after which training goes on to its own limits with what it holds.
const MAX_ROUNDS: usize = 12;
/// Relative change of the bound that counts as none, beside the slack of conjugate gradients.
const UNCHANGED: f64 = 1e-6;

/// [`train`], in rounds where the objective has any.
pub(crate) fn train_in_rounds(
    screening: &mut CglbObjective<'_>,
    full: &mut CglbObjective<'_>,
    starts: &[Start],
    options: &TrainOptions,
    resume: Option<TrainState>,
    observer: &mut dyn Observer,
) -> Result<Trained, GpError> {
    let mut state = resume;
    full.round = state.as_ref().map_or(0, |state| round_of(&state.auxiliary));
    loop {
        let limited = limited(options, full);
        let trained = train(screening, full, starts, &limited, state, observer)?;
        if !goes_on(&trained, options, full) {
            return Ok(trained);
        }
        match next_round(full, &trained) {
            Some(next) => state = Some(next),
            None if trained.stop_reason.converged() => return Ok(trained),
            None => state = Some(last_round(full, trained)),
        }
    }
}

/// The options with the limit of the objective's present round.
fn limited(options: &TrainOptions, objective: &CglbObjective<'_>) -> TrainOptions {
    let mut limited = *options;
    if objective.has_rounds() && objective.round < MAX_ROUNDS {
        let first = FIRST_ROUND.max(options.screening_iters);
        let end = first * ((1 << (objective.round + 1)) - 1);
        limited.lbfgs.max_iters = end.min(options.lbfgs.max_iters);
    }
    limited
}

/// Whether another round is due: the last one converged, or ended by its own limit only.
fn goes_on(trained: &Trained, options: &TrainOptions, objective: &CglbObjective<'_>) -> bool {
    let room = trained.iterations < options.lbfgs.max_iters;
    let ended = trained.stop_reason;
    let own_limit = ended == StopReason::MaxIterations && room;
    let converged = ended.converged() && ended != StopReason::NothingFree;
    objective.has_rounds() && objective.round < MAX_ROUNDS && room && (own_limit || converged)
}

/// The state from which training goes on to its own limits with what it holds.
fn last_round(objective: &mut CglbObjective<'_>, trained: Trained) -> TrainState {
    let mut state = trained.state;
    objective.round = MAX_ROUNDS;
    set_round(&mut state.auxiliary, MAX_ROUNDS);
    state
}

/// The state the next round starts from; `None` when choosing anew leaves a converged bound as it
/// is, or cannot be evaluated well enough.
fn next_round(objective: &mut CglbObjective<'_>, trained: &Trained) -> Option<TrainState> {
    let mut state = trained.state.clone();
    let mut run = state.run.take()?;
    objective.end_round();
    let capped = objective.stats.capped;
    let mut fresh = LbfgsState::start(objective, trained.u.clone()).ok()?;
    if objective.stats.capped > capped {
        // What it came to says nothing of the bound.
        return None;
    }
    let tolerance =
        objective.settings.training_tolerance + UNCHANGED * trained.objective.abs().max(1.0);
    let changed = (fresh.value - trained.objective).abs() > tolerance;
    if trained.stop_reason == StopReason::MaxIterations {
        // The curvature met so far is still nearly that of the bound.
        (run.value, run.gradient) = (fresh.value, fresh.gradient);
        run.evaluations += 1;
    } else if changed {
        state.evaluations += run.evaluations;
        fresh.iterations = run.iterations;
        run = fresh;
    } else {
        return None;
    }
    state.auxiliary = gp_core::Objective::auxiliary(objective);
    state.run = Some(run);
    Some(state)
}
