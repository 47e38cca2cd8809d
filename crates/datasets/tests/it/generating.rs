//! Generators against values worked out by hand, and the laws they share.

use std::f64::consts::PI;

use datasets::{
    DataError,
    generators::{
        Friedman1, Friedman2, Friedman3, RobotArm, Sinc, Step, TestFunction, catalogue, gp_draw,
        sample,
    },
};
use ndarray::{Array1, Array2, array};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::assert_error;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-14 * (1.0 + expected.abs())
}

#[test]
fn friedman_functions_at_known_points() {
    let one = Friedman1::default();
    assert!(close(one.value(&array![0.5, 1.0, 0.0, 0.2, 0.4, 9.0]), 10.0 + 5.0 + 2.0 + 2.0));
    assert!(close(one.value(&array![0.0, 0.7, 0.5, 0.0, 0.0]), 0.0));
    // x₂x₃ − 1/(x₂x₄) = 50π·½ − 1/(50π·2)
    let reactance = 25.0 * PI - 1.0 / (100.0 * PI);
    let x = array![30.0, 50.0 * PI, 0.5, 2.0];
    assert!(close(Friedman2.value(&x), (900.0 + reactance * reactance).sqrt()));
    assert!(close(Friedman3.value(&x), (reactance / 30.0).atan()));
    assert!(close(Friedman3.value(&array![0.0, 50.0 * PI, 0.5, 2.0]), PI / 2.0));
}

#[test]
fn sinc_and_step_at_known_points() {
    assert_eq!(Sinc.value(&array![0.0]), 1.0);
    assert!(close(Sinc.value(&array![PI / 2.0]), 2.0 / PI) && close(Sinc.value(&array![-PI]), 0.0));
    assert_eq!([-1.0, -0.0, 0.0, 0.5].map(|x| Step.value(&array![x])), [0.0, 1.0, 1.0, 1.0]);
}

