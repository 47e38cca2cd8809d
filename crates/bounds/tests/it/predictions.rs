//! Certificates of predictions: golden values, and the exact posterior within them.

use crate::support::{Owned, column, points, problems, relative, wave};
use bounds::exact::Exact;
use bounds::{
    Problem, SurrogateKind, VarianceOptions, certify_exact_predictions, certify_predictions,
};
use linalg_cg::CgOptions;
use ndarray::{Array1, Array2, ArrayRef2, Axis, s};
use proptest::prelude::*;

/// Exact posterior mean and latent variance.
fn posterior(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    x_new: &ArrayRef2<f64>,
) -> (Array2<f64>, Array1<f64>) {
    let exact = Exact::new(problem).unwrap();
    let cross = kernels::kernel_matrix(problem.kernel(), problem.x(), x_new);
    let mean = linalg_cg::matmul_tn(&cross, &exact.alpha(y).unwrap());
    let half = exact.cholesky().solve_lower(&cross);
    let variance =
        problem.kernel().diag(x_new) - half.mapv(|value| value * value).sum_axis(Axis(0));
    (mean, variance)
}

/// k*ᵀv + q*ᵀQ⁻¹r.
fn corrected_mean(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
    x_new: &ArrayRef2<f64>,
) -> Array2<f64> {
    let system = problem.nystrom().unwrap();
    let r = y - &*linalg_cg::LinearOperator::apply(&problem.operator(), v);
    let a = system.project(problem.kernel(), problem.inducing_points().unwrap(), x_new);
    let plain = kernels::cross_product(problem.kernel(), x_new, problem.x(), v);
    plain + linalg_cg::matmul_tn(&a, &system.coefficients(&r))
}

/// The two-sided bound on the variance after some steps without preconditioner.
fn after_plain_steps(problem: &Problem<'_>, x_new: &ArrayRef2<f64>, steps: usize) -> [f64; 2] {
    let targets = kernels::kernel_matrix(problem.kernel(), problem.x(), x_new);
    let identity = linalg_cg::ScaledIdentity::identity(problem.n());
    let stop = linalg_cg::Stop::RelativeResidual(1e-14);
    let cg = CgOptions::default().max_iters(steps);
    let operator = problem.operator();
    let solution = linalg_cg::cg_block(&operator, &targets, &identity, &stop, None, &cg).unwrap();
    let prior = problem.kernel().diag(x_new)[0];
    let form = |name: &str| {
        let bound = crate::support::quad(name);
        bound.value(problem, &targets.column(0), &solution.v.column(0)).unwrap()
    };
    [(prior - form("auxiliary")).max(0.0), prior - form("cauchy-schwarz")]
}

fn options(steps: usize, neighbours: usize) -> VarianceOptions {
    let cg = CgOptions::default().max_iters(steps);
    VarianceOptions { tolerance: 1e-12, neighbours, cg, ..VarianceOptions::default() }
}

#[test]
fn golden_values() {
    for case in crate::golden_bounds::cases() {
        let problem = case.problem();
        let x_new = crate::support::matrix(&case.json["X_test"]);
        let golden = |name: &str| crate::support::vector(&case.json["predictions"][name]);
        let (y, v) = (column(&case.y), column(&case.v));
        let mean = corrected_mean(&problem, &y, &v, &x_new);
        let certificate = certify_predictions(&problem, &y, &v, &x_new, &options(3, 5)).unwrap();
        let cheap = certify_predictions(&problem, &y, &v, &x_new, &options(0, 5)).unwrap();
        let (exact_mean, exact_var) = posterior(&problem, &y, &x_new);
        for t in 0..x_new.nrows() {
            relative("mean", mean[[t, 0]], golden("mean_cglb")[t], 1e-8);
            relative("exact mean", exact_mean[[t, 0]], golden("mean_exact")[t], 1e-8);
            relative("exact variance", exact_var[t], golden("var_exact")[t], 1e-8);
            let neighbours = golden("var_upper_nn5")[t];
            let [_, unsolved] = after_plain_steps(&problem, &x_new.slice(s![t..=t, ..]), 0);
            let upper = neighbours.min(unsolved);
            relative("upper, five neighbours", cheap.var_upper[t], upper, 1e-8);
            assert!(exact_var[t] <= certificate.var_upper[t]);
            assert!(certificate.var_upper[t] <= neighbours * (1.0 + 1e-10));
            let [lower, upper] = after_plain_steps(&problem, &x_new.slice(s![t..=t, ..]), 3);
            relative("lower, three steps", lower, golden("var_lower_cg3")[t], 1e-8);
            relative("upper, three steps", upper, golden("var_upper_cg3")[t], 1e-8);

            assert!(certificate.var_lower[t] <= exact_var[t] + 1e-12);
            let error = certificate.mean_error[[t, 0]];
            assert!((mean[[t, 0]] - exact_mean[[t, 0]]).abs() <= error);
            let looser = golden("mean_certificate")[t];
            assert!(error <= looser * (1.0 + 1e-10) + 1e-12, "{error} above {looser}");
        }
    }
}

