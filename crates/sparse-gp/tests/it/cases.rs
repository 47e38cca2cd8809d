//! What users of other packages ran into: cases 6, 17, 22 and 25 of the collection.

use crate::support::{absolute, column, condition, exact_lml, leaf, points, targets};
use gp_core::{Hyperparameters, Posterior};
use ndarray::{Array2, Axis, array, concatenate, s};
use sparse_gp::{Notice, Selector, Sgpr};

fn two_rows() -> (Hyperparameters, Array2<f64>) {
    (leaf("se", &[0.2], 0.1), array![[0.0], [1.0]])
}

#[test]
fn jitter_is_reported_and_moves_the_bound_continuously() {
    let ((hyper, x), y) = (two_rows(), array![[1.0], [0.5]]);
    let elbo = |z: &Array2<f64>, jitter: f64| {
        let model = Sgpr::condition(&hyper, z, &x, &y, &absolute(jitter)).unwrap();
        assert_eq!(model.jitter(), jitter);
        model.evidence().elbo()
    };
    let (once, twice) = (array![[0.3], [0.9]], array![[0.3], [0.3], [0.9]]);
    assert!((elbo(&once, 0.0) - -9.143_771_575_0).abs() < 1e-9);
    for (jitter, expected) in [(1e-8, -9.143_771_618_4), (1e-6, -9.143_775_908_3)] {
        assert!((elbo(&twice, jitter) - expected).abs() < 1e-9, "{}", elbo(&twice, jitter));
        // A repeated point with jitters of j is one with j/2, so repeating can only help.
        assert!(elbo(&once, jitter) <= elbo(&twice, jitter));
    }
    let ladder = [1e-10, 1e-8, 1e-6, 1e-4, 1e-2].map(|jitter| elbo(&once, jitter));
    assert!(ladder.windows(2).all(|pair| pair[1] <= pair[0]), "{ladder:?}");
}

#[test]
fn a_jitter_that_had_to_be_raised_is_reported() {
    let ((hyper, x), y) = (two_rows(), array![[1.0], [0.5]]);
    let z = array![[0.3], [0.3], [0.9]];
    let model = Sgpr::condition(&hyper, &z, &x, &y, &absolute(0.0)).unwrap();
    assert!(model.jitter() > 0.0 && model.jitter() < 1e-12);
    assert!((model.evidence().elbo() - -9.143_771_575_0).abs() < 1e-6);
}

#[test]
fn every_target_column_counts() {
    let (hyper, x) = two_rows();
    let y = array![[1.0, 0.0, 2.0, -1.0], [0.5, 1.0, -1.0, 3.0]];
    let z = array![[0.3], [0.9]];
    let expected = [-9.143_771_575_0, -7.129_510_800_4, -16.839_357_777_6, -14.074_722_247_4];
    let model = Sgpr::condition(&hyper, &z, &x, &y, &absolute(0.0)).unwrap();
    let evidence = model.evidence();
    assert!((evidence.elbo() - -47.187_362_400_5).abs() < 1e-9);
    let (elbos, uppers) = (evidence.elbo_per_target(), evidence.upper_per_target());
    for (p, expected) in expected.into_iter().enumerate() {
        assert!((elbos[p] - expected).abs() < 1e-9, "{} instead of {expected}", elbos[p]);
        let alone = y.column(p).to_owned().insert_axis(ndarray::Axis(1));
        let alone = Sgpr::condition(&hyper, &z, &x, &alone, &absolute(0.0)).unwrap();
        assert!((alone.evidence().upper_bound() - uppers[p]).abs() < 1e-12);
        let mean = model.predict_mean(&x).unwrap().column(p).to_owned();
        assert!((mean - alone.predict_mean(&x).unwrap().column(0)).iter().all(|d| d.abs() < 1e-13));
    }
    assert!((uppers.iter().sum::<f64>() - evidence.upper_bound()).abs() < 1e-12);
}

#[test]
fn all_rows_as_inducing_points_give_the_exact_evidence() {
    let x = points(60, 2, 0);
    let (y, hyper) = (targets(&x), leaf("matern32", &[0.8, 1.2], 0.05));
    let model = Sgpr::condition(&hyper, &x, &x, &y, &absolute(1e-10)).unwrap();
    let (exact, _) = exact_lml(&hyper, &x, &y);
    assert!((model.evidence().elbo() - exact).abs() < 1e-6);
    assert!((model.evidence().upper_bound() - exact).abs() < 1e-6);
}

#[test]
fn more_inducing_points_than_rows_are_cut_with_a_notice() {
    let (x, hyper) = (points(12, 1, 0), leaf("matern32", &[0.8], 0.05));
    for selector in [Selector::Greedy, Selector::KMeans, Selector::Random] {
        let chosen = selector.choose(hyper.kernel.as_ref(), &x, 20, 3).unwrap();
        assert_eq!(chosen.z.nrows(), 12);
        assert_eq!(chosen.notices, [Notice::MoreThanRows { asked: 20, n: 12 }]);
    }
}

#[test]
fn no_inducing_points_leave_noise_and_the_prior() {
    let (x, z) = (column([0.0, 0.4, 1.0]), Array2::zeros((0, 1)));
    let (y, hyper) = (column([1.0, -2.0, 0.5]), leaf("se", &[0.2], 0.1));
    let model = condition(&hyper, &z, &x, &y);
    let normal: f64 =
        y.iter().map(|y| -0.5 * (y * y / 0.1 + (0.2 * std::f64::consts::PI).ln())).sum();
    assert!((model.evidence().elbo() - (normal - 3.0 / 0.2)).abs() < 1e-12);
    let prediction = model.predict(&x).unwrap();
    assert!(prediction.mean.iter().all(|mean| *mean == 0.0));
    assert!(prediction.var_latent.iter().all(|variance| *variance == 1.0));
}

/// Case 17: nearly noise-free data on a line.
#[test]
fn variances_are_between_zero_and_the_prior() {
    let x = column((0..300).map(|i| f64::from(i) / 299.0));
    let (y, hyper) = (x.mapv(|t| (6.0 * t).sin()), leaf("se", &[0.3], 1e-6));
    let at = concatenate![Axis(0), x, column((0..50).map(|i| -1.0 + 0.06 * f64::from(i)))];
    let prediction = condition(&hyper, &x.slice(s![..;15, ..]), &x, &y).predict(&at).unwrap();
    for (latent, observed) in prediction.var_latent.iter().zip(&prediction.var_y) {
        assert!((0.0..=1.0 + 1e-9).contains(latent), "{latent}");
        assert!(*observed >= 1e-6, "{observed}");
    }
}
