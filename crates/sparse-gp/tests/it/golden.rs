//! Every value of `golden/gp.json` that is SGPR's.

use crate::support::{absolute, close, close_all, column, kernel, matrix, vector};
use bounds::quad::{QuadBound, ShiftedNystrom};
use bounds::{DifferentiableLogDet, logdet::NystromLogDet};
use gp_core::{HyperGradient, Hyperparameters, Posterior, metrics};
use kernels::Mean;
use ndarray::{Array1, Array2};
use serde_json::Value;
use sparse_gp::{Sgpr, SgprSettings, elbo_gradient};

const VALUE: f64 = 1e-8;
const GRADIENT: f64 = 1e-6;

struct Case {
    hyper: Hyperparameters,
    data: Value,
    json: Value,
}

impl Case {
    fn read(&self, name: &str) -> Array2<f64> {
        matrix(&self.data[name])
    }

    fn y(&self) -> Array2<f64> {
        column(vector(&self.data["y"]))
    }

    /// Runs `check` for each jitter, with V kept and not.
    fn each(&self, check: impl Fn(&str, &SgprSettings, &Value)) {
        for golden in self.json["sparse"].as_array().unwrap() {
            let settings = absolute(golden["jitter"].as_f64().unwrap());
            for low_memory in [false, true] {
                let name = format!("{} jitter {}", self.json["name"], golden["jitter"]);
                check(&name, &SgprSettings { low_memory, ..settings }, golden);
            }
        }
    }

    fn model(&self, settings: &SgprSettings) -> Sgpr {
        let (x, y, z) = (self.read("x"), self.y(), self.read("z"));
        Sgpr::condition(&self.hyper, &z, &x, &y, settings).unwrap()
    }
}

fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("../golden/gp.json")).unwrap();
    let case = |json: &Value| {
        let noise_variance = json["noise_variance"].as_f64().unwrap();
        let mean = Mean::Constant(json["mean"].as_f64().unwrap());
        let hyper = Hyperparameters { kernel: kernel(&json["kernel"]), noise_variance, mean };
        let data = file["datasets"][json["dataset"].as_str().unwrap()].clone();
        Case { hyper, data, json: json.clone() }
    };
    file["cases"].as_array().unwrap().iter().map(case).collect()
}

fn number(golden: &Value, key: &str) -> f64 {
    golden[key].as_f64().unwrap_or_else(|| panic!("{key}"))
}

fn flat(gradient: &HyperGradient) -> Vec<f64> {
    let mut all = gradient.log_kernel.clone();
    all.push(gradient.log_noise_variance);
    all.extend(&gradient.mean);
    all
}

#[test]
fn there_are_24_cases() {
    assert_eq!(cases().len(), 24);
}

#[test]
fn bounds_and_their_parts() {
    for case in cases() {
        case.each(|name, settings, golden| {
            let model = case.model(settings);
            assert_eq!(model.jitter(), number(golden, "jitter"));
            let evidence = model.evidence();
            for (key, value) in [
                ("elbo", evidence.elbo()),
                ("upper_bound", evidence.upper_bound()),
                ("trace_k_minus_q", evidence.residual_trace),
                ("logdet_q", evidence.log_det_q),
                ("quad_q", evidence.quad[0]),
                ("logdet_upper_sgpr", evidence.log_det_upper()),
            ] {
                close(&format!("{name} {key}"), value, number(golden, key), VALUE);
            }
        });
    }
}

#[test]
fn gradients_of_the_lower_bound() {
    for case in cases() {
        let (x, y, z) = (case.read("x"), case.y(), case.read("z"));
        case.each(|name, settings, golden| {
            let elbo = elbo_gradient(&case.hyper, &z, &x, &y, settings).unwrap();
            close(name, elbo.value, number(golden, "elbo"), VALUE);
            close_all(name, &flat(&elbo.hyper), &vector(&golden["elbo_grad"]), GRADIENT);
            close_all(name, &elbo.z, &matrix(&golden["elbo_grad_z"]), GRADIENT);
        });
    }
}

#[test]
fn gradients_of_the_upper_bound() {
    for case in cases() {
        let x = case.read("x");
        let error = vector(&case.data["y"]) - case.json["mean"].as_f64().unwrap();
        case.each(|name, settings, golden| {
            let model = case.model(settings);
            let problem = model.problem(&x).unwrap();
            let none = Array1::zeros(error.len());
            let mut quad = ShiftedNystrom.gradient(&problem, &error, &none).unwrap();
            quad.hyper.scaled_add(1.0, &NystromLogDet.gradient(&problem).unwrap());
            let mut all = quad.hyper.kernel.clone();
            all.extend([quad.hyper.noise_variance, -quad.y.sum()]);
            let all: Vec<f64> = all.iter().map(|g| -0.5 * g).collect();
            close_all(name, &all, &vector(&golden["upper_bound_grad"]), GRADIENT);
            let d_z = quad.hyper.z.unwrap() * -0.5;
            close_all(name, &d_z, &matrix(&golden["upper_bound_grad_z"]), GRADIENT);
        });
    }
}

#[test]
fn predictions() {
    for case in cases() {
        let (at, y_test) = (case.read("x_test"), vector(&case.data["y_test"]));
        case.each(|name, settings, golden| {
            let (model, golden) = (case.model(settings), &golden["predict"]);
            let prediction = model.predict(&at).unwrap();
            let mean = prediction.mean.column(0);
            close_all(name, mean, &vector(&golden["mean"]), VALUE);
            close_all(name, &prediction.var_latent, &vector(&golden["var_f"]), VALUE);
            close_all(name, &model.covariance(&at).unwrap(), &matrix(&golden["cov_f"]), VALUE);
            close(name, metrics::rmse(&y_test, &mean), number(golden, "rmse"), VALUE);
            let nlpd = metrics::nlpd(&y_test, &mean, &prediction.var_y);
            close(name, nlpd, number(golden, "nlpd"), VALUE);
        });
    }
}
