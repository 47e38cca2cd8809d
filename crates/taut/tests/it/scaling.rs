//! Units: columns measured otherwise give the same model.

use crate::support::{Place, at, close, numbers};

/// The table with column `a` in other units.
fn rescaled(text: &str, factor: f64) -> String {
    let line = |(i, line): (usize, &str)| {
        let (a, rest) = line.split_once(',').unwrap();
        if i == 0 {
            format!("{line}\n")
        } else {
            format!("{},{rest}\n", a.parse::<f64>().unwrap() * factor)
        }
    };
    text.lines().enumerate().map(line).collect()
}

fn predictions(place: &Place, model: &str, factor: f64) -> Vec<f64> {
    place.write("q.csv", &rescaled("a,b\n0.3,0.5\n-1.25,2\n7,1\n", factor));
    numbers(&place.taut(&format!("predict {model} q.csv")).ok().out).concat()
}

/// Case 36 at fixed hyperparameters: in standardised units nothing changes, in original units the
/// lengthscale changes by the factor.
#[test]
fn a_column_in_large_or_small_units_changes_nothing() {
    let place = Place::with_tables();
    place.write(
        "p.json",
        r#"{"lengthscales": [0.7, 1.1], "variance": 1.2, "noise_variance": 0.05, "mean": 0.1}"#,
    );
    let fixed = "--target y --drop z --params p.json --no-train --out m.taut";
    let lml = at(&place.fit(&format!("t.csv {fixed}")), "/lml/exact");
    let expected = predictions(&place, "m.taut", 1.0);
    for factor in [1e6, 1e-6] {
        place.write("scaled.csv", &rescaled(&place.read("t.csv"), factor));
        close(at(&place.fit(&format!("scaled.csv {fixed}")), "/lml/exact"), lml, 1e-8);
        for (found, expected) in predictions(&place, "m.taut", factor).iter().zip(&expected) {
            close(*found, *expected, 1e-8);
        }
        let length = 0.7 * factor;
        place.write(
            "o.json",
            &format!(
                r#"{{"lengthscales": [{length}, 1.1], "variance": 1.2, "noise_variance": 0.05}}"#
            ),
        );
        let unscaled = |table: &str, params: &str| {
            let options = "--target y --drop z --no-train --no-scale --out n.taut";
            at(&place.fit(&format!("{table} {options} --params {params}")), "/lml/exact")
        };
        place.write(
            "u.json",
            r#"{"lengthscales": [0.7, 1.1], "variance": 1.2, "noise_variance": 0.05}"#,
        );
        close(unscaled("scaled.csv", "o.json"), unscaled("t.csv", "u.json"), 1e-8);
    }
}

/// Case 36 after training: a power of two changes no bit of the standardised columns.
#[test]
fn training_in_other_units_finds_the_same_model() {
    let place = Place::with_tables();
    let fit = "--target y --drop z --starts 2 --out";
    let factor = 2.0_f64.powi(20);
    place.write("scaled.csv", &rescaled(&place.read("t.csv"), factor));
    let plain = place.fit(&format!("t.csv {fit} plain.taut"));
    let scaled = place.fit(&format!("scaled.csv {fit} scaled.taut"));
    assert_eq!(plain["params"], scaled["params"]);
    assert_eq!(predictions(&place, "plain.taut", 1.0), predictions(&place, "scaled.taut", factor));
}

/// Case 41: the evidence in both scales, by name.
#[test]
fn the_evidence_is_given_in_both_scales() {
    let place = Place::new();
    let row = |i: u32| {
        let x = f64::from(i) / 19.0;
        format!("{x},{}\n", 100.0 + 50.0 * (6.0 * x).sin())
    };
    place.write("t.csv", &format!("x,y\n{}", (0..20).map(row).collect::<String>()));
    let params = |length: f64, units: &str| {
        format!(
            r#"{{"lengthscale": {length}, "variance": 1, "noise_variance": 0.01, "units": "{units}"}}"#
        )
    };
    // Case 41 leaves x as it is: its lengthscale 0.2 is 0.2/s in units of x's deviation s.
    let mean = 0.5;
    let s = ((0..20).map(|i| (f64::from(i) / 19.0 - mean).powi(2)).sum::<f64>() / 20.0).sqrt();
    place.write("p.json", &params(0.2 / s, "standardised"));
    let report = place.fit("t.csv --target y --kernel se --params p.json --no-train");
    close(at(&report, "/lml/exact"), 8.099_399_341_1, 1e-9);
    let original = at(&report, "/lml/exact") + at(&report, "/lml/original_offset");
    close(original, -63.159_059_099_5, 1e-9);
}

/// Case 41: mapped hyperparameters predict the same, with the target scaled or not.
#[test]
fn mapped_hyperparameters_predict_the_same() {
    let place = Place::new();
    place.write("t.csv", "x,y\n20,740\n20,680\n140,1260\n140,1200\n");
    place.write(
        "p.json",
        r#"{"lengthscale": 50, "variance": 60000, "noise_variance": 900, "mean": 970, "units": "original"}"#,
    );
    let fixed = "t.csv --target y --kernel se --params p.json --no-train";
    place.fit(&format!("{fixed} --out scaled.taut"));
    place.fit(&format!("{fixed} --no-scale --out plain.taut"));
    place.write("q.csv", "x\n20\n80\n300\n");
    let rows =
        |model: &str| numbers(&place.taut(&format!("predict {model} q.csv")).ok().out).concat();
    rows("scaled.taut").iter().zip(rows("plain.taut")).for_each(|(a, b)| close(*a, b, 1e-10));
}

/// A smooth trend leaves a constant mean free to run away; with another mean nothing is said.
#[test]
fn a_mean_far_outside_the_targets_is_explained() {
    let place = Place::new();
    let rows: String = (0..40_i32)
        .map(|i| {
            format!("{},{}\n", f64::from(i) / 4.0, 0.25 * f64::from(i) + 1e-3 * f64::from(i.pow(3)))
        })
        .collect();
    place.write("trend.csv", &format!("x,y\n{rows}"));
    let warned = |options: &str| {
        let report = place.fit(&format!("trend.csv --target y --kernel se {options}"));
        report["warnings"].to_string().contains("`--mean zero` fixes it")
    };
    assert!(warned(""));
    assert!(!warned("--mean zero"));
    assert!(!warned("--fix mean"));
}

/// A variance in the target's own units must be a number.
#[test]
fn spreads_that_cannot_be_squared_are_refused() {
    let place = Place::with_tables();
    for (power, word) in [("e160", "too large to square"), ("e-160", "too small to square")] {
        let rows: String = (1..9).map(|row| format!("{row},{}{power}\n", row * row)).collect();
        place.write("big.csv", &format!("x,far\n{rows}"));
        for options in ["", "--no-scale"] {
            let fit = format!("fit big.csv --target far --starts 1 {options}");
            let run = place.taut(&fit).refused(1, word, "rescale it");
            assert!(run.err.contains("column `far`"), "{}", run.err);
        }
    }
}
