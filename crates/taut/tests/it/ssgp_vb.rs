//! The variational sparse spectrum: fits to all rows and to the rows near each query.

use serde_json::{Value, json};

#[cfg(unix)]
use crate::support::interrupt_after_a_few_steps;
use crate::support::{Place, at, close, numbers, table};

const FIT: &str = "t.csv --target y --drop z --method ssgp-vb --spectral-points 8";
const LOCAL: &str = "t.csv --target y --drop z --method ssgp-vb --local 12 --draws 2 --starts 1";

/// With 120 rows.
fn place() -> Place {
    let place = Place::with_tables();
    place.write("t.csv", &table(120));
    place
}

#[test]
fn a_fit_to_all_rows_is_good_and_says_what_it_is() {
    let place = place();
    let report = place.fit(&format!("{FIT} --kernel se --test-fraction 0.2"));
    assert_eq!(report["method"], json!("ssgp-vb"));
    assert_eq!(report["kernel"], json!("se"));
    assert!(at(&report, "/test/rmse") < 0.2, "{}", report["test"]);
    assert!(at(&report, "/test/coverage95") > 0.8);
    let spectral = &report["spectral"];
    assert_eq!((&spectral["points"], &spectral["local"]), (&json!(8), &Value::Null));
    // Of the two inputs the first matters more.
    assert!(at(spectral, "/lambda/0").abs() > at(spectral, "/lambda/1").abs());
    assert_eq!(at(&report, "/train/iterations").fract(), 0.0);
    assert_eq!(report["train"]["stop_reason"], json!("value"));
    assert_eq!(report["train"]["starts"].as_array().unwrap().len(), 12);
    let out = place.taut(&format!("fit {FIT} --test-fraction 0.2")).ok().out;
    for word in ["ssgp-vb", "96 rows", "matern32", "8 spectral points", "RMSE", "evidence of the"] {
        assert!(out.contains(word), "{word} in {out}");
    }
    let help = place.taut("fit --help").ok().out;
    ["--spectral-points", "--local", "--draws"].iter().for_each(|o| assert!(help.contains(o)));
}

/// The variational bound is on another model's evidence: it is no end of the bracket, and the report
/// says so; the bracket is that of the exact method at the hyperparameters shown.
#[test]
fn its_bound_is_kept_apart_from_the_bracket() {
    let place = place();
    let report = place.fit(&format!("{FIT} --out m.taut"));
    let lml = &report["lml"];
    let (lower, exact, upper) = (at(lml, "/lower"), at(lml, "/exact"), at(lml, "/upper"));
    assert!(lower <= exact && exact <= upper, "{lml}");
    assert_ne!(at(&report, "/elbo"), lower);
    let said = report["warnings"].to_string();
    assert!(said.contains("`elbo` bounds another quantity"), "{said}");
    assert!(said.contains("no bound on `lml`"), "{said}");
    place.taut("certify m.taut --report c.json").ok();
    let certified = place.json("c.json");
    close(at(&certified, "/lml/exact"), exact, 1e-12);
    assert!(certified["warnings"].to_string().contains("posterior means"));
    assert_eq!(certified["params"], report["params"]);
    // The same value from the exact method.
    let again = "t.csv --target y --drop z --no-train --method exact --params m.taut";
    close(at(&place.fit(again), "/lml/exact"), exact, 1e-12);
    // Beyond the limit nothing is claimed.
    let report = place.fit(&format!("{FIT} --exact-limit 50"));
    assert_eq!([&report["lml"]["lower"], &report["lml"]["upper"]], [&Value::Null; 2]);
    assert!(report["elbo"].is_f64());
}

