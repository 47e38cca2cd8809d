//! Every exact value of `golden/gp.json`, computed in 256-bit arithmetic.

use crate::support::{condition, relative, relative_all};
use exact_gp::ExactGp;
use gp_core::{Hyperparameters, Params, Posterior, metrics};
use ndarray::{Array1, Array2, Axis};
use serde_json::{Value, json};

const VALUE: f64 = 1e-8;
const GRADIENT: f64 = 1e-6;

struct Case {
    name: String,
    hyper: Hyperparameters,
    gp: ExactGp,
    x_test: Array2<f64>,
    y_test: Array1<f64>,
    json: Value,
}

impl Case {
    fn new(json: &Value, data: &Value) -> Self {
        let [x, x_test] = ["x", "x_test"].map(|name| matrix(&data[name]));
        let [y, y_test] = ["y", "y_test"].map(|name| vector(&data[name]));
        let [kernel, noise, mean] = ["kernel", "noise_variance", "mean"].map(|key| &json[key]);
        let params = json!({"kernel": kernel, "noise_variance": noise, "mean": mean});
        let hyper = serde_json::from_value::<Params>(params).unwrap().build(x.ncols()).unwrap();
        let gp = condition(&hyper, &x, &y.insert_axis(Axis(1)));
        let name = json["name"].as_str().unwrap().to_owned();
        Self { name, hyper, gp, x_test, y_test, json: json.clone() }
    }

    fn number(&self, path: &str) -> f64 {
        self.json["exact"].pointer(path).unwrap().as_f64().unwrap()
    }

    fn vector(&self, path: &str) -> Array1<f64> {
        vector(self.json["exact"].pointer(path).unwrap())
    }
}

fn vector(value: &Value) -> Array1<f64> {
    serde_json::from_value::<Vec<f64>>(value.clone()).unwrap().into()
}

fn matrix(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).unwrap()
}

fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("../golden/gp.json")).unwrap();
    let data = |case: &Value| file["datasets"][case["dataset"].as_str().unwrap()].clone();
    let cases = file["cases"].as_array().unwrap().iter();
    let cases: Vec<Case> = cases.map(|case| Case::new(case, &data(case))).collect();
    assert_eq!(cases.len(), 24);
    cases
}

#[test]
fn evidence() {
    for case in cases() {
        let lml = case.gp.lml().unwrap();
        relative(&case.name, lml.value, case.number("/lml"), VALUE);
        relative_all(&case.name, case.gp.alpha(), &case.vector("/alpha"), VALUE);
        let error = (lml.value - case.number("/lml")).abs();
        assert!(error <= lml.rounding_quad + lml.rounding_logdet, "{}: {error:e}", case.name);
    }
}

#[test]
fn gradients_in_every_hyperparameter() {
    for case in cases() {
        let names: Vec<Value> =
            case.hyper.named_values().into_iter().map(|(name, _)| name.into()).collect();
        assert_eq!(Value::from(names), case.json["param_names"], "{}", case.name);
        let (value, gradient) = case.gp.lml_gradient().unwrap();
        relative(&case.name, value, case.number("/lml"), VALUE);
        let mut flat = gradient.log_kernel;
        flat.push(gradient.log_noise_variance);
        flat.extend(gradient.mean);
        relative_all(&case.name, &flat, &case.vector("/grad"), GRADIENT);
    }
}

#[test]
fn predictions() {
    for case in cases() {
        let (name, prediction) = (&case.name, case.gp.predict(&case.x_test).unwrap());
        relative_all(name, &prediction.mean, &case.vector("/predict/mean"), VALUE);
        for (ours, golden) in prediction.var_latent.iter().zip(&case.vector("/predict/var_f")) {
            relative(name, *ours, *golden, VALUE);
        }
        let covariance = case.gp.covariance(&case.x_test).unwrap();
        let golden = matrix(case.json.pointer("/exact/predict/cov_f").unwrap());
        relative_all(name, &covariance, &golden, VALUE);
        let mean = prediction.mean.column(0);
        let rmse = metrics::rmse(&case.y_test, &mean);
        relative(name, rmse, case.number("/predict/rmse"), VALUE);
        let nlpd = metrics::nlpd(&case.y_test, &mean, &prediction.var_y);
        relative(name, nlpd, case.number("/predict/nlpd"), VALUE);
    }
}

#[test]
fn leave_one_out() {
    for case in cases() {
        let (name, loo) = (&case.name, case.gp.leave_one_out().unwrap());
        relative_all(name, &loo.mean, &case.vector("/loo/mean"), VALUE);
        relative_all(name, &loo.var_y, &case.vector("/loo/var"), VALUE);
        let nlpd = metrics::nlpd(&case.gp.y().column(0), &loo.mean.column(0), &loo.var_y);
        relative(name, -nlpd, case.number("/loo/mean_log_density"), VALUE);
    }
}
