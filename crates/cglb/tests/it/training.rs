//! Training: v solved for, rounds, interruption.

use std::cell::Cell;

use crate::support::{exact_lml, leaf, points, targets, with_bound};
use cglb::{Bound, Cglb, CglbFit, CglbOptions, CglbSettings, Preconditioning, Selector};
use exact_gp::{ExactGp, ExactGpOptions};
use gp_core::{
    GpError, Hyperparameters, LbfgsOptions, Observer, Posterior, Progress, StopReason,
    TrainOptions, TrainState, Trained, TrainingPlan, metrics,
};
use kernels::Mean;
use ndarray::Array2;

fn options(bound: &str, inducing: usize, max_iters: usize) -> CglbOptions {
    let lbfgs = LbfgsOptions { max_iters, ..Default::default() };
    let options = TrainOptions { lbfgs, screening_iters: 5, time_limit: None };
    let plan = TrainingPlan { starts: 3, options, ..TrainingPlan::default() };
    let settings = CglbSettings { neighbours: 10, ..with_bound(bound) };
    CglbOptions { plan, inducing, settings, ..CglbOptions::default() }
}

fn template() -> Hyperparameters {
    Hyperparameters { mean: Mean::Constant(0.0), ..leaf("matern32", &[1.0, 1.0], 1.0) }
}

fn data() -> (Array2<f64>, Array2<f64>) {
    let x = points(300, 2, 0);
    let y = targets(&x);
    (x, y)
}

fn fit(options: &CglbOptions, observer: &mut dyn Observer) -> Result<CglbFit, GpError> {
    let (x, y) = data();
    Cglb::fit(&template(), &x, &y, options, observer)
}

/// Case 16 for every bound: what is reported lies below the truth at the parameters found.
fn check(fit: &CglbFit) {
    let (x, y) = data();
    let (exact, slack) = exact_lml(fit.model.hyperparameters(), &x, &y);
    let evidence = fit.model.evidence();
    assert!(evidence.lower <= exact + slack && exact - slack <= evidence.upper);
    assert!(evidence.elbo() <= exact + slack);
    assert!(evidence.slack[0] <= 1e-3 && evidence.cg.capped == 0);
}

#[test]
fn training_finds_the_signal_with_every_bound() {
    for bound in Bound::names() {
        let fit = fit(&options(bound, 30, 60), &mut ()).unwrap();
        check(&fit);
        let at = points(200, 2, 3000);
        let (truth, mean) = (targets(&at), fit.model.predict_mean(&at).unwrap());
        let rmse = metrics::rmse(&truth.column(0), &mean.column(0));
        assert!(rmse < 0.15, "{bound}: {rmse}");
        // The model's own solve is tighter than training's by a nat at most.
        let gained = fit.model.evidence().elbo() - fit.trained.objective;
        assert!(gained > -0.5 && gained < 3.0, "{bound}: {gained}");
    }
}

#[test]
fn every_step_of_conjugate_gradients_is_counted() {
    let fit = fit(&options("arithmetic-geometric", 40, 60), &mut ()).unwrap();
    assert_eq!(
        fit.cg_steps.iter().sum::<usize>() + fit.model.evidence().cg.steps_total,
        fit.cg.steps_total
    );
    // v is a good start from one evaluation to the next.
    let few = fit.cg_steps.iter().filter(|steps| **steps <= 3).count();
    assert!(2 * few > fit.cg_steps.len(), "{:?}", fit.cg_steps);
    assert_eq!(fit.rounds, 0);
}

/// Where noise is small and Q far below K, v held in a line search had let no step go far, and training had ended hundreds
/// of nats below.
#[test]
fn little_noise_is_no_obstacle() {
    let (x, y) = data();
    let y = y.mapv(|value| (4.0 * value).sin());
    let mut options = options("vecchia", 10, 300);
    options.plan.starts = 1;
    options.settings.neighbours = 40;
    let found = Cglb::fit(&template(), &x, &y, &options, &mut ()).unwrap();
    let exact = ExactGpOptions { plan: options.plan, ..ExactGpOptions::default() };
    let (model, _) = ExactGp::fit(&template(), &x, &y, &exact, &mut ()).unwrap();
    let lml = |hyper| exact_lml(hyper, &x, &y).0;
    let (found, best) = (lml(found.model.hyperparameters()), lml(model.hyperparameters()));
    assert!(best - found < 1.0, "{found} where {best} can be reached");
}

