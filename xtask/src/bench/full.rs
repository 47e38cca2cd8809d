//! The table `full`: every method on two thirds of each real set, scored on the last third.

mod gpboost;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::names::{check, wanted};
use super::program::{self, TEST_FRACTION, measured, rounded, steps_per_call, taut};
use super::sets::{self, Set};
use super::{Table, rows};
use crate::task::{self, Failure, TaskResult};

pub(super) const TABLE: Table = Table {
    name: "full",
    usage: "full [SET..] [--only METHOD,..]",
    about: "every method on two thirds of the sets in TAUT_DATA_DIR, and GPBoost of TAUT_PEERS_PYTHON",
    run,
};

/// A way to fit: its name in the table and what it adds to the command line.
struct Method {
    name: &'static str,
    options: &'static [&'static str],
}

const METHODS: [Method; 3] = [
    Method { name: "sgpr", options: &["--method", "sgpr", "--inducing", "512"] },
    Method { name: "cglb", options: &["--method", "cglb", "--inducing", "512"] },
    Method {
        name: "cglb-vecchia",
        options: &["--method", "cglb", "--inducing", "512", "--bound", "vecchia"],
    },
];
const COMMON: [&str; 8] =
    ["--max-iters", "100", "--time", "300", "--exact-limit", "0", "--seed", "0"];

const COLUMNS: [&str; 17] = [
    "set",
    "method",
    "n",
    "d",
    "rmse",
    "nlpd",
    "coverage95",
    "noise",
    "lower",
    "upper",
    "objective",
    "iterations",
    "evaluations",
    "cg_steps",
    "train_s",
    "total_s",
    "peak_mb",
];

fn run(args: &[String]) -> TaskResult {
    let (names, only) = split(args)?;
    let sets = sets::chosen(names)?;
    let data = sets::folder()?;
    program::build()?;
    let scratch = folder();
    fs::create_dir_all(&scratch).map_err(|error| Failure::io(&scratch, &error))?;
    let mut found = Vec::new();
    for set in sets {
        for method in METHODS.iter().filter(|method| wanted(&only, method.name)) {
            eprintln!("{} {}", set.name, method.name);
            found.push(fit(set, method, &data, &scratch)?);
        }
        if wanted(&only, gpboost::NAME) {
            found.extend(gpboost::row(set, &data));
        }
        // A long table is kept as it grows.
        rows::publish(TABLE.name, &COLUMNS, &found)?;
    }
    Ok(())
}

/// Where models and reports are left.
pub(super) fn folder() -> PathBuf {
    task::root().join("target/taut-bench/full")
}

/// The sets named, and the methods after `--only`.
fn split(args: &[String]) -> Result<(&[String], Vec<String>), Failure> {
    let Some(at) = args.iter().position(|arg| arg == "--only") else {
        return Ok((args, Vec::new()));
    };
    let known = METHODS.iter().map(|method| method.name).chain([gpboost::NAME]);
    let [_, methods] = &args[at..] else {
        let list = known.collect::<Vec<_>>().join(", ");
        return Err(Failure::usage(format!("--only takes some of {list} separated by commas")));
    };
    let only: Vec<String> = methods.split(',').map(str::to_owned).collect();
    check(&only, known, "method")?;
    Ok((&args[..at], only))
}

fn fit(set: &Set, method: &Method, data: &Path, scratch: &Path) -> Result<Value, Failure> {
    let stem = format!("{}-{}", set.name, method.name);
    let report = scratch.join(format!("{stem}.json"));
    let model = scratch.join(format!("{stem}.taut"));
    let mut command: Command = taut();
    command.arg("fit").arg(set.file(data)).args(["--target", set.target]);
    command.args(method.options).args(COMMON).args(["--test-fraction", TEST_FRACTION, "--quiet"]);
    command.arg("--out").arg(model).arg("--report").arg(&report);
    Ok(row(set, method.name, &measured(&mut command, &report)?))
}

/// What the report says, with conjugate-gradient steps counted for one evaluation.
fn row(set: &Set, method: &str, report: &Value) -> Value {
    let (lml, test, train) = (&report["lml"], &report["test"], &report["train"]);
    let noise = report["params"]["noise_variance"].as_f64().unwrap_or(f64::NAN);
    let megabytes = report["peak_rss_bytes"].as_u64().map(|bytes| bytes >> 20);
    json!({
        "set": set.name, "method": method, "n": report["n_train"], "d": report["d"],
        "rmse": rounded(&test["rmse"], 4), "nlpd": rounded(&test["nlpd"], 3),
        "coverage95": rounded(&test["coverage95"], 3), "noise": format!("{noise:.1e}"),
        "lower": rounded(&lml["lower"], 1), "upper": rounded(&lml["upper"], 1),
        "objective": rounded(&report["elbo"], 1), "iterations": train["iterations"],
        "evaluations": train["evaluations"], "stop": train["stop_reason"],
        "cg_steps": rounded(&steps_per_call(report), 1),
        "train_s": rounded(&report["seconds"]["train"], 0),
        "total_s": rounded(&report["seconds"]["total"], 0), "peak_mb": megabytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn methods_come_after_only() {
        let args = words(&["pol", "--only", "sgpr,gpboost"]);
        let (names, only) = split(&args).expect("both are known");
        assert_eq!((names, only), (&words(&["pol"])[..], words(&["sgpr", "gpboost"])));
        for wrong in [&["--only"][..], &["--only", "svgp"], &["--only", "sgpr", "pol"]] {
            assert!(
                matches!(split(&words(wrong)), Err(Failure::Usage(cause)) if cause.contains("cglb-vecchia"))
            );
        }
    }

    #[test]
    fn a_row_counts_steps_for_an_evaluation() {
        let report = json!({
            "n_train": 10, "train": {"evaluations": 4}, "cg": {"steps_total": 10},
            "params": {"noise_variance": 0.5}, "peak_rss_bytes": 5 << 20,
        });
        let row = row(&sets::SETS[0], "cglb", &report);
        assert_eq!((&row["cg_steps"], &row["peak_mb"]), (&json!(2.5), &json!(5)));
        assert!(COLUMNS.iter().all(|column| row.get(column).is_some()), "{row}");
    }
}
