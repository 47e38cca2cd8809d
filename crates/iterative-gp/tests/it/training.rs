//! Training: against the exact optimum, interrupted and resumed.

use std::cell::Cell;

use crate::support::{bits, exact, leaf, points, targets};
use exact_gp::{ExactGp, ExactGpOptions};
use gp_core::{GpError, Observer, Progress, StopReason, TrainState};
use iterative_gp::{GradientEstimator, IterativeGp, IterativeOptions, Preconditioning, Schedule};

/// As Wang et al. (2019) trained, in the paper on CGLB's words.
#[test]
fn the_default_schedule_is_that_of_the_paper() {
    let options = IterativeOptions::default();
    let wang = Schedule::Staged { rows: 10_000, lbfgs_steps: 10, adam_steps: 10 };
    assert_eq!((options.schedule, Schedule::default()), (wang, wang));
    assert_eq!(options.adam.learning_rate, 0.1);
    assert_eq!(options.plan.floors.noise_variance, 1e-4);
}

fn best(n: usize) -> f64 {
    let x = points(n, 2, 0);
    let y = targets(&x);
    let template = leaf("matern32", &[1.0, 1.0], 1.0);
    let options = ExactGpOptions::default();
    let (gp, _) = ExactGp::fit(&template, &x, &y, &options, &mut ()).unwrap();
    gp.lml().unwrap().value
}

/// The exact LML of what a fit finds.
fn reached(n: usize, options: &IterativeOptions) -> f64 {
    let x = points(n, 2, 0);
    let y = targets(&x);
    let template = leaf("matern32", &[1.0, 1.0], 1.0);
    let (gp, trained) = IterativeGp::fit(&template, &x, &y, options, &mut ()).unwrap();
    assert!(trained.objective.is_finite() && trained.evaluations > 0);
    exact(gp.hyperparameters(), &x, &y).lml().unwrap().value
}

#[test]
fn every_way_of_training_comes_near_the_exact_optimum() {
    let (n, top) = (300, best(300));
    let staged = Schedule::Staged { rows: 200, lbfgs_steps: 10, adam_steps: 10 };
    let pathwise = GradientEstimator::Pathwise { features: 64, max_steps: 20 };
    for (schedule, gradient) in [
        (Schedule::default(), GradientEstimator::Hutchinson),
        (staged, GradientEstimator::Hutchinson),
        (staged, pathwise),
        (Schedule::Lbfgs, GradientEstimator::Hutchinson),
    ] {
        let options = IterativeOptions { schedule, gradient, ..IterativeOptions::default() };
        let found = reached(n, &options);
        assert!(
            found <= top + 1e-3 && found > top - 8.0,
            "{schedule:?} {gradient:?}: {found} {top}"
        );
    }
}

/// Stops after so many steps, and keeps the last state.
struct Patience {
    left: Cell<usize>,
    state: TrainState,
}

impl Observer for Patience {
    fn step(&mut self, _: &Progress, state: &TrainState) {
        self.state = state.clone();
        self.left.set(self.left.get().saturating_sub(1));
    }

    fn interrupted(&self) -> bool {
        self.left.get() == 0
    }
}

fn short(gradient: GradientEstimator) -> IterativeOptions {
    let schedule = Schedule::Staged { rows: 100, lbfgs_steps: 3, adam_steps: 3 };
    let mut options = IterativeOptions { schedule, gradient, ..IterativeOptions::default() };
    options.adam.steps = 4;
    options.plan.starts = 2;
    options.plan.options.screening_iters = 2;
    options
}

/// Interrupted at every place there is, saved, resumed: the same bits as in one go.
#[test]
fn a_resumed_fit_takes_the_same_steps() {
    let x = points(150, 2, 0);
    let y = targets(&x);
    let template = leaf("matern32", &[1.0, 1.0], 1.0);
    for gradient in
        [GradientEstimator::Hutchinson, GradientEstimator::Pathwise { features: 16, max_steps: 5 }]
    {
        let options = short(gradient);
        let (_, whole) = IterativeGp::fit(&template, &x, &y, &options, &mut ()).unwrap();
        assert_eq!(whole.stop_reason, StopReason::Planned);
        for steps in 1..=18 {
            let mut patience = Patience { left: Cell::new(steps), state: TrainState::default() };
            let first = IterativeGp::fit(&template, &x, &y, &options, &mut patience);
            assert!(matches!(first, Ok(_) | Err(GpError::Interrupted)));
            let json = serde_json::to_string(&patience.state).unwrap();
            let mut resumed = options.clone();
            resumed.plan.resume = Some(serde_json::from_str(&json).unwrap());
            let (_, found) = IterativeGp::fit(&template, &x, &y, &resumed, &mut ()).unwrap();
            assert_eq!(bits(&found.u), bits(&whole.u), "after {steps} steps, {gradient:?}");
            assert_eq!(found.objective.to_bits(), whole.objective.to_bits());
            assert_eq!(
                (found.iterations, found.evaluations),
                (whole.iterations, whole.evaluations)
            );
            assert_eq!(found.start, whole.start);
        }
    }
}