#[test]
fn neighbours_and_points_are_chosen_anew_between_rounds() {
    let fit = fit(&options("vecchia", 20, 120), &mut ()).unwrap();
    assert!(fit.rounds > 0, "{} steps", fit.trained.iterations);
    assert_eq!(fit.trained.u.len(), 5, "no inducing points among the variables");
    assert!(fit.trained.stop_reason.converged(), "{:?}", fit.trained.stop_reason);
    let kernel = fit.model.hyperparameters().kernel.as_ref();
    let chosen = Selector::Greedy.choose(kernel, &data().0, 20, 0).unwrap();
    assert_eq!(fit.model.inducing_points(), &chosen.z);
}

#[test]
fn given_points_stay_where_a_bound_does_not_depend_on_them() {
    let given = points(7, 2, 600);
    let mut options = options("vecchia", 20, 10);
    options.selector = Selector::Given(given.clone());
    assert_eq!(fit(&options, &mut ()).unwrap().model.inducing_points(), &given);
}

#[test]
fn moving_the_points_helps() {
    let moving = options("arithmetic-geometric", 10, 60);
    let still = CglbOptions { train_inducing_points: false, ..moving.clone() };
    let [moving, still] = [moving, still].map(|options| fit(&options, &mut ()).unwrap());
    assert!(moving.trained.objective > still.trained.objective);
    assert_eq!(still.trained.u.len() + 20, moving.trained.u.len());
}

#[test]
fn no_inducing_points_can_be_trained() {
    let fit = fit(&options("arithmetic-geometric", 0, 30), &mut ()).unwrap();
    assert_eq!(fit.model.inducing_points().dim(), (0, 2));
    check(&fit);
}

#[test]
fn a_vecchia_preconditioner_finds_the_same() {
    let mut options = options("vecchia", 20, 30);
    let plain = fit(&options, &mut ()).unwrap();
    options.settings.preconditioning = Preconditioning::Vecchia;
    let other = fit(&options, &mut ()).unwrap();
    check(&other);
    assert!((plain.trained.objective - other.trained.objective).abs() < 3.0);
}

/// Where the inducing points do well nothing changes, to the bit; where they do not, steps are saved.
#[test]
fn an_automatic_preconditioner_changes_only_where_it_pays() {
    let n = 700;
    let x = Array2::from_shape_fn((n, 2), |(i, j)| {
        ((i + 1) as f64 * [0.618_034, 0.754_878][j]).fract()
    });
    let y = Array2::from_shape_fn((n, 1), |(i, _)| (7.0 * x[[i, 0]]).sin() + x[[i, 1]]);
    let z = x.slice(ndarray::s![..20, ..]).to_owned();
    let solve = |lengthscale: f64, noise_variance: f64, preconditioning: Preconditioning| {
        let kernel = Box::new(kernels::Matern32::new(vec![lengthscale; 2], 1.0).unwrap());
        let mean = kernels::Mean::Zero;
        let hyper = gp_core::Hyperparameters { kernel, noise_variance, mean };
        let settings = CglbSettings { preconditioning, ..CglbSettings::default() };
        Cglb::condition(&hyper, &z, &x, &y, &settings).unwrap()
    };
    let [easy, same] =
        [Preconditioning::Nystrom, Preconditioning::Auto].map(|p| solve(2.0, 0.5, p));
    assert_eq!(easy.v(), same.v());
    let [hard, saved] =
        [Preconditioning::Nystrom, Preconditioning::Auto].map(|p| solve(0.2, 1e-5, p));
    let [hard, saved] = [&hard, &saved].map(|model| model.evidence());
    assert!(saved.cg.capped == 0 && saved.slack[0] <= 1e-3);
    assert!(2 * saved.cg.steps_total < hard.cg.steps_total, "{:?} {:?}", saved.cg, hard.cg);
}

