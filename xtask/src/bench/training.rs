//! The table `training`: what each objective finds, judged by the exact likelihood.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::program::{self, drawn, quietly, rounded, taut};
use super::sets::{self, Set};
use super::{Table, rows};
use crate::task::{self, Failure, TaskResult};

pub(super) const TABLE: Table = Table {
    name: "training",
    usage: "training [SET..]",
    about: "each objective trained on 800 rows of the sets in TAUT_DATA_DIR: the exact likelihood of what it found",
    run,
};

/// Rows that train, and as many that test.
const ROWS: usize = 800;
/// Nats below the best exact fit that the mark allows.
const MARK: f64 = 5.0;
const EXACT: &str = "exact";
/// Objectives, and what they add to the command line.
const OBJECTIVES: [(&str, &str); 5] = [
    (EXACT, "--method exact"),
    ("sgpr", "--method sgpr --inducing 128"),
    ("cglb", "--method cglb --inducing 128"),
    ("vecchia-10", "--method cglb --inducing 128 --bound vecchia --neighbours 10"),
    ("vecchia-30", "--method cglb --inducing 128 --bound vecchia --neighbours 30"),
];
/// The start of the paper alone, and those of the start policy.
const STARTS: [&str; 2] = ["1", "5"];
const COLUMNS: [&str; 9] =
    ["set", "objective", "starts", "exact_lml", "below_best", "within", "rmse", "nlpd", "train_s"];

fn run(args: &[String]) -> TaskResult {
    let sets = sets::chosen(args)?;
    let data = sets::folder()?;
    program::build()?;
    let scratch = task::root().join("target/taut-bench/training");
    fs::create_dir_all(&scratch).map_err(|error| Failure::io(&scratch, &error))?;
    let mut found = Vec::new();
    for set in sets {
        let parts = scratch.join(format!("{}-{}", set.name, 2 * ROWS));
        let table = drawn(set, 2 * ROWS, &set.file(&data), &parts)?;
        let mut rows = Vec::new();
        for starts in STARTS {
            for (objective, options) in OBJECTIVES {
                eprintln!("{} {objective}, starts: {starts}", set.name);
                let stem = format!("{}-{objective}-{starts}", set.name);
                let place = |ending: &str| scratch.join(format!("{stem}{ending}"));
                let (trained, judged) = fit(set, &table, options, starts, place)?;
                rows.push(row(set, objective, starts, &trained, &judged));
            }
        }
        compare(&mut rows);
        found.extend(rows);
        rows::publish(TABLE.name, &COLUMNS, &found)?;
    }
    Ok(())
}

/// The reports of the fit, and of the exact Gaussian process at what it found.
fn fit(
    set: &Set,
    table: &Path,
    options: &str,
    starts: &str,
    place: impl Fn(&str) -> PathBuf,
) -> Result<(Value, Value), Failure> {
    let on_half = |ending: &str| {
        let mut command = taut();
        command.arg("fit").arg(table).args(["--target", set.target, "--test-fraction", "0.5"]);
        command.args(["--quiet", "--seed", "0", "--exact-limit", "0"]);
        command.arg("--out").arg(place(".taut")).arg("--report").arg(place(ending));
        command
    };
    let mut command = on_half(".json");
    command.args(options.split_whitespace()).args(["--starts", starts]);
    let trained = quietly(&mut command, &place(".json"))?;
    let mut command = on_half(".exact.json");
    command.args(["--method", "exact", "--no-train", "--params"]).arg(place(".json"));
    Ok((trained, quietly(&mut command, &place(".exact.json"))?))
}

fn row(set: &Set, objective: &str, starts: &str, trained: &Value, judged: &Value) -> Value {
    json!({
        "set": set.name, "objective": objective, "starts": starts,
        "exact_lml": rounded(&judged["lml"]["exact"], 2),
        "rmse": rounded(&judged["test"]["rmse"], 4), "nlpd": rounded(&judged["test"]["nlpd"], 3),
        "train_s": rounded(&trained["seconds"]["train"], 1),
    })
}

/// Holds the rows of a set against the best that training by the exact likelihood found.
fn compare(rows: &mut [Value]) {
    let exact = rows.iter().filter(|row| row["objective"] == EXACT);
    let best = exact.filter_map(|row| row["exact_lml"].as_f64()).fold(f64::NEG_INFINITY, f64::max);
    for row in rows {
        let below = best - row["exact_lml"].as_f64().unwrap_or(f64::NAN);
        row["below_best"] = rounded(&json!(below), 2);
        row["within"] = json!(if below <= MARK { "yes" } else { "no" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_are_held_against_the_best_exact_fit_of_the_set() {
        let judged = |lml: f64| json!({"lml": {"exact": lml}, "test": {"rmse": 0.5}});
        let row = |objective, starts, lml| {
            row(&sets::SETS[0], objective, starts, &json!({}), &judged(lml))
        };
        let mut rows = [
            row(EXACT, "1", -9.0),
            row(EXACT, "5", -2.0),
            row("sgpr", "1", -6.5),
            row("sgpr", "5", -7.25),
        ];
        compare(&mut rows);
        assert_eq!(rows[0]["below_best"], json!(7.0));
        assert_eq!((&rows[2]["within"], &rows[3]["within"]), (&json!("yes"), &json!("no")));
        assert!(COLUMNS.iter().all(|column| rows[0].get(column).is_some()), "{}", rows[0]);
    }
}
