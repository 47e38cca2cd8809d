//! The fitted model: predictions, parts, starts, warnings.

use crate::support::{
    data, golden, matrix, model, near, near_all, number, problem, scores, vector,
};
use gp_core::Posterior;
use ndarray::{Array1, Array2, array};
use ssgp_vb::{
    Algorithm, Cycle, FitOptions, Observer, ScreenedStart, SpectralPoints, SsgpVb, SsgpVbOptions,
    SsgpVbParts, Start, Starts, Status, Warning,
};

#[test]
fn predictions_of_the_golden_fits() {
    for case in golden()["fits"].as_array().unwrap() {
        let inputs = &case["inputs"];
        let problem = problem(inputs);
        for (algorithm, tolerance, name) in [
            (Algorithm::Plain, 1e-6, "alg1_tol_1e-6"),
            (Algorithm::Adaptive, 1e-6, "alg2_tol_1e-6"),
            (Algorithm::Plain, 1e-12, "alg1_tol_1e-12"),
            (Algorithm::Adaptive, 1e-12, "alg2_tol_1e-12"),
        ] {
            let options =
                FitOptions { algorithm, tolerance, max_cycles: 5000, ..FitOptions::default() };
            let run = problem.run(&Start::default(), &options, &mut ()).unwrap();
            let model = model(&problem, &matrix(&inputs["S"]), run, 0.0);
            let found = model.predict(&matrix(&inputs["X_star"])).unwrap();
            let golden = &case[name];
            near_all("mean", found.mean.column(0), &vector(&golden["mean"]), 2e-5);
            near_all("var", &found.var_y, &vector(&golden["var"]), 2e-5);
            let scores = scores(&vector(&inputs["y_star"]), &found, 0.0);
            near("NMSE", scores.0, number(&golden["nmse_vs_zero_train_mean"]), 1e-4);
            near("MNLP", scores.1, number(&golden["mnlp"]), 1e-3);
        }
    }
}

#[test]
fn predictions_at_a_fixed_q() {
    for case in golden()["fixed_q"].as_array().unwrap() {
        let (inputs, golden) = (&case["inputs"], &case["predict"]);
        let problem = problem(inputs);
        let mut run = problem.run(&Start::default(), &FitOptions::default(), &mut ()).unwrap();
        run.factors = serde_json::from_value(serde_json::json!({
            "lambda": run.factors.lambda, "alpha": run.factors.alpha,
            "c_sigma": inputs["C_sigma"], "c_gamma": inputs["C_gamma"],
        }))
        .unwrap();
        run.factors.lambda.mean = vector(&inputs["mu_lambda"]);
        run.factors.lambda.covariance = matrix(&inputs["Sigma_lambda"]);
        run.factors.alpha.mean = vector(&inputs["mu_alpha"]);
        run.factors.alpha.covariance = matrix(&inputs["Sigma_alpha"]);
        let model = model(&problem, &matrix(&inputs["S"]), run, 0.0);
        let x_new = matrix(&golden["X_star"]);
        let found = model.predict(&x_new).unwrap();
        near_all("mean", found.mean.column(0), &vector(&golden["mean"]), 1e-11);
        near_all("var", &found.var_y, &vector(&golden["var"]), 1e-11);
        let joint = model.covariance(&x_new).unwrap();
        near_all("covariance", joint.diag(), &found.var_latent, 1e-11);
        near_all("symmetric", &joint, joint.t(), 1e-15);
    }
}

fn small(draws: usize, keep: usize) -> SsgpVbOptions {
    SsgpVbOptions {
        spectral: SpectralPoints { points: 6, draws, ..SpectralPoints::default() },
        starts: Starts { keep, ..Starts::default() },
        ..SsgpVbOptions::default()
    }
}

#[test]
fn a_model_read_back_predicts_the_same_bits() {
    let (x, y) = data(60, 2);
    let fit = SsgpVb::fit(&x, &y, &small(3, 2), &mut ()).unwrap();
    let text = serde_json::to_string(fit.model.parts()).unwrap();
    let parts: SsgpVbParts = serde_json::from_str(&text).unwrap();
    let again = SsgpVb::from_parts(parts).unwrap();
    assert_eq!(fit.model.predict(&x).unwrap(), again.predict(&x).unwrap());
    assert_eq!(fit.model.bound().to_bits(), again.bound().to_bits());
}

#[test]
fn a_mixture_is_consistent() {
    let (x, y) = data(50, 2);
    let fit = SsgpVb::fit(&x, &y, &small(4, 3), &mut ()).unwrap();
    let model = fit.model;
    near("weights", model.weights().iter().sum(), 1.0, 1e-12);
    let bounds: Vec<f64> = model.parts().components.iter().map(|c| c.bound).collect();
    assert!(bounds.windows(2).all(|pair| pair[0] >= pair[1]));
    assert!(model.bound() <= bounds[0] && model.bound() >= bounds[0] - 3.0_f64.ln() - 1e-9);
    let found = model.predict(&x).unwrap();
    let joint = model.covariance(&x).unwrap();
    near_all("variance", joint.diag(), &found.var_latent, 1e-9);
    near_all("mean", &found.mean, &model.predict_mean(&x).unwrap(), 1e-12);
    assert!(found.var_y.iter().zip(&found.var_latent).all(|(y, f)| y > f && *f >= 0.0));
}

