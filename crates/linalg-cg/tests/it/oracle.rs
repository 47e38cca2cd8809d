//! Our tiled factorisations against `ndarray-linalg`, which calls LAPACK on whole matrices.

use linalg_cg::{Cholesky, symmetric_eigen, symmetric_eigenvalues};
use ndarray::Array2;
use ndarray_linalg::{Cholesky as _, EigValsh, Eigh, InverseC, SolveC, UPLO};

use crate::support::{random_vec, spd};

fn distance(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    (a - b).iter().fold(0.0, |largest: f64, difference| largest.max(difference.abs()))
}

#[test]
fn cholesky_inverse_and_solve_agree() {
    for n in [1, 40, 300, 700] {
        let a = spd(n, 0.5, n as u64);
        let ours = Cholesky::factor(a.clone()).unwrap();
        assert!(distance(ours.lower(), &a.cholesky(UPLO::Lower).unwrap()) < 1e-11, "{n}");
        assert!(distance(&ours.inverse(), &a.invc().unwrap()) < 1e-11, "{n}");
        let b = random_vec(n, 3);
        let difference = ours.solve_vec(&b) - a.solvec(&b).unwrap();
        assert!(difference.iter().all(|d| d.abs() < 1e-11), "{n}");
    }
}

#[test]
fn eigenvalues_agree() {
    let a = spd(120, 0.1, 9);
    let (theirs, _) = a.eigh(UPLO::Lower).unwrap();
    let (ours, vectors) = symmetric_eigen(&a).unwrap();
    let values = symmetric_eigenvalues(&a).unwrap();
    let plain = a.eigvalsh(UPLO::Lower).unwrap();
    for i in 0..120 {
        assert!((ours[i] - theirs[i]).abs() < 1e-11 && (values[i] - plain[i]).abs() < 1e-11);
    }
    // A V = V Λ.
    let scaled = &vectors * &ours;
    assert!(distance(&linalg_cg::matmul(&a, &vectors), &scaled) < 1e-11);
}
