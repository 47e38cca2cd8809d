//! The report of `fit`: every key of the contract, whatever was asked for.

use serde_json::Value;

use crate::support::{Place, at, close};

const KEYS: &[&str] = &[
    "method",
    "kernel",
    "n_train",
    "n_test",
    "d",
    "inducing",
    "bound",
    "neighbours",
    "seed",
    "threads",
    "units",
    "params",
    "lml",
    "elbo",
    "cg",
    "train",
    "test",
    "loo",
    "seconds",
    "peak_rss_bytes",
    "jitter",
    "warnings",
];
const INNER: &[(&str, &[&str])] = &[
    (
        "lml",
        &[
            "lower",
            "upper",
            "exact",
            "estimate",
            "standard_error",
            "slack",
            "bound",
            "bound_lower",
            "original_offset",
        ],
    ),
    ("cg", &["solves", "steps_total", "steps_max", "capped"]),
    ("train", &["iterations", "evaluations", "stop_reason", "start"]),
    ("seconds", &["total", "train", "predict"]),
];

fn assert_keys(object: &Value, keys: &[&str], place: &str) {
    for key in keys {
        assert!(object.get(key).is_some(), "{place} lacks {key}: {object:#}");
    }
}

#[test]
fn no_key_is_ever_left_out() {
    let place = Place::with_tables();
    place.write("p.json", r#"{"lengthscale": 1, "variance": 1, "noise_variance": 0.1}"#);
    let reports = [
        place.fit("t.csv --target y --method exact --starts 1 --max-iters 2 --exact-limit 1"),
        place.fit("t.csv --target y --params p.json --no-train"),
        place.fit("t.csv --target y,z --starts 1 --max-iters 2 --test-fraction 0.2"),
    ];
    for report in &reports {
        assert_keys(report, KEYS, "the report");
        for (outer, keys) in INNER {
            assert_keys(&report[outer], keys, outer);
        }
        assert_keys(&report["lml"]["slack"], &["quad", "logdet"], "slack");
        for absent in ["inducing", "neighbours", "elbo", "jitter"] {
            assert!(report[absent].is_null(), "{absent}");
        }
        assert!(report["lml"]["estimate"].is_null() && report["lml"]["standard_error"].is_null());
        assert!(report["warnings"].is_array());
    }
    let test = &reports[2]["test"];
    let keys = ["rmse", "nlpd", "coverage95", "rmse_original", "nlpd_original", "per_target"];
    assert_keys(test, &keys, "test");
    assert_keys(&test["per_target"][0], &keys[..5], "per_target");
    assert!(reports[0]["test"].is_null() && reports[0]["loo"].is_null());
    assert!(at(&reports[0], "/peak_rss_bytes") > 1e6);
}

#[test]
fn slack_adds_up_to_the_bracket() {
    let place = Place::with_tables();
    let report = place.fit("t.csv --target y --starts 1");
    let width = at(&report, "/lml/upper") - at(&report, "/lml/lower");
    let parts = at(&report, "/lml/slack/quad") + at(&report, "/lml/slack/logdet");
    close(width, parts, 1e-9);
    assert!(at(&report, "/lml/lower") <= at(&report, "/lml/exact"));
    assert!(at(&report, "/lml/exact") <= at(&report, "/lml/upper"));
}

/// Case 42: the two scales differ by log s, and NLPD is the mean of marginal densities.
#[test]
fn scores_say_which_scale_they_are_on() {
    let place = Place::with_tables();
    let report = place.fit(
        "t.csv --target y --drop z --starts 1 --test-fraction 0.3 --split-out parts --out m.taut",
    );
    let s = at(&report, "/test/rmse_original") / at(&report, "/test/rmse");
    close(at(&report, "/test/nlpd_original") - at(&report, "/test/nlpd"), s.ln(), 1e-12);
    let offset = at(&report, "/lml/original_offset");
    close(offset, -at(&report, "/n_train") * s.ln(), 1e-12);
    let predicted = place.taut("predict m.taut parts/test.csv --keep").ok().out;
    let mut nlpd = 0.0;
    let mut squares = 0.0;
    let mut inside = 0.0;
    let rows = crate::support::numbers(&predicted);
    for row in &rows {
        let (y, mean, var_y, lower, upper) = (row[2], row[4], row[6], row[7], row[8]);
        squares += (y - mean).powi(2);
        nlpd += 0.5 * ((2.0 * std::f64::consts::PI * var_y).ln() + (y - mean).powi(2) / var_y);
        inside += f64::from(lower <= y && y <= upper);
    }
    let n = rows.len() as f64;
    close(at(&report, "/test/rmse_original"), (squares / n).sqrt(), 1e-12);
    close(at(&report, "/test/nlpd_original"), nlpd / n, 1e-12);
    close(at(&report, "/test/coverage95"), inside / n, 1e-12);
}

#[test]
fn the_summary_says_what_a_person_wants_to_know() {
    let place = Place::with_tables();
    let out = place.taut("fit t.csv --target y --test-fraction 0.2 --starts 1").ok().out;
    for word in ["24 rows", "matern32", "noise variance", "likelihood", "RMSE", "cover", "t.taut"] {
        assert!(out.contains(word), "{word} in {out}");
    }
}
