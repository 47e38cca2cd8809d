//! Every value of `golden/ssgp-vb.json` that belongs to the model itself.

use crate::support::{gaussian, golden, matrix, near, near_all, number, problem, vector};
use linalg_cg::{Cholesky, matmul, symmetric_eigen};
use ndarray::Axis;
use serde_json::{Value, json};
use ssgp_vb::{
    Algorithm, Factors, FitOptions, Gaussian, LambdaGradient, Run, ScaleFactor, SparseSpectrum,
    Start,
};
use std::f64::consts::PI;

/// The fixed quantities: relative to the largest entry.
const FIXED: f64 = 1e-11;

#[test]
fn scale_integrals() {
    let all = golden();
    for row in all["scale_integrals"].as_array().unwrap() {
        let at = |key: &str| number(&row[key]);
        let (p, q, r) = (at("p"), at("q"), at("r"));
        let found = ScaleFactor::new(p, q, r).unwrap();
        let what = |name: &str| format!("{name} at p {p}, q {q:e}, r {r:e}");
        let relative = |name: &str, a: f64, b: f64| near(&what(name), a / b, 1.0, 1e-13);
        let absolute =
            |name: &str, a: f64, b: f64| near(&what(name), a, b, 1e-13 * b.abs().max(1.0));
        absolute("log H", found.log_h, at("logH"));
        relative("E x²", found.inverse_square, at("E_x2"));
        match row["E_xm2"].as_f64() {
            Some(exact) => relative("E x⁻²", found.square, exact),
            None => assert!(found.square.is_infinite()),
        }
        absolute("E log x", -found.log, at("E_logx"));
        absolute("E log(r + x⁻²)", found.log_sum, at("E_log_r_plus_xm2"));
        let a = 0.5 * (p + 3.0);
        let slack = 1.0 + 1e-12;
        assert!(
            (a - 1.0) / q <= found.inverse_square * slack && found.inverse_square <= a / q * slack
        );
    }
}

fn factors(inputs: &Value) -> Factors {
    Factors {
        lambda: gaussian(&inputs["mu_lambda"], &inputs["Sigma_lambda"]),
        alpha: gaussian(&inputs["mu_alpha"], &inputs["Sigma_alpha"]),
        c_sigma: number(&inputs["C_sigma"]),
        c_gamma: number(&inputs["C_gamma"]),
    }
}

#[test]
fn expectations_and_gradients_at_a_fixed_q() {
    for case in golden()["fixed_q"].as_array().unwrap() {
        let (problem, q) = (problem(&case["inputs"]), factors(&case["inputs"]));
        let found = problem.expectations(&q.lambda).unwrap();
        near_all("E Z", &found.mean, &matrix(&case["E_Z"]), FIXED);
        near_all("E Z'Z", &found.second_moment, &matrix(&case["E_ZtZ"]), FIXED);
        near_all("Cov Z", &found.covariance, &matrix(&case["Cov_Z_sum"]), FIXED);
        let (sigma, gamma) = (problem.sigma(q.c_sigma).unwrap(), problem.gamma(q.c_gamma).unwrap());
        near("κ", sigma.inverse_square, number(&case["E_inv_sigma2"]), FIXED);
        near("τ", gamma.inverse_square, number(&case["E_inv_gamma2"]), FIXED);
        near("E γ²", gamma.square, number(&case["E_gamma2"]), FIXED);
        near("log H σ", sigma.log_h, number(&case["logH_sigma"]), FIXED);
        near("log H γ", gamma.log_h, number(&case["logH_gamma"]), FIXED);
        let gradient = problem.lambda_gradient(&q.lambda, &q.alpha, gamma.inverse_square).unwrap();
        near_all("dS/dμ", &gradient.mean, &vector(&case["grad_mu_Sy"]), FIXED);
        near_all("dS/dΣ", &gradient.covariance, &matrix(&case["grad_Sigma_Sy"]), FIXED);
        let (_, c_gamma) = problem.scales(&found, &q.alpha);
        near("½ E rss", c_gamma / number(&case["half_E_rss"]), 1.0, FIXED);
        let bound = problem.bound(&q).unwrap();
        near("bound", bound / number(&case["bound_general"]), 1.0, FIXED);
    }
}

