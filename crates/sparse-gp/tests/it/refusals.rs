//! What is refused, by name.

use crate::support::{absolute, column, leaf, points, targets};
use gp_core::{GpError, Posterior};
use ndarray::{Array2, array};
use sparse_gp::{Selector, Sgpr, SgprOptions, SgprSettings, elbo_gradient};

#[test]
fn data_that_do_not_fit() {
    let (x, hyper) = (points(6, 2, 0), leaf("se", &[1.0, 1.0], 0.1));
    let (y, settings) = (targets(&x), SgprSettings::default());
    let refused = |z: &Array2<f64>, x: &Array2<f64>, y: &Array2<f64>| {
        let error = Sgpr::condition(&hyper, z, x, y, &settings).unwrap_err();
        assert_eq!(
            elbo_gradient(&hyper, z, x, y, &settings).unwrap_err().to_string(),
            error.to_string()
        );
        error.to_string()
    };
    assert!(refused(&x, &x, &column([1.0])).starts_with("`y` has 1 rows, expected 6"));
    assert!(
        refused(&column([1.0]), &x, &y).starts_with("`inducing_points` has 1 columns, expected 2")
    );
    assert!(refused(&array![[0.0, f64::NAN]], &x, &y).starts_with("`inducing_points` holds NaN"));
    assert!(refused(&x, &Array2::zeros((0, 2)), &Array2::zeros((0, 1))).contains("is empty"));
    let wide = points(6, 3, 0);
    assert!(Sgpr::condition(&hyper, &wide, &wide, &y, &settings).is_err());
}

#[test]
fn numbers_that_make_no_sense() {
    let x = points(6, 2, 0);
    let y = targets(&x);
    for noise in [0.0, -1.0, f64::NAN] {
        let hyper = leaf("se", &[1.0, 1.0], noise);
        assert!(Sgpr::condition(&hyper, &x, &x, &y, &SgprSettings::default()).is_err());
    }
    for jitter in [-1e-6, f64::NAN, f64::INFINITY] {
        let error = Sgpr::condition(&leaf("se", &[1.0, 1.0], 0.1), &x, &x, &y, &absolute(jitter));
        assert!(error.unwrap_err().to_string().starts_with("`jitter` is"));
        let options = SgprOptions { settings: absolute(jitter), ..SgprOptions::default() };
        let error = Sgpr::fit(&leaf("se", &[1.0, 1.0], 0.1), &x, &y, &options, &mut ());
        assert!(error.unwrap_err().to_string().starts_with("`jitter` is"));
    }
}

#[test]
fn given_points_and_new_rows_of_other_widths() {
    let x = points(6, 2, 0);
    let (y, hyper) = (targets(&x), leaf("se", &[1.0, 1.0], 0.1));
    let selector = Selector::Given(column([0.0]));
    let options = SgprOptions { selector, ..SgprOptions::default() };
    let error = Sgpr::fit(&hyper, &x, &y, &options, &mut ()).unwrap_err();
    assert!(matches!(error, GpError::ShapeMismatch { argument: "inducing_points", .. }));
    let model = Sgpr::condition(&hyper, &x, &x, &y, &SgprSettings::default()).unwrap();
    assert!(model.predict(&column([0.0])).is_err() && model.covariance(&column([0.0])).is_err());
    assert!(model.predict_mean(&array![[f64::INFINITY, 0.0]]).is_err());
    assert_eq!(model.predict(&Array2::zeros((0, 2))).unwrap().mean.dim(), (0, 1));
}
