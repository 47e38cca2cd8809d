//! Options of the iterative method, and what it says of its estimate.

use serde_json::{Value, json};

use crate::support::{Place, at, close, numbers, table};

const FIT: &str = "t.csv --target y --drop z --method iterative";
const PARAMS: &str =
    r#"{"lengthscales": [0.7, 1.1], "variance": 1.2, "noise_variance": 0.05, "mean": 0.1}"#;

fn conditioned(place: &Place, options: &str) -> Value {
    place.write("p.json", PARAMS);
    place.fit(&format!("{FIT} --params p.json --no-train {options}"))
}

/// The exact value lies within four standard errors.
#[track_caller]
fn covered(report: &Value) {
    let (estimate, error) = (at(report, "/lml/estimate"), at(report, "/lml/standard_error"));
    let exact = at(report, "/lml/exact");
    assert!((estimate - exact).abs() <= 4.0 * error + 1e-6, "{estimate} ± {error}, not {exact}");
}

/// Cases 13 and 15: an error bar that covers, whatever the preconditioner.
#[test]
fn the_estimate_has_an_error_bar_that_covers_the_exact_value() {
    let place = Place::with_tables();
    place.write("t.csv", &table(120));
    let mut errors = Vec::new();
    for preconditioner in [
        "--preconditioner-rank 0",
        "--preconditioner nystrom --preconditioner-rank 5",
        "--preconditioner-rank 50",
        "--preconditioner vecchia --neighbours 5",
        "--preconditioner vecchia --neighbours 20",
        "",
    ] {
        let report = conditioned(&place, &format!("{preconditioner} --probes 32"));
        covered(&report);
        let neighbours = preconditioner.contains("vecchia");
        assert_eq!(!report["neighbours"].is_null(), neighbours, "{preconditioner}");
        errors.push(at(&report, "/lml/standard_error"));
        assert_eq!(at(&report, "/cg/capped"), 0.0, "{preconditioner}");
    }
    // What the preconditioner knows is not left to chance.
    assert!(errors[2] < errors[0] && errors[4] < errors[3], "{errors:?}");
    let exact = place.fit("t.csv --target y --drop z --method exact --starts 1 --max-iters 1");
    assert!(exact["lml"]["estimate"].is_null() && exact["lml"]["standard_error"].is_null());
}

#[test]
fn seeds_replay() {
    let place = Place::with_tables();
    let estimate = |seed: u32| {
        let options = format!("--preconditioner-rank 2 --seed {seed}");
        at(&conditioned(&place, &options), "/lml/estimate").to_bits()
    };
    assert_eq!(estimate(1), estimate(1));
    assert_ne!(estimate(1), estimate(2));
}

/// The bracket leaves chance no room, so that an estimate is outside, and it is said on which side.
#[test]
fn an_estimate_outside_the_bracket_is_said_to_be() {
    let place = Place::with_tables();
    let mut sides = [false; 2];
    for seed in 0..8 {
        let options = format!("--preconditioner-rank 0 --probes 2 --inducing 30 --seed {seed}");
        let report = conditioned(&place, &options);
        let estimate = at(&report, "/lml/estimate");
        let fit = format!("fit {FIT} --params p.json --no-train {options}");
        let out = place.taut(&fit).ok().out;
        let said = report["warnings"].to_string();
        if estimate > at(&report, "/lml/upper") {
            sides[0] = true;
            assert!(said.contains("above the proven upper bound"), "{said}");
            assert!(out.contains("above the upper bound"), "{out}");
        } else if estimate < at(&report, "/lml/lower") {
            sides[1] = true;
            assert!(said.contains("below the proven lower bound"), "{said}");
            assert!(out.contains("below the lower bound"), "{out}");
        }
        assert!(out.contains("stochastic estimate") && out.contains('±'), "{out}");
    }
    assert_eq!(sides, [true, true]);
}

