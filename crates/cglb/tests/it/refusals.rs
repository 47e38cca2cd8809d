//! What is refused, by name.

use crate::support::{absolute, column, leaf, points, targets};
use bounds::BoundError;
use cglb::{Bound, Cglb, CglbOptions, CglbSettings, Selector, cglb_gradient};
use gp_core::{GpError, Posterior};
use ndarray::{Array2, array};
use std::sync::Arc;

#[test]
fn data_that_do_not_fit() {
    let (x, hyper) = (points(6, 2, 0), leaf("se", &[1.0, 1.0], 0.1));
    let (y, settings) = (targets(&x), CglbSettings::default());
    let refused = |z: &Array2<f64>, x: &Array2<f64>, y: &Array2<f64>| {
        Cglb::condition(&hyper, z, x, y, &settings).unwrap_err().to_string()
    };
    assert!(refused(&x, &x, &column([1.0])).starts_with("`y` has 1 rows, expected 6"));
    assert!(
        refused(&column([1.0]), &x, &y).starts_with("`inducing_points` has 1 columns, expected 2")
    );
    assert!(refused(&array![[0.0, f64::NAN]], &x, &y).starts_with("`inducing_points` holds NaN"));
    assert!(refused(&x, &Array2::zeros((0, 2)), &Array2::zeros((0, 1))).contains("is empty"));
    let none = Array2::zeros((6, 2));
    let error = cglb_gradient(&hyper, &x, &x, &y, &none, &settings).unwrap_err();
    assert!(error.to_string().starts_with("`v` has 2 columns, expected 1"), "{error}");
}

#[test]
fn numbers_that_make_no_sense() {
    let x = points(6, 2, 0);
    let (y, hyper) = (targets(&x), leaf("se", &[1.0, 1.0], 0.1));
    for value in [-1e-6, f64::NAN, f64::INFINITY] {
        let error = Cglb::condition(&hyper, &x, &x, &y, &absolute(value)).unwrap_err();
        assert!(error.to_string().starts_with("`jitter` is"));
    }
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let training = CglbSettings { training_tolerance: value, ..CglbSettings::default() };
        let prediction = CglbSettings { prediction_tolerance: value, ..CglbSettings::default() };
        for settings in [training, prediction] {
            let options = CglbOptions { settings, ..CglbOptions::default() };
            let error = Cglb::fit(&hyper, &x, &y, &options, &mut ()).unwrap_err();
            assert!(matches!(error, GpError::Bound(BoundError::InvalidTolerance { .. })));
        }
    }
}

#[test]
fn bounds_that_are_none_or_on_the_other_side() {
    for name in ["", "vechia", "nystrom-log-det", "auxiliary"] {
        let GpError::UnknownBound { known, .. } = Bound::named(name).unwrap_err() else {
            panic!("{name}")
        };
        assert!(known.contains("arithmetic-geometric") && !known.contains("nystrom-log-det"));
    }
    assert!(Bound::of(Arc::new(bounds::logdet::NystromLogDet)).is_err());
    assert!(Bound::of(Arc::new(bounds::logdet::Hadamard)).is_ok());
}

#[test]
fn given_points_and_new_rows_of_other_widths() {
    let x = points(6, 2, 0);
    let (y, hyper) = (targets(&x), leaf("se", &[1.0, 1.0], 0.1));
    let selector = Selector::Given(column([0.0]));
    let options = CglbOptions { selector, ..CglbOptions::default() };
    let error = Cglb::fit(&hyper, &x, &y, &options, &mut ()).unwrap_err();
    assert!(matches!(error, GpError::ShapeMismatch { argument: "inducing_points", .. }));
    let model = Cglb::condition(&hyper, &x, &x, &y, &CglbSettings::default()).unwrap();
    assert!(model.predict(&column([0.0])).is_err() && model.covariance(&column([0.0])).is_err());
    assert!(model.predict_mean(&array![[f64::INFINITY, 0.0]]).is_err());
    assert_eq!(model.predict(&Array2::zeros((0, 2))).unwrap().mean.dim(), (0, 1));
}
