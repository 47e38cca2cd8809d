//! Options of methods on inducing points: where the points come from, and what is refused.

use serde_json::{Value, json};

use crate::support::{Place, at, close, table};

const FIT: &str = "t.csv --target y --drop z";
const PARAMS: &str =
    r#"{"lengthscales": [0.7, 1.1], "variance": 1.2, "noise_variance": 0.05, "mean": 0.1}"#;
const SPARSE: &[&str] = &["sgpr", "cglb"];

fn conditioned(place: &Place, options: &str) -> Value {
    place.write("p.json", PARAMS);
    place.fit(&format!("{FIT} --params p.json --no-train {options}"))
}

#[test]
fn points_are_chosen_in_three_ways() {
    let place = Place::new();
    place.write("t.csv", &table(200));
    let elbo = |select: &str| {
        at(&conditioned(&place, &format!("--method sgpr --inducing 15 {select}")), "/elbo")
    };
    let ways = ["--select greedy", "--select kmeans", "--select random"].map(elbo);
    assert_eq!(elbo(""), ways[0]);
    assert!(ways[0] != ways[1] && ways[1] != ways[2] && ways[0] != ways[2], "{ways:?}");
    assert!(ways[0] > ways[2], "{ways:?}");
    assert_ne!(elbo("--select random --seed 3"), ways[2]);
    assert_eq!(elbo("--select greedy --seed 3"), ways[0]);
}

/// Points brought along are in the table's units, by column name.
#[test]
fn points_are_brought_along() {
    let place = Place::with_tables();
    place.write("z.csv", "b,a\n0.5,1\n1.5,-1\n2,0.25\n");
    place.write("w.csv", "a,note,b\n1,x,0.5\n-1,x,1.5\n0.25,x,2\n");
    for method in SPARSE {
        let given = |file: &str, options: &str| {
            conditioned(&place, &format!("--method {method} --inducing-points {file} {options}"))
        };
        let scaled = given("z.csv", "");
        assert_eq!(scaled["inducing"], json!(3));
        assert_eq!(scaled["lml"], given("w.csv", "")["lml"]);
        assert_eq!(scaled["elbo"], given("w.csv", "")["elbo"]);
        // The model holds them in its own scale.
        let unscaled = "--params p.json --no-train --no-scale --out u.taut";
        place.taut(&format!("fit {FIT} {unscaled} --method {method} --inducing-points z.csv")).ok();
        assert_eq!(points(&place, "u.taut"), json!([1.0, 0.5, -1.0, 1.5, 0.25, 2.0]));
    }
}

/// The inducing points a model holds, row by row.
fn points(place: &Place, model: &str) -> Value {
    let part = &place.json(model)["content"]["method"];
    let found = part.pointer("/sgpr/z/data").or(part.pointer("/cglb/correction/z/data"));
    found.unwrap().clone()
}

/// Training moves the points, unless they are held or the bound does not depend on them.
#[test]
fn points_can_be_held() {
    let place = Place::with_tables();
    place.write("z.csv", "a,b\n1,0.5\n-1,1.5\n0.25,2\n");
    let held = json!([1.0, 0.5, -1.0, 1.5, 0.25, 2.0]);
    for method in ["sgpr", "cglb", "cglb --bound vecchia"] {
        let z = |fix: &str| {
            let fit = "--no-scale --starts 1 --max-iters 5 --inducing-points z.csv";
            place.taut(&format!("fit {FIT} {fit} --method {method} {fix}")).ok();
            points(&place, "t.taut")
        };
        assert_eq!(z("--fix inducing_points"), held, "{method}");
        assert_eq!(z("") == held, method.contains("vecchia"), "{method}");
    }
    place.taut(&format!("fit {FIT} --method exact --fix inducing_points")).refused(
        2,
        "--fix inducing_points",
        "--method sgpr",
    );
}

