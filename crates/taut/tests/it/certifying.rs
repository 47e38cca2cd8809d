//! `taut certify`: the table, the report, other hyperparameters.

use serde_json::{Value, json};

use crate::support::{Place, at, close};

const UPPER: &[&str] = &[
    "trace",
    "arithmetic-geometric",
    "water-filling",
    "hadamard",
    "block-hadamard",
    "fitc",
    "pitc",
    "vecchia",
    "residual-vecchia",
    "vif",
];
const QUAD: &[&str] = &["auxiliary", "cauchy-schwarz", "shifted-nystrom"];

fn certify(place: &Place, options: &str) -> Value {
    place.taut(&format!("certify m.taut --report c.json {options}")).ok();
    place.json("c.json")
}

#[test]
fn every_bound_is_on_its_side() {
    let place = Place::with_model();
    let report = certify(&place, "--inducing 10 --neighbours 5");
    let lml = &report["lml"];
    assert!(at(lml, "/lower") <= at(lml, "/exact") && at(lml, "/exact") <= at(lml, "/upper"));
    let width = at(lml, "/upper") - at(lml, "/lower");
    close(width, at(lml, "/slack/quad") + at(lml, "/slack/logdet"), 1e-9);
    let find = |name: &str| {
        let rows = report["bounds"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == json!(name)).unwrap().clone()
    };
    for name in UPPER {
        let row = find(name);
        assert_eq!((&row["quantity"], &row["side"]), (&json!("logdet"), &json!("upper")), "{name}");
        assert!(at(&row, "/value") >= at(&find("nystrom-log-det"), "/value"));
        assert!(at(&row, "/slack") >= 0.0 && at(&row, "/seconds") >= 0.0);
        assert!(row["skipped"].is_null());
    }
    assert_eq!(find("nystrom-log-det")["side"], json!("lower"));
    for name in QUAD {
        assert_eq!(find(name)["quantity"], json!("quad"), "{name}");
    }
    let ends: Vec<Value> = report["bounds"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["quantity"] == json!("lml"))
        .cloned()
        .collect();
    assert_eq!(ends.len(), 2);
    assert_eq!(ends[0]["value"], lml["lower"]);
    assert_eq!(ends[1]["value"], lml["upper"]);
    assert!(UPPER.iter().any(|name| lml["bound"] == json!(name)), "{}", lml["bound"]);
}

#[test]
fn the_report_has_every_key() {
    let place = Place::with_model();
    let report = certify(&place, "");
    for key in [
        "kernel",
        "n",
        "d",
        "units",
        "params",
        "lml",
        "bounds",
        "cg",
        "seconds",
        "peak_rss_bytes",
        "warnings",
    ] {
        assert!(!report[key].is_null(), "{key}");
    }
    let lml = [
        "lower",
        "upper",
        "exact",
        "estimate",
        "standard_error",
        "slack",
        "bound",
        "bound_lower",
        "original_offset",
    ];
    lml.iter().for_each(|key| assert!(report["lml"].get(key).is_some(), "{key}"));
    for row in report["bounds"].as_array().unwrap() {
        for key in ["name", "quantity", "side", "value", "slack", "seconds", "skipped"] {
            assert!(row.get(key).is_some(), "{key} in {row}");
        }
    }
    assert_eq!((at(&report, "/n"), at(&report, "/d")), (30.0, 2.0));
    let fitted = place.fit("t.csv --target y --drop z --starts 1");
    assert_eq!(report["params"], fitted["params"]);
    close(at(&report, "/lml/exact"), at(&fitted, "/lml/exact"), 1e-12);
    assert_eq!(report["lml"]["original_offset"], fitted["lml"]["original_offset"]);
}

#[test]
fn the_table_names_every_bound() {
    let place = Place::with_model();
    let out = place.taut("certify m.taut").ok().out;
    for name in UPPER.iter().chain(QUAD).chain(&["nystrom-log-det", "exact"]) {
        assert!(out.contains(name), "{name} in {out}");
    }
    assert!(out.contains("<= log marginal likelihood <="), "{out}");
}

#[test]
fn bounds_can_be_chosen() {
    let place = Place::with_model();
    let names = |report: &Value| -> Vec<String> {
        let rows = report["bounds"].as_array().unwrap().iter();
        rows.filter(|row| row["quantity"] != json!("lml"))
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&certify(&place, "--bounds hadamard,auxiliary")), ["hadamard", "auxiliary"]);
    let all = names(&certify(&place, "--bounds all"));
    assert_eq!(all.len(), bounds::log_det_catalogue().len() + QUAD.len());
    let free = names(&certify(&place, "--bounds free"));
    assert_eq!(free.len(), UPPER.len() + 1 + QUAD.len());
    assert!(free.iter().all(|name| all.contains(name)));
    assert_eq!(names(&certify(&place, "")), free);
    let one_side = certify(&place, "--bounds trace");
    assert!(one_side["lml"]["lower"].is_null() && one_side["lml"]["upper"].is_null());
    place.taut("certify m.taut --bounds tight").refused(2, "`tight`", "water-filling");
}

