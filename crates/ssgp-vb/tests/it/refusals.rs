//! Bad input is an error that says what to do.

use crate::support::data;
use ndarray::{Array1, array};
use proptest::prelude::*;
use ssgp_vb::{
    FitOptions, Gaussian, LocalOptions, LocalSsgpVb, Priors, ScaleFactor, SparseSpectrum,
    SpectralPoints, SsgpError, SsgpVb, SsgpVbOptions, Starts,
};

#[test]
fn the_message_names_the_argument_and_what_is_accepted() {
    let (x, y) = data(7, 1);
    for k in [0, 1, 8] {
        let options = LocalOptions { neighbours: k, ..LocalOptions::default() };
        let error = LocalSsgpVb::condition(&x, &y, &options).unwrap_err();
        assert!(matches!(error, SsgpError::Neighbourhood { found, n: 7 } if found == k));
        let text = error.to_string();
        assert!(text.starts_with("`neighbours` is ") && text.contains("2 to 7"), "{text}");
    }
}

fn refused(x: &ndarray::Array2<f64>, y: &Array1<f64>, options: &SsgpVbOptions) -> String {
    SsgpVb::fit(x, y, options, &mut ()).expect_err("refused").to_string()
}

#[test]
fn data_are_checked() {
    let usual = SsgpVbOptions::default();
    let (x, y) = data(6, 2);
    assert!(refused(&x, &Array1::from_elem(6, 2.5), &usual).contains("2.5"));
    assert!(
        refused(&x, &y.slice(ndarray::s![..5]).to_owned(), &usual).contains("`y` has 5 values")
    );
    let mut bad = x.clone();
    bad[[3, 1]] = f64::NAN;
    assert!(refused(&bad, &y, &usual).contains("row 3, column 1"));
    assert!(refused(&array![[1.0, 2.0]], &array![1.0], &usual).contains("at least 2"));
    let none = x.slice(ndarray::s![..0, ..]).to_owned();
    assert!(refused(&none, &Array1::zeros(0), &usual).contains("`x` is empty"));
}

#[test]
fn options_are_checked() {
    let (x, y) = data(6, 2);
    let with = |change: &dyn Fn(&mut SsgpVbOptions)| {
        let mut options = SsgpVbOptions::default();
        change(&mut options);
        refused(&x, &y, &options)
    };
    assert!(with(&|o| o.fit.rho = 1.0).contains("`rho` is 1"));
    assert!(with(&|o| o.fit.tolerance = f64::NAN).contains("`tolerance`"));
    assert!(with(&|o| o.spectral.points = 0).contains("`points`"));
    assert!(with(&|o| o.spectral.draws = 0).contains("`draws`"));
    assert!(with(&|o| o.starts.keep = 0).contains("`keep`"));
    assert!(with(&|o| o.starts.means = Some(vec![0.0])).contains("`means` is 0"));
    assert!(with(&|o| o.starts.variance = -1.0).contains("`variance` is -1"));
    assert!(with(&|o| o.priors.noise_scale = 0.0).contains("`priors.noise_scale`"));
    assert!(
        with(&|o| o.priors.lambda = Some(Gaussian::isotropic(2, 0.0, -1.0))).contains("covariance")
    );
    assert!(
        with(&|o| o.spectral.given = vec![ndarray::Array2::zeros((3, 5))])
            .contains("`frequencies`")
    );
}

#[test]
fn a_start_that_explodes_is_named() {
    let (x, y) = data(6, 1);
    let s = array![[0.3], [1.1]];
    let problem = SparseSpectrum::new(&x, &y, &s, &Priors::default()).unwrap();
    let start = ssgp_vb::Start::Isotropic { mean: f64::INFINITY, variance: 1.0 };
    assert!(problem.run(&start, &FitOptions::default(), &mut ()).is_err());
    assert!(ScaleFactor::new(1.0, 0.0, 1.0).is_err() && ScaleFactor::new(-3.0, 1.0, 1.0).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever finite numbers come, a fit ends with a model or a refusal.
    #[test]
    fn wild_data_never_panic(
        values in prop::collection::vec(prop_oneof![-1e3..1e3_f64, Just(0.0), Just(1e200), Just(-1e-200)], 12),
        target in prop::collection::vec(prop_oneof![-10.0..10.0_f64, Just(0.0), Just(1e120)], 6),
    ) {
        let x = ndarray::Array2::from_shape_vec((6, 2), values).unwrap();
        let spectral = SpectralPoints { points: 2, draws: 1, ..SpectralPoints::default() };
        let fit = FitOptions { max_cycles: 5, ..FitOptions::default() };
        let starts = Starts { screening_cycles: 2, ..Starts::default() };
        let y = Array1::from(target);
        for scale in [true, false] {
            let options = SsgpVbOptions { spectral: spectral.clone(), fit, starts: starts.clone(), scale, ..SsgpVbOptions::default() };
            if let Ok(fit) = SsgpVb::fit(&x, &y, &options, &mut ()) {
                let _ = gp_core::Posterior::predict(&fit.model, &x);
            }
        }
    }
}