/// Case 25 at the shell: none, as many as rows, more than rows.
#[test]
fn case_25_few_and_many_points() {
    let place = Place::with_tables();
    for method in SPARSE {
        let with = |options: &str| {
            conditioned(&place, &format!("--method {method} --jitter 1e-11 {options}"))
        };
        let (all, exact) = (with("--inducing 30"), conditioned(&place, "--method exact"));
        close(at(&all, "/elbo"), at(&exact, "/lml/exact"), 1e-6);
        let more = with("--inducing 300");
        assert_eq!((&more["inducing"], &more["elbo"]), (&json!(30), &all["elbo"]));
        assert!(more["warnings"].to_string().contains("300 inducing points asked for 30 rows"));
        assert!(!all["warnings"].to_string().contains("inducing"), "{}", all["warnings"]);
        assert_eq!(with("")["elbo"], all["elbo"]);
        let none = with("--inducing 0");
        assert_eq!(none["inducing"], json!(0));
        assert!(at(&none, "/elbo") < at(&all, "/elbo"));
        assert!(at(&none, "/lml/lower") <= at(&none, "/lml/exact"));
        place.taut("predict t.taut new.csv").ok();
    }
    // N(y; 0, σ²I) − tr(K)/(2σ²), by hand.
    place.write("two.csv", "x,y\n0,1\n1,-2\n");
    place.write("q.json", r#"{"lengthscale": 1, "variance": 1, "noise_variance": 0.1}"#);
    let none =
        "two.csv --target y --params q.json --no-train --no-scale --method sgpr --inducing 0";
    let expected =
        -0.5 * (5.0 / 0.1 + 2.0 * (0.1_f64).ln() + 2.0 / 0.1) - (2.0 * std::f64::consts::PI).ln();
    close(at(&place.fit(none), "/elbo"), expected, 1e-12);
}

/// Case 6: repeated points do no harm.
#[test]
fn repeated_points_are_harmless() {
    let place = Place::new();
    place.write("two.csv", "x,y\n0,1\n1,0.5\n");
    place.write("z.csv", "x\n0.3\n0.3\n0.9\n");
    place.write("q.json", r#"{"lengthscale": 0.2, "variance": 1, "noise_variance": 0.1}"#);
    let fit = "--target y --params q.json --kernel se --no-train --no-scale --method sgpr --inducing-points z.csv";
    for (jitter, expected) in [("1e-8", -9.143_771_618_4), ("1e-6", -9.143_775_908_3)] {
        let report = place.fit(&format!("two.csv {fit} --jitter {jitter}"));
        close(at(&report, "/elbo"), expected, 1e-9);
        assert_eq!(at(&report, "/jitter"), jitter.parse::<f64>().unwrap());
    }
}

#[test]
fn files_of_points_are_checked() {
    let place = Place::with_tables();
    let bad = |text: &str, cause: &str, remedy: &str| {
        place.write("z.csv", text);
        let fit = format!("fit {FIT} --method sgpr --inducing-points");
        place.taut(&format!("{fit} z.csv")).refused(1, cause, remedy);
    };
    bad("a,b\n1,nan\n", "z.csv", "inducing point");
    bad("a,b\n1,inf\n", "`inf`", "inducing point");
    bad("a,b\n1,\n", "is empty", "inducing point");
    bad("a,b\n1,two\n", "`two`", "");
    bad("a\n1\n", "lacks the column `b`", "inputs");
    bad("a,b\n1\n", "z.csv", "");
    bad("a,b\n", "no rows", "");
    let fit = format!("fit {FIT} --method sgpr --inducing-points");
    place.taut(&format!("{fit} absent.csv")).refused(1, "absent.csv", "");
    place.write("z.csv", "a,b\n1,2\n");
    place.taut(&format!("{fit} z.csv --report z.csv")).refused(2, "z.csv", "different names");
    place.taut(&format!("{fit} z.csv --inducing 3")).refused(2, "--inducing", "");
    place.taut(&format!("{fit} z.csv --select random")).refused(2, "--select", "");
}

/// An option that would make no difference is refused by its name.
#[test]
fn options_of_other_methods_are_refused() {
    let place = Place::with_tables();
    place.write("z.csv", "a,b\n1,2\n");
    for option in ["--select kmeans", "--inducing-points z.csv"] {
        let name = option.split(' ').next().unwrap();
        place.taut(&format!("fit {FIT} --method exact {option}")).refused(2, name, "--method sgpr");
    }
    place.taut(&format!("fit {FIT} --method sgpr --select best")).refused(2, "'best'", "");
    place.taut(&format!("fit {FIT} --method sgpr --inducing few")).refused(2, "--inducing", "");
}

/// Above the limit there is no exact value, and the bracket stands.
#[test]
fn the_exact_value_has_its_limit() {
    let place = Place::with_tables();
    for method in SPARSE {
        let report =
            place.fit(&format!("{FIT} --method {method} --inducing 9 --starts 1 --exact-limit 29"));
        assert_eq!(report["lml"]["exact"], Value::Null);
        assert!(at(&report, "/lml/lower") < at(&report, "/lml/upper"));
        assert!(at(&report, "/elbo") <= at(&report, "/lml/lower") + 1e-4);
    }
}
