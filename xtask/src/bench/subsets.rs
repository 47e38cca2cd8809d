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
/// Columns that are not a bound's slack.
const OF_THE_FIT: [&str; 11] = [
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
];
/// Neighbours of the vecchia bound: two rows a set.
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
    rows::publish(TABLE.name, &columns(&found), &found)
}

fn fit(set: &Set, data: &Path, scratch: &Path) -> Result<Value, Failure> {
    let held_out = (set.rows - TRAINING_ROWS) as f64 / set.rows as f64;
    let report = scratch.join(format!("{}-fit.json", set.name));
    let mut command = taut();
    command.arg("fit").arg(set.file(data));
    command.args(["--target", set.target, "--method", "exact", "--inducing", INDUCING]);
    command.args(["--test-fraction", &held_out.to_string(), "--quiet"]);
    command.arg("--out").arg(model(set, scratch)).arg("--report").arg(&report);
    measured(&mut command, &report)
}

fn certify(set: &Set, neighbours: &str, scratch: &Path) -> Result<Value, Failure> {
    let report = scratch.join(format!("{}-certify-{neighbours}.json", set.name));
    let mut command = taut();
    command.arg("certify").arg(model(set, scratch)).args(["--neighbours", neighbours, "--quiet"]);
    command.arg("--report").arg(&report);
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

/// What is said of the fit, then the bounds, loosest first.
fn columns(rows: &[Value]) -> Vec<&str> {
    let first = rows.first().and_then(Value::as_object);
    let mut bounds: Vec<(&str, f64)> = first
        .into_iter()
        .flatten()
        .filter(|(key, _)| !OF_THE_FIT.contains(&key.as_str()))
        .map(|(key, slack)| (key.as_str(), slack.as_f64().unwrap_or(f64::INFINITY)))
        .collect();
    bounds.sort_by(|a, b| b.1.total_cmp(&a.1));
    OF_THE_FIT.iter().copied().chain(bounds.into_iter().map(|(key, _)| key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_tells_how_far_each_bound_is_from_the_truth() {
        let fit = json!({"d": 9, "params": {"noise_variance": 0.25}, "test": {"rmse": 0.5}});
        let certificate = json!({
            "lml": {"exact": -1.0}, "exact_terms": {"logdet": 3.0},
            "bounds": [{"name": "trace", "quantity": "logdet", "value": 7.0}],
        });
        let row = row(&sets::SETS[0], "30", &fit, &certificate);
        assert_eq!(
            (&row["trace"], &row["rmse"], &row["noise"]),
            (&json!(2.0), &json!(0.5), &json!("2.5e-1"))
        );
    }
}
