//! `--method auto`: what it chooses, and that it says so.

use serde_json::{Value, json};

use crate::support::{Place, at, close, table};

const FIT: &str = "t.csv --target y --drop z --starts 1 --max-iters 2";

fn method(report: &Value) -> &str {
    report["method"].as_str().unwrap()
}

#[test]
fn small_tables_are_exact_and_larger_ones_are_not() {
    let place = Place::with_tables();
    assert_eq!(method(&place.fit(FIT)), "exact");
    let run = place.taut(&format!("fit {FIT} --exact-limit 29 --inducing 10 --report r.json")).ok();
    let report = place.json("r.json");
    assert_eq!(method(&report), "cglb");
    assert_eq!((&report["bound"], &report["inducing"]), (&json!("vecchia"), &json!(10)));
    assert_eq!(report["lml"]["exact"], Value::Null);
    assert!(run.err.contains("note: method cglb, vecchia, 10 inducing points"), "{}", run.err);
}

/// An option that the exact method would ignore says that another is meant.
#[test]
fn options_narrow_the_choice() {
    let place = Place::with_tables();
    place.write("z.csv", "a,b\n1,2\n0,1\n");
    for option in
        ["--bound hadamard", "--select random", "--inducing-points z.csv", "--cg-max-steps 50"]
    {
        let report = place.fit(&format!("{FIT} {option} --neighbours 4"));
        assert_eq!(method(&report), "cglb", "{option}");
    }
    assert_eq!(place.fit(&format!("{FIT} --bound hadamard"))["bound"], json!("hadamard"));
    // Those that are kept for `taut certify` do not.
    assert_eq!(method(&place.fit(&format!("{FIT} --inducing 5 --neighbours 3"))), "exact");
    place.taut(&format!("fit {FIT} --bound tight")).refused(2, "`tight`", "vecchia");
}

/// Case 31: too little memory for the exact method leads to one that fits.
#[test]
fn memory_decides() {
    let place = Place::new();
    place.write("t.csv", &table(400));
    // 1.28 MB would be one matrix.
    let report = place.fit(&format!("{FIT} --memory 0.0018 --neighbours 5"));
    assert_eq!(method(&report), "cglb");
    assert!(at(&report, "/inducing") < 400.0);
    let run = place.taut(&format!("fit {FIT} --method exact --memory 0.0018"));
    let run = run.refused(1, "400 rows", "--method cglb --inducing");
    assert!(run.err.contains("MB of memory") && run.err.contains("--memory GB"), "{}", run.err);
}

/// Where time is short, hyperparameters come from some rows and the posterior from all.
#[test]
fn time_decides() {
    let place = Place::new();
    place.write("t.csv", &table(2_500));
    place.write("new.csv", &table(50));
    let fit = "t.csv --target y --drop z --starts 1 --max-iters 3 --inducing 20 --neighbours 5 --time 0.3";
    let report = place.fit(fit);
    assert_eq!((method(&report), at(&report, "/n_train")), ("sgpr", 2_500.0));
    let report = place.fit(&format!("{fit} --bound hadamard"));
    assert_eq!((method(&report), at(&report, "/n_train")), ("cglb", 2_500.0));
    let said = report["warnings"].to_string();
    assert!(said.contains("trained on 1000 of the 2500 rows") && said.contains("seed"), "{said}");
    assert!(at(&report, "/lml/lower") < at(&report, "/lml/upper"));
    // The same hyperparameters conditioned on all rows give the same predictions.
    let predicted = |model: &str| place.taut(&format!("predict {model} new.csv")).ok().out;
    let automatic = predicted("t.taut");
    place.write("p.json", &report["params"].to_string());
    let whole = "t.csv --target y --drop z --params p.json --no-train --method cglb --bound hadamard --inducing 20";
    place.fit(&format!("{whole} --neighbours 5 --out whole.taut"));
    let (a, b) =
        (crate::support::numbers(&automatic), crate::support::numbers(&predicted("whole.taut")));
    for (a, b) in a.concat().iter().zip(b.concat()) {
        close(*a, b, 1e-9);
    }
}
