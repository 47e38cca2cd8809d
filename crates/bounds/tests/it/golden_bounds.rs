//! Every value of `golden/bounds.json` that these bounds give, to 1e-8 relative.

use crate::support::{column, evidence, kernel, log_det, matrix, quad, relative, vector};
use bounds::exact::Exact;
use bounds::logdet::SurrogateMoments;
use bounds::{Problem, QuadPoint, SurrogateKind, VecchiaStructure};
use ndarray::{Array1, Array2};
use serde_json::{Value, json};
use std::sync::Arc;

const TOLERANCE: f64 = 1e-8;

pub(crate) struct Case {
    pub(crate) kernel: Box<dyn kernels::Kernel>,
    pub(crate) x: Array2<f64>,
    pub(crate) y: Array1<f64>,
    pub(crate) z: Array2<f64>,
    pub(crate) v: Array1<f64>,
    pub(crate) json: Value,
}

impl Case {
    fn new(json: Value) -> Self {
        let spec = json!({"type": json["kernel"], "lengthscales": json["lengthscales"], "variance": json["variance"]});
        let [x, z] = ["X", "Z"].map(|name| matrix(&json[name]));
        let [y, v] = ["y", "v"].map(|name| vector(&json[name]));
        Self { kernel: kernel(&spec), x, y, z, v, json }
    }

    pub(crate) fn problem(&self) -> Problem<'_> {
        let noise = self.json["noise_variance"].as_f64().unwrap();
        let order: Vec<usize> = serde_json::from_value(self.json["ordering"].clone()).unwrap();
        let parents = (0..self.x.nrows()).map(|i| self.json["parents"][i.to_string()].clone());
        let parents = parents.map(|list| serde_json::from_value(list).unwrap()).collect();
        let problem = Problem::new(self.kernel.as_ref(), &self.x, noise).unwrap();
        let problem =
            problem.with_inducing_points(&self.z, self.json["jitter"].as_f64().unwrap()).unwrap();
        let blocks = serde_json::from_value(self.json["blocks"].clone()).unwrap();
        let blocks = Arc::new(VecchiaStructure::blocks(blocks).unwrap());
        let problem = problem.with_vecchia_structure(order, parents).unwrap();
        problem.with_shared_blocks(blocks).unwrap()
    }

    fn expected(&self, name: &str) -> f64 {
        self.json["expected"][name].as_f64().unwrap()
    }
}

pub(crate) fn cases() -> Vec<Case> {
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
            ("block-hadamard", "block_hadamard"),
            ("residual-vecchia", "residual_vecchia_cheap"),
            ("fitc", "surrogate_fitc_cheap"),
            ("pitc", "surrogate_pitc_cheap"),
            ("vif", "surrogate_vif_cheap"),
            ("nystrom", "surrogate_nystrom"),
            ("fitc-exact", "surrogate_fitc"),
            ("pitc-exact", "surrogate_pitc"),
            ("vif-exact", "surrogate_vif"),
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
        for kind in SurrogateKind::ALL {
            let lower = |name: &str| {
                case.json["expected"]["logdet_lower"][format!("{name}_{kind}")].as_f64().unwrap()
            };
            let value = |name: String| log_det(&name).value(&problem).unwrap();
            relative("dual", value(format!("dual-{kind}")), lower("dual"), TOLERANCE);
            let name = format!("dual-moments-{kind}");
            relative(&name, value(name.clone()), lower("dual_moments"), TOLERANCE);
            let floor =
                case.json["expected"]["smallest_eigenvalue_bound"][kind.name()].as_f64().unwrap();
            let bound = SurrogateMoments { kind };
            let moments = bound.value_with_floor(&problem, floor).unwrap();
            relative("moments", moments, lower("surrogate"), TOLERANCE);
        }
        let moments = log_det("nystrom-moments").value(&problem).unwrap();
        let expected = case.json["expected"]["logdet_lower"]["nystrom_moments"].as_f64().unwrap();
        relative("nystrom-moments", moments, expected, TOLERANCE);
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

/// The ends of the golden bracket: VIF with its exact trace below, its dual moments above.
#[test]
fn the_best_bounds_have_their_golden_values() {
    for case in cases() {
        let (problem, n) = (case.problem(), case.x.nrows());
        for (golden, form, det) in [
            ("lml_lower", "auxiliary", "vif-exact"),
            ("lml_upper", "cauchy-schwarz", "dual-moments-vif"),
        ] {
            let form = quad(form).value(&problem, &case.y, &case.v).unwrap();
            let value = evidence(n, form, log_det(det).value(&problem).unwrap());
            relative(golden, value, case.expected(golden), TOLERANCE);
        }
        assert!(case.expected("lml_lower") <= case.expected("lml"));
        assert!(case.expected("lml") <= case.expected("lml_upper"));
    }
}

#[test]
fn traces_and_moments_have_their_golden_values() {
    for case in cases() {
        let (problem, n) = (case.problem(), case.x.nrows() as f64);
        for kind in SurrogateKind::ALL {
            let expected = |what: &str| case.json["expected"][what][kind.name()].as_f64();
            let surrogate = problem.surrogate(kind).unwrap();
            let moments = problem.moments(kind).unwrap();
            let trace = expected("trace_ratio").unwrap();
            relative("exact trace", n + problem.exact_trace(kind).unwrap(), trace, TOLERANCE);
            relative("trace of the pass", n + moments.trace_excess, trace, TOLERANCE);
            if let Some(cheap) = expected("trace_ratio_cheap") {
                relative("cheap trace", n + surrogate.trace_bound(), cheap, TOLERANCE);
            }
            let frobenius = n * moments.variance + trace * trace / n;
            relative("frobenius", frobenius, expected("frobenius_sq").unwrap(), TOLERANCE);
            relative("dual", moments.dual_trace(), expected("dual_trace").unwrap(), TOLERANCE);
            let floor = expected("smallest_eigenvalue_bound").unwrap();
            assert!(moments.floor >= 0.3 * floor, "{kind}: {} for {floor}", moments.floor);
        }
    }
}