struct StopAfter {
    steps: usize,
    state: Option<TrainState>,
}

impl Observer for StopAfter {
    fn step(&mut self, _: &Progress, state: &TrainState) {
        self.steps = self.steps.saturating_sub(1);
        self.state = Some(state.clone());
    }

    fn interrupted(&self) -> bool {
        self.steps == 0
    }
}

#[test]
fn an_interrupted_run_goes_on_with_the_same_bits() {
    for bound in ["arithmetic-geometric", "vecchia", "vif"] {
        let mut options = options(bound, 10, 45);
        options.settings.training_tolerance = 0.1;
        let whole = fit(&options, &mut ()).unwrap();
        for steps in [4, 18, 22, 28] {
            let mut stop = StopAfter { steps, state: None };
            let first = fit(&options, &mut stop).unwrap();
            assert_eq!(first.trained.stop_reason, StopReason::Interrupted);
            let state = serde_json::to_string(&stop.state).unwrap();
            options.plan.resume = serde_json::from_str(&state).unwrap();
            let resumed = fit(&options, &mut ()).unwrap();
            assert_eq!(resumed.trained.u, whole.trained.u, "{bound} {steps}");
            assert_eq!(resumed.model.evidence(), whole.model.evidence());
            if bound == "arithmetic-geometric" {
                assert_eq!(resumed.cg_steps, whole.cg_steps);
            }
            options.plan.resume = None;
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
fn a_run_cut_off_within_a_solve_goes_on_with_the_same_bits() {
    const MANY: usize = 1 << 40;
    for bound in ["arithmetic-geometric", "vecchia"] {
        let mut options = options(bound, 10, 30);
        options.settings.training_tolerance = 1e-3;
        let counter = &mut Questions(Cell::new(MANY));
        let whole = fit(&options, counter).unwrap();
        let (asked, evaluations) = (MANY - counter.0.get(), whole.trained.evaluations);
        assert!(asked > 4 * evaluations, "asked {asked} times in {evaluations} evaluations");
        for part in [3, 4, 5, 6, 7] {
            let stop = &mut Questions(Cell::new(asked * part / 8));
            let first = fit(&options, stop).unwrap().trained;
            assert_eq!(first.stop_reason, StopReason::Interrupted);
            let state = serde_json::to_string(&first.state).unwrap();
            options.plan.resume = serde_json::from_str(&state).unwrap();
            let resumed = fit(&options, &mut ()).unwrap();
            assert_eq!(resumed.trained.u, whole.trained.u, "{bound} {part}");
            assert_eq!(resumed.cg_steps, whole.cg_steps, "{bound} {part}");
            options.plan.resume = None;
        }
    }
}

/// Gives up in the midst of the solve that conditions, and keeps the last state.
struct Leaves {
    left: Cell<usize>,
    state: Option<TrainState>,
}

impl Observer for Leaves {
    fn step(&mut self, _: &Progress, state: &TrainState) {
        self.state = Some(state.clone());
    }

    fn given_up(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.left.get() == 0
    }
}

#[test]
fn a_fit_given_up_while_it_conditions_has_lost_no_step() {
    for bound in ["arithmetic-geometric", "vecchia"] {
        let mut options = options(bound, 5, 30);
        let whole = fit(&options, &mut ()).unwrap();
        let mut leaves = Leaves { left: Cell::new(3), state: None };
        assert!(matches!(fit(&options, &mut leaves), Err(GpError::Interrupted)), "{bound}");
        options.plan.resume = leaves.state;
        let resumed = fit(&options, &mut ()).unwrap();
        assert_eq!(resumed.trained.u, whole.trained.u, "{bound}");
        assert_eq!(resumed.trained.stop_reason, whole.trained.stop_reason, "{bound}");
        assert_eq!(resumed.model.evidence(), whole.model.evidence(), "{bound}");
    }
}

/// Every state that a run passes through.
#[derive(Default)]
struct Keeps(Vec<TrainState>);

impl Observer for Keeps {
    fn step(&mut self, _: &Progress, state: &TrainState) {
        self.0.push(state.clone());
    }
}

/// Without noise, where line searches ask for more accuracy.
#[test]
fn every_state_of_a_run_goes_on_with_the_same_bits() {
    let x = points(120, 1, 0);
    let y = x.mapv(|t: f64| (3.0 * t).sin());
    let mut options = options("vecchia", 10, 80);
    options.settings.training_tolerance = 1.0;
    let run = |options: &CglbOptions, keeps: &mut Keeps| {
        Cglb::fit(&leaf("se", &[1.0], 1.0), &x, &y, options, keeps).unwrap().trained
    };
    let mut keeps = Keeps::default();
    let whole = run(&options, &mut keeps);
    for (index, state) in keeps.0.into_iter().enumerate().step_by(3) {
        options.plan.resume = Some(state);
        assert_eq!(run(&options, &mut Keeps::default()).u, whole.u, "state {index}");
    }
}

/// The preconditioner that training comes to, and where it did, are part of the state.
#[test]
fn a_run_that_has_changed_its_preconditioner_goes_on_with_the_same_bits() {
    let mut options = options("arithmetic-geometric", 4, 30);
    options.settings.neighbours = 5;
    options.settings.training_tolerance = 1e-4;
    let nystrom = fit(&options, &mut ()).unwrap();
    options.settings.preconditioning = Preconditioning::Auto;
    let whole = fit(&options, &mut ()).unwrap();
    assert_ne!(whole.cg_steps, nystrom.cg_steps, "Vecchia was never come to");
    for steps in [3, 9, 16, 27] {
        let mut stop = StopAfter { steps, state: None };
        fit(&options, &mut stop).unwrap();
        options.plan.resume = stop.state;
        let resumed = fit(&options, &mut ()).unwrap();
        assert_eq!(resumed.trained.u, whole.trained.u, "{steps}");
        assert_eq!(resumed.cg_steps, whole.cg_steps, "{steps}");
        options.plan.resume = None;
    }
}

#[test]
fn noise_at_its_floor_neither_stalls_nor_breaks() {
    let x = points(300, 1, 0);
    let y = x.mapv(|t: f64| (3.0 * t).sin());
    for bound in ["arithmetic-geometric", "vecchia"] {
        let options = options(bound, 30, 200);
        let fit = Cglb::fit(&leaf("se", &[1.0], 1.0), &x, &y, &options, &mut ()).unwrap();
        let hyper = fit.model.hyperparameters();
        assert!(hyper.noise_variance < 1e-4, "{}", hyper.noise_variance);
        let evidence = fit.model.evidence();
        assert!(evidence.lower.is_finite() && evidence.lower <= evidence.upper);
        let reason = fit.trained.stop_reason;
        assert!(reason.converged(), "{bound}: {reason:?} after {} steps", fit.trained.iterations);
        let error = fit.model.predict_mean(&x).unwrap() - &y;
        assert!(error.iter().all(|e| e.abs() < 0.05));
    }
}

/// Where choosing anew cannot be judged, a round's own limit is no reason to stop.
#[test]
fn only_limits_that_were_asked_for_end_training() {
    let x = points(300, 2, 0);
    let y = x.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
    for bound in ["vecchia", "vif"] {
        let options = options(bound, 30, 150);
        let fit = Cglb::fit(&leaf("se", &[1.0, 1.0], 1.0), &x, &y, &options, &mut ()).unwrap();
        let Trained { stop_reason, iterations, .. } = fit.trained;
        assert!(stop_reason.converged() || iterations == 150, "{bound}: {iterations} steps");
    }
}

#[test]
fn a_capped_solve_says_so() {
    let mut options = options("arithmetic-geometric", 5, 5);
    options.settings.cg_max_steps = 1;
    let fit = fit(&options, &mut ()).unwrap();
    let evidence = fit.model.evidence();
    assert!(fit.cg.capped > 0 && evidence.cg.capped == 1 && evidence.cg.steps_max == 1);
    assert!(evidence.slack[0] > 1e-3 && evidence.residual_norm[0] > 0.0);
    let (x, y) = data();
    let (exact, slack) = exact_lml(fit.model.hyperparameters(), &x, &y);
    assert!(evidence.lower <= exact + slack && exact - slack <= evidence.upper);
}