#[test]
fn robot_arm_at_known_points() {
    let arm = RobotArm::new([0.125; 8], [0.0, 0.0], PI).unwrap();
    let angles = |given: &[f64]| {
        Array1::from_iter(given.iter().copied().chain(std::iter::repeat(0.0)).take(8))
    };
    assert!(close(arm.value(&angles(&[])), 1.0), "stretched out");
    assert!(
        close(arm.value(&angles(&[1.234])), 1.0),
        "turning at the shoulder keeps the distance from it"
    );
    assert!(arm.value(&angles(&[0.0, 0.0, 0.0, 0.0, PI])) < 1e-15, "folded at the middle");
    assert!(
        close(arm.value(&angles(&[0.0, 0.0, 0.0, 0.0, PI / 2.0])), 0.5_f64.sqrt()),
        "a right angle at the middle"
    );
    assert!(
        close(arm.value(&Array1::from_elem(8, PI / 4.0)), 0.0)
            || arm.value(&Array1::from_elem(8, PI / 4.0)) < 1e-15,
        "an octagon"
    );
    let other = RobotArm::new([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [36.0, 5.0], 1.0).unwrap();
    assert!(close(other.value(&angles(&[])), 5.0));
}

#[test]
fn bad_settings_are_refused() {
    assert_error!(
        Friedman1::new(4),
        DataError::BadArgument { .. },
        "`n_inputs` is 4",
        "at least 5"
    );
    assert_error!(
        RobotArm::new([0.0; 8], [0.0; 2], 1.0),
        DataError::BadArgument { .. },
        "`link_lengths` is 0"
    );
    assert_error!(
        RobotArm::new([1.0; 8], [f64::NAN, 0.0], 1.0),
        DataError::BadArgument { .. },
        "`target` is NaN"
    );
    assert_error!(
        RobotArm::new([1.0; 8], [0.0; 2], -1.0),
        DataError::BadArgument { .. },
        "`max_angle` is -1"
    );
    assert_error!(
        sample(&Sinc, 5, -1.0, &mut rng(0)),
        DataError::BadArgument { .. },
        "`noise_std` is -1"
    );
    assert_error!(
        sample(&Sinc, 5, f64::NAN, &mut rng(0)),
        DataError::BadArgument { .. },
        "`noise_std` is NaN"
    );
}

#[test]
fn every_function_samples_its_own_values() {
    for function in catalogue() {
        let (name, ranges) = (function.name(), function.ranges());
        let data = sample(function.as_ref(), 500, 0.0, &mut rng(3)).unwrap();
        assert_eq!((data.x.dim(), data.y.len()), ((500, ranges.len()), 500), "{name}");
        assert_eq!(data.y, data.f, "{name}: no noise");
        for (row, value) in data.x.rows().into_iter().zip(&data.f) {
            assert_eq!(function.value(&row), *value, "{name}");
            assert!(row.iter().zip(&ranges).all(|(x, range)| range.contains(x)), "{name}");
        }
        assert_eq!(
            data,
            sample(function.as_ref(), 500, 0.0, &mut rng(3)).unwrap(),
            "{name}: same seed"
        );
        assert_ne!(
            data,
            sample(function.as_ref(), 500, 0.0, &mut rng(4)).unwrap(),
            "{name}: other seed"
        );
        assert_eq!(
            sample(function.as_ref(), 0, 1.0, &mut rng(3)).unwrap().y.len(),
            0,
            "{name}: no rows"
        );
    }
}

#[test]
fn noise_has_the_deviation_asked_for() {
    let data = sample(&Step, 20_000, 0.5, &mut rng(5)).unwrap();
    let noise = &data.y - &data.f;
    // Standard errors: 0.5/√20000 = 0.0035 of the mean, 0.0025 of the deviation.
    assert!(noise.sum().abs() / 20_000.0 < 0.018);
    assert!(((noise.mapv(|e| e * e).sum() / 20_000.0).sqrt() - 0.5).abs() < 0.013);
}

fn squared_exponential(a: &ndarray::ArrayRef1<f64>, b: &ndarray::ArrayRef1<f64>) -> f64 {
    (-0.5 * (a[0] - b[0]).powi(2)).exp()
}

#[test]
fn gp_draws_have_the_covariance_asked_for() {
    let x = array![[0.0], [0.5], [0.5], [2.0]];
    let mut moments = Array2::<f64>::zeros((4, 4));
    let (draws, mut rng) = (20_000, rng(7));
    for _ in 0..draws {
        let f = gp_draw(&x, squared_exponential, 0.0, &mut rng).unwrap().f;
        assert!((f[1] - f[2]).abs() < 1e-12, "equal inputs, equal values");
        moments.indexed_iter_mut().for_each(|((i, j), sum)| *sum += f[i] * f[j]);
    }
    for ((i, j), sum) in moments.indexed_iter() {
        // Standard error of a product's mean is below √2/√20000 = 0.01.
        let expected = squared_exponential(&x.row(i), &x.row(j));
        assert!((sum / f64::from(draws) - expected).abs() < 0.05, "({i}, {j})");
    }
}

#[test]
fn gp_draws_at_hundreds_of_close_points_need_no_jitter() {
    let x = Array2::from_shape_fn((400, 1), |(row, _)| row as f64 / 400.0);
    let data = gp_draw(&x, squared_exponential, 0.1, &mut rng(1)).unwrap();
    assert!(data.f.iter().all(|value| value.is_finite()) && data.x == x);
    assert_eq!(
        gp_draw(&Array2::zeros((0, 1)), squared_exponential, 0.1, &mut rng(1)).unwrap().y.len(),
        0
    );
}

#[test]
fn functions_that_are_no_covariance_are_refused() {
    let x = array![[0.0], [1.0], [2.0]];
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        assert_error!(
            gp_draw(&x, |_, _| wrong, 0.0, &mut rng(0)),
            DataError::NotPositiveSemidefinite { .. },
            "not a covariance"
        );
    }
    let indefinite =
        |a: &ndarray::ArrayRef1<f64>, b: &ndarray::ArrayRef1<f64>| if a == b { 1.0 } else { 2.0 };
    assert_error!(
        gp_draw(&x, indefinite, 0.0, &mut rng(0)),
        DataError::NotPositiveSemidefinite { .. },
        "input row"
    );
    let holes = |a: &ndarray::ArrayRef1<f64>, b: &ndarray::ArrayRef1<f64>| {
        if a == b { 1.0 } else { f64::NAN }
    };
    assert_error!(
        gp_draw(&x, holes, 0.0, &mut rng(0)),
        DataError::NotPositiveSemidefinite { .. },
        "variance NaN"
    );
}