#[test]
fn local_fits_predict_and_say_what_they_are() {
    let place = place();
    let report = place.fit(&format!("{LOCAL} --kernel se --test-fraction 0.1 --calibrate 12"));
    assert!(at(&report, "/test/rmse") < 0.35, "{}", report["test"]);
    assert_eq!(report["spectral"]["local"], json!(12));
    assert_eq!(report["spectral"]["draws"], json!(2));
    assert_eq!(report["elbo"], Value::Null);
    assert!(at(&report, "/spectral/variance_factor") > 0.0);
    assert_ne!(report["spectral"]["variance_factor"], json!(1.0));
    assert!(report["warnings"].to_string().contains("each query has its own fit"));
    let out = place.taut("predict t.taut new.csv").ok().out;
    for row in numbers(&out) {
        assert!(row[1] >= 0.0 && row[2] > row[1] && row[3] < row[0] && row[0] < row[4]);
    }
    place.taut("certify t.taut --report c.json").ok();
    assert!(place.json("c.json")["warnings"].to_string().contains("medians over neighbourhoods"));
    let refused = place.taut("predict t.taut new.csv --samples 2 --out p.csv");
    refused.refused(1, "ssgp-vb cannot be used with --local for joint draws", "--samples");
}

/// A model in another process, in a copy elsewhere, predicts the same bits, on any number of threads.
#[test]
fn saved_models_predict_the_same_bits() {
    let (first, second) = (place(), Place::new());
    for fit in [FIT, LOCAL, &format!("{LOCAL} --calibrate 8")] {
        let split = "--test-fraction 0.1 --split-out parts --report r.json";
        first.taut(&format!("fit {fit} {split} --threads 1 --out m.taut")).ok();
        first.taut(&format!("fit {fit} --test-fraction 0.1 --threads 2 --out two.taut")).ok();
        assert!(first.read("m.taut") == first.read("two.taut"), "{fit}");
        std::fs::copy(first.path("m.taut"), second.path("copy.taut")).unwrap();
        std::fs::copy(first.path("parts/test.csv"), second.path("test.csv")).unwrap();
        for options in ["", "--mean-only"] {
            let here = first.taut(&format!("predict m.taut parts/test.csv {options} --threads 1"));
            let there = second.taut(&format!("predict copy.taut test.csv {options} --threads 2"));
            assert_eq!(here.ok().out, there.ok().out, "{fit} {options}");
        }
        // The process that fitted scored the same predictions.
        let kept = numbers(&first.taut("predict m.taut parts/test.csv --keep").ok().out);
        let squares: f64 = kept.iter().map(|row| (row[2] - row[4]).powi(2)).sum();
        let rmse = (squares / kept.len() as f64).sqrt();
        close(at(&first.json("r.json"), "/test/rmse_original"), rmse, 1e-12);
    }
}

#[test]
fn the_best_spectrum_is_kept() {
    let place = place();
    for fit in [FIT, LOCAL] {
        let report = place.fit(&format!("{fit} --kernel matern12 --kernel se --out m.taut"));
        let rows = report["kernels"].as_array().unwrap();
        let best = usize::from(at(&rows[1], "/lml") > at(&rows[0], "/lml"));
        assert_eq!(report["kernel"], rows[best]["kernel"], "{fit}");
        let kernel = report["kernel"].as_str().unwrap();
        assert_eq!(place.fit(&format!("{fit} --kernel {kernel}"))["params"], report["params"]);
    }
}