/// −KL(q(λ) ‖ p(λ)) is what the bound holds besides the terms that are public.
#[test]
fn the_term_of_lambda_in_the_bound() {
    for case in golden()["fixed_q"].as_array().unwrap() {
        let (problem, q) = (problem(&case["inputs"]), factors(&case["inputs"]));
        let found = problem.expectations(&q.lambda).unwrap();
        let (n, m) = (problem.n() as f64, problem.m() as f64);
        let (sigma, gamma) = (problem.sigma(q.c_sigma).unwrap(), problem.gamma(q.c_gamma).unwrap());
        let best = problem.scales(&found, &q.alpha);
        let log_det = -Cholesky::factor(q.alpha.covariance.clone()).unwrap().log_det();
        let scales = number(&case["inputs"]["A_sigma"]) * number(&case["inputs"]["A_gamma"]);
        let others = -0.5 * (n * (2.0 * PI).ln() + log_det)
            + m * (m.ln() + 1.0)
            + (4.0 * scales / (PI * PI)).ln()
            + sigma.log_h
            + sigma.inverse_square * (q.c_sigma - best.0)
            + gamma.log_h
            + gamma.inverse_square * (q.c_gamma - best.1);
        let bound = problem.bound(&q).unwrap();
        near("−KL", bound - others, number(&case["neg_KL_lambda"]), FIXED * bound.abs());
    }
}

/// E(z z') of the first point: half of E(Z'Z) where it stands twice.
#[test]
fn the_second_moment_of_one_point() {
    for case in golden()["fixed_q"].as_array().unwrap() {
        let mut inputs = case["inputs"].clone();
        let (x, y) = (inputs["X"][0].clone(), inputs["y"][0].clone());
        (inputs["X"], inputs["y"]) = (json!([x, x]), json!([y, y]));
        let found = problem(&inputs).expectations(&factors(&inputs).lambda).unwrap();
        near_all("E zz'", &(found.second_moment * 0.5), &matrix(&case["E_ZZt_point0"]), FIXED);
    }
}

/// The gradient with the prior's part and without differ by what the prior gives.
#[test]
fn gradients_with_the_prior_at_a_fixed_q() {
    for case in golden()["fixed_q"].as_array().unwrap() {
        let (problem, q) = (problem(&case["inputs"]), factors(&case["inputs"]));
        let tau = problem.gamma(q.c_gamma).unwrap().inverse_square;
        let gradient = problem.lambda_gradient(&q.lambda, &q.alpha, tau).unwrap();
        let prior = gaussian(&case["inputs"]["mu0"], &case["inputs"]["Sigma0"]);
        let precision = Cholesky::factor(prior.covariance.clone()).unwrap().inverse();
        let shift = (&q.lambda.mean - &prior.mean).insert_axis(Axis(1));
        let slope = gradient.mean.insert_axis(Axis(1)) - matmul(&precision, &shift);
        near_all("dS/dμ", &slope, &vector(&case["grad_mu_S"]), FIXED);
        let curvature = gradient.covariance - precision * 0.5;
        near_all("dS/dΣ", &curvature, &matrix(&case["grad_Sigma_S"]), FIXED);
    }
}

#[test]
fn conjugate_updates_and_steps_at_a_fixed_q() {
    for case in golden()["fixed_q"].as_array().unwrap() {
        let (problem, q) = (problem(&case["inputs"]), factors(&case["inputs"]));
        let expectations = problem.expectations(&q.lambda).unwrap();
        let (kappa, tau) = (number(&case["E_inv_sigma2"]), number(&case["E_inv_gamma2"]));
        let alpha = problem.update_alpha(&expectations, kappa, tau).unwrap();
        let golden = &case["alpha_update"];
        near_all("μ_α", &alpha.mean, &vector(&golden["mu_alpha"]), FIXED);
        near_all("Σ_α", &alpha.covariance, &matrix(&golden["Sigma_alpha"]), FIXED);
        let (c_sigma, c_gamma) = problem.scales(&expectations, &alpha);
        near("C_σ", c_sigma / number(&golden["C_sigma"]), 1.0, FIXED);
        near("C_γ", c_gamma / number(&golden["C_gamma"]), 1.0, FIXED);
        let updated = Factors { lambda: q.lambda.clone(), alpha, c_sigma, c_gamma };
        let bound = problem.bound(&updated).unwrap();
        near("bound", bound / number(&golden["bound_simple"]), 1.0, FIXED);
        near("bound", bound / number(&golden["bound_general"]), 1.0, FIXED);
        let tau = problem.gamma(c_gamma).unwrap().inverse_square;
        let gradient = problem.lambda_gradient(&q.lambda, &updated.alpha, tau).unwrap();
        steps(&problem, &q.lambda, &gradient, &case["lambda_steps"]);
    }
}

