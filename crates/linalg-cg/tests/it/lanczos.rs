//! Conjugate gradients with coefficients, quadrature, Krylov bases.

use std::ops::ControlFlow;

use linalg_cg::{
    Cholesky, DenseOperator, LanczosOptions, LinalgError, LinearOperator, LowRankPlusDiagonal,
    Preconditioner, ScaledIdentity, StopReason, Tridiagonal, cg_lanczos, cg_lanczos_watched, gram,
    krylov_basis, matmul, symmetric_eigen, symmetric_eigenvalues,
};
use ndarray::{Array1, Array2, Axis, array};
use serde_json::Value;

use crate::kernel;
use crate::support::random;

/// A Aᵀ/k + shift I.
fn spd(n: usize, rank: usize, shift: f64, seed: u64) -> Array2<f64> {
    gram(&random(n, rank, seed)) / rank as f64 + shift * Array2::<f64>::eye(n)
}

fn quad_log(matrix: &Array2<f64>, z: &Array1<f64>) -> f64 {
    let (values, vectors) = symmetric_eigen(matrix).unwrap();
    vectors.t().dot(z).iter().zip(&values).map(|(c, value)| c * c * value.ln()).sum()
}

#[test]
fn rules_are_those_of_the_dense_eigenproblem() {
    let (d, e) = (vec![4.0, 1.0, 3.0, 2.5, 0.7], vec![0.5, -1.2, 1e-9, 0.3, 0.0]);
    let mut dense = Array2::from_diag(&Array1::from(d.clone()));
    for i in 0..4 {
        dense[[i, i + 1]] = e[i];
        dense[[i + 1, i]] = e[i];
    }
    let rule = Tridiagonal::new(d, e).unwrap().rule().unwrap();
    let (values, vectors) = symmetric_eigen(&dense).unwrap();
    let mut found: Vec<(f64, f64)> = rule.nodes.into_iter().zip(rule.weights).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (i, (node, weight)) in found.into_iter().enumerate() {
        assert!(
            (node - values[i]).abs() < 1e-14 && (weight - vectors[[0, i]].powi(2)).abs() < 1e-14
        );
    }
    assert!(Tridiagonal::new(vec![1.0], vec![]).is_err());
    assert_eq!(Tridiagonal::default().rule().unwrap().apply(f64::ln), 0.0);
    let nan = Tridiagonal::new(vec![f64::NAN, 1.0], vec![1.0, 0.0]).unwrap().rule();
    assert!(matches!(nan, Err(LinalgError::EigenNotConverged { n: 2 })));
}

/// T has the golden eigenvalues and first components, which fix its entries; so have the quadratures.
#[test]
fn golden_lanczos_matrices() {
    let golden: Value = serde_json::from_str(include_str!("../golden/iterative.json")).unwrap();
    for case in golden["plain_cg"].as_array().unwrap() {
        let mut k = kernel::matrix(&case["kernel"], &kernel::table(&case["x"]));
        k.diag_mut().mapv_inplace(|value| value + case["noise_variance"].as_f64().unwrap());
        let probe = Array1::from(kernel::numbers(&case["probe"])).insert_axis(Axis(1));
        let (op, plain) = (DenseOperator::new(k).unwrap(), ScaledIdentity::identity(probe.nrows()));
        for expected in case["lanczos"].as_array().unwrap() {
            let max_steps = expected["steps"].as_u64().unwrap() as usize;
            let options = LanczosOptions { max_steps, ..LanczosOptions::default() };
            let run = cg_lanczos(&op, &probe, &plain, &array![0.0], &options).unwrap();
            assert_eq!(run.tridiagonals[0].steps(), max_steps);
            let found = run.tridiagonals[0].rule().unwrap();
            let mut coupling = kernel::numbers(&expected["beta"]);
            coupling.push(0.0);
            let alpha = kernel::numbers(&expected["alpha"]);
            let rule = Tridiagonal::new(alpha, coupling).unwrap().rule().unwrap();
            let pairs = found.nodes.iter().zip(&rule.nodes);
            for (a, b) in pairs.chain(found.weights.iter().zip(&rule.weights)) {
                assert!((a - b).abs() <= 1e-8 * b.abs() + 1e-13, "{}: {a} for {b}", case["case"]);
            }
            let quadrature = found.apply(f64::ln) * probe.mapv(|z| z * z).sum();
            let golden = expected["quadrature"].as_f64().unwrap();
            assert!((quadrature - golden).abs() <= 1e-8 * golden.abs(), "{quadrature} {golden}");
        }
    }
}

