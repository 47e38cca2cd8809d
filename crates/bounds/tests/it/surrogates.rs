//! The surrogate as an operator: its solves, products, roots and moments agree with each other and
//! with dense algebra.

use crate::support::{Owned, close, close_all, points, wave};
use bounds::{Problem, Surrogate, SurrogateKind, certify_predictions, solve_preconditioned};
use linalg_cg::{CgOptions, Preconditioner, matmul};
use ndarray::{Array1, Array2};

fn owned(n: usize) -> Owned {
    let kernel = crate::support::kernel(
        &serde_json::json!({"type": "matern32", "lengthscales": [0.8, 1.1], "variance": 1.3}),
    );
    let [y, v] = [2, 5].map(|j| Array1::from_shape_fn(n, |i| wave(i, j)));
    Owned {
        kernel,
        x: points(n, 2, 0),
        z: points(7, 2, 400),
        y,
        v,
        noise_variance: 0.05,
        jitter: 1e-8,
        neighbours: 5,
        structure: None,
        block: 6,
        blocks: None,
    }
}

/// Single rows and blocks of rows.
fn both(n: usize) -> [Owned; 2] {
    [owned(n), owned(n).in_blocks(4, 9)]
}

fn dense(problem: &Problem<'_>) -> Array2<f64> {
    let mut k = kernels::gram_matrix(problem.kernel(), problem.x());
    k.diag_mut().mapv_inplace(|value| value + problem.sigma2());
    k
}

/// C as a matrix.
fn matrix(surrogate: &Surrogate) -> Array2<f64> {
    surrogate.apply(&Array2::eye(Preconditioner::n(surrogate)))
}

#[test]
fn solves_products_and_roots_are_those_of_one_matrix() {
    for owned in both(45) {
        let problem = owned.problem();
        let v = Array2::from_shape_fn((45, 3), |(i, j)| wave(i, j + 20));
        for kind in SurrogateKind::ALL {
            let surrogate = problem.surrogate(kind).unwrap();
            let what = kind.name();
            let solved = surrogate.solve(&v);
            close_all(what, &surrogate.apply(&solved), &v, 1e-10);
            close_all(what, &surrogate.quad(&v), &(&v * &solved).sum_axis(ndarray::Axis(0)), 1e-10);
            let white = surrogate.whiten(&v).unwrap();
            close_all(what, &surrogate.whiten_transpose(&white).unwrap(), &solved, 1e-10);
            close_all(what, &surrogate.colour(&white).unwrap(), &v, 1e-10);
            let c = linalg_cg::Cholesky::factor(matrix(surrogate)).unwrap();
            close(what, surrogate.log_det(), c.log_det(), 1e-11);
        }
    }
}

#[test]
fn traces_and_moments_are_those_of_dense_matrices() {
    for owned in both(130) {
        let problem = owned.problem();
        let (k, n) = (dense(&problem), 130.0);
        for kind in SurrogateKind::ALL {
            let surrogate = problem.surrogate(kind).unwrap();
            let (what, ratio) = (kind.name(), surrogate.solve(&k));
            let trace = ratio.diag().sum();
            let square: f64 = ratio.iter().zip(ratio.t().iter()).map(|(a, b)| a * b).sum();
            let moments = problem.moments(kind).unwrap();
            close(what, moments.trace_excess, trace - n, 1e-10);
            close(what, problem.exact_trace(kind).unwrap(), trace - n, 1e-10);
            assert!(surrogate.trace_bound() >= trace - n - 1e-9, "{what}");
            close(what, n * moments.variance, square - trace * trace / n, 1e-9);
            // C⁻¹ΔQ⁻¹Δ with Δ = C − K.
            let delta = matrix(surrogate) - &k;
            let q = problem.nystrom().unwrap();
            let dual = matmul(&surrogate.solve(&delta), &q.solve(&delta)).diag().sum();
            close(what, moments.inverse_squares, dual, 1e-9);
            // The floor is one: K − aC is positive definite up to rounding.
            let mut gap = &k - &(matrix(surrogate) * moments.floor);
            gap.diag_mut().mapv_inplace(|value| value + 1e-9);
            assert!(linalg_cg::Cholesky::factor(gap).is_ok(), "{what}: {}", moments.floor);
        }
    }
}

