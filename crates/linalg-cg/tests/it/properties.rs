//! What holds for every symmetric positive definite system.

use linalg_cg::{
    CgOptions, Cholesky, DenseOperator, Diagonal, LinearOperator, LowRankPlusDiagonal,
    Preconditioner, ScaledIdentity, Stop, cg, cg_block, pivoted_cholesky,
};
use ndarray::{Array2, s};
use proptest::prelude::*;

use crate::support::{distance, distance_vec, naive_product, random, random_vec, spd};

/// A system: order, smallest eigenvalue (in decades), columns, seed.
fn systems() -> impl Strategy<Value = (Array2<f64>, Array2<f64>)> {
    (1..60_usize, -4..1_i32, 1..5_usize, any::<u64>()).prop_map(|(n, decade, columns, seed)| {
        (spd(n, 10f64.powi(decade), seed), random(n, columns, seed.wrapping_add(1)))
    })
}

fn dense(a: &Array2<f64>) -> DenseOperator {
    DenseOperator::new(a.clone()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn cholesky_solves((a, b) in systems()) {
        let factor = Cholesky::factor(a.clone()).unwrap();
        let rebuilt = naive_product(factor.lower(), &factor.lower().t());
        prop_assert!(distance(&rebuilt, &a) <= 1e-13);
        let solution = factor.solve(&b);
        let size = solution.fold(1.0, |max: f64, value| max.max(value.abs()));
        prop_assert!(distance(&naive_product(&a, &solution), &b) <= 1e-12 * size);
        let inverse = factor.inverse();
        let worst = inverse.fold(1.0, |max: f64, value| max.max(value.abs()));
        prop_assert!(distance(&naive_product(&inverse, &b), &solution) <= 1e-9 * worst * worst);
    }

    #[test]
    fn cg_converges_and_tells_the_truth((a, b) in systems()) {
        let jacobi = Diagonal::new(a.diag().to_owned()).unwrap();
        let stop = Stop::RelativeResidual(1e-8);
        let options = CgOptions::default().max_iters(5000);
        let found = cg_block(&dense(&a), &b, &jacobi, &stop, None, &options).unwrap();
        for (column, report) in found.reports.iter().enumerate() {
            prop_assert!(report.converged(), "{report:?}");
            let residual = &b.column(column) - &dense(&a).apply_vec(&found.v.column(column));
            let (norm, rhs) = (residual.dot(&residual).sqrt(), b.column(column));
            prop_assert!(norm <= 1.0001e-8 * rhs.dot(&rhs).sqrt());
        }
    }

    #[test]
    fn a_block_is_its_columns_one_by_one((a, b) in systems()) {
        let (op, plain) = (dense(&a), ScaledIdentity::identity(a.nrows()));
        let stop = Stop::RelativeResidual(1e-6);
        // Products of one column and of several are rounded differently: a few steps do not tell.
        for (options, apart) in [(CgOptions::default().max_iters(4), 1e-9), (CgOptions::default(), 1e-2)] {
            let block = cg_block(&op, &b, &plain, &stop, None, &options).unwrap();
            for (column, report) in block.reports.iter().enumerate() {
                let one = cg(&op, &b.column(column), &plain, &stop, None, &options).unwrap();
                let difference = &one.v - &block.v.column(column);
                let size = one.v.dot(&one.v).sqrt();
                prop_assert!(difference.dot(&difference).sqrt() <= apart * size);
                prop_assert_eq!(one.report.converged(), report.converged());
                let steps = one.report.steps.abs_diff(report.steps);
                // Beyond n steps, where exact arithmetic has ended, rounding alone says when to stop.
                let ended = one.report.steps > a.nrows();
                prop_assert!(steps <= 2 || ended, "{steps} steps apart of {}", one.report.steps);
            }
        }
    }

    #[test]
    fn the_energy_norm_of_the_error_falls((a, b) in systems()) {
        let exact = Cholesky::factor(a.clone()).unwrap();
        let stop = Stop::QuadraticSlack { nats: 1e-10, inverse: &exact };
        let options = CgOptions::default().keep_history(true);
        let jacobi = Diagonal::new(a.diag().to_owned()).unwrap();
        let found = cg(&dense(&a), &b.column(0), &jacobi, &stop, None, &options).unwrap();
        prop_assert!(found.report.converged());
        for pair in found.report.history.windows(2) {
            prop_assert!(pair[1] <= pair[0] * (1.0 + 1e-9), "{pair:?}");
        }
    }

    #[test]
    fn a_start_at_the_solution_takes_no_step((a, b) in systems()) {
        let (op, plain) = (dense(&a), ScaledIdentity::identity(a.nrows()));
        let solution = Cholesky::factor(a).unwrap().solve(&b);
        let (stop, options) = (Stop::RelativeResidual(1e-7), CgOptions::default());
        let found = cg_block(&op, &b, &plain, &stop, Some(&solution), &options).unwrap();
        prop_assert!(found.reports.iter().all(|report| report.converged() && report.steps == 0));
        prop_assert_eq!(found.v, solution);
    }

    #[test]
    fn the_slack_bounds_what_the_quadratic_form_can_gain((a, b) in systems(), cap in 0..20_usize) {
        // P = λ_min I ⪯ A: vᵀAv + 2rᵀv + rᵀP⁻¹r is above bᵀA⁻¹b, by no more than twice the slack.
        let smallest = linalg_cg::symmetric_eigenvalues(&a).unwrap()[0];
        let floor = ScaledIdentity::new(a.nrows(), 0.999 * smallest).unwrap();
        let stop = Stop::QuadraticSlack { nats: 1e-6, inverse: &floor };
        let options = CgOptions::default().max_iters(cap);
        let b = b.column(0);
        let found = cg(&dense(&a), &b, &floor, &stop, None, &options).unwrap();
        let exact = b.dot(&Cholesky::factor(a).unwrap().solve_vec(&b));
        let slack = 2.0 * found.report.quadratic_slack.unwrap();
        let lower = found.v.dot(&(&b + &found.residual));
        let rounding = 1e-9 * (1.0 + exact);
        prop_assert!(lower <= exact + rounding && exact <= lower + slack + rounding);
    }

    #[test]
    fn a_wider_solve_does_not_change_a_column((a, b) in systems()) {
        let factor = Cholesky::factor(a).unwrap();
        let all = factor.solve(&b);
        let first = factor.solve(&b.slice(s![.., ..1]));
        let size = all.fold(1.0, |max: f64, value| max.max(value.abs()));
        prop_assert!(distance(&first, &all.slice(s![.., ..1])) <= 1e-12 * size);
    }

    #[test]
    fn pivoted_cholesky_never_overshoots((a, _) in systems(), rank in 0..20_usize) {
        let found = pivoted_cholesky(&a.diag(), |p| a.column(p).to_owned(), rank, 0.0);
        let traces = &found.trace_residual;
        prop_assert!(traces.windows(2).all(|pair| pair[1] <= pair[0]));
        let rest = &a - &naive_product(&found.factor, &found.factor.t());
        let smallest = linalg_cg::symmetric_eigenvalues(&rest).unwrap()[0];
        prop_assert!(smallest >= -1e-12, "the remainder stays positive semidefinite: {smallest}");
        prop_assert!(distance_vec(&rest.diag().to_owned(), &found.residual_diag) <= 1e-12);
    }

    #[test]
    fn woodbury_is_the_dense_solve(
        (m, n, seed) in (0..30_usize, 1..50_usize, any::<u64>()), decade in -6..2_i32,
    ) {
        let (v, noise) = (random(m, n, seed), 10f64.powi(decade));
        let c = LowRankPlusDiagonal::isotropic(v.clone(), noise).unwrap();
        let mut dense = naive_product(&v.t(), &v);
        dense.diag_mut().mapv_inplace(|value| value + noise);
        let (exact, r) = (Cholesky::factor(dense).unwrap(), random_vec(n, seed.wrapping_add(1)));
        let quad = exact.solve_lower_vec(&r).mapv(|value| value * value).sum();
        prop_assert!((c.quad_vec(&r) - quad).abs() <= 1e-6 * quad);
        let tolerance = 1e-9 * (1.0 + exact.log_det().abs() + n as f64 / noise * 1e-4);
        prop_assert!((c.log_det() - exact.log_det()).abs() <= tolerance);
    }
}
