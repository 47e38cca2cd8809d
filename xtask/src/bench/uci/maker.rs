//! Where a run was made, kept in its line: a file of results outlives commits and machines.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::task;

/// The program and the machine that make the runs of a command.
pub(super) struct Maker {
    commit: String,
    machine: String,
}

impl Maker {
    /// What is checked out now, and this machine.
    pub(super) fn here() -> Self {
        Self { commit: commit(), machine: machine() }
    }

    /// The line with `commit` and `machine` in it.
    pub(super) fn sign(&self, mut row: Value) -> Value {
        row["commit"] = json!(self.commit);
        row["machine"] = json!(self.machine);
        row
    }
}

/// What the rows have under `key`, each thing once; `unknown` for rows without.
pub(super) fn told(rows: &[&Value], key: &str) -> String {
    let mut told: Vec<&str> =
        rows.iter().map(|row| row[key].as_str().unwrap_or("unknown")).collect();
    told.sort_unstable();
    told.dedup();
    told.join("; ")
}

fn commit() -> String {
    let mut command = Command::new("git");
    command.args(["rev-parse", "--short", "HEAD"]).current_dir(task::root());
    let output = command.output().ok().filter(|output| output.status.success());
    output.map_or("unknown".to_owned(), |output| {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    })
}

/// Processor, cores, memory, where the system tells.
fn machine() -> String {
    let value = |file: &str, key: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let name = value("/proc/cpuinfo", "model name").unwrap_or("an unknown processor".to_owned());
    let cores = std::thread::available_parallelism().map_or(0, |cores| cores.get());
    let kilobytes = value("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let memory = kilobytes.map_or(String::new(), |kb| format!(", {} GiB of memory", kb >> 20));
    format!("{cores} cores of {name}{memory}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_tell_who_made_them_and_older_ones_that_nobody_knows() {
        let maker = |commit: &str| Maker { commit: commit.to_owned(), machine: "one".to_owned() };
        let rows = [maker("b").sign(json!({"n": 1})), maker("a").sign(json!({})), json!({"n": 2})];
        let rows: Vec<&Value> = rows.iter().collect();
        assert_eq!(
            (told(&rows, "commit"), told(&rows, "machine")),
            ("a; b; unknown".to_owned(), "one; unknown".to_owned())
        );
        assert_eq!(rows[0]["n"], 1);
    }
}