#[test]
fn a_better_surrogate_takes_fewer_steps() {
    let owned = Owned { noise_variance: 1e-2, ..owned(400) };
    let (problem, y) = (owned.problem(), crate::support::column(&owned.y));
    let steps = |preconditioner: &dyn Preconditioner| {
        let options = CgOptions::default();
        let solution =
            solve_preconditioned(&problem, &y, 1e-3, preconditioner, None, &options).unwrap();
        let residual = &y - &matmul(&dense(&problem), &solution.v);
        let slack = 0.5 * problem.nystrom().unwrap().quad(&residual)[0];
        assert!(slack <= 1e-3 * (1.0 + 1e-6), "{slack}");
        solution.reports[0].steps
    };
    let by = |kind| steps(problem.surrogate(kind).unwrap());
    assert!(by(SurrogateKind::Vif) < by(SurrogateKind::Nystrom));
    assert!(by(SurrogateKind::Vecchia) < by(SurrogateKind::Nystrom));
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let owned = Owned { block: 30, ..owned(600) }.in_blocks(8, 20);
    let x_new = points(70, 2, 2000);
    let run = |threads: usize| -> Vec<u64> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let problem = owned.problem();
            let mut numbers = Vec::new();
            for kind in SurrogateKind::ALL {
                let surrogate = problem.surrogate(kind).unwrap();
                let moments = problem.moments(kind).unwrap();
                numbers.extend([surrogate.log_det(), surrogate.trace_bound()]);
                numbers.extend([moments.variance, moments.inverse_squares, moments.floor]);
                numbers.push(problem.exact_trace(kind).unwrap());
                numbers.extend(surrogate.solve(&crate::support::column(&owned.y)));
            }
            for bound in bounds::log_det_catalogue() {
                let Some(bound) = bound.differentiable() else { continue };
                let gradient = bound.gradient(&problem).unwrap();
                numbers.extend(gradient.kernel);
                numbers.extend(gradient.z.unwrap_or_default());
            }
            let [y, v] = [&owned.y, &owned.v].map(|a| crate::support::column(a));
            let options = bounds::VarianceOptions::default();
            let certificate = certify_predictions(&problem, &y, &v, &x_new, &options).unwrap();
            numbers.extend(certificate.mean_error);
            numbers.extend(certificate.var_lower);
            numbers.extend(certificate.var_upper);
            numbers.into_iter().map(f64::to_bits).collect()
        })
    };
    let one = run(1);
    for threads in [2, 5] {
        assert!(run(threads) == one, "{threads} threads give other bits than one");
    }
}

#[test]
fn the_residual_structure_may_be_kept_while_hyperparameters_move() {
    let owned = owned(60);
    let problem = owned.problem();
    let vif = problem.surrogate(SurrogateKind::Vif).unwrap();
    let structure = std::sync::Arc::clone(vif.sparse().structure());
    let kept = owned.problem().with_residual_structure(structure).unwrap();
    let again = kept.surrogate(SurrogateKind::Vif).unwrap();
    assert_eq!(again.log_det(), vif.log_det());
    let short = bounds::VecchiaStructure::independent(3);
    assert!(owned.problem().with_residual_structure(short.into()).is_err());
}

#[test]
fn blocks_are_checked() {
    let owned = owned(9);
    assert!(owned.problem().with_blocks(0).is_err());
    let parents = bounds::VecchiaStructure::nearest(&owned.x, 2);
    assert_eq!(
        owned.problem().with_shared_blocks(parents.into()).unwrap_err(),
        bounds::BoundError::BlocksWithParents
    );
    let empty = bounds::VecchiaStructure::blocks(vec![vec![0, 1], vec![]]);
    assert_eq!(empty.unwrap_err(), bounds::BoundError::EmptyBlock);
}

#[test]
fn a_structure_is_found_without_the_factors_it_serves() {
    let (alone, full) = (owned(30), owned(30));
    for kind in SurrogateKind::ALL {
        let (alone, full) = (alone.problem(), full.problem());
        let found = alone.structure_of(kind).unwrap();
        let used = full.surrogate(kind).unwrap().sparse().structure();
        assert_eq!((found.order(), found.n_groups()), (used.order(), used.n_groups()), "{kind:?}");
        for g in 0..found.n_groups() {
            assert_eq!(found.parents(g), used.parents(g), "{kind:?}");
            assert_eq!(found.members(g), used.members(g), "{kind:?}");
        }
    }
}
