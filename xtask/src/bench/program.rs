//! Running `taut` and reading the reports it leaves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::sets::Set;
use crate::task::{self, Failure, TaskResult};

/// Builds the program that tables run.
pub(super) fn build() -> TaskResult {
    task::run(&mut task::cargo(["build", "--release", "--package", "taut"]))
}

/// Part of the rows that tests: two thirds train, as in the paper.
pub(super) const TEST_FRACTION: &str = "0.3333333333333333";

/// The program that [`build`] left.
pub(super) fn taut() -> Command {
    Command::new(task::root().join("target/release/taut"))
}

/// Runs the command and reads the report it wrote.
pub(super) fn measured(command: &mut Command, report: &Path) -> Result<Value, Failure> {
    task::run(command)?;
    read(report)
}

/// The same, its summary dropped.
pub(super) fn quietly(command: &mut Command, report: &Path) -> Result<Value, Failure> {
    task::output(command)?;
    read(report)
}

fn read(report: &Path) -> Result<Value, Failure> {
    let text = fs::read_to_string(report).map_err(|error| Failure::io(report, &error))?;
    serde_json::from_str(&text).map_err(|error| Failure::io(report, &error))
}

/// So many rows of the set's table drawn once, as a table of its own in the folder `parts`.
pub(super) fn drawn(
    set: &Set,
    rows: usize,
    table: &Path,
    parts: &Path,
) -> Result<PathBuf, Failure> {
    let place = parts.join("train.csv");
    if place.is_file() {
        return Ok(place);
    }
    let mut command = taut();
    command.arg("fit").arg(table).args(["--target", set.target, "--method", "sgpr"]);
    command.args(["--inducing", "1", "--max-iters", "0", "--starts", "1", "--quiet"]);
    command.args(["--exact-limit", "0", "--test-fraction", &set.left_out(rows)]);
    command.arg("--split-out").arg(parts).arg("--out").arg(parts.with_extension("taut"));
    // What it says of the fit is of no interest.
    task::output(&mut command)?;
    Ok(place)
}

/// Steps of conjugate gradients for each call of the objective. A block of solves, which share their
/// products, counts as the mean of its columns.
pub(super) fn steps_per_call(report: &Value) -> Value {
    let cg = &report["cg"];
    let calls = match report["method"].as_str() {
        Some("iterative") => cg["solves"].as_f64(),
        _ => report["train"]["evaluations"].as_f64(),
    };
    let steps = cg["steps_total"].as_f64().zip(calls);
    json!(steps.filter(|(_, calls)| *calls > 0.0).map(|(steps, calls)| steps / calls))
}

/// A number with so many decimals; null where there is none.
pub(super) fn rounded(value: &Value, digits: i32) -> Value {
    let scale = 10f64.powi(digits);
    value.as_f64().map_or(Value::Null, |value| json!((value * scale).round() / scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_for_the_calls() {
        let mut report = json!({"method": "cglb", "cg": {"steps_total": 30, "solves": 4},
                            "train": {"evaluations": 15}});
        assert_eq!(steps_per_call(&report), json!(2.0));
        report["train"]["evaluations"] = json!(0);
        assert_eq!(steps_per_call(&report), Value::Null);
        let block = json!({"method": "iterative", "cg": {"steps_total": 30, "solves": 10}});
        assert_eq!(steps_per_call(&block), json!(3.0));
    }
}
