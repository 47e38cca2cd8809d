//! The table `subsets`: exact fits of 2 000 real rows, and what every bound leaves of the truth.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::program::{self, measured, rounded, taut};
use super::sets::{self, Set};
use super::{Table, rows};
use crate::task::{self, Failure, TaskResult};

pub(super) const TABLE: Table = Table {
    name: "subsets",
    usage: "subsets [SET..]",
    about: "exact fits of 2 000 rows of the sets in TAUT_DATA_DIR, and the slack of every bound",
    run,
};

const TRAINING_ROWS: usize = 2_000;
const INDUCING: &str = "512";
/// What is printed; the rows in the file also have the slack of every bound.
const COLUMNS: [&str; 17] = [
    "set",
    "d",
    "neighbours",
    "fit_s",
    "rmse",
    "nlpd",
    "coverage95",
    "noise",
    "exact",
    "lower",
    "upper",
    "lower_slack",
    "lower_by",
    "width",
    "upper_by",
    "within",
    "certify_s",
];
/// Nats that a lower end may be off, and that a bracket may be wide: the marks of a set.
const MARKS: [(&str, f64, f64); 5] = [
    ("protein", 10.0, 40.0),
    ("pol", 10.0, 40.0),
    ("elevators", 10.0, 40.0),
    ("bike", 10.0, 40.0),
    // Only reported: noise at its floor leaves the upper end open.
    ("kin40k", 50.0, f64::INFINITY),
];
/// Neighbours of the bounds that use them: two rows a set.
const NEIGHBOURS: [&str; 2] = ["30", "60"];

fn run(args: &[String]) -> TaskResult {
    let sets = sets::chosen(args)?;
    let data = sets::folder()?;
    program::build()?;
    let scratch = task::root().join("target/taut-bench/subsets");
    fs::create_dir_all(&scratch).map_err(|error| Failure::io(&scratch, &error))?;
    let mut found = Vec::new();
    for set in sets {
        let fit = fit(set, &data, &scratch)?;
        for neighbours in NEIGHBOURS {
            let certificate = certify(set, neighbours, &scratch)?;
            found.push(row(set, neighbours, &fit, &certificate));
        }
    }
    rows::publish(TABLE.name, &COLUMNS, &found)
}

fn fit(set: &Set, data: &Path, scratch: &Path) -> Result<Value, Failure> {
    let report = scratch.join(format!("{}-fit.json", set.name));
    let mut command = taut();
    command.arg("fit").arg(set.file(data));
    command.args(["--target", set.target, "--method", "exact", "--inducing", INDUCING]);
    command.args(["--test-fraction", &set.left_out(TRAINING_ROWS), "--quiet"]);
    command.arg("--out").arg(model(set, scratch)).arg("--report").arg(&report);
    measured(&mut command, &report)
}

fn certify(set: &Set, neighbours: &str, scratch: &Path) -> Result<Value, Failure> {
    let report = scratch.join(format!("{}-certify-{neighbours}.json", set.name));
    let mut command = taut();
    command.arg("certify").arg(model(set, scratch)).args(["--neighbours", neighbours, "--quiet"]);
    command.args(["--bounds", "all"]).arg("--report").arg(&report);
    measured(&mut command, &report)
}

fn model(set: &Set, scratch: &Path) -> PathBuf {
    scratch.join(format!("{}.taut", set.name))
}

/// The scores, the exact value, and for each bound the nats of log marginal likelihood it is off.
fn row(set: &Set, neighbours: &str, fit: &Value, certificate: &Value) -> Value {
    let lml = &certificate["lml"];
    let mut row = Map::new();
    let mut put = |key: &str, value: Value| row.insert(key.to_owned(), value);
    put("set", json!(set.name));
    put("d", fit["d"].clone());
    put("neighbours", json!(neighbours));
    put("fit_s", rounded(&fit["seconds"]["train"], 1));
    put("rmse", rounded(&fit["test"]["rmse"], 4));
    put("nlpd", rounded(&fit["test"]["nlpd"], 3));
    put("coverage95", rounded(&fit["test"]["coverage95"], 3));
    put(
        "noise",
        json!(format!("{:.1e}", fit["params"]["noise_variance"].as_f64().unwrap_or(f64::NAN))),
    );
    put("exact", rounded(&lml["exact"], 2));
    put("lower", rounded(&lml["lower"], 2));
    put("upper", rounded(&lml["upper"], 2));
    put("lower_by", lml["bound"].clone());
    put("upper_by", lml["bound_lower"].clone());
    put("certify_s", rounded(&certificate["seconds"], 1));
    let end = |key: &str| lml[key].as_f64().unwrap_or(f64::NAN);
    let (slack, width) = (end("exact") - end("lower"), end("upper") - end("lower"));
    put("lower_slack", rounded(&json!(slack), 2));
    put("width", rounded(&json!(width), 2));
    put("within", json!(within(set.name, slack, width)));
    let exact = certificate["exact_terms"].clone();
    for bound in certificate["bounds"].as_array().into_iter().flatten() {
        let (quantity, name) = (&bound["quantity"], &bound["name"]);
        let (Some(quantity), Some(name)) = (quantity.as_str(), name.as_str()) else { continue };
        if let (Some(value), Some(truth)) = (bound["value"].as_f64(), exact[quantity].as_f64()) {
            put(name, rounded(&json!(0.5 * (value - truth).abs()), 2));
        }
    }
    Value::Object(row)
}

/// Which of a set's marks are met.
fn within(set: &str, slack: f64, width: f64) -> &'static str {
    let marks = MARKS.iter().find(|(name, ..)| *name == set);
    let (_, most_slack, most_width) = marks.copied().unwrap_or(("", f64::INFINITY, f64::INFINITY));
    match (slack <= most_slack, width <= most_width) {
        (true, true) => "both",
        (true, false) => "lower",
        (false, true) => "width",
        (false, false) => "neither",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_tells_how_far_each_bound_is_from_the_truth() {
        let fit = json!({"d": 9, "params": {"noise_variance": 0.25}, "test": {"rmse": 0.5}});
        let certificate = json!({
            "lml": {"exact": -1.0, "lower": -5.5, "upper": 44.5, "bound": "trace"}, "exact_terms": {"logdet": 3.0},
            "bounds": [{"name": "trace", "quantity": "logdet", "value": 7.0}],
        });
        let row = row(&sets::SETS[0], "30", &fit, &certificate);
        assert_eq!(
            (&row["trace"], &row["rmse"], &row["noise"]),
            (&json!(2.0), &json!(0.5), &json!("2.5e-1"))
        );
        assert_eq!((&row["lower_slack"], &row["width"]), (&json!(4.5), &json!(50.0)));
        assert_eq!((&row["within"], &row["lower_by"]), (&json!("lower"), &json!("trace")));
        assert!(COLUMNS.iter().all(|column| row.get(column).is_some()), "{row}");
    }
}
