//! `--bound best`, `--bounds best`, and what speeds conjugate gradients up.

use serde_json::{Value, json};

use crate::support::{Place, at, close, table};

const FIT: &str = "t.csv --target y --drop z --method cglb --inducing 12";
const PARAMS: &str = r#"{"kernel": {"type": "matern32", "lengthscales": [0.7, 1.1], "variance": 1.0},
    "noise_variance": 1e-5, "mean": 0, "units": "standardised"}"#;

fn place(rows: usize) -> Place {
    let place = Place::new();
    place.write("t.csv", &table(rows));
    place.write("p.json", PARAMS);
    place
}

fn width(report: &Value) -> f64 {
    let lml = &report["lml"];
    assert!(at(lml, "/lower") <= at(lml, "/exact") && at(lml, "/exact") <= at(lml, "/upper"));
    at(lml, "/upper") - at(lml, "/lower")
}

#[test]
fn the_best_bound_is_trained_and_the_bracket_takes_what_is_affordable() {
    let place = place(150);
    let fit = format!("{FIT} --neighbours 6 --starts 1 --max-iters 15");
    let best = place.fit(&format!("{fit} --bound best"));
    assert_eq!(best["bound"], json!("vecchia"));
    let plain = place.fit(&format!("{fit} --bound vecchia"));
    assert_eq!(best["params"], plain["params"]);
    assert!(width(&best) < 0.5 * width(&plain), "{} of {}", width(&best), width(&plain));
    assert_ne!(best["lml"]["bound_lower"], json!("nystrom-log-det"));
    place.taut("fit t.csv --target y --method sgpr --bound best").refused(2, "--bound", "cglb");
}

#[test]
fn a_certificate_takes_the_bounds_that_fit_its_time_and_memory() {
    let place = place(150);
    place.taut(&format!("fit {FIT} --neighbours 6 --params p.json --no-train --out m.taut")).ok();
    let certify = |options: &str| {
        place.taut(&format!("certify m.taut --report c.json --bounds best {options}")).ok();
        place.json("c.json")
    };
    let names = |report: &Value| {
        let rows = report["bounds"].as_array().unwrap();
        rows.iter().filter(|row| row["quantity"] == json!("logdet")).count()
    };
    let all = certify("");
    assert_eq!(names(&all), bounds::log_det_catalogue().len());
    assert_eq!(all["warnings"], json!([]));
    let hurried = certify("--time 0.0005");
    assert!(0 < names(&hurried) && names(&hurried) < names(&all), "{hurried:#}");
    assert!(hurried["warnings"].to_string().contains("left out: "), "{hurried:#}");
    assert!(width(&all) <= width(&hurried));
    let small = certify("--memory 0.0001");
    assert!(names(&small) < names(&all), "{small:#}");
    place.taut("certify m.taut --time 5").refused(2, "--time", "--bounds best");
}

/// What speeds the solves up changes their steps, and the results within their tolerance.
#[test]
fn preconditioners_lead_to_the_same_bracket_in_fewer_steps() {
    let place = place(900);
    let fit = |kind: &str| {
        let options = "--params p.json --no-train --exact-limit 0 --neighbours 20";
        place.fit(&format!("{FIT} {options} --preconditioner {kind} --out {kind}.taut"))
    };
    let [nystrom, vecchia, auto] = ["nystrom", "vecchia", "auto"].map(fit);
    let steps = |report: &Value| at(report, "/cg/steps_total");
    assert!(steps(&vecchia) < 0.5 * steps(&nystrom), "{} {}", steps(&vecchia), steps(&nystrom));
    assert!(steps(&auto) < 0.5 * steps(&nystrom), "{} {}", steps(&auto), steps(&nystrom));
    for report in [&vecchia, &auto] {
        assert_eq!(at(report, "/cg/capped"), 0.0);
        close(at(report, "/lml/lower"), at(&nystrom, "/lml/lower"), 1e-5);
    }
    let refused = "fit t.csv --target y --preconditioner vecchia --method";
    place.taut(&format!("{refused} exact")).refused(2, "--preconditioner", "cglb");
    place.taut(&format!("{refused} sgpr")).refused(2, "--preconditioner", "cglb");
}
