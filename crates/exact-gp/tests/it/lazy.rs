//! What prediction does not compute: case 29.

use crate::support::{close_all, condition, se};
use exact_gp::{ExactGp, GpError};
use gp_core::Posterior;
use ndarray::{Array2, array};

/// Two equal rows and a noise that float64 cannot see beside the variance: K is singular.
fn singular() -> (Array2<f64>, Array2<f64>) {
    (array![[0.0], [0.0], [1.0]], array![[1.0], [1.0], [2.0]])
}

#[test]
fn the_mean_alone_needs_no_factorisation() {
    let (x, y) = singular();
    let alpha = array![[0.5], [0.25], [-1.0]];
    assert!(matches!(ExactGp::condition(&se(1.0, 1e-300), &x, &y, None), Err(GpError::Bound(_))));
    let gp = ExactGp::from_parts(se(1.0, 1e-300), x, y, alpha).unwrap();
    let k = (-0.5_f64).exp();
    let mean = gp.predict_mean(&array![[0.0], [1.0]]).unwrap();
    close_all("mean", &mean, &array![0.75 - k, 0.75 * k - 1.0], 1e-15);
    // The factorisation is not skipped where it is needed: its failure is an error, not a number.
    assert!(matches!(gp.predict(&array![[0.0]]), Err(GpError::Bound(_))));
    assert!(matches!(gp.covariance(&array![[0.0]]), Err(GpError::Bound(_))));
    assert!(matches!(gp.lml(), Err(GpError::Bound(_))));
    assert!(matches!(gp.leave_one_out(), Err(GpError::Bound(_))));
}

#[test]
fn the_mean_alone_is_the_mean_of_the_full_prediction() {
    let x = crate::support::points(50, 2, 0);
    let gp = condition(&se(0.8, 0.01), &x, &crate::support::targets(&x));
    assert_eq!(gp.predict(&x).unwrap().mean, gp.predict_mean(&x).unwrap());
}
