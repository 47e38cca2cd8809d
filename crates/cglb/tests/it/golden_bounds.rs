//! What `golden/bounds.json` holds of CGLB.

use crate::support::{absolute, close, close_all, column, leaf, matrix, vector};
use bounds::LogDetBound;
use cglb::{Bound, Cglb, CglbSettings, VarianceFrom, cglb_gradient};
use gp_core::{Hyperparameters, Posterior};
use ndarray::Array2;
use serde_json::{Value, json};
use sparse_gp::{Jitter, Sgpr, SgprSettings};

struct Case {
    hyper: Hyperparameters,
    json: Value,
}

fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("../golden/bounds.json")).unwrap();
    let case = |json: &Value| {
        let lengthscales: Vec<f64> = serde_json::from_value(json["lengthscales"].clone()).unwrap();
        let noise = json["noise_variance"].as_f64().unwrap();
        let mut hyper = leaf(json["kernel"].as_str().unwrap(), &lengthscales, noise);
        hyper.kernel = crate::support::kernel(&json!({
            "type": json["kernel"], "lengthscales": lengthscales, "variance": json["variance"]
        }));
        Case { hyper, json: json.clone() }
    };
    file["cases"].as_array().unwrap().iter().map(case).collect()
}

impl Case {
    fn read(&self, name: &str) -> Array2<f64> {
        matrix(&self.json[name])
    }

    fn model(&self, settings: &CglbSettings) -> Cglb {
        let [x, z] = ["X", "Z"].map(|name| self.read(name));
        let [y, v] = ["y", "v"].map(|name| column(vector(&self.json[name])));
        Cglb::with_auxiliary(&self.hyper, &z, &x, &y, &v, settings).unwrap()
    }

    fn expected(&self, key: &str) -> f64 {
        self.json["expected"][key].as_f64().unwrap()
    }
}

#[test]
fn the_bound_at_a_given_v() {
    for case in cases() {
        let model = case.model(&absolute(0.0));
        let evidence = model.evidence();
        close("cglb", evidence.elbo(), case.expected("cglb"), 1e-8);
        close("quad", evidence.quad_upper[0], case.expected("quad_upper"), 1e-8);
        let lml = case.expected("lml");
        assert!(evidence.lower <= lml && lml <= evidence.upper);
    }
}

/// The mean and the variance of SGPR: those of `sparse-gp`, and CGLB's own at v = 0.
#[test]
fn predictions_from_the_inducing_points_alone() {
    for case in cases() {
        let ([x, z], y) = (["X", "Z"].map(|name| case.read(name)), column(vector(&case.json["y"])));
        let (at, golden) = (case.read("X_test"), &case.json["predictions"]);
        let settings = SgprSettings { jitter: Jitter::Absolute(0.0), low_memory: false };
        let sgpr = Sgpr::condition(&case.hyper, &z, &x, &y, &settings).unwrap();
        let none = Array2::zeros(y.dim());
        let cglb = Cglb::with_auxiliary(&case.hyper, &z, &x, &y, &none, &absolute(0.0)).unwrap();
        let cglb = cglb.with_variance_from(VarianceFrom::InducingPoints);
        for found in [sgpr.predict(&at).unwrap(), cglb.predict(&at).unwrap()] {
            close_all("mean", found.mean.column(0), &vector(&golden["mean_sgpr"]), 1e-8);
            close_all("variance", &found.var_latent, &vector(&golden["var_sgpr"]), 1e-8);
        }
    }
}

#[test]
fn with_v_zero_and_hadamard_it_is_the_bound_of_titsias_2025() {
    for case in cases() {
        let [x, z] = ["X", "Z"].map(|name| case.read(name));
        let y = column(vector(&case.json["y"]));
        let settings = CglbSettings { bound: Bound::named("hadamard").unwrap(), ..absolute(0.0) };
        let none = Array2::zeros(y.dim());
        let found = cglb_gradient(&case.hyper, &z, &x, &y, &none, &settings).unwrap();
        close("titsias2025", found.value, case.expected("titsias2025"), 1e-8);
    }
}

#[test]
fn every_bound_can_be_trained_with_and_lies_below_the_evidence() {
    for case in cases() {
        let lml = case.expected("lml");
        for name in Bound::names() {
            let bound = Bound::named(name).unwrap();
            assert_eq!(bound.name(), name);
            let model = case.model(&CglbSettings { bound, ..absolute(1e-9) });
            assert!(model.evidence().elbo() <= lml + 1e-6, "{name}");
            assert_eq!(model.evidence().bound, name);
        }
    }
}

#[test]
fn the_certificate_of_the_mean_covers_the_exact_mean() {
    for case in cases() {
        let (model, golden) = (case.model(&absolute(0.0)), &case.json["predictions"]);
        let at = case.read("X_test");
        let mean = model.predict_mean(&at).unwrap();
        close_all("mean", &mean, &vector(&golden["mean_cglb"]), 1e-8);
        let bound = model.mean_error_bound(&at).unwrap();
        let exact = vector(&golden["mean_exact"]);
        // The golden one has √(k_u*ᵀK_uu⁻¹k_u*) for the second root, which is looser.
        let looser = vector(&golden["mean_certificate"]);
        for (row, exact) in exact.iter().enumerate() {
            assert!((mean[[row, 0]] - exact).abs() <= bound[[row, 0]] + 1e-9);
            assert!(bound[[row, 0]] <= looser[row] * (1.0 + 1e-9) + 1e-9);
        }
    }
}
