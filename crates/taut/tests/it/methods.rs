//! What every method owes: each test runs for all of them.

use serde_json::{Value, json};

#[cfg(unix)]
use crate::support::interrupt_after_a_few_steps;
use crate::support::{Place, at, close, numbers, table};

/// Each method with what it is built from, sized for the tables here.
const METHODS: &[&str] = &[
    "exact",
    "sgpr --inducing 12",
    "cglb --inducing 12",
    "cglb --inducing 12 --bound vecchia --neighbours 8",
    "iterative --inducing 12",
];

const FIT: &str = "t.csv --target y --drop z --starts 1";

fn name(method: &str) -> &str {
    method.split(' ').next().unwrap()
}

/// Whether the model itself stands on inducing points; bounds of any may.
fn has_points(method: &str) -> bool {
    !matches!(name(method), "exact" | "iterative")
}

fn each(test: impl Fn(&Place, &str)) {
    for method in METHODS {
        test(&Place::with_tables(), method);
    }
}

#[test]
fn a_method_is_chosen_by_name() {
    each(|place, method| {
        let report = place.fit(&format!("{FIT} --method {method} --test-fraction 0.2"));
        assert_eq!(report["method"], json!(name(method)));
        let (lower, upper) = (at(&report, "/lml/lower"), at(&report, "/lml/upper"));
        let exact = at(&report, "/lml/exact");
        assert!(lower <= exact && exact <= upper, "{method}: {lower} {exact} {upper}");
        close(
            at(&report, "/lml/slack/quad") + at(&report, "/lml/slack/logdet"),
            upper - lower,
            1e-9,
        );
        assert!(at(&report, "/test/rmse") < 0.6, "{method}: {}", report["test"]);
        let inducing = report["inducing"].as_u64();
        assert_eq!(inducing, has_points(method).then_some(12), "{method}");
    });
    let help = Place::new().taut("fit --help").ok().out;
    METHODS.iter().for_each(|method| assert!(help.contains(name(method)), "{method}"));
}

/// Kernels that see some of the columns are certified like any other.
#[test]
fn kernels_of_some_columns_are_bounded_too() {
    each(|place, method| {
        let kernel = "--kernel se[a]+matern32[b]";
        let report = place.fit(&format!("{FIT} {kernel} --method {method}"));
        let terms = &report["params"]["kernel"]["terms"];
        assert_eq!(
            (&terms[0]["active_dims"], &terms[1]["active_dims"]),
            (&json!([0]), &json!([1]))
        );
        let (lower, upper) = (at(&report, "/lml/lower"), at(&report, "/lml/upper"));
        let exact = at(&report, "/lml/exact");
        assert!(lower <= exact && exact <= upper, "{method}: {lower} {exact} {upper}");
        assert!(upper - lower < 200.0, "{method}: {lower} {upper}");
    });
}

/// The exact value is that of the exact method at the same hyperparameters.
#[test]
fn hyperparameters_are_certified_by_the_exact_method() {
    each(|place, method| {
        let report = place.fit(&format!("{FIT} --method {method} --out m.taut"));
        let again = "t.csv --target y --drop z --no-train --method exact --params m.taut";
        close(at(&report, "/lml/exact"), at(&place.fit(again), "/lml/exact"), 1e-12);
    });
}

/// Case 49: a model in another process, in a copy elsewhere, predicts the same bits.
#[test]
fn a_loaded_model_predicts_the_same_bits() {
    each(|place, method| {
        let fit = format!("fit {FIT} --method {method} --test-fraction 0.5 --split-out parts");
        place.taut(&format!("{fit} --out m.taut --report r.json")).ok();
        let elsewhere = Place::new();
        std::fs::copy(place.path("m.taut"), elsewhere.path("copy.taut")).unwrap();
        std::fs::copy(place.path("parts/test.csv"), elsewhere.path("test.csv")).unwrap();
        for options in ["", "--mean-only", "--samples 2 --seed 3"] {
            let here = place.taut(&format!("predict m.taut parts/test.csv {options}")).ok().out;
            let there = elsewhere.taut(&format!("predict copy.taut test.csv {options}")).ok().out;
            assert_eq!(here, there, "{method} {options}");
        }
        // The process that fitted scored the same predictions.
        let kept = place.taut("predict m.taut parts/test.csv --keep").ok().out;
        let squares: f64 = numbers(&kept).iter().map(|row| (row[2] - row[4]).powi(2)).sum();
        let rmse = (squares / numbers(&kept).len() as f64).sqrt();
        close(at(&place.json("r.json"), "/test/rmse_original"), rmse, 1e-12);
    });
}

