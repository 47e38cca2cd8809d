//! `--params` in every form, `--fix` and `--no-train`.

use serde_json::{Value, json};

use crate::support::{Place, at, close};

const FIXED: &str = "t.csv --target y --drop z --no-train";

fn lml(place: &Place, params: &str, options: &str) -> f64 {
    place.write("p.json", params);
    at(&place.fit(&format!("{FIXED} --params p.json {options}")), "/lml/exact")
}

#[test]
fn flat_and_nested_forms_mean_the_same() {
    let place = Place::with_tables();
    let nested = r#"{"kernel": {"type": "matern32", "lengthscales": [0.8, 0.8], "variance": 1.5},
                     "noise_variance": 0.05, "mean": 0.2, "units": "standardised"}"#;
    let expected = lml(&place, nested, "");
    let flat = r#"{"lengthscale": 0.8, "variance": 1.5, "noise_variance": 0.05, "mean": 0.2}"#;
    assert_eq!(lml(&place, flat, ""), expected);
    assert_eq!(lml(&place, &flat.replace("0.8", "[0.8, 0.8]"), ""), expected);
    assert_eq!(lml(&place, &flat.replace("lengthscale", "lengthscales"), ""), expected);
    for mean in
        [r#"{"type": "constant", "value": 0.2}"#, r#"{"weights": [0, 0], "intercept": 0.2}"#]
    {
        close(
            lml(&place, &nested.replace("\"mean\": 0.2", &format!("\"mean\": {mean}")), ""),
            expected,
            1e-12,
        );
    }
    assert_ne!(lml(&place, flat, "--kernel se"), expected);
    assert_ne!(lml(&place, flat, "--kernel rq"), expected);
    assert_ne!(lml(&place, flat, "--mean zero"), expected);
    let white = nested.replace("\"noise_variance\": 0.05", "\"noise_variance\": 0.03");
    let kernel = r#"{"type": "sum", "terms": [{"type": "matern32", "lengthscales": [0.8], "variance": 1.5}, {"type": "white", "variance": 0.02}]}"#;
    let white = white
        .replace(r#"{"type": "matern32", "lengthscales": [0.8, 0.8], "variance": 1.5}"#, kernel);
    close(lml(&place, &white, ""), expected, 1e-12);
}

#[test]
fn shape_parameters_say_which_kernel_is_meant() {
    let place = Place::with_tables();
    let kernel = |params: &str, options: &str| {
        place.write("p.json", params);
        place.fit(&format!("{FIXED} --params p.json {options}"))["params"]["kernel"].clone()
    };
    let flat = r#"{"lengthscale": 1, "variance": 1, "noise_variance": 0.1, "SHAPE": 2.5}"#;
    let rational = kernel(&flat.replace("SHAPE", "alpha"), "");
    assert_eq!((&rational["type"], &rational["alpha"]), (&json!("rq"), &json!(2.5)));
    let periodic = kernel(&flat.replace("SHAPE", "period"), "--kernel periodic");
    assert_eq!((&periodic["type"], &periodic["period"]), (&json!("periodic"), &json!(2.5)));
}

/// A report and a model give the hyperparameters they hold.
#[test]
fn reports_and_models_are_parameter_files() {
    let place = Place::with_tables();
    let fitted = place.fit("t.csv --target y --drop z --starts 1 --out m.taut");
    place.write("old.json", &place.read("r.json"));
    for file in ["old.json", "m.taut"] {
        let again = place.fit(&format!("{FIXED} --params {file} --out again.taut"));
        assert_eq!(again["params"], fitted["params"], "{file}");
        assert_eq!(again["lml"], fitted["lml"], "{file}");
        assert_eq!(place.read("again.taut"), place.read("m.taut"), "{file}");
    }
}

/// Numbers in original units on standardised data equal the same numbers on unscaled data, up to
/// the change of units of the density; and the other way round.
#[test]
fn units_are_converted_both_ways() {
    let place = Place::with_tables();
    let original = r#"{"lengthscales": [0.9, 2.0], "variance": 0.7, "noise_variance": 0.02, "mean": 0.5, "units": "original"}"#;
    place.write("p.json", original);
    let scaled = place.fit(&format!("{FIXED} --params p.json --out scaled.taut"));
    let unscaled = place.fit(&format!("{FIXED} --params p.json --no-scale --out unscaled.taut"));
    let total = at(&scaled, "/lml/exact") + at(&scaled, "/lml/original_offset");
    close(total, at(&unscaled, "/lml/exact"), 1e-9);
    assert_eq!(at(&unscaled, "/params/noise_variance"), 0.02);
    let predictions = |model: &str| place.taut(&format!("predict {model} new.csv")).ok().out;
    let (a, b) = (predictions("scaled.taut"), predictions("unscaled.taut"));
    for (a, b) in crate::support::numbers(&a).iter().zip(&crate::support::numbers(&b)) {
        a.iter().zip(b).for_each(|(a, b)| close(*a, *b, 1e-9));
    }
    // The standardised numbers of the first model, used on unscaled data.
    place.write("s.json", &scaled["params"].to_string());
    let back = place.fit(&format!("{FIXED} --params s.json --no-scale"));
    close(at(&back, "/params/kernel/variance"), 0.7, 1e-12);
    close(at(&back, "/lml/exact"), at(&unscaled, "/lml/exact"), 1e-9);
}

#[test]
fn training_starts_from_the_file() {
    let place = Place::with_tables();
    let params = r#"{"lengthscales": [1, 1], "variance": 1, "noise_variance": 0.1, "mean": 0}"#;
    place.write("p.json", params);
    let start = at(&place.fit(&format!("{FIXED} --params p.json")), "/lml/exact");
    let trained = place.fit("t.csv --target y --drop z --params p.json");
    assert!(at(&trained, "/lml/exact") > start);
    assert_eq!(trained["train"]["starts"].as_array().unwrap().len(), 1);
}

#[test]
fn fixed_parameters_stay() {
    let place = Place::with_tables();
    let params =
        r#"{"lengthscales": [0.5, 1.7], "variance": 1.1, "noise_variance": 0.25, "mean": 0.1}"#;
    place.write("p.json", params);
    let fit = |fix: &str| {
        let report = place.fit(&format!("t.csv --target y --drop z --params p.json --fix {fix}"));
        report["params"].clone()
    };
    let noise = fit("noise_variance");
    assert_eq!(noise["noise_variance"], json!(0.25));
    assert_ne!(noise["kernel"]["variance"], json!(1.1));
    let lengths = fit("kernel.lengthscales,mean");
    assert_eq!(lengths["kernel"]["lengthscales"], json!([0.5, 1.7]));
    assert_eq!(lengths["mean"], json!(0.1));
    let one = fit("kernel.lengthscales[1]");
    assert_eq!(one["kernel"]["lengthscales"][1], json!(1.7));
    assert_ne!(one["kernel"]["lengthscales"][0], json!(0.5));
    let all = fit("kernel,noise_variance,mean");
    assert_eq!(all["noise_variance"], json!(0.25));
    assert_eq!(all["kernel"]["variance"], json!(1.1));
}

#[test]
fn nothing_is_trained_when_told_so() {
    let place = Place::with_tables();
    place.write("p.json", r#"{"lengthscale": 1, "variance": 1, "noise_variance": 1e-7}"#);
    let report = place.fit(&format!("{FIXED} --params p.json"));
    // Below the floor of training, and accepted as it is: case 5.
    assert_eq!(at(&report, "/params/noise_variance"), 1e-7);
    assert_eq!(at(&report, "/train/iterations"), 0.0);
    assert_eq!(report["train"]["stop_reason"], Value::Null);
    assert_eq!(report["seconds"]["train"], Value::Null);
}