#[test]
fn solutions_and_quadratures_are_exact_after_n_steps() {
    let (n, a) = (40, spd(40, 12, 1e-3, 1));
    let op = DenseOperator::new(a.clone()).unwrap();
    let low_rank = LowRankPlusDiagonal::isotropic(random(6, n, 2), 0.3).unwrap();
    let rhs = random(n, 3, 4);
    let exact = Cholesky::factor(a.clone()).unwrap().solve(&rhs);
    let plain = ScaledIdentity::new(n, 2.0).unwrap();
    for preconditioner in [&plain as &dyn Preconditioner, &low_rank] {
        let tolerances = Array1::from_elem(3, 0.0);
        let run =
            cg_lanczos(&op, &rhs, preconditioner, &tolerances, &LanczosOptions::default()).unwrap();
        let error = (&run.v - &exact).iter().fold(0.0, |worst: f64, e| worst.max(e.abs()));
        assert!(error < 1e-7, "{error}");
        assert!(run.reports.iter().all(|r| r.steps <= n && r.residual_quad < 1e-20 * r.rhs_quad));
        assert!((&run.residual - &(&rhs - &op.apply(&run.v))).iter().all(|e| *e == 0.0));
    }
    let run = cg_lanczos(&op, &rhs, &plain, &array![0.0, 0.0, 0.0], &LanczosOptions::default());
    for (t, z) in run.unwrap().tridiagonals.iter().zip(rhs.columns()) {
        let z = z.to_owned();
        let found = t.rule().unwrap().apply(|x| (2.0 * x).ln()) * z.dot(&z);
        let exact = quad_log(&a, &z);
        assert!((found - exact).abs() < 1e-9 * exact.abs(), "{found} for {exact}");
    }
}

/// Gauss above, Gauss–Radau below, both closing in, with and without kept residuals.
#[test]
fn rules_bracket_the_logarithm_at_every_step() {
    let a = spd(60, 20, 1e-2, 7);
    let (op, z) = (DenseOperator::new(a.clone()).unwrap(), random(60, 1, 8));
    let vector = z.column(0).to_owned();
    let exact = quad_log(&a, &vector) / vector.dot(&vector);
    let plain = ScaledIdentity::identity(60);
    for bytes in [0, 1 << 20] {
        let mut last = f64::INFINITY;
        for max_steps in [2, 5, 10, 20, 40] {
            let options = LanczosOptions { max_steps, reorthogonalise_bytes: bytes };
            let run = cg_lanczos(&op, &z, &plain, &array![1e-28], &options).unwrap();
            let upper = run.tridiagonals[0].rule().unwrap().apply(f64::ln);
            let lower = run.tridiagonals[0].radau_rule(0.999e-2).unwrap().apply(f64::ln);
            assert!(lower <= exact + 1e-11 && exact <= upper + 1e-11, "{lower} {exact} {upper}");
            assert!(upper - lower <= last + 1e-11);
            last = upper - lower;
        }
        assert!(last < 1e-6, "{last}");
    }
}