fn steps(problem: &SparseSpectrum, lambda: &Gaussian, gradient: &LambdaGradient, golden: &Value) {
    for golden in golden.as_array().unwrap() {
        let step = problem.lambda_step(lambda, gradient, number(&golden["a"]), 1.5).unwrap();
        near("step", step.step, number(&golden["a_used"]), 1e-13 * step.step);
        assert_eq!(Some(step.shrinks as u64), golden["shrinks"].as_u64());
        near_all("μ", &step.lambda.mean, &vector(&golden["mu_lambda"]), FIXED);
        near_all("Σ", &step.lambda.covariance, &matrix(&golden["Sigma_lambda"]), FIXED);
    }
}

#[test]
fn the_safeguard_shortens_a_step_that_leaves_no_covariance() {
    let case = &golden()["safeguard"];
    let inputs = &case["inputs"];
    let (problem, lambda) =
        (problem(inputs), gaussian(&inputs["mu_lambda"], &inputs["Sigma_lambda"]));
    let expectations = problem.expectations(&lambda).unwrap();
    let kappa = problem.sigma(number(&inputs["C_sigma"])).unwrap().inverse_square;
    let tau = problem.gamma(number(&inputs["C_gamma"])).unwrap().inverse_square;
    let alpha = problem.update_alpha(&expectations, kappa, tau).unwrap();
    near_all("μ_α", &alpha.mean, &vector(&case["mu_alpha"]), FIXED);
    let gradient = problem.lambda_gradient(&lambda, &alpha, tau).unwrap();
    near_all("dS/dμ", &gradient.mean, &vector(&case["grad_mu_Sy"]), FIXED);
    near_all("dS/dΣ", &gradient.covariance, &matrix(&case["grad_Sigma_Sy"]), FIXED);
    let prior = matrix(&inputs["Sigma0"]);
    let precision = Cholesky::factor(prior).unwrap().inverse() - &(&gradient.covariance * 2.0);
    let (values, _) = symmetric_eigen(&precision).unwrap();
    near_all("eigenvalues", &values, &vector(&case["target_precision_eigenvalues"]), FIXED);
    let rho = number(&inputs["rho"]);
    let step = problem.lambda_step(&lambda, &gradient, number(&case["a"]), rho).unwrap();
    near("step", step.step, number(&case["a_used"]), 1e-14);
    assert_eq!(Some(step.shrinks as u64), case["shrinks"].as_u64());
    near_all("μ", &step.lambda.mean, &vector(&case["mu_lambda_new"]), FIXED);
    near_all("Σ", &step.lambda.covariance, &matrix(&case["Sigma_lambda_new"]), FIXED);
}

fn run(problem: &SparseSpectrum, algorithm: Algorithm, tolerance: f64) -> Run {
    let max_cycles = if tolerance > 1e-9 { 500 } else { 5000 };
    let options = FitOptions { algorithm, tolerance, max_cycles, ..FitOptions::default() };
    problem.run(&Start::default(), &options, &mut ()).unwrap()
}