#[test]
fn units_of_inputs_and_target_do_not_matter() {
    let (x, y) = data(50, 2);
    let fit = SsgpVb::fit(&x, &y, &small(2, 1), &mut ()).unwrap();
    let (moved, lifted) = (x.mapv(|v| 1000.0 + 64.0 * v), &y + 5.0);
    let other = SsgpVb::fit(&moved, &lifted, &small(2, 1), &mut ()).unwrap();
    let (a, b) = (fit.model.predict(&x).unwrap(), other.model.predict(&moved).unwrap());
    near_all("mean", &(a.mean + 5.0), &b.mean, 1e-4);
    let (a, b) = (fit.model.relevance(), other.model.relevance());
    near("lengthscale", 64.0 * a[0].lengthscale / b[0].lengthscale, 1.0, 1e-2);
    assert!(a[0].lambda.abs() > 5.0 * a[1].lambda.abs(), "only the first input matters: {a:?}");
}

#[test]
fn several_starts_escape_the_mode_that_explains_nothing() {
    let (x, y) = data(60, 1);
    let y = y.mapv(|v: f64| 0.01 * v) + x.column(0).mapv(|t: f64| (14.0 * t).sin());
    let starts = Starts { means: Some(vec![0.02]), variance: 1e-4, ..Starts::default() };
    let stuck = SsgpVbOptions { starts, ..small(1, 1) };
    let stuck = SsgpVb::fit(&x, &y, &stuck, &mut ()).unwrap();
    assert!(
        matches!(stuck.report.warnings[..], [Warning::Collapsed { .. }]),
        "{:?}",
        stuck.report.training_nmse
    );
    let free = SsgpVb::fit(&x, &y, &small(2, 1), &mut ()).unwrap();
    assert!(free.report.warnings.is_empty());
    assert_eq!(free.report.starts.len(), 8);
    assert!(free.model.bound() > stuck.model.bound() && free.report.training_nmse < 0.1);
}

/// Counts cycles, and stops after some.
struct Counter {
    cycles: usize,
    stop_after: usize,
}

impl Observer for Counter {
    fn cycle(&mut self, _: &Cycle) {
        self.cycles += 1;
    }

    fn interrupted(&self) -> bool {
        self.cycles >= self.stop_after
    }
}

#[test]
fn an_interrupted_fit_keeps_what_it_has() {
    let (x, y) = data(60, 2);
    let mut whole = Counter { cycles: 0, stop_after: usize::MAX };
    SsgpVb::fit(&x, &y, &small(3, 1), &mut whole).unwrap();
    for stop_after in [5, whole.cycles - 3] {
        let mut counter = Counter { cycles: 0, stop_after };
        let fit = SsgpVb::fit(&x, &y, &small(3, 1), &mut counter).unwrap();
        assert_eq!(fit.report.status, Status::Interrupted);
        let stopped = Warning::NotConverged { status: Status::Interrupted };
        assert!(fit.report.warnings.contains(&stopped));
        assert!(fit.model.predict(&x).is_ok());
    }
}

#[test]
fn no_new_rows_give_no_predictions() {
    let (x, y) = data(20, 1);
    let fit = SsgpVb::fit(&x, &y, &small(1, 1), &mut ()).unwrap();
    let none = array![[0.0]].slice(ndarray::s![..0, ..]).to_owned();
    let found = fit.model.predict(&none).unwrap();
    assert_eq!((found.mean.dim(), found.var_y), ((0, 1), Array1::zeros(0)));
}

/// Without noise E(1/γ²) grows until the prior's precision is lost beside it.
#[test]
fn targets_without_noise_are_fitted() {
    let x = Array2::from_shape_fn((80, 1), |(i, _)| i as f64 / 40.0 - 1.0);
    let y: Array1<f64> = x.column(0).mapv(|t| (4.0 * t).sin());
    let spectral = SpectralPoints { points: 20, ..SpectralPoints::default() };
    let options = SsgpVbOptions { spectral, ..SsgpVbOptions::default() };
    let fit = SsgpVb::fit(&x, &y, &options, &mut ()).unwrap();
    let found = fit.model.predict(&x).unwrap();
    near_all("mean", found.mean.column(0), &y, 1e-2);
    let largest = found.var_latent.iter().fold(0.0_f64, |most, variance| most.max(*variance));
    assert!(largest < 1e-3, "{largest}");
    assert!(found.var_latent.iter().all(|variance| *variance >= 0.0));
}

/// Keeps the starts that were screened, and stops after some cycles.
#[derive(Default)]
struct Keeper {
    starts: Vec<ScreenedStart>,
    cycles: usize,
    most: Option<usize>,
}

impl Observer for Keeper {
    fn screened(&mut self, start: &ScreenedStart) {
        self.starts.push(start.clone());
    }

    fn cycle(&mut self, _: &Cycle) {
        self.cycles += 1;
    }

    fn interrupted(&self) -> bool {
        self.most.is_some_and(|most| self.cycles >= most)
    }
}

#[test]
fn an_interrupted_fit_goes_on_to_the_same_bits() {
    let (x, y) = data(60, 2);
    let spectral = SpectralPoints { points: 6, draws: 3, ..SpectralPoints::default() };
    let options = SsgpVbOptions { spectral, ..SsgpVbOptions::default() };
    let mut counter = Keeper::default();
    let whole = SsgpVb::fit(&x, &y, &options, &mut counter).unwrap();
    assert_eq!(counter.starts.len(), 9);
    for part in [10, 50, 100, counter.cycles - 2] {
        let mut keeper = Keeper { most: Some(part), ..Keeper::default() };
        SsgpVb::fit(&x, &y, &options, &mut keeper).unwrap();
        let done = keeper.starts;
        assert!(done.len() <= 9);
        let mut second = Keeper::default();
        let resumed = SsgpVb::resume(&x, &y, &options, &done, &mut second).unwrap();
        assert_eq!(resumed.model.parts(), whole.model.parts(), "after {part} cycles");
        assert_eq!(second.starts, counter.starts);
        assert!(part < 60 || second.cycles < counter.cycles, "nothing was kept");
    }
}