/// Case 9: the tolerance is in nats, and says nothing of a zero vector; a cap is reported with the
/// residual and what it costs, and makes the estimate smaller.
#[test]
fn case_9_tolerances_and_caps_mean_what_they_say() {
    let place = Place::with_tables();
    place.write("t.csv", &table(120));
    let predict = |options: &str| {
        conditioned(&place, &format!("{options} --out m.taut"));
        numbers(&place.taut("predict m.taut new.csv --mean-only").ok().out).concat()
    };
    place.write("p.json", PARAMS);
    let exact = "t.csv --target y --drop z --params p.json --no-train --method exact --out e.taut";
    place.fit(exact);
    let exact = numbers(&place.taut("predict e.taut new.csv --mean-only").ok().out).concat();
    for options in ["", "--cg-tolerance 1", "--cg-tolerance 1000 --preconditioner-rank 0"] {
        let means = predict(options);
        means.iter().zip(&exact).for_each(|(mean, exact)| close(*mean, *exact, 1e-3));
    }
    let report = conditioned(&place, "--cg-max-steps 1 --preconditioner-rank 0");
    let said = report["warnings"].to_string();
    for words in ["posterior mean stopped after 1 steps", "relative residual", "nats", "too small"]
    {
        assert!(said.contains(words), "{words} in {said}");
    }
    assert!(at(&report, "/cg/capped") >= 1.0);
    assert!(at(&report, "/lml/estimate") < at(&report, "/lml/exact"));
    assert!(at(&report, "/lml/lower") <= at(&report, "/lml/exact"));
    let fit = format!("fit {FIT} --params p.json --no-train --cg-max-steps 0");
    place.taut(&fit).refused(2, "--cg-max-steps", "at least 1");
}

/// Case 46: both optimisers come to the same likelihood, and starts are reported with their spread.
#[test]
fn case_46_optimisers_agree() {
    let place = Place::new();
    place.write("t.csv", &table(150));
    let reports = ["--optimizer adam", "--optimizer lbfgs", "--estimator pathwise"]
        .map(|options| place.fit(&format!("{FIT} {options} --starts 3")));
    let best = at(&reports[1], "/lml/exact");
    for report in &reports {
        covered(report);
        assert!((at(report, "/lml/exact") - best).abs() < 8.0, "{}", report["lml"]);
        let starts = report["train"]["starts"].as_array().unwrap();
        assert!(starts.len() == 3 && starts.iter().all(|start| start["objective"].is_number()));
        assert!(at(report, "/cg/steps_total") > 0.0);
    }
    assert_eq!(reports[0]["train"]["stop_reason"], json!("planned"));
    assert_eq!(reports[1]["train"]["stop_reason"], json!("value"));
    assert_eq!(reports[0]["warnings"], json!([]));
}

/// Stopped in L-BFGS, in the first run of Adam, in the second: the same bits as in one go.
#[test]
fn limits_anywhere_in_the_schedule_can_be_resumed() {
    let place = Place::new();
    place.write("t.csv", &table(120));
    for estimator in ["hutchinson", "pathwise"] {
        let fit = format!(
            "fit {FIT} --starts 1 --pretrain-rows 60 --adam-steps 6 --estimator {estimator}"
        );
        place.taut(&format!("{fit} --out whole.taut")).ok();
        let mut resume = "";
        for limit in [4, 10, 13, 20, 24] {
            let run = place.taut(&format!("{fit} --out m.taut --max-iters {limit} {resume}")).ok();
            assert!(run.out.contains(&format!("step limit was reached after {limit} steps")));
            resume = "--resume";
        }
        place.taut(&format!("{fit} --out m.taut --resume")).ok();
        assert!(place.read("m.taut") == place.read("whole.taut"), "{estimator}");
    }
    place.taut(&format!("fit {FIT} --starts 1 --max-iters 2 --out m.taut")).ok();
    let other = place.taut(&format!("fit {FIT} --starts 1 --probes 3 --out m.taut --resume"));
    other.refused(1, "other data or options", "same table");
}

/// Case 17: variances by LOVE lie between the exact ones and the prior's.
#[test]
fn variances_are_by_love_or_by_solves() {
    let place = Place::with_tables();
    place.write("t.csv", &table(200));
    let predict = |options: &str| {
        conditioned(&place, &format!("{options} --out m.taut"));
        numbers(&place.taut("predict m.taut new.csv").ok().out)
    };
    let [solves, few, all] =
        ["--variance solves", "--variance love --love-rank 8", "--love-rank 200"].map(predict);
    for ((solves, few), all) in solves.iter().zip(&few).zip(&all) {
        assert_eq!((solves[0], solves[0]), (few[0], all[0]));
        assert!(few[1] >= solves[1] * (1.0 - 1e-9) && solves[1] >= 0.0);
        close(all[1], solves[1], 1e-6);
    }
    assert!(few.iter().zip(&solves).any(|(few, solves)| few[1] > solves[1] * (1.0 + 1e-6)));
    place.taut(&format!("fit {FIT} --variance solves --love-rank 5")).refused(
        2,
        "--love-rank makes no difference to --method iterative --variance solves",
        "--variance love",
    );
}

