//! Low rank plus diagonal against the dense matrix it stands for.

use linalg_cg::{Cholesky, LinalgError, LinearOperator, LowRankPlusDiagonal, Preconditioner};
use ndarray::{Array1, Array2, array};

use crate::support::{assert_same_bits, distance, distance_vec, naive_product, random, random_vec};

fn dense(c: &LowRankPlusDiagonal) -> Array2<f64> {
    Array2::from_diag(c.diagonal()) + naive_product(&c.v().t(), c.v())
}

fn example(m: usize, n: usize) -> LowRankPlusDiagonal {
    let diagonal = random_vec(n, 1).mapv(|value| value.abs() + 0.1);
    LowRankPlusDiagonal::new(random(m, n, 2), diagonal).unwrap()
}

#[test]
fn everything_agrees_with_the_dense_matrix() {
    for (m, n) in [(0, 5), (1, 1), (3, 40), (60, 40), (30, 300)] {
        let (c, r) = (example(m, n), random(n, 4, 3));
        let reference = Cholesky::factor(dense(&c)).unwrap();
        assert!(distance(&c.solve(&r), &reference.solve(&r)) <= 1e-11, "{m} {n}");
        assert!((c.log_det() - reference.log_det()).abs() <= 1e-11 * (1.0 + c.log_det().abs()));
        assert!(distance_vec(&c.quad(&r), &reference.quad(&r)) <= 1e-10);
        let product = naive_product(&dense(&c), &r);
        assert!(distance(&c.apply(&r), &product) <= 1e-11);
        assert!(distance(&c.apply(&c.solve(&r)), &r) <= 1e-10);
        let one = r.column(2);
        assert!(distance_vec(&c.solve_vec(&one), &c.solve(&r).column(2).to_owned()) <= 1e-12);
        assert!((c.quad_vec(&one) - c.quad(&r)[2]).abs() <= 1e-10);
        assert_eq!((c.n(), c.inner().n()), (n, m));
    }
}

/// Case 15: adding a low-rank term must not bend the log-determinant.
#[test]
fn log_det_of_identity_plus_rank_two() {
    let v = random(8, 2, 4);
    let c = LowRankPlusDiagonal::isotropic(v.t().to_owned(), 1.0).unwrap();
    let large = Cholesky::factor(Array2::eye(8) + naive_product(&v, &v.t())).unwrap();
    let small = Cholesky::factor(Array2::eye(2) + naive_product(&v.t(), &v)).unwrap();
    assert!((c.log_det() - large.log_det()).abs() <= 1e-12);
    assert!((c.log_det() - small.log_det()).abs() <= 1e-12);
    let r = random(8, 1, 5);
    assert!(distance_vec(&c.quad(&r), &large.quad(&r)) <= 1e-12);
}

/// Noise twelve orders below the signal: the difference form `rᵀr/σ² − ‖·‖²` has no digit left.
#[test]
fn the_quadratic_form_does_not_cancel() {
    let v = 1e3 * random(3, 30, 6);
    let c = LowRankPlusDiagonal::isotropic(v.clone(), 1e-6).unwrap();
    // r in the range of Vᵀ: the form is close to wᵀw for r = Vᵀw.
    let w = array![[1.0], [-2.0], [0.5]];
    let r = naive_product(&v.t(), &w);
    let quad = c.quad(&r)[0];
    assert!((quad - 5.25).abs() <= 1e-8, "{quad}");
}

#[test]
fn bad_arguments_are_named() {
    let v = || Array2::<f64>::ones((2, 3));
    let error = LowRankPlusDiagonal::new(v(), array![1.0, 2.0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`diagonal` has 2 elements, expected 3 to fit the other arguments"
    );
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = LowRankPlusDiagonal::new(v(), array![1.0, bad, 1.0]).unwrap_err();
        assert!(matches!(error, LinalgError::NotPositive { argument: "diagonal", index: 1, .. }));
    }
    let mut bad = v();
    bad[[1, 2]] = f64::NAN;
    let error = LowRankPlusDiagonal::isotropic(bad, 1.0).unwrap_err();
    assert!(matches!(error, LinalgError::NonFinite { argument: "v", row: 1, column: 2, .. }));
    assert!(LowRankPlusDiagonal::isotropic(v(), 0.0).is_err());
    assert!(LowRankPlusDiagonal::isotropic(Array2::from_elem((1, 1), 1e200), 1e-300).is_err());
}

#[test]
fn the_same_bits_on_any_pool() {
    let (v, r) = (random(70, 9000, 7), random(9000, 3, 8));
    assert_same_bits(|| {
        let c = LowRankPlusDiagonal::new(v.clone(), Array1::from_elem(9000, 0.3)).unwrap();
        let mut all = c.solve(&r).into_raw_vec_and_offset().0;
        all.extend(c.apply(&r));
        all.extend(c.quad(&r));
        all.push(c.log_det());
        all
    });
}
