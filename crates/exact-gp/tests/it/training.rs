//! Training: cases 45 and 46, floors, priors, interruption.

use crate::support::{
    Scaled, column, condition, grid, leaf, lml, model, points, se, squares, targets,
};
use exact_gp::{ExactGp, ExactGpOptions, GpError};
use gp_core::{
    Floors, Hyperparameters, Observer, Prior, Progress, Standardiser, StopReason, TrainState,
    Trained, TrainingPlan,
};
use kernels::Mean;
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// GPflow#119: sin 3x at 40 points drawn from [0, 1], with noise of deviation 1e-3.
fn noisy_sine(seed: u64) -> (Array2<f64>, Array2<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let x = column((0..40).map(|_| rng.random::<f64>()));
    let mut normal = || {
        let (radius, turn): (f64, f64) = (rng.random(), rng.random());
        (-2.0 * (1.0 - radius).ln()).sqrt() * (2.0 * std::f64::consts::PI * turn).cos()
    };
    let y = x.mapv(|t| (3.0 * t).sin() + 1e-3 * normal());
    (x, y)
}

#[test]
fn a_small_noise_variance_is_found_whatever_the_draw() {
    for kind in ["se", "matern32"] {
        for seed in 0..10 {
            let (x, y) = noisy_sine(seed);
            let fit = Scaled::fit(kind, &x, &y, TrainingPlan::default());
            let noise = fit.original_noise_variance();
            assert!((1e-7..1e-5).contains(&noise), "{kind}, seed {seed}: {noise:e}");
            assert!(fit.trained.stop_reason.converged());
        }
    }
}

/// A floor of 1e-6 for the noise variance in the targets' own units, as the figures assume.
fn plan_with_original_floor(y: &Array2<f64>) -> TrainingPlan {
    let centre = y.mean().unwrap();
    let variance = y.mapv(|v| (v - centre).powi(2)).mean().unwrap();
    let floors = Floors { noise_variance: 1e-6 / variance, ..Floors::default() };
    TrainingPlan { floors, ..TrainingPlan::default() }
}

#[test]
fn sines_without_noise_reach_the_best_known_evidence() {
    for (n, frequency, best) in [(200, 6.0, 1134.0), (60, 20.0, 240.6)] {
        let x = grid(n);
        let y = x.mapv(|t| (frequency * t).sin());
        for plan in [TrainingPlan::default(), plan_with_original_floor(&y)] {
            let fit = Scaled::fit("se", &x, &y, plan.clone());
            let found = fit.original_lml();
            assert!(found >= 0.99 * best, "sin {frequency}x: {found} of {best}");
            let hyper = fit.gp.hyperparameters();
            let floors = plan.space(hyper).unwrap().at_floor(hyper);
            assert_eq!(floors.len(), 1, "{floors:?}");
            assert!(floors[0].starts_with("noise_variance = "), "{floors:?}");
        }
    }
}

#[test]
fn sines_are_found_in_their_own_units_too() {
    for (n, frequency, best) in [(200, 6.0, 1134.0), (60, 20.0, 240.6)] {
        let x = grid(n);
        let y = x.mapv(|t| (frequency * t).sin());
        // From the values that are 1 in standardised units, with a zero mean as the figures have it.
        let [s, t] = [&x, &y].map(|a| Standardiser::fit(a, "a").unwrap().scale()[0]);
        let template = model(leaf("se", &[s], t * t), t * t);
        let (gp, _) = fit(&template, &x, &y, TrainingPlan::default());
        let found = gp.lml().unwrap().value;
        assert!(found >= 0.99 * best, "sin {frequency}x: {found} of {best}");
    }
}

fn fit(
    template: &Hyperparameters,
    x: &Array2<f64>,
    y: &Array2<f64>,
    plan: TrainingPlan,
) -> (ExactGp, Trained) {
    let options = ExactGpOptions { plan, memory_budget: None };
    ExactGp::fit(template, x, y, &options, &mut ()).unwrap()
}