#[test]
fn a_solved_system_leaves_nothing_to_certify() {
    let x = points(40, 2, 0);
    let kernel = crate::support::se(0.8, 1.2);
    let y = column(&Array1::from_shape_fn(40, |i| wave(i, 2)));
    let x_new = points(35, 2, 300);
    let bare = Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
    let alpha = Exact::new(&bare).unwrap().alpha(&y).unwrap();
    let certificate = certify_predictions(&bare, &y, &alpha, &x_new, &options(200, 0)).unwrap();
    let (_, variance) = posterior(&bare, &y, &x_new);
    for t in 0..35 {
        assert!(certificate.mean_error[[t, 0]] < 1e-12);
        assert!((certificate.var_lower[t] - variance[t]).abs() < 1e-9);
        assert!((certificate.var_upper[t] - variance[t]).abs() < 1e-9);
    }
    let all = certify_predictions(&bare, &y, &alpha, &x_new, &options(0, 40)).unwrap();
    assert!((all.var_upper - variance).iter().all(|gap| gap.abs() < 1e-9));
}

/// Case 19 for certificates, within their tolerance; and any surrogate may speed the solves up.
#[test]
fn company_and_preconditioner_move_a_certificate_within_its_tolerance() {
    let x = points(90, 2, 0);
    let kernel = crate::support::se(0.8, 1.2);
    let y = column(&Array1::from_shape_fn(90, |i| wave(i, 2)));
    let z = x.slice(s![..;9, ..]).to_owned();
    let problem = Problem::new(kernel.as_ref(), &x, 0.01).unwrap();
    let problem = problem.with_inducing_points(&z, 1e-8).unwrap().with_neighbours(8);
    let x_new = points(40, 2, 300);
    let run = |x_new: &ArrayRef2<f64>, preconditioner: Option<SurrogateKind>| {
        let options = VarianceOptions { preconditioner, ..VarianceOptions::default() };
        certify_predictions(&problem, &y, &(&y * 0.0), x_new, &options).unwrap()
    };
    let all = run(&x_new, None);
    let last = run(&x_new.slice(s![39.., ..]), None);
    // Both hold, each as narrow as was asked for.
    assert!(all.var_lower[39] <= last.var_upper[0] && last.var_lower[0] <= all.var_upper[39]);
    assert!((all.var_lower[39] - last.var_lower[0]).abs() < 1.2e-3);
    assert!((all.var_upper[39] - last.var_upper[0]).abs() < 1.2e-3);
    let (_, variance) = posterior(&problem, &y, &x_new);
    for kind in SurrogateKind::ALL.into_iter().filter(|kind| *kind != SurrogateKind::Pitc) {
        let found = run(&x_new, Some(kind));
        for t in 0..40 {
            assert!(found.var_lower[t] <= variance[t] && variance[t] <= found.var_upper[t]);
            assert!(found.var_upper[t] - found.var_lower[t] <= 1.3e-3, "{kind}");
        }
    }
}

