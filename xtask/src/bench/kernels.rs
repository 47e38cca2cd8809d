//! The table `kernels`: products with kernel matrices, their gradients and the objectives of training, each beside the cost of its
//! arithmetic alone, and beside other packages where they are installed.

mod peers;
mod plan;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use self::plan::{Size, Spec};
use super::{Table, rows};
use crate::task::{self, Failure, TaskResult};

pub(super) const TABLE: Table = Table {
    name: "kernels",
    usage: "kernels [--quick|--full]",
    about: "products with kernel matrices and gradients against the floor, and peers in TAUT_PEERS_PYTHON",
    run,
};

/// The columns of the printed table; the file has `data`, `value` and `rows_per_second` beside them.
const COLUMNS: [&str; 14] = [
    "op",
    "kernel",
    "method",
    "n",
    "d",
    "m",
    "columns",
    "threads",
    "dtype",
    "seconds",
    "ns_per_entry_core",
    "floor_fraction",
    "peak_rss_bytes",
    "peer",
];

fn run(args: &[String]) -> TaskResult {
    let size = size(args)?;
    let mut found = own(size)?;
    if found.iter().any(|row| row["data"] == "synthetic") {
        println!("TAUT_DATA_DIR is not set: objectives were measured on made-up rows");
    }
    match peers::Peers::find() {
        Ok(peers) => found.extend(peers.measure(size)),
        Err(reason) => println!("peers skipped: {reason}"),
    }
    let failed = found.iter().any(|row| row.get("failed").is_some());
    let columns = [&COLUMNS[..], if failed { &["failed"] } else { &[] }].concat();
    rows::publish(TABLE.name, &columns, &found)
}

fn size(args: &[String]) -> Result<Size, Failure> {
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(Size::Usual),
        ["--quick"] => Ok(Size::Quick),
        ["--full"] => Ok(Size::Full),
        _ => Err(Failure::usage(format!(
            "`{}` is not among --quick (a smoke test) and --full (every combination)",
            args.join(" ")
        ))),
    }
}

/// Our own rows, each measured by a process of its own.
fn own(size: Size) -> Result<Vec<Value>, Failure> {
    let program = built(size)?;
    let specs = plan::specs(size);
    let count = specs.len();
    let measured = specs.iter().enumerate().map(|(index, spec)| {
        progress(index + 1, count, &spec.label());
        Ok(row(spec, &figures(&program, spec)?))
    });
    measured.collect()
}

fn progress(index: usize, count: usize, label: &str) {
    eprintln!("{index}/{count} {label}");
}

/// The program that measures; a smoke test takes what the tests of the whole workspace have built.
fn built(size: Size) -> Result<PathBuf, Failure> {
    let (profile, build) = match size {
        Size::Quick => ("debug", "build --workspace --example measure"),
        _ => ("release", "build --release --package cglb --example measure"),
    };
    task::run(&mut task::cargo(build.split(' ')))?;
    Ok(task::root().join("target").join(profile).join("examples/measure"))
}

fn figures(program: &Path, spec: &Spec) -> Result<Value, Failure> {
    let text = task::output(Command::new(program).arg(spec.json().to_string()))?;
    serde_json::from_str(&text).map_err(|error| Failure::io(program, &error))
}

/// What was asked with what was found.
fn row(spec: &Spec, figures: &Value) -> Value {
    let number = |key: &str| figures[key].as_f64();
    let seconds = number("seconds").unwrap_or(f64::NAN);
    let per_entry = number("entries").map(|entries| seconds * 1e9 * spec.threads as f64 / entries);
    let fraction = number("floor_ns").zip(per_entry).map(|(floor, found)| floor / found);
    let new_rows = spec.m.filter(|_| spec.op == "cross_product");
    let mut row = spec.json();
    let fields = [
        ("seconds", json!(seconds)),
        ("ns_per_entry_core", json!(per_entry)),
        ("floor_fraction", json!(fraction)),
        ("rows_per_second", json!(new_rows.map(|rows| rows as f64 / seconds))),
        ("peak_rss_bytes", figures["peak_rss_bytes"].clone()),
        ("value", figures["value"].clone()),
        ("data", figures["data"].clone()),
        ("peer", Value::Null),
    ];
    for (key, value) in fields {
        row[key] = value;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_size_at_most_is_chosen() {
        let size = |words: &[&str]| {
            super::size(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(size(&[]), Ok(Size::Usual));
        assert_eq!(size(&["--full"]), Ok(Size::Full));
        for words in [&["--fast"][..], &["--quick", "--full"]] {
            assert!(
                matches!(size(words), Err(Failure::Usage(cause)) if cause.contains("--quick (a smoke"))
            );
        }
    }

    #[test]
    fn a_row_tells_time_an_entry_and_how_much_of_it_is_arithmetic() {
        let spec = Spec { threads: 2, ..Spec::product("se", 1000, 3, 11) };
        let figures = json!({"seconds": 0.5, "entries": 1e9, "floor_ns": 0.25, "data": "random"});
        let row = row(&spec, &figures);
        assert_eq!(
            (&row["op"], &row["kernel"], &row["m"]),
            (&json!("product"), &json!("se"), &Value::Null)
        );
        assert_eq!(
            (&row["ns_per_entry_core"], &row["floor_fraction"]),
            (&json!(1.0), &json!(0.25))
        );
        assert!(COLUMNS.iter().all(|column| row.get(column).is_some()), "{row}");
    }

    #[test]
    fn what_has_no_entries_has_no_floor() {
        let spec =
            Spec { op: "objective", method: Some("exact"), ..Spec::product("matern32", 9, 3, 1) };
        let row = row(&spec, &json!({"seconds": 0.5, "entries": null, "floor_ns": null}));
        assert_eq!(
            (&row["ns_per_entry_core"], &row["floor_fraction"]),
            (&Value::Null, &Value::Null)
        );
    }

    #[test]
    fn the_quick_table_is_measured() {
        let rows = own(Size::Quick).expect("measured");
        let is_timed = |row: &Value| row["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0);
        assert!(rows.iter().all(is_timed), "{rows:?}");
    }
}
