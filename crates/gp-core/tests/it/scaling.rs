//! Standardisation: cases 32, 34 and 36.

use crate::support::bits;
use gp_core::{GpError, Standardiser, check_finite};
use ndarray::{Array2, ArrayRef2, Axis, array};
use proptest::prelude::*;

fn fit(x: &ArrayRef2<f64>) -> Standardiser {
    Standardiser::fit(x, "x").unwrap()
}

fn column(values: &[f64]) -> Array2<f64> {
    Array2::from_shape_vec((values.len(), 1), values.to_vec()).unwrap()
}

#[test]
fn columns_get_mean_zero_and_population_deviation_one() {
    let x = array![[1.0, -5.0], [2.0, 5.0], [6.0, 15.0]];
    let scaling = fit(&x);
    assert_eq!(scaling.mean(), [3.0, 5.0]);
    // Squared deviations 4, 1, 9 and 100, 0, 100, over three rows.
    assert!((scaling.scale()[0] - (14.0 / 3.0_f64).sqrt()).abs() < 1e-15);
    assert!((scaling.scale()[1] - (200.0 / 3.0_f64).sqrt()).abs() < 1e-14);
    assert!(scaling.constant().is_empty());
}

#[test]
fn constant_columns_are_shifted_not_divided_and_listed() {
    let x = array![[0.1, 3.0, 0.0, 1e300], [0.1, 4.0, 0.0, 1e300], [0.1, 5.0, 0.0, 1e300]];
    let scaling = fit(&x);
    assert_eq!(scaling.constant(), [0, 2, 3]);
    assert_eq!((scaling.scale()[0], scaling.scale()[2], scaling.scale()[3]), (1.0, 1.0, 1.0));
    let scaled = scaling.apply(&x).unwrap();
    for column in [0, 2, 3] {
        assert!(scaled.column(column).iter().all(|value| *value == 0.0));
    }
    assert_eq!(scaling.undo(&scaled).unwrap().column(0), x.column(0));
}

#[test]
fn constancy_is_relative_to_the_magnitude() {
    assert_eq!(fit(&column(&[1e6, 1e6 + 1e-5])).constant(), [0]);
    assert!(fit(&column(&[1e6, 1e6 + 1e-3])).constant().is_empty());
    assert!(fit(&column(&[1e-300, 2e-300])).constant().is_empty());
    assert_eq!(fit(&column(&[4.0])).constant(), [0]);
}

#[test]
fn tiny_and_huge_columns_are_measured() {
    for unit in [1e-320, 1e-200, 1e-30, 1.0, 1e100, 1e200, 1e307] {
        let scaling = fit(&(array![[-1.0], [1.0], [3.0], [5.0]] * unit));
        assert!(scaling.constant().is_empty(), "{unit:e}");
        assert!((scaling.scale()[0] / unit / 5f64.sqrt() - 1.0).abs() < 1e-3, "{unit:e}");
    }
    let error = Standardiser::fit(&column(&[-1.7e308, 1.7e308, 1.7e308]), "x").unwrap_err();
    assert!(matches!(error, GpError::TooLarge { argument: "x", column: 0 }), "{error}");
}

#[test]
fn one_bad_cell_is_found() {
    let mut x = Array2::zeros((5, 3));
    x[[3, 1]] = f64::INFINITY;
    x[[4, 0]] = f64::NAN;
    for result in [Standardiser::fit(&x, "table").map(drop), check_finite(&x, "table")] {
        let message = result.unwrap_err().to_string();
        assert!(
            message
                .starts_with("`table` holds inf at row 3, column 1, counted from 0 (2 such cells"),
            "{message}"
        );
    }
    let empty = Standardiser::fit(&Array2::zeros((0, 3)), "x");
    assert!(matches!(empty, Err(GpError::NoRows { argument: "x" })));
}

#[test]
fn another_width_is_refused() {
    let message = fit(&array![[1.0, 2.0]]).apply(&array![[1.0]]).unwrap_err().to_string();
    assert!(message.starts_with("`x` has 1 columns, expected 2"), "{message}");
}