fn ordinary() -> (Hyperparameters, Array2<f64>, Array2<f64>) {
    let x = points(40, 2, 0);
    let y = targets(&x);
    let mean = Mean::Constant(0.0);
    (Hyperparameters { mean, ..model(leaf("matern32", &[1.0, 1.0], 1.0), 1.0) }, x, y)
}

#[test]
fn the_optimum_is_stationary_and_the_spread_of_starts_is_reported() {
    let (template, x, y) = ordinary();
    let (gp, trained) = fit(&template, &x, &y, TrainingPlan::default());
    let (value, gradient) = gp.lml_gradient().unwrap();
    assert!((value - trained.objective).abs() < 1e-9 * value.abs());
    let slopes = [gradient.log_kernel, vec![gradient.log_noise_variance], gradient.mean].concat();
    assert!(slopes.iter().all(|slope| slope.abs() < 1e-3), "{slopes:?}");
    assert_eq!(trained.starts.len(), TrainingPlan::default().starts);
    let objectives: Vec<f64> = trained.starts.iter().map(|s| s.objective.unwrap()).collect();
    let best = objectives.iter().fold(f64::NEG_INFINITY, |best, v| best.max(*v));
    assert_eq!(objectives[trained.start], best);
    assert!(trained.objective >= best);
}

#[test]
fn runs_with_the_same_seed_have_the_same_bits() {
    let (template, x, y) = ordinary();
    let plan = TrainingPlan { starts: 7, seed: 3, ..TrainingPlan::default() };
    let [a, b] = [(); 2].map(|()| fit(&template, &x, &y, plan.clone()).1);
    assert_eq!((a.u, a.objective, a.starts), (b.u, b.objective, b.starts));
}

#[test]
fn what_is_fixed_stays() {
    let (template, x, y) = ordinary();
    let fixed = ["kernel.lengthscales[1]", "noise_variance", "mean"].map(str::to_owned).to_vec();
    let (gp, _) = fit(&template, &x, &y, TrainingPlan { fixed, ..TrainingPlan::default() });
    let values = gp.hyperparameters().named_values();
    let moved: Vec<bool> =
        values.iter().zip(template.named_values()).map(|(a, b)| a.1 != b.1).collect();
    assert_eq!(moved, [true, false, true, false, false]);
}

#[test]
fn with_everything_fixed_there_is_nothing_to_train() {
    let (template, x, y) = ordinary();
    let fixed = ["kernel", "noise_variance", "mean"].map(str::to_owned).to_vec();
    let (gp, trained) = fit(&template, &x, &y, TrainingPlan { fixed, ..TrainingPlan::default() });
    assert_eq!((trained.stop_reason, trained.evaluations), (StopReason::NothingFree, 1));
    assert_eq!(gp.hyperparameters().named_values(), template.named_values());
    assert_eq!(gp.lml().unwrap(), condition(&template, &x, &y).lml().unwrap());
}

#[test]
fn a_tight_prior_decides() {
    let (template, x, y) = ordinary();
    let prior = Prior::LogNormal { mean: 3f64.ln(), std: 1e-3 };
    let priors = vec![("kernel.lengthscales[0]".to_owned(), prior)];
    let (gp, trained) = fit(&template, &x, &y, TrainingPlan { priors, ..TrainingPlan::default() });
    let lengthscale = gp.hyperparameters().named_values()[0].1;
    assert!((lengthscale / 3.0).ln().abs() < 1e-2, "{lengthscale}");
    let density = prior.log_density(lengthscale).0;
    let value = gp.lml().unwrap().value;
    assert!((trained.objective - value - density).abs() < 1e-8 * value.abs());
}

/// Asks to stop after `limit` steps.
struct StopAfter {
    limit: usize,
    steps: usize,
    state: Option<TrainState>,
}

impl StopAfter {
    fn new(limit: usize) -> Self {
        Self { limit, steps: 0, state: None }
    }
}