/// Options of one method are refused by the others by name, and those it cannot honour by it.
#[test]
fn options_that_would_make_no_difference_are_refused() {
    let place = place();
    for (option, name) in [
        ("--spectral-points 8", "spectral-points"),
        ("--draws 2", "draws"),
        ("--local 20", "local"),
        ("--local 20 --calibrate 5", "local"),
    ] {
        for method in ["exact", "sgpr", "cglb", "auto"] {
            let run = place.taut(&format!("fit t.csv --target y --method {method} {option}"));
            run.refused(2, &format!("--{name} makes no difference"), "--method ssgp-vb");
        }
    }
    place
        .write("p.json", r#"{"lengthscales": [0.5, 1.7], "variance": 1.1, "noise_variance": 0.2}"#);
    for (options, cause, remedy) in [
        ("--params p.json", "starting values", "leave it out"),
        ("--params p.json --no-train", "at given hyperparameters", "--no-train"),
        ("--fix noise_variance", "--fix", "leave it out"),
        ("--noise-floor 1e-3", "--noise-floor", "leave it out"),
        ("--mean linear", "a mean that is zero or linear", "--mean"),
        ("--mean zero", "a mean that is zero or linear", "--mean"),
        ("--kernel rq", "kernel that is a", "matern12, matern32 or matern52"),
        ("--kernel linear+se", "kernel that is a", "matern32"),
        ("--kernel se[a]", "a kernel of some columns", "--features"),
    ] {
        place.taut(&format!("fit {FIT} {options}")).refused(1, cause, remedy);
    }
    for options in ["--inducing-points new.csv", "--bound trace", "--cg-tolerance 1"] {
        let run = place.taut(&format!("fit {FIT} {options}"));
        run.refused(2, "makes no difference to --method ssgp-vb", "--method");
    }
    place.taut(&format!("fit {FIT} --calibrate 5")).refused(2, "--local", "");
    for option in ["--spectral-points 0", "--draws 0", "--local 0", "--starts 0"] {
        let run = place.taut(&format!("fit t.csv --target y --method ssgp-vb {option}"));
        run.refused(2, "at least 1", "");
    }
}

#[test]
fn tables_it_cannot_fit_are_refused() {
    let place = place();
    let fit = "--target y --method ssgp-vb";
    place.taut("fit t.csv --target y,z --method ssgp-vb").refused(
        1,
        "on 2 targets at once",
        "each target by itself",
    );
    for k in ["121", "100000"] {
        let run = place.taut(&format!("fit t.csv {fit} --local {k}"));
        run.refused(1, &format!("`local` is {k} rows, accepted is 2 to 120 rows"), "choose");
    }
    place.taut(&format!("fit t.csv {fit} --local 1")).refused(1, "2 to 120 rows", "choose");
    let calibrated = place.taut(&format!("fit t.csv {fit} --local 120 --calibrate 5"));
    calibrated.refused(1, "accepted is 2 to 119 rows", "choose");
    for (name, rows) in [("same", "1,5\n2,5\n3,5\n4,5\n"), ("one", "1,5\n")] {
        place.write("c.csv", &format!("x,y\n{rows}"));
        for local in ["", "--local 2"] {
            let run = place.taut(&format!("fit c.csv {fit} {local}"));
            assert_eq!(run.code, Some(1), "{name} {local}: {run:?}");
            run.refused(1, "ssgp-vb cannot be used on", "");
        }
    }
    let run = place.taut(&format!("fit t.csv {fit} --memory 0.000003"));
    run.refused(1, "of memory, more than the budget", "--memory GB");
}

/// Fewer rows than features, duplicated rows, constant inputs, a target that hardly moves.
#[test]
fn odd_tables_are_fitted() {
    let place = Place::new();
    let fit = "fit o.csv --target y --method ssgp-vb --draws 2 --starts 1";
    let wide: String = (0..6)
        .map(|i| {
            let cells = (0..9).map(|j| ((i * (j + 3)) % 7).to_string()).collect::<Vec<_>>();
            format!("{},{}\n", cells.join(","), (i * i) % 5)
        })
        .collect();
    let wide = format!("a,b,c,d,e,f,g,h,i,y\n{wide}");
    let twice: String =
        (0..24).map(|i| format!("{},0,{}\n", i % 4, f64::from(i % 4) + f64::from(i % 3))).collect();
    let twice = format!("a,b,y\n{twice}");
    let two = "a,y\n0,1\n1,2\n".to_owned();
    let spike: String = (0..30).map(|i| format!("{i},{}\n", u8::from(i == 13))).collect();
    let spike = format!("a,y\n{spike}");
    for (name, text, locals) in [
        ("wide", wide, ["", "--local 3", "--local 6"]),
        ("twice", twice, ["", "--local 5", "--local 24"]),
        ("two", two, ["", "--local 2", "--local 2 --kernel se"]),
        ("spike", spike, ["", "--local 4", "--local 10 --kernel se"]),
    ] {
        place.write("o.csv", &text);
        for local in locals {
            place.taut(&format!("{fit} {local} --out o.taut")).ok();
            for row in numbers(&place.taut("predict o.taut o.csv").ok().out) {
                let whole = row.iter().all(|value| value.is_finite()) && row[2] >= row[1];
                assert!(whole && row[1] >= 0.0, "{name} {local}: {row:?}");
            }
        }
    }
}

/// A target that has nothing to do with the inputs: the fit collapses, and says so.
#[test]
fn a_collapsed_fit_warns() {
    let place = Place::new();
    let bits = |i: u64| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) % 1000;
    let rows: String = (0..300u64)
        .map(|i| format!("{},{}\n", bits(i), bits(i.wrapping_mul(7919) + 12345)))
        .collect();
    place.write("n.csv", &format!("x,y\n{rows}"));
    let report = place.fit("n.csv --target y --method ssgp-vb --spectral-points 5 --kernel se");
    let said = report["warnings"].to_string();
    assert!(said.contains("the fit has collapsed") && said.contains("--draws"), "{said}");
}

