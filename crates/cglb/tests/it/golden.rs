//! Every value of `golden/gp.json` that is CGLB's.

use crate::support::{absolute, close, close_all, column, kernel, matrix, vector};
use cglb::{Cglb, CglbSettings, VarianceFrom, cglb_gradient};
use gp_core::{Hyperparameters, Posterior, metrics};
use kernels::Mean;
use ndarray::Array2;
use serde_json::Value;

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

    /// Runs `check` for each jitter and each v.
    fn each(&self, check: impl Fn(&str, &CglbSettings, &Value, &Value)) {
        for sparse in self.json["sparse"].as_array().unwrap() {
            let settings = absolute(sparse["jitter"].as_f64().unwrap());
            for golden in sparse["cglb"].as_array().unwrap() {
                let name = format!(
                    "{} jitter {} v {} {}",
                    self.json["name"], sparse["jitter"], golden["v"], golden["cg_steps"]
                );
                check(&name, &settings, sparse, golden);
            }
        }
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

#[test]
fn there_are_24_cases_with_active_columns_among_them() {
    let cases = cases();
    assert_eq!(cases.len(), 24);
    let active =
        cases.iter().filter(|case| case.json["kernel"].to_string().contains("active_dims"));
    assert!(active.count() > 0);
}

#[test]
fn the_bound_and_its_gradients() {
    for case in cases() {
        let (x, y, z) = (case.read("x"), case.y(), case.read("z"));
        case.each(|name, settings, _, golden| {
            let v = column(vector(&golden["v_vec"]));
            let found = cglb_gradient(&case.hyper, &z, &x, &y, &v, settings).unwrap();
            close(name, found.value, number(golden, "value"), VALUE);
            let mut all = found.hyper.log_kernel.clone();
            all.push(found.hyper.log_noise_variance);
            all.extend(&found.hyper.mean);
            close_all(name, &all, &vector(&golden["grad"]), GRADIENT);
            close_all(name, &found.z.unwrap(), &matrix(&golden["grad_z"]), GRADIENT);
            close(name, found.slack[0], number(golden, "half_rqr"), VALUE);
        });
    }
}

#[test]
fn predictions_and_parts() {
    for case in cases() {
        let (x, y, z) = (case.read("x"), case.y(), case.read("z"));
        let (at, y_test) = (case.read("x_test"), vector(&case.data["y_test"]));
        case.each(|name, settings, sparse, golden| {
            let v = column(vector(&golden["v_vec"]));
            let model = Cglb::with_auxiliary(&case.hyper, &z, &x, &y, &v, settings).unwrap();
            let evidence = model.evidence();
            assert_eq!(model.jitter(), number(sparse, "jitter"));
            close(name, evidence.elbo(), number(golden, "value"), VALUE);
            close(name, evidence.quad_upper[0], number(golden, "quad_upper"), VALUE);
            close(name, evidence.log_det_upper, number(sparse, "logdet_upper_cglb"), VALUE);
            let exact = number(&case.json["exact"], "lml");
            assert!(evidence.lower <= exact && exact <= evidence.upper, "{name}");
            assert!(evidence.lower >= evidence.elbo() - evidence.rounding, "{name}");
            let model = model.with_variance_from(VarianceFrom::InducingPoints);
            let prediction = model.predict(&at).unwrap();
            let mean = prediction.mean.column(0);
            close_all(name, mean, &vector(&golden["predict"]["mean"]), VALUE);
            close_all(name, &prediction.var_latent, &vector(&sparse["predict"]["var_f"]), VALUE);
            let rmse = metrics::rmse(&y_test, &mean);
            close(name, rmse, number(&golden["predict"], "rmse"), VALUE);
            let nlpd = metrics::nlpd(&y_test, &mean, &prediction.var_y);
            close(name, nlpd, number(&golden["predict"], "nlpd"), VALUE);
        });
    }
}

#[test]
fn conjugate_gradients_walk_the_golden_path() {
    let (mut compared, matched) = (0, std::cell::Cell::new(0));
    for case in cases() {
        let (x, y, z) = (case.read("x"), case.y(), case.read("z"));
        case.each(|name, settings, sparse, golden| {
            let Some(steps) = golden["cg_steps"].as_u64() else { return };
            let settings = CglbSettings {
                cg_max_steps: steps as usize,
                prediction_tolerance: 1e-12,
                ..settings.clone()
            };
            let model = Cglb::condition(&case.hyper, &z, &x, &y, &settings).unwrap();
            let golden = sparse["cglb"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|other| other["cg_steps"].as_u64().is_some_and(|other| other <= steps));
            // The iterate with the least slack is kept, which on a few cases is not the last.
            let least =
                golden.clone().map(|other| number(other, "half_rqr")).fold(f64::INFINITY, f64::min);
            let slack = model.evidence().slack[0];
            assert!(slack <= least * (1.0 + 1e-6) + 1e-9, "{name}: {slack} above {least}");
            // An iterate between the golden ones may be better than any of them.
            if slack >= least * (1.0 - 1e-6) - 1e-9 {
                let mut path = golden.clone();
                let kept = path.find(|other| number(other, "half_rqr") <= least).unwrap();
                close(name, model.evidence().elbo(), number(kept, "value"), VALUE);
                matched.set(matched.get() + 1);
            }
        });
        compared += 1;
    }
    assert_eq!(compared, 24);
    assert!(matched.get() >= 100, "only {} on the path", matched.get());
}