/// What a dense factorisation gave is certified to rounding.
#[test]
fn an_exact_model_is_certified_to_rounding() {
    let x = points(60, 2, 0);
    let kernel = crate::support::se(0.5, 1.2);
    let y = column(&Array1::from_shape_fn(60, |i| wave(i, 2)));
    let problem = Problem::new(kernel.as_ref(), &x, 1e-4).unwrap();
    let alpha = Exact::new(&problem).unwrap().alpha(&y).unwrap();
    let x_new = points(7, 2, 300);
    let (mean, variance) = posterior(&problem, &y, &x_new);
    let found = certify_exact_predictions(&problem, &y, &alpha, &x_new, &variance).unwrap();
    for t in 0..7 {
        assert!(0.0 < found.mean_error[[t, 0]] && found.mean_error[[t, 0]] < 1e-9);
        assert!((found.mean_lower[[t, 0]]..=found.mean_upper[[t, 0]]).contains(&mean[[t, 0]]));
        assert!(found.var_lower[t] <= variance[t] && variance[t] <= found.var_upper[t]);
        assert!(found.var_upper[t] - found.var_lower[t] < 1e-7);
    }
    assert!(certify_exact_predictions(&problem, &y, &alpha, &x, &variance).is_err());
}

#[test]
fn shapes_are_checked() {
    let x = points(5, 2, 0);
    let kernel = crate::support::se(0.8, 1.2);
    let problem = Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
    let (y, v) = (Array2::zeros((5, 1)), Array2::zeros((5, 2)));
    let run = |v: &Array2<f64>, x_new: &Array2<f64>| {
        certify_predictions(&problem, &y, v, x_new, &VarianceOptions::default())
    };
    assert!(run(&v, &x).is_err());
    assert!(run(&y, &Array2::zeros((2, 3))).is_err());
    let refused = VarianceOptions { tolerance: 0.0, ..VarianceOptions::default() };
    assert!(certify_predictions(&problem, &y, &y, &x, &refused).is_err());
    let none = run(&y, &Array2::zeros((0, 2))).unwrap();
    assert_eq!((none.mean_error.dim(), none.var_lower.len(), none.steps), ((0, 1), 0, 0));
}

proptest! {
    #[test]
    fn the_exact_posterior_lies_within(owned in problems(), steps in 0..6usize) {
        let problem = owned.problem();
        prop_assume!(Exact::new(&problem).is_ok());
        let y = column(&owned.y);
        let x_new = Array2::from_shape_fn((5, owned.x.ncols()), |(i, j)| {
            owned.x[[i % owned.n(), j]] + if i < 2 { 0.0 } else { wave(i, j) }
        });
        let (mean, variance) = posterior(&problem, &y, &x_new);
        let v = Exact::new(&problem).unwrap().alpha(&y).unwrap() * (0.3 * steps as f64).min(1.0);
        let ours = corrected_mean(&problem, &y, &v, &x_new);
        let certificate =
            certify_predictions(&problem, &y, &v, &x_new, &options(steps, 4)).unwrap();
        let Owned { noise_variance, .. } = owned;
        let scale = problem.largest_variance() + noise_variance;
        // What the dense reference itself may be off by.
        let dense = 64.0 * f64::EPSILON * scale * scale / noise_variance * owned.n() as f64;
        for t in 0..5 {
            let error = (ours[[t, 0]] - mean[[t, 0]]).abs();
            let alpha: f64 = v.iter().map(|a| a * a).sum::<f64>().sqrt();
            let allowed = certificate.mean_error[[t, 0]] * (1.0 + 1e-8) + dense * (1.0 + alpha);
            prop_assert!(error <= allowed, "mean off by {error}, allowed {allowed}");
            let (lower, upper) = (certificate.mean_lower[[t, 0]], certificate.mean_upper[[t, 0]]);
            let slack = dense * (1.0 + alpha);
            prop_assert!(lower - slack <= mean[[t, 0]] && mean[[t, 0]] <= upper + slack);
            prop_assert!(certificate.var_lower[t] <= variance[t] + dense, "{} > {}", certificate.var_lower[t], variance[t]);
            prop_assert!(certificate.var_upper[t] >= variance[t] - dense, "{} < {}", certificate.var_upper[t], variance[t]);
            prop_assert!(certificate.var_lower[t] >= 0.0);
        }
    }
}
