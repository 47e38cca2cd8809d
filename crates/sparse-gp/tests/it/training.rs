//! Training of hyperparameters and inducing points together.

use crate::support::{exact_lml, leaf, points, targets};
use gp_core::{
    GpError, Hyperparameters, LbfgsOptions, Observer, Posterior, Progress, StopReason,
    TrainOptions, TrainState, TrainingPlan, metrics,
};
use kernels::Mean;
use ndarray::Array2;
use sparse_gp::{Selector, Sgpr, SgprFit, SgprOptions};

fn options(inducing: usize, max_iters: usize) -> SgprOptions {
    let lbfgs = LbfgsOptions { max_iters, ..Default::default() };
    let options = TrainOptions { lbfgs, screening_iters: 5, time_limit: None };
    let plan = TrainingPlan { starts: 3, options, ..TrainingPlan::default() };
    SgprOptions { plan, inducing, ..SgprOptions::default() }
}

fn template() -> Hyperparameters {
    Hyperparameters { mean: Mean::Constant(0.0), ..leaf("matern32", &[1.0, 1.0], 1.0) }
}

fn data() -> (Array2<f64>, Array2<f64>) {
    let x = points(400, 2, 0);
    let y = targets(&x);
    (x, y)
}

fn fit(options: &SgprOptions, observer: &mut dyn Observer) -> Result<SgprFit, GpError> {
    let (x, y) = data();
    Sgpr::fit(&template(), &x, &y, options, observer)
}

#[test]
fn training_finds_the_signal() {
    let fit = fit(&options(40, 200), &mut ()).unwrap();
    let (x, y) = data();
    let at = points(200, 2, 3000);
    let mean = fit.model.predict_mean(&at).unwrap();
    let truth = targets(&at);
    let rmse = metrics::rmse(&truth.column(0), &mean.column(0));
    assert!(rmse < 0.15, "{rmse}");
    let (exact, slack) = exact_lml(fit.model.hyperparameters(), &x, &y);
    assert!(fit.model.evidence().elbo() <= exact + slack);
    let objective = fit.trained.objective;
    assert!((objective - fit.model.evidence().elbo()).abs() < 1e-9 * objective.abs());
    assert!(fit.notices.is_empty());
}

#[test]
fn moving_the_points_helps() {
    let moving = options(12, 60);
    let still = SgprOptions { train_inducing_points: false, ..moving.clone() };
    let [moving, still] = [moving, still].map(|options| fit(&options, &mut ()).unwrap());
    assert!(moving.trained.objective > still.trained.objective + 1.0);
    assert_eq!(still.trained.u.len() + 24, moving.trained.u.len());
    let chosen = Selector::Greedy.choose(template().kernel.as_ref(), &data().0, 12, 0).unwrap();
    assert_eq!(still.model.inducing_points(), &chosen.z);
}

#[test]
fn no_inducing_points_can_be_trained() {
    let fit = fit(&options(0, 30), &mut ()).unwrap();
    assert_eq!(fit.model.inducing_points().dim(), (0, 2));
    assert!(fit.trained.stop_reason.converged());
}

#[test]
fn low_memory_trains_to_the_same_bits() {
    let plain = options(15, 5);
    let mut low = plain.clone();
    low.settings.low_memory = true;
    let [plain, low] = [plain, low].map(|options| fit(&options, &mut ()).unwrap());
    assert_eq!(plain.trained.u, low.trained.u);
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
    let mut options = options(10, 12);
    let whole = fit(&options, &mut ()).unwrap();
    for steps in [4, 20] {
        let mut stop = StopAfter { steps, state: None };
        let first = fit(&options, &mut stop).unwrap();
        assert_eq!(first.trained.stop_reason, StopReason::Interrupted);
        options.plan.resume = stop.state;
        let resumed = fit(&options, &mut ()).unwrap();
        assert_eq!(resumed.trained.u, whole.trained.u);
        options.plan.resume = None;
    }
}

#[test]
fn noise_at_its_floor_neither_stalls_nor_breaks() {
    let x = points(300, 1, 0);
    let y = x.mapv(|t: f64| (3.0 * t).sin());
    let fit = Sgpr::fit(&leaf("se", &[1.0], 1.0), &x, &y, &options(30, 300), &mut ()).unwrap();
    let hyper = fit.model.hyperparameters();
    assert!(hyper.noise_variance < 1e-4, "{}", hyper.noise_variance);
    let (lower, upper) = (fit.model.evidence().elbo(), fit.model.evidence().upper_bound());
    assert!(lower.is_finite() && lower <= upper);
    assert!(fit.trained.stop_reason.converged(), "{:?}", fit.trained.stop_reason);
    let error = fit.model.predict_mean(&x).unwrap() - &y;
    assert!(error.iter().all(|e| e.abs() < 0.05));
}
