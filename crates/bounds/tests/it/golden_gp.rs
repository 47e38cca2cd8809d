//! Every value of `golden/gp.json` that the exact reference and these bounds give.

use crate::support::{
    column, evidence, kernel, log_det, matrix, quad, relative, relative_all, vector,
};
use bounds::exact::Exact;
use bounds::{Gradient, Problem, QuadPoint};
use ndarray::{Array1, Array2};
use serde_json::Value;

const VALUE: f64 = 1e-8;
const GRADIENT: f64 = 1e-6;

struct Case {
    kernel: Box<dyn kernels::Kernel>,
    x: Array2<f64>,
    z: Array2<f64>,
    /// Targets less the constant mean.
    error: Array1<f64>,
    json: Value,
}

impl Case {
    fn exact_problem(&self) -> Problem<'_> {
        Problem::new(self.kernel.as_ref(), &self.x, self.json["noise_variance"].as_f64().unwrap())
            .unwrap()
    }

    fn name(&self) -> &str {
        self.json["name"].as_str().unwrap()
    }

    /// Runs `check` on each of the case's sparse entries.
    fn each_sparse(&self, check: impl Fn(&Problem<'_>, &Value)) {
        for sparse in self.json["sparse"].as_array().unwrap() {
            let jitter = sparse["jitter"].as_f64().unwrap();
            let problem = self.exact_problem().with_inducing_points(&self.z, jitter).unwrap();
            assert_eq!(problem.nystrom().unwrap().jitter(), jitter);
            check(&problem, sparse);
        }
    }
}

fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("../golden/gp.json")).unwrap();
    let cases = file["cases"].as_array().unwrap().iter().map(|json| {
        let data = &file["datasets"][json["dataset"].as_str().unwrap()];
        let error = vector(&data["y"]) - json["mean"].as_f64().unwrap();
        let [x, z] = ["x", "z"].map(|name| matrix(&data[name]));
        Case { kernel: kernel(&json["kernel"]), x, z, error, json: json.clone() }
    });
    cases.collect()
}

/// Golden order: kernel parameters, noise variance, constant mean (y − mean falls as the mean rises).
fn in_golden_order(hyper: &Gradient, d_y: &Array1<f64>) -> Vec<f64> {
    let mut all = hyper.kernel.clone();
    all.extend([hyper.noise_variance, -d_y.sum()]);
    all
}

/// The gradient of −½(quad + log-determinant) for two bounds at (y, v), golden order, and in Z.
fn bound_gradient(
    problem: &Problem<'_>,
    y: &Array1<f64>,
    v: &Array1<f64>,
    names: [&str; 2],
) -> (Vec<f64>, Array2<f64>) {
    let mut part = quad(names[0]).gradient(problem, y, v).unwrap();
    part.hyper
        .scaled_add(1.0, &log_det(names[1]).differentiable().unwrap().gradient(problem).unwrap());
    let all = in_golden_order(&part.hyper, &part.y).into_iter().map(|g| -0.5 * g).collect();
    (all, part.hyper.z.unwrap() * -0.5)
}

#[test]
fn there_are_24_cases() {
    assert_eq!(cases().len(), 24);
}

#[test]
fn exact_values() {
    for case in cases() {
        let (problem, golden, name) = (case.exact_problem(), &case.json["exact"], case.name());
        let (exact, y) = (Exact::new(&problem).unwrap(), column(&case.error));
        relative(name, exact.log_det(), golden["logdet"].as_f64().unwrap(), VALUE);
        relative(name, exact.quad(&y).unwrap()[0], golden["quad"].as_f64().unwrap(), VALUE);
        relative(name, exact.lml(&y).unwrap(), golden["lml"].as_f64().unwrap(), VALUE);
        relative_all(name, &exact.alpha(&y).unwrap(), &vector(&golden["alpha"]), VALUE);
    }
}

#[test]
fn exact_gradients() {
    for case in cases() {
        let (problem, golden) = (case.exact_problem(), &case.json["exact"]);
        let gradient = Exact::new(&problem).unwrap().lml_gradient(&column(&case.error)).unwrap();
        relative(case.name(), gradient.value, golden["lml"].as_f64().unwrap(), VALUE);
        let all = in_golden_order(&gradient.hyper, &gradient.y.column(0).to_owned());
        relative_all(case.name(), &all, &vector(&golden["grad"]), GRADIENT);
    }
}