#[test]
fn a_fit_stopped_by_a_limit_goes_on_to_the_same_bits() {
    let place = place();
    for kernels in ["", "--kernel se --kernel matern52"] {
        let fit = format!("fit {FIT} {kernels} --checkpoint c.ckpt");
        let few = place.taut(&format!("{fit} --max-iters 3 --out m.taut")).ok();
        assert!(few.out.contains("stopped before it converged"), "{}", few.out);
        place.taut(&format!("{fit} --out m.taut --resume")).ok();
        place.taut(&format!("{fit} --out whole.taut")).ok();
        assert!(place.read("m.taut") == place.read("whole.taut"), "{kernels}");
        assert!(!place.path("c.ckpt").exists());
    }
    place.taut(&format!("fit {FIT} --checkpoint c.ckpt --max-iters 2")).ok();
    for other in ["--draws 3", "--spectral-points 9", "--starts 2"] {
        let fit = FIT.replace(" --spectral-points 8", "");
        let fit = if other.contains("spectral") { fit } else { FIT.to_owned() };
        let run = place.taut(&format!("fit {fit} {other} --checkpoint c.ckpt --resume"));
        run.refused(1, "other data or options", "same table");
    }
}

#[test]
#[cfg(unix)]
fn an_interrupted_fit_goes_on_to_the_same_bits() {
    let place = Place::new();
    place.write("t.csv", &table(3_000));
    let fit = "fit t.csv --target y --drop z --method ssgp-vb --spectral-points 30";
    let fit = format!("{fit} --kernel se --max-iters 20 --exact-limit 10");
    let output = interrupt_after_a_few_steps(&place, &format!("{fit} --out m.taut"));
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--resume"), "{output:?}");
    place.taut(&format!("{fit} --out m.taut --resume")).ok();
    place.taut(&format!("{fit} --out whole.taut")).ok();
    assert!(place.read("m.taut") == place.read("whole.taut"), "models differ");
}

/// Damage to the method's own part of a model file is found.
#[test]
fn damaged_models_are_refused() {
    let place = place();
    for (fit, kind) in [(FIT, "global"), (LOCAL, "local")] {
        place.taut(&format!("fit {fit} --out m.taut")).ok();
        let whole = place.json("m.taut");
        let path = format!("/content/method/ssgp-vb/{kind}");
        let keys = whole.pointer(&path).unwrap().as_object().unwrap().keys().cloned();
        let mut damaged: Vec<Value> = keys
            .map(|key| {
                let mut model = whole.clone();
                model.pointer_mut(&path).unwrap().as_object_mut().unwrap().remove(&key);
                model
            })
            .collect();
        let (place_of, wrong) = match kind {
            "local" => ("variance_factor", json!(-1.0)),
            _ => ("parts", json!({})),
        };
        let mut model = whole.clone();
        model.pointer_mut(&path).unwrap()[place_of] = wrong;
        damaged.push(model);
        for model in damaged {
            place.write("bad.taut", &model.to_string());
            place.taut("predict bad.taut new.csv --out p.csv").refused(1, "bad.taut", "");
        }
    }
}