/// Says that it is enough once it has been asked so often: before evaluations and within solves.
struct Questions(Cell<usize>);

impl Observer for Questions {
    fn interrupted(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() == 0
    }
}

#[test]
fn a_fit_cut_off_within_a_solve_takes_the_same_steps() {
    const MANY: usize = 1 << 40;
    let x = points(150, 2, 0);
    let y = targets(&x);
    let template = leaf("matern32", &[1.0, 1.0], 1.0);
    let pathwise = GradientEstimator::Pathwise { features: 16, max_steps: 5 };
    let pivots = Preconditioning::PivotedCholesky { rank: 3 };
    let vecchia = Preconditioning::Vecchia { neighbours: 3 };
    for (gradient, preconditioning) in [
        (GradientEstimator::Hutchinson, &pivots),
        (pathwise, &pivots),
        (GradientEstimator::Hutchinson, &vecchia),
    ] {
        let mut options = short(gradient);
        options.training.preconditioning = preconditioning.clone();
        let counter = &mut Questions(Cell::new(MANY));
        let (_, whole) = IterativeGp::fit(&template, &x, &y, &options, counter).unwrap();
        let (asked, evaluations) = (MANY - counter.0.get(), whole.evaluations);
        assert!(asked > 4 * evaluations, "asked {asked} times in {evaluations} evaluations");
        for part in 6..16 {
            let stop = &mut Questions(Cell::new(asked * part / 16));
            let (_, first) = IterativeGp::fit(&template, &x, &y, &options, stop).unwrap();
            assert_eq!(first.stop_reason, StopReason::Interrupted);
            let json = serde_json::to_string(&first.state).unwrap();
            options.plan.resume = Some(serde_json::from_str(&json).unwrap());
            let (_, found) = IterativeGp::fit(&template, &x, &y, &options, &mut ()).unwrap();
            assert_eq!(bits(&found.u), bits(&whole.u), "{part}, {gradient:?}");
            assert_eq!(found.evaluations, whole.evaluations, "{part}, {gradient:?}");
            options.plan.resume = None;
        }
    }
}

/// Gives up in the midst of the solve that conditions, and keeps the last state.
struct Leaves {
    left: Cell<usize>,
    state: TrainState,
}

impl Observer for Leaves {
    fn step(&mut self, _: &Progress, state: &TrainState) {
        self.state = state.clone();
    }

    fn given_up(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.left.get() == 0
    }
}

#[test]
fn a_fit_given_up_while_it_conditions_has_lost_no_step() {
    let x = points(150, 2, 0);
    let y = targets(&x);
    let template = leaf("matern32", &[1.0, 1.0], 1.0);
    let mut options = short(GradientEstimator::Hutchinson);
    let (model, whole) = IterativeGp::fit(&template, &x, &y, &options, &mut ()).unwrap();
    let mut leaves = Leaves { left: Cell::new(3), state: TrainState::default() };
    let first = IterativeGp::fit(&template, &x, &y, &options, &mut leaves);
    assert!(matches!(first, Err(GpError::Interrupted)));
    options.plan.resume = Some(leaves.state);
    let (resumed, found) = IterativeGp::fit(&template, &x, &y, &options, &mut ()).unwrap();
    assert_eq!((bits(&found.u), found.evaluations), (bits(&whole.u), whole.evaluations));
    assert_eq!(resumed.alpha(), model.alpha());
}

#[test]
fn what_is_held_fixed_stays() {
    let x = points(60, 1, 0);
    let y = targets(&x);
    let mut options = short(GradientEstimator::Hutchinson);
    options.plan.fixed = vec!["noise_variance".to_owned(), "kernel".to_owned()];
    let template = leaf("se", &[0.8], 0.1);
    let (gp, _) = IterativeGp::fit(&template, &x, &y, &options, &mut ()).unwrap();
    assert_eq!(gp.hyperparameters().named_values(), template.named_values());
}
