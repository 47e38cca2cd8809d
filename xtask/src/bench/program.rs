//! Running `taut` and reading the reports it leaves.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::task::{self, Failure, TaskResult};

/// Builds the program that tables run.
pub(super) fn build() -> TaskResult {
    task::run(&mut task::cargo(["build", "--release", "--package", "taut"]))
}

/// The program that [`build`] left.
pub(super) fn taut() -> Command {
    Command::new(task::root().join("target/release/taut"))
}

/// Runs the command and reads the report it wrote.
pub(super) fn measured(command: &mut Command, report: &Path) -> Result<Value, Failure> {
    task::run(command)?;
    let text = fs::read_to_string(report).map_err(|error| Failure::io(report, &error))?;
    serde_json::from_str(&text).map_err(|error| Failure::io(report, &error))
}

/// A number with so many decimals; null where there is none.
pub(super) fn rounded(value: &Value, digits: i32) -> Value {
    let scale = 10f64.powi(digits);
    value.as_f64().map_or(Value::Null, |value| json!((value * scale).round() / scale))
}