#[test]
fn the_identity_changes_no_bit() {
    let x = array![[0.1, -0.0], [f64::MAX, 1e-310]];
    let identity = Standardiser::identity(2);
    assert_eq!(identity.apply(&x).unwrap(), x);
    assert_eq!(identity.undo(&x).unwrap(), x);
}

fn tables() -> impl Strategy<Value = Array2<f64>> {
    (1..30usize, 1..4usize, -1e3..1e3f64).prop_flat_map(|(n, d, offset)| {
        prop::collection::vec(-10.0..10.0f64, n * d)
            .prop_map(move |x| Array2::from_shape_vec((n, d), x).unwrap() + offset)
    })
}

proptest! {
    #[test]
    fn undo_undoes_apply(x in tables()) {
        let scaling = fit(&x);
        let back = scaling.undo(&scaling.apply(&x).unwrap()).unwrap();
        for (a, b) in back.iter().zip(&x) {
            prop_assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()));
        }
    }

    #[test]
    fn a_power_of_two_changes_no_bit(x in tables(), power in -40..40i32) {
        let factor = 2f64.powi(power);
        let (plain, scaled) = (fit(&x), fit(&(&x * factor)));
        let [a, b] = [plain.apply(&x).unwrap(), scaled.apply(&(&x * factor)).unwrap()];
        if plain.constant().is_empty() {
            prop_assert_eq!(bits(&a), bits(&b));
        }
        prop_assert_eq!(plain.constant(), scaled.constant());
    }

    #[test]
    fn any_other_unit_changes_rounding_only(x in tables(), power in -9.0..9.0f64) {
        let factor = 10f64.powf(power);
        let (plain, scaled) = (fit(&x), fit(&(&x * factor)));
        prop_assume!(plain.constant().is_empty());
        let [a, b] = [plain.apply(&x).unwrap(), scaled.apply(&(&x * factor)).unwrap()];
        // An offset of 1e3 over a spread of 1e-1 or more costs as many digits.
        for (a, b) in a.iter().zip(&b) {
            prop_assert!((a - b).abs() <= 1e-11 / plain.scale()[0].min(1.0));
        }
    }

    #[test]
    fn json_keeps_every_bit(x in tables()) {
        let scaling = fit(&x);
        let text = serde_json::to_string(&scaling).unwrap();
        let back: Standardiser = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(back.apply(&x).unwrap(), scaling.apply(&x).unwrap());
        prop_assert_eq!(back, scaling);
    }

    #[test]
    fn the_order_of_columns_is_kept(x in tables()) {
        let reversed: Vec<usize> = (0..x.ncols()).rev().collect();
        let [a, b] = [fit(&x), fit(&x.select(Axis(1), &reversed))];
        let turned: Vec<f64> = b.scale().iter().rev().copied().collect();
        prop_assert_eq!(a.scale(), turned);
    }
}

#[test]
fn spreads_that_cannot_be_squared_are_refused() {
    for (unit, word) in [(1e155, "large"), (1e-155, "small")] {
        let scaling = Standardiser::fit(&array![[0.0, unit], [1.0, -unit]], "y").unwrap();
        let error = scaling.check_squares("y").unwrap_err().to_string();
        assert!(error.starts_with("column 1 of `y`") && error.contains(word), "{error}");
    }
    let constant = Standardiser::fit(&array![[1e200], [1e200]], "y").unwrap();
    assert!(constant.check_squares("y").is_ok());
}

#[test]
fn scalings_in_files_are_checked() {
    let whole = serde_json::to_string(&Standardiser::identity(1)).unwrap();
    assert!(serde_json::from_str::<Standardiser>(&whole).is_ok());
    for wrong in ["[0.0]", "[-1.0]", "[1.0,1.0]", "[]"] {
        let text = whole.replace("\"scale\":[1.0]", &format!("\"scale\":{wrong}"));
        assert!(serde_json::from_str::<Standardiser>(&text).is_err(), "{wrong}");
    }
}