#[test]
fn how_a_column_ended_is_said() {
    let op = DenseOperator::new(spd(30, 10, 1e-4, 3)).unwrap();
    let (plain, rhs) = (ScaledIdentity::identity(30), random(30, 2, 5));
    let options = LanczosOptions { max_steps: 3, ..LanczosOptions::default() };
    let run = cg_lanczos(&op, &rhs, &plain, &array![1e-20, 1e9], &options).unwrap();
    assert_eq!(run.reports[0].stop_reason, StopReason::MaxIterations);
    assert_eq!((run.reports[0].steps, run.reports[1].steps), (3, 0));
    assert!(run.reports[0].relative_residual > 1e-6 && run.reports[1].converged());
    let watch = |steps: usize| {
        if steps < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let tight = array![1e-20, 1e9];
    let run = cg_lanczos_watched(&op, &rhs, &plain, &tight, &options, &watch).unwrap();
    assert_eq!(run.reports[0].stop_reason, StopReason::Interrupted);
    assert!(run.reports[0].steps == 2 && run.reports[1].converged());
    let indefinite = DenseOperator::new(-Array2::<f64>::eye(30)).unwrap();
    let run = cg_lanczos(&indefinite, &rhs, &plain, &array![0.0, 0.0], &options).unwrap();
    assert_eq!(run.reports[0].stop_reason, StopReason::NonPositiveCurvature);
    let zero = Array2::zeros((30, 1));
    let run = cg_lanczos(&op, &zero, &plain, &array![0.0], &options).unwrap();
    assert!(run.reports[0].converged() && run.v == zero);
    assert!(cg_lanczos(&op, &rhs, &plain, &array![0.0], &options).is_err());
    assert!(cg_lanczos(&op, &rhs, &plain, &array![0.0, -1.0], &options).is_err());
}

/// log|I + vvᵀ| of order 8 and rank 2 is log|I₂ + vᵀv|: exactly, and by quadrature over unit vectors.
#[test]
fn a_low_rank_term_does_not_change_the_determinant_lemma() {
    let v = random(2, 8, 9);
    let small = Cholesky::factor(gram(&v) + Array2::<f64>::eye(2)).unwrap().log_det();
    let low_rank = LowRankPlusDiagonal::isotropic(v.clone(), 1.0).unwrap();
    assert!((low_rank.log_det() - small).abs() < 1e-12);
    let op = DenseOperator::new(gram(&v.t()) + Array2::<f64>::eye(8)).unwrap();
    let (plain, units) = (ScaledIdentity::identity(8), Array2::<f64>::eye(8));
    let options = LanczosOptions::default();
    let run = cg_lanczos(&op, &units, &plain, &Array1::zeros(8), &options).unwrap();
    let sum: f64 = run.tridiagonals.iter().map(|t| t.rule().unwrap().apply(f64::ln)).sum();
    assert!((sum - small).abs() < 1e-12, "{sum} for {small}");
}

#[test]
fn a_krylov_basis_is_orthonormal_and_holds_the_operator() {
    let a = spd(50, 60, 1e-3, 11);
    let op = DenseOperator::new(a.clone()).unwrap();
    for (columns, rank) in [(1, 20), (4, 23), (4, 80)] {
        let basis = krylov_basis(&op, &random(50, columns, 12), rank).unwrap();
        let size = basis.q.ncols();
        assert_eq!(size, rank.min(50));
        let overlap = gram(&basis.q.t()) - Array2::<f64>::eye(size);
        assert!(overlap.iter().all(|e| e.abs() < 1e-12));
        let projected = matmul(&basis.q.t(), &matmul(&a, &basis.q));
        assert!((projected - basis.projected()).iter().all(|e| e.abs() < 1e-12));
        if size == 50 {
            let (found, exact) = (
                symmetric_eigenvalues(&basis.projected()).unwrap(),
                symmetric_eigenvalues(&a).unwrap(),
            );
            assert!((found - exact).iter().all(|e| e.abs() < 1e-11));
        }
    }
    let eye = DenseOperator::new(Array2::eye(5)).unwrap();
    assert_eq!(krylov_basis(&eye, &random(5, 2, 1), 4).unwrap().q.ncols(), 2);
    assert_eq!(krylov_basis(&eye, &Array2::zeros((5, 1)), 4).unwrap().q.ncols(), 0);
}