#[test]
fn the_exact_value_is_left_out_above_its_limit() {
    let place = Place::with_model();
    let report = certify(&place, "--exact-limit 29");
    assert!(report["lml"]["exact"].is_null());
    assert!(report["lml"]["lower"].is_f64() && report["lml"]["upper"].is_f64());
}

/// Hyperparameters of another program, in either units, for the data of a model.
#[test]
fn other_hyperparameters_can_be_certified() {
    let place = Place::with_model();
    let params = r#"{"kernel": {"type": "rq", "lengthscales": [0.7, 1.9], "variance": 0.8, "alpha": 1.3},
                     "noise_variance": 0.03, "mean": 0.4, "units": "original"}"#;
    place.write("p.json", params);
    let report = certify(&place, "--params p.json --inducing 8");
    assert_eq!(report["kernel"], json!("rq"));
    let lml = &report["lml"];
    assert!(at(lml, "/lower") <= at(lml, "/exact") && at(lml, "/exact") <= at(lml, "/upper"));
    let fitted = place.fit("t.csv --target y --drop z --no-train --params p.json");
    close(at(lml, "/exact"), at(&fitted, "/lml/exact"), 1e-10);
    place.write("flat.json", r#"{"lengthscale": 1, "variance": 1, "noise_variance": 0.2}"#);
    assert_eq!(certify(&place, "--params flat.json")["kernel"], json!("matern32"));
    place.taut("certify m.taut --params t.csv").refused(1, "t.csv: is not JSON", "");
}

#[test]
fn several_targets_and_unscaled_models_are_certified_too() {
    let place = Place::with_tables();
    for options in [
        "--target y,z",
        "--target y --no-scale",
        "--target y --mean linear --kernel se+linear+white",
    ] {
        place.taut(&format!("fit t.csv {options} --starts 1 --max-iters 5 --out m.taut")).ok();
        let lml = certify(&place, "--inducing 12 --neighbours 6")["lml"].clone();
        assert!(at(&lml, "/lower") <= at(&lml, "/exact"), "{options}");
        assert!(at(&lml, "/exact") <= at(&lml, "/upper"), "{options}");
    }
}

/// Without anything to build a bound on, the bound says so and the others stand.
#[test]
fn no_inducing_points_leave_what_needs_none() {
    let place = Place::with_model();
    let report = certify(&place, "--inducing 0 --neighbours 0");
    let skipped = |row: &&Value| row["value"].is_null() && row["quantity"] != json!("lml");
    let rows = report["bounds"].as_array().unwrap();
    for row in rows.iter().filter(skipped) {
        assert!(row["skipped"].is_string(), "{row}");
    }
    let lml = &report["lml"];
    assert!(at(lml, "/lower") <= at(lml, "/exact"));
}

/// Rows given twice with almost no noise: the bounds stand where the factorisation fails.
#[test]
fn a_failing_factorisation_leaves_the_bounds() {
    let place = Place::with_model();
    place.write("d.csv", "a,b,y,z\n1,1,1,0\n1,1,1,0\n1,1,1,0\n2,1,0.5,0\n");
    let fit = "fit d.csv --target y --drop z --starts 1 --out m.taut";
    place.taut(fit).ok();
    let tiny = r#"{"lengthscale": 1, "variance": 1, "noise_variance": 1e-17}"#;
    place.write("p.json", tiny);
    let run = place.taut("certify m.taut --params p.json --report c.json").ok();
    assert!(run.out.contains("warning: the exact value is left out"), "{}", run.out);
    let report = place.json("c.json");
    assert!(report["lml"]["exact"].is_null() && report["exact_terms"].is_null());
    assert!(report["bounds"].as_array().unwrap().iter().any(|row| row["value"].is_f64()));
}

#[test]
fn large_numbers_keep_to_their_columns() {
    let place = Place::with_model();
    place.write("p.json", r#"{"lengthscale": 1, "variance": 1e300, "noise_variance": 1e-100}"#);
    let run = place.taut("certify m.taut --params p.json --inducing 5 --neighbours 2");
    assert!(run.out.lines().all(|line| line.len() < 200), "{}", run.out);
    assert!(!place.taut("certify m.taut").ok().out.contains(" -0.0000"));
    place.write("big.csv", "x\n1e300\n-1e300\n");
    assert!(place.taut("data describe big.csv").ok().out.lines().all(|line| line.len() < 120));
}