#[test]
fn the_start_and_the_first_cycle() {
    for case in golden()["fits"].as_array().unwrap() {
        let problem = problem(&case["inputs"]);
        let d = problem.d();
        let start = problem.start(&Gaussian::isotropic(d, 0.5, 0.5)).unwrap();
        let golden = &case["start"];
        near("C_σ", start.c_sigma, number(&golden["C_sigma"]), 1e-10);
        near("C_γ", start.c_gamma, number(&golden["C_gamma"]), 1e-10);
        near_all("μ_α", &start.alpha.mean, &vector(&golden["mu_alpha"]), 1e-10);
        let sigma = problem.sigma(start.c_sigma).unwrap().inverse_square;
        let tau = problem.gamma(start.c_gamma).unwrap().inverse_square;
        near("κ", sigma / number(&golden["E_inv_sigma2"]), 1.0, 1e-10);
        near("τ", tau / number(&golden["E_inv_gamma2"]), 1.0, 1e-10);
        let gradient = problem.lambda_gradient(&start.lambda, &start.alpha, tau).unwrap();
        near_all("dS/dμ", &gradient.mean, &vector(&golden["grad_mu_Sy"]), 1e-10);
        near_all("dS/dΣ", &gradient.covariance, &matrix(&golden["grad_Sigma_Sy"]), 1e-10);
        let bound = number(&golden["bound_general"]);
        near("bound", problem.bound(&start).unwrap(), bound, 1e-10 * bound.abs());
        let options = FitOptions { max_cycles: 1, ..FitOptions::default() };
        let run = problem.run(&Start::default(), &options, &mut ()).unwrap();
        let golden = &case["after_one_cycle"];
        near("bound", run.bound, number(&golden["bound"]), 1e-10 * run.bound.abs());
        near_all("μ", &run.factors.lambda.mean, &vector(&golden["mu_lambda"]), 1e-10);
        near_all("Σ", &run.factors.lambda.covariance, &matrix(&golden["Sigma_lambda"]), 1e-10);
        near_all("μ_α", &run.factors.alpha.mean, &vector(&golden["mu_alpha"]), 1e-10);
        near("C_σ", run.factors.c_sigma, number(&golden["C_sigma"]), 1e-10);
        near("C_γ", run.factors.c_gamma, number(&golden["C_gamma"]), 1e-10);
        near("step", run.trace[1].step, number(&golden["a_used"]), 1e-14);
    }
}

#[test]
fn paths_at_a_loose_tolerance() {
    for case in golden()["fits"].as_array().unwrap() {
        let problem = problem(&case["inputs"]);
        for (algorithm, name) in
            [(Algorithm::Plain, "alg1_tol_1e-6"), (Algorithm::Adaptive, "alg2_tol_1e-6")]
        {
            let (run, golden) = (run(&problem, algorithm, 1e-6), &case[name]);
            assert_eq!(Some(run.cycles as u64), golden["iterations"].as_u64(), "{name}");
            near(name, run.bound, number(&golden["bound"]), 1e-7);
            ends(name, &problem, &run, golden);
            assert_eq!(Some(run.trace.len()), golden["trace"].as_array().map(Vec::len), "{name}");
            for (cycle, golden) in run.trace.iter().zip(golden["trace"].as_array().unwrap()) {
                assert_eq!(Some(cycle.cycle as u64), golden[0].as_u64(), "{name}");
                near("step", cycle.step, number(&golden[1]), 1e-9 * cycle.step);
                near("bound", cycle.bound, number(&golden[2]), 1e-7);
                assert_eq!(u64::from(cycle.accepted), golden[3].as_u64().unwrap(), "{name}");
            }
        }
    }
}

#[test]
fn fixed_points_at_a_tight_tolerance() {
    for case in golden()["fits"].as_array().unwrap() {
        let problem = problem(&case["inputs"]);
        for (algorithm, name) in
            [(Algorithm::Plain, "alg1_tol_1e-12"), (Algorithm::Adaptive, "alg2_tol_1e-12")]
        {
            let (run, golden) = (run(&problem, algorithm, 1e-12), &case[name]);
            near(name, run.bound, number(&golden["bound"]), 1e-9);
            ends(name, &problem, &run, golden);
        }
    }
}

/// The factors where a run ended, and E(γ²).
fn ends(name: &str, problem: &SparseSpectrum, run: &Run, golden: &Value) {
    assert_eq!(golden["status"], json!(run.status), "{name}");
    let Factors { lambda, alpha, c_sigma, c_gamma } = &run.factors;
    near_all(name, &lambda.mean, &vector(&golden["mu_lambda"]), 2e-5);
    near_all(name, &lambda.covariance, &matrix(&golden["Sigma_lambda"]), 2e-5);
    near_all(name, &alpha.mean, &vector(&golden["mu_alpha"]), 2e-5);
    near(name, c_sigma / number(&golden["C_sigma"]), 1.0, 2e-5);
    near(name, c_gamma / number(&golden["C_gamma"]), 1.0, 2e-5);
    let noise = problem.gamma(*c_gamma).unwrap().square;
    near(name, noise / number(&golden["E_gamma2"]), 1.0, 2e-5);
}
