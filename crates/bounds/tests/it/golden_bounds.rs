//! Every value of `golden/bounds.json` that these bounds give, to 1e-8 relative.

use crate::support::{column, evidence, kernel, log_det, matrix, quad, relative, vector};
use bounds::exact::Exact;
use bounds::{Problem, QuadPoint};
use ndarray::{Array1, Array2};
use serde_json::{Value, json};

const TOLERANCE: f64 = 1e-8;

struct Case {
    kernel: Box<dyn kernels::Kernel>,
    x: Array2<f64>,
    y: Array1<f64>,
    z: Array2<f64>,
    v: Array1<f64>,
    json: Value,
}

impl Case {
    fn new(json: Value) -> Self {
        let spec = json!({"type": json["kernel"], "lengthscales": json["lengthscales"], "variance": json["variance"]});
        let [x, z] = ["X", "Z"].map(|name| matrix(&json[name]));
        let [y, v] = ["y", "v"].map(|name| vector(&json[name]));
        Self { kernel: kernel(&spec), x, y, z, v, json }
    }

    fn problem(&self) -> Problem<'_> {
        let noise = self.json["noise_variance"].as_f64().unwrap();
        let order: Vec<usize> = serde_json::from_value(self.json["ordering"].clone()).unwrap();
        let parents = (0..self.x.nrows()).map(|i| self.json["parents"][i.to_string()].clone());
        let parents = parents.map(|list| serde_json::from_value(list).unwrap()).collect();
        let problem = Problem::new(self.kernel.as_ref(), &self.x, noise).unwrap();
        let problem =
            problem.with_inducing_points(&self.z, self.json["jitter"].as_f64().unwrap()).unwrap();
        problem.with_vecchia_structure(order, parents).unwrap()
    }

    fn expected(&self, name: &str) -> f64 {
        self.json["expected"][name].as_f64().unwrap()
    }
}

fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("../golden/bounds.json")).unwrap();
    file["cases"].as_array().unwrap().iter().cloned().map(Case::new).collect()
}

#[test]
fn log_determinants_have_their_golden_values() {
    for case in cases() {
        let problem = case.problem();
        for (name, golden) in [
            ("trace", "trace"),
            ("arithmetic-geometric", "amgm"),
            ("water-filling", "water_filling"),
            ("hadamard", "hadamard"),
            ("vecchia", "surrogate_vecchia"),
        ] {
            let expected = case.json["expected"]["logdet_upper"][golden].as_f64().unwrap();
            relative(name, log_det(name).value(&problem).unwrap(), expected, TOLERANCE);
        }
        let expected = case.json["expected"]["logdet_lower"]["nystrom_logdet"].as_f64().unwrap();
        relative(
            "nystrom-log-det",
            log_det("nystrom-log-det").value(&problem).unwrap(),
            expected,
            TOLERANCE,
        );
        assert_eq!(problem.nystrom().unwrap().jitter(), 0.0);
        assert_eq!(problem.vecchia().unwrap().fallbacks(), 0);
    }
}

#[test]
fn quadratic_forms_have_their_golden_values() {
    for case in cases() {
        let problem = case.problem();
        for (name, golden) in [
            ("auxiliary", "quad_upper"),
            ("cauchy-schwarz", "quad_lower_residual"),
            ("shifted-nystrom", "quad_lower_shifted_nystrom"),
        ] {
            let value = quad(name).value(&problem, &case.y, &case.v).unwrap();
            relative(name, value, case.expected(golden), TOLERANCE);
        }
        let base = QuadPoint::new(&problem, &case.y, &case.v).unwrap().base();
        relative("quad_lower", base, case.expected("quad_lower"), TOLERANCE);
    }
}

#[test]
fn the_evidence_and_its_bounds_have_their_golden_values() {
    for case in cases() {
        let (problem, n) = (case.problem(), case.x.nrows());
        let exact = Exact::new(&problem).unwrap();
        relative("logdet", exact.log_det(), case.expected("logdet"), TOLERANCE);
        relative(
            "quad",
            exact.quad(&column(&case.y)).unwrap()[0],
            case.expected("quad"),
            TOLERANCE,
        );
        relative("lml", exact.lml(&column(&case.y)).unwrap(), case.expected("lml"), TOLERANCE);

        let zero = Array1::zeros(n);
        let det = |name: &str| log_det(name).value(&problem).unwrap();
        let form = |name: &str, v: &Array1<f64>| quad(name).value(&problem, &case.y, v).unwrap();
        for (golden, quad, det) in [
            ("sgpr_elbo", form("auxiliary", &zero), det("trace")),
            ("cglb", form("auxiliary", &case.v), det("arithmetic-geometric")),
            ("titsias2025", form("auxiliary", &zero), det("hadamard")),
            ("titsias2014_upper", form("shifted-nystrom", &zero), det("nystrom-log-det")),
        ] {
            relative(golden, evidence(n, quad, det), case.expected(golden), TOLERANCE);
        }
    }
}