#[test]
fn predictions_are_whole_for_every_method() {
    each(|place, method| {
        let report =
            place.fit(&format!("{FIT} --method {method} --test-fraction 0.3 --out m.taut"));
        let scale = at(&report, "/test/rmse_original") / at(&report, "/test/rmse");
        let noise = at(&report, "/params/noise_variance") * scale * scale;
        let all = place.taut("predict m.taut new.csv").ok().out;
        let mean = numbers(&place.taut("predict m.taut new.csv --mean-only").ok().out);
        for (row, mean) in numbers(&all).iter().zip(mean) {
            assert_eq!(row[0], mean[0], "{method}");
            assert!(row[1] >= 0.0, "{method}");
            close(row[2] - row[1], noise, 1e-10);
        }
        let draws = numbers(&place.taut("predict m.taut new.csv --samples 400").ok().out);
        for row in draws {
            let mean = row[5..].iter().sum::<f64>() / 400.0;
            let error = (mean - row[0]).abs() / (row[1] / 400.0).sqrt().max(1e-12);
            assert!(error < 4.0, "{method}: {error} standard errors");
        }
        // A row does not depend on its company, nor on the block it is in.
        let many: String =
            (0..8_200).map(|i| format!("{},1.5\n", f64::from(i) / 4_000.0)).collect();
        place.write("many.csv", &format!("a,b\n{many}"));
        let many = numbers(&place.taut("predict m.taut many.csv --quiet").ok().out);
        place.write("few.csv", "a,b\n0,1.5\n2.0475,1.5\n");
        let few = numbers(&place.taut("predict m.taut few.csv").ok().out);
        for (one, many) in few.concat().iter().zip([&many[0][..], &many[8_190]].concat()) {
            close(*one, many, 1e-12);
        }
    });
}

#[test]
fn several_targets_share_every_method() {
    each(|place, method| {
        let report = place
            .fit(&format!("t.csv --target z,y --starts 1 --method {method} --test-fraction 0.2"));
        assert_eq!(report["test"]["per_target"].as_array().unwrap().len(), 2, "{method}");
        let (lower, upper) = (at(&report, "/lml/lower"), at(&report, "/lml/upper"));
        let exact = at(&report, "/lml/exact");
        assert!(lower <= exact && exact <= upper, "{method}");
        let out = place.taut("predict t.taut new.csv").ok().out;
        assert!(out.starts_with("mean_z,var_latent_z,var_y_z,lower_z,upper_z,mean_y,"), "{out}");
    });
}

#[test]
fn of_several_kernels_the_best_is_kept() {
    each(|place, method| {
        let fit =
            |kernels: &str| place.fit(&format!("{FIT} --method {method} {kernels} --out m.taut"));
        let report = fit("--kernel linear --kernel se");
        let rows = report["kernels"].as_array().unwrap();
        assert!(at(&rows[1], "/lml") > at(&rows[0], "/lml"), "{method}");
        assert_eq!(report["kernel"], json!("se"));
        let best = place.read("m.taut");
        assert_eq!(fit("--kernel se")["params"], report["params"]);
        assert!(best == place.read("m.taut"), "{method}");
    });
}

#[test]
fn parameters_are_held_or_taken_as_they_are() {
    each(|place, method| {
        let params =
            r#"{"lengthscales": [0.5, 1.7], "variance": 1.1, "noise_variance": 0.25, "mean": 0.1}"#;
        place.write("p.json", params);
        let fit = |options: &str| {
            place.fit(&format!(
                "t.csv --target y --drop z --params p.json --method {method} {options}"
            ))
        };
        let fixed = fit("--fix noise_variance,mean");
        assert_eq!(fixed["params"]["noise_variance"], json!(0.25));
        assert_eq!(fixed["params"]["mean"], json!(0.1));
        assert_ne!(fixed["params"]["kernel"]["variance"], json!(1.1));
        let taken = fit("--no-train");
        assert_eq!(taken["params"]["kernel"]["lengthscales"], json!([0.5, 1.7]));
        assert_eq!(
            (at(&taken, "/train/iterations"), &taken["seconds"]["train"]),
            (0.0, &Value::Null)
        );
    });
}

/// Same bits for 1 and 2 threads: the model file and what it predicts.
#[test]
fn threads_do_not_change_a_bit() {
    each(|place, method| {
        place.write("t.csv", &table(150));
        place.write("new.csv", &table(700));
        let run = |threads: u32| {
            let fit = format!("{FIT} --max-iters 8 --method {method} --threads {threads}");
            let report = place.fit(&fit);
            let predicted =
                place.taut(&format!("predict t.taut new.csv --threads {threads}")).ok().out;
            (place.read("t.taut"), predicted, report["lml"].clone())
        };
        assert!(run(1) == run(2), "{method}");
    });
}