impl Observer for StopAfter {
    fn step(&mut self, progress: &Progress, state: &TrainState) {
        assert!(progress.objective.is_finite() && progress.seconds >= 0.0);
        self.steps += 1;
        self.state = Some(state.clone());
    }

    fn interrupted(&self) -> bool {
        self.steps >= self.limit
    }
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let (template, x, y) = ordinary();
    let options = ExactGpOptions::default();
    let fit_with = |options: &ExactGpOptions, observer: &mut StopAfter| {
        ExactGp::fit(&template, &x, &y, options, observer).unwrap().1
    };
    let mut counter = StopAfter::new(usize::MAX);
    let whole = fit_with(&options, &mut counter);
    for limit in [1, 2, counter.steps / 3, counter.steps / 2, counter.steps - 2] {
        let mut observer = StopAfter::new(limit);
        let part = fit_with(&options, &mut observer);
        assert_eq!(part.stop_reason, StopReason::Interrupted, "after {limit} steps");
        let json = serde_json::to_string(&observer.state.unwrap()).unwrap();
        let resume = Some(serde_json::from_str(&json).unwrap());
        let (_, rest) = fit(&template, &x, &y, TrainingPlan { resume, ..TrainingPlan::default() });
        assert_eq!((rest.u, rest.objective), (whole.u.clone(), whole.objective));
        assert_eq!(rest.evaluations, whole.evaluations);
        assert_eq!(rest.starts, whole.starts);
    }
}

#[test]
fn a_start_that_cannot_be_evaluated_is_an_error_with_its_reason() {
    // Equal rows whose variance hides the noise from float64, held fixed there.
    let (x, y) = (Array2::zeros((3, 1)), column([1.0, 2.0, 3.0]));
    let template = model(leaf("se", &[1.0], 1e18), 1e-4);
    let fixed = vec!["noise_variance".to_owned(), "kernel.variance".to_owned()];
    for starts in [1, 3] {
        let plan = TrainingPlan { fixed: fixed.clone(), starts, ..TrainingPlan::default() };
        let options = ExactGpOptions { plan, memory_budget: None };
        let error = ExactGp::fit(&template, &x, &y, &options, &mut ()).unwrap_err();
        assert!(matches!(error, GpError::BadStart { .. }), "{error}");
    }
}

#[test]
fn steps_into_singular_matrices_are_rejected() {
    // Large steps reach variances at which K is singular to float64.
    let x = grid(80);
    let y = x.mapv(|t| 1e3 * (6.0 * t).sin());
    let floors = Floors { noise_variance: 1e-12, ..Floors::default() };
    let plan = TrainingPlan { floors, starts: 1, ..TrainingPlan::default() };
    let (gp, trained) = fit(&se(1.0, 1.0), &x, &y, plan);
    assert!(trained.objective.is_finite() && trained.objective > lml(&se(1.0, 1.0), &x, &y));
    assert!(gp.hyperparameters().named_values().iter().all(|(_, value)| value.is_finite()));
}

#[test]
fn a_larger_table_is_screened_on_some_of_its_rows() {
    let x = points(560, 1, 0);
    let y = x.mapv(|t| (3.0 * t).sin());
    let plan = TrainingPlan {
        options: gp_core::TrainOptions {
            lbfgs: gp_core::LbfgsOptions { max_iters: 2, ..Default::default() },
            screening_iters: 2,
            time_limit: None,
        },
        starts: 2,
        ..TrainingPlan::default()
    };
    let (gp, trained) = fit(&se(1.0, 1.0), &x, &y, plan);
    assert_eq!(trained.stop_reason, StopReason::MaxIterations);
    assert_eq!(gp.x().nrows(), 560);
    let value = gp.lml().unwrap().value;
    assert!((trained.objective - value).abs() < 1e-9 * value.abs());
    let residual = condition(gp.hyperparameters(), &x, &y).residual();
    assert!(squares(&residual.column(0)) > 0.0);
}