/// Each row takes a solve: predictions come in smaller pieces, and the pieces make no difference.
#[test]
fn predictions_by_solves_are_the_same_in_any_pieces() {
    let place = Place::with_tables();
    conditioned(&place, "--variance solves --out m.taut");
    place.write("q.csv", &table(600));
    let model = taut::Model::load(&place.path("m.taut")).unwrap();
    assert_eq!(model.rows_at_a_time(), Some(256));
    let rows = numbers(&table(600));
    let x = ndarray::Array2::from_shape_fn((rows.len(), 2), |(row, column)| rows[row][column]);
    let whole = model.predict(&x).unwrap();
    let found = numbers(&place.taut("predict m.taut q.csv").ok().out);
    for (row, found) in found.iter().enumerate() {
        assert_eq!(found[0].to_bits(), whole.mean[[row, 0]].to_bits());
        assert_eq!(found[1].to_bits(), whole.var_latent[[row, 0]].to_bits());
    }
    conditioned(&place, "--out m.taut");
    assert_eq!(taut::Model::load(&place.path("m.taut")).unwrap().rows_at_a_time(), None);
}

#[test]
fn the_noise_floor_is_higher_unless_told_otherwise() {
    let place = Place::new();
    let rows: String =
        (0..60).map(|i| f64::from(i) / 10.0).map(|x| format!("{x},{}\n", x.sin())).collect();
    place.write("s.csv", &format!("x,y\n{rows}"));
    let noise = |options: &str| {
        let fit = format!("s.csv --target y --method iterative --kernel se --starts 1 {options}");
        at(&place.fit(&fit), "/params/noise_variance")
    };
    let usual = noise("--optimizer lbfgs");
    assert!(usual >= 1e-4, "{usual}");
    assert!(noise("--optimizer lbfgs --noise-floor 1e-6") < usual);
}

/// Options are for this method alone, and some for one way of it.
#[test]
fn options_without_effect_are_refused() {
    let place = Place::with_tables();
    for option in [
        "--probes 8",
        "--preconditioner-rank 10",
        "--estimator pathwise",
        "--optimizer lbfgs",
        "--pretrain-rows 10",
        "--adam-steps 5",
        "--variance love",
        "--love-rank 20",
    ] {
        let name = option.split(' ').next().unwrap();
        for method in ["exact", "sgpr", "cglb", "auto"] {
            let run = place.taut(&format!("fit t.csv --target y --method {method} {option}"));
            run.refused(2, name, "--method iterative");
        }
        place.taut(&format!("fit {FIT} --starts 1 --max-iters 1 {option}")).ok();
    }
    for option in ["--pretrain-rows 10", "--adam-steps 5", "--estimator pathwise"] {
        let run = place.taut(&format!("fit {FIT} --optimizer lbfgs {option}"));
        run.refused(2, option.split(' ').next().unwrap(), "--optimizer adam");
    }
    for kind in ["vecchia", "auto", "auto --preconditioner-rank 9"] {
        place.taut(&format!("fit {FIT} --preconditioner {kind} --starts 1 --max-iters 1")).ok();
    }
    let run = place.taut(&format!("fit {FIT} --preconditioner vecchia --preconditioner-rank 9"));
    run.refused(2, "--preconditioner-rank", "--preconditioner nystrom");
    for option in ["--bound vecchia", "--select random"] {
        let run = place.taut(&format!("fit {FIT} {option}"));
        run.refused(2, option.split(' ').next().unwrap(), "cglb");
    }
    for option in ["--probes 1", "--probes 0", "--adam-steps 0", "--pretrain-rows 0"] {
        place.taut(&format!("fit {FIT} {option}")).refused(
            2,
            option.split(' ').next().unwrap(),
            "",
        );
    }
}