/// A run that stopped after some steps goes on as if it had not.
#[test]
fn a_fit_stopped_by_a_limit_goes_on_to_the_same_bits() {
    each(|place, method| {
        for kernels in ["", "--kernel se --kernel rq"] {
            let fit = format!("fit {FIT} --method {method} {kernels}");
            place.taut(&format!("{fit} --max-iters 3 --out m.taut --checkpoint c.ckpt")).ok();
            place
                .taut(&format!("{fit} --max-iters 9 --out m.taut --checkpoint c.ckpt --resume"))
                .ok();
            place.taut(&format!("{fit} --max-iters 9 --out whole.taut")).ok();
            assert!(place.read("m.taut") == place.read("whole.taut"), "{method} {kernels}");
        }
        let other = format!("fit {FIT} --method {method} --checkpoint c.ckpt --jitter 1e-5");
        place.taut(&format!("{other} --max-iters 1")).ok();
        place.taut(&format!("fit {FIT} --method {method} --checkpoint c.ckpt --resume")).refused(
            1,
            "other data or options",
            "same table",
        );
    });
}

#[test]
#[cfg(unix)]
fn an_interrupted_fit_goes_on_to_the_same_bits() {
    // Seconds of training in any build.
    for (rows, method) in [
        (400, "exact"),
        (8_000, "sgpr --inducing 60"),
        (600, "cglb --inducing 30"),
        (400, "cglb --inducing 20 --bound vecchia"),
        (600, "iterative --inducing 20"),
    ] {
        let place = Place::new();
        place.write("t.csv", &table(rows));
        let kernel = "--kernel se+matern12*rq --starts 4 --max-iters 40";
        let fit = format!("fit t.csv --target y --drop z {kernel} --method {method}");
        let output = interrupt_after_a_few_steps(&place, &format!("{fit} --out m.taut"));
        assert_eq!(output.status.code(), Some(130), "{method}: {output:?}");
        place.taut(&format!("{fit} --out m.taut --resume")).ok();
        place.taut(&format!("{fit} --out whole.taut")).ok();
        assert!(place.read("m.taut") == place.read("whole.taut"), "{method}: models differ");
    }
}

#[test]
fn models_of_every_method_are_certified() {
    each(|place, method| {
        let fitted = place.fit(&format!("{FIT} --method {method} --out m.taut"));
        place.taut("certify m.taut --report c.json").ok();
        let report = place.json("c.json");
        let lml = &report["lml"];
        assert!(at(lml, "/lower") <= at(lml, "/exact"), "{method}");
        assert!(at(lml, "/exact") <= at(lml, "/upper"), "{method}");
        if name(method) == "exact" {
            return;
        }
        // The same points and the same bounds as at the end of the fit.
        assert_eq!(report["inducing"], json!(12), "{method}");
        close(at(lml, "/lower"), at(&fitted, "/lml/lower"), 1e-6);
        close(at(lml, "/upper"), at(&fitted, "/lml/upper"), 1e-6);
        place.taut("certify m.taut --inducing 5 --report c.json").ok();
        assert_eq!(place.json("c.json")["inducing"], json!(5), "{method}");
    });
}

/// Damage to the method's own part of a model file is found.
#[test]
fn damaged_models_of_every_method_are_refused() {
    each(|place, method| {
        place.taut(&format!("fit {FIT} --method {method} --out m.taut")).ok();
        let whole = place.read("m.taut");
        let mut damaged = vec![
            whole[..whole.len() / 2].to_owned(),
            whole.replacen("\"version\":2", "\"version\":1", 1),
            whole.replacen("\"version\":2", "\"version\":3", 1),
            whole.replacen(&format!("\"{}\":{{", name(method)), "\"magic\":{", 1),
        ];
        let mut model: Value = serde_json::from_str(&whole).unwrap();
        let part = model["content"]["method"][name(method)].as_object().unwrap().clone();
        for key in part.keys() {
            model["content"]["method"][name(method)] = Value::Object(part.clone());
            model["content"]["method"][name(method)].as_object_mut().unwrap().remove(key);
            damaged.push(model.to_string());
        }
        for text in damaged {
            place.write("bad.taut", &text);
            place.taut("predict bad.taut new.csv --out p.csv").refused(1, "bad.taut", "");
        }
    });
}

/// Case 31 from the other side: what is needed is said, and what would fit.
#[test]
fn memory_is_kept_within_its_budget() {
    each(|place, method| {
        let run = place.taut(&format!("fit {FIT} --method {method} --memory 0.000003"));
        run.refused(1, "kB of memory", "--memory GB");
        place.taut(&format!("fit {FIT} --method {method} --memory 1 --max-iters 1")).ok();
    });
}

#[test]
fn the_summary_says_which_method_it_was() {
    each(|place, method| {
        let out = place.taut(&format!("fit {FIT} --method {method} --test-fraction 0.2")).ok().out;
        for word in [name(method), "24 rows", "matern32", "likelihood", "RMSE", "t.taut"] {
            assert!(out.contains(word), "{word} in {out}");
        }
        if name(method) != "exact" {
            assert!(out.contains("12 inducing points") == has_points(method), "{out}");
            assert!(out.contains("<="), "{out}");
        }
    });
}