#[test]
fn leave_one_out() {
    for case in cases() {
        let (problem, golden) = (case.exact_problem(), &case.json["exact"]["loo"]);
        let mean = case.json["mean"].as_f64().unwrap();
        let loo = Exact::new(&problem).unwrap().leave_one_out(&column(&case.error)).unwrap();
        relative_all(case.name(), &(loo.mean + mean), &vector(&golden["mean"]), VALUE);
        relative_all(case.name(), &loo.var_y, &vector(&golden["var"]), VALUE);
        let density = loo.log_density.mean().unwrap();
        relative(case.name(), density, golden["mean_log_density"].as_f64().unwrap(), VALUE);
    }
}

#[test]
fn nystrom_quantities() {
    for case in cases() {
        case.each_sparse(|problem, golden| {
            let system = problem.nystrom().unwrap();
            let (name, number) = (case.name(), |key: &str| golden[key].as_f64().unwrap());
            relative(name, system.residual_trace(), number("trace_k_minus_q"), VALUE);
            relative(name, system.log_det_q(), number("logdet_q"), VALUE);
            relative(name, system.quad_vec(&case.error), number("quad_q"), VALUE);
            relative(
                name,
                log_det("trace").value(problem).unwrap(),
                number("logdet_upper_sgpr"),
                VALUE,
            );
            relative(
                name,
                log_det("arithmetic-geometric").value(problem).unwrap(),
                number("logdet_upper_cglb"),
                VALUE,
            );
        });
    }
}

#[test]
fn evidence_bounds_without_an_auxiliary_vector() {
    for case in cases() {
        let (y, v) = (&case.error, Array1::zeros(case.error.len()));
        case.each_sparse(|problem, golden| {
            for (key, names) in [
                ("elbo", ["auxiliary", "trace"]),
                ("upper_bound", ["shifted-nystrom", "nystrom-log-det"]),
            ] {
                let name = format!("{} {key}", case.name());
                let form = quad(names[0]).value(problem, y, &v).unwrap();
                let value = evidence(y.len(), form, log_det(names[1]).value(problem).unwrap());
                relative(&name, value, golden[key].as_f64().unwrap(), VALUE);
                let (gradient, d_z) = bound_gradient(problem, y, &v, names);
                relative_all(&name, &gradient, &vector(&golden[format!("{key}_grad")]), GRADIENT);
                relative_all(&name, &d_z, &matrix(&golden[format!("{key}_grad_z")]), GRADIENT);
            }
        });
    }
}

#[test]
fn conjugate_gradient_lower_bounds() {
    for case in cases() {
        case.each_sparse(|problem, sparse| {
            for golden in sparse["cglb"].as_array().unwrap() {
                check_cglb(&case, problem, golden);
            }
        });
    }
}

fn check_cglb(case: &Case, problem: &Problem<'_>, golden: &Value) {
    let (y, n) = (&case.error, case.error.len());
    let v = if golden["v_vec"].is_null() { Array1::zeros(n) } else { vector(&golden["v_vec"]) };
    let name = format!("{} v = {}", case.name(), golden["v"]);
    let number = |key: &str| golden[key].as_f64().unwrap();

    let point = QuadPoint::new(problem, y, &v).unwrap();
    let upper = quad("auxiliary").value_at(problem, &point).unwrap();
    relative(&name, upper, number("quad_upper"), VALUE);
    relative(&name, point.base(), number("quad_lower"), VALUE);
    // After many steps the slack is rounding beside the form it is the slack of.
    let slack = 0.5 * (upper - point.base());
    assert!(
        (slack - number("half_rqr")).abs() <= VALUE * number("half_rqr") + 1e-14 * upper,
        "{name}"
    );
    let det = |name: &str| log_det(name).value(problem).unwrap();
    relative(&name, evidence(n, upper, det("arithmetic-geometric")), number("value"), VALUE);
    relative(&name, evidence(n, point.base(), det("nystrom-log-det")), number("lml_upper"), VALUE);

    let (gradient, d_z) = bound_gradient(problem, y, &v, ["auxiliary", "arithmetic-geometric"]);
    relative_all(&name, &gradient, &vector(&golden["grad"]), GRADIENT);
    relative_all(&name, &d_z, &matrix(&golden["grad_z"]), GRADIENT);
}
