//! The table `brackets`: all bounds on whole real sets, beside the bracket of the paper's.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::full;
use super::program::{self, measured, rounded, taut};
use super::sets::{self, Set};
use super::{Table, rows};
use crate::task::{Failure, TaskResult};

pub(super) const TABLE: Table = Table {
    name: "brackets",
    usage: "brackets [SET..]",
    about: "all bounds, or the best of the large sets, at the hyperparameters that `full` found by cglb-vecchia, beside the paper's bracket",
    run,
};

/// Rows above which only some bounds are taken: all are quadratic in the rows, most by several passes.
const LARGE: usize = 15_000;
/// The bounds whose ends were the tightest on smaller sets, and those of the paper.
const ON_LARGE: &str = "arithmetic-geometric,nystrom-log-det,vecchia,vif-exact,\
    dual-moments-vecchia,dual-moments-vif,auxiliary,cauchy-schwarz";
/// Neighbours of the bounds that use them.
const NEIGHBOURS: &str = "60";
/// The paper's bound on log|K|, and the one below that goes with it.
const PAPER: [&str; 2] = ["arithmetic-geometric", "nystrom-log-det"];
const COLUMNS: [&str; 11] = [
    "set",
    "n",
    "lower",
    "upper",
    "lower_by",
    "upper_by",
    "width",
    "per_row",
    "paper_width",
    "part",
    "seconds",
];

fn run(args: &[String]) -> TaskResult {
    let sets = sets::chosen(args)?;
    program::build()?;
    let folder = full::folder();
    fs::create_dir_all(&folder).map_err(|error| Failure::io(&folder, &error))?;
    let mut found = Vec::new();
    for set in sets {
        let model = folder.join(format!("{}-cglb-vecchia.taut", set.name));
        if model.is_file() {
            eprintln!("{}", set.name);
            found.push(row(set, &certified(set, &model, &folder)?));
            rows::publish(TABLE.name, &COLUMNS, &found)?;
        } else {
            eprintln!("{} skipped: `cargo xtask bench full {0}` makes its model", set.name);
        }
    }
    Ok(())
}

fn certified(set: &Set, model: &Path, folder: &Path) -> Result<Value, Failure> {
    let report = folder.join(format!("{}-certify.json", set.name));
    let bounds = if 2 * set.rows / 3 > LARGE { ON_LARGE } else { "all" };
    let mut command = taut();
    command.arg("certify").arg(model).args(["--bounds", bounds, "--neighbours", NEIGHBOURS]);
    command.args(["--exact-limit", "0", "--quiet", "--report"]).arg(&report);
    measured(&mut command, &report)
}

fn row(set: &Set, certificate: &Value) -> Value {
    let lml = &certificate["lml"];
    let end = |key: &str| lml[key].as_f64().unwrap_or(f64::NAN);
    let n = certificate["n"].as_f64().unwrap_or(f64::NAN);
    let width = end("upper") - end("lower");
    let [above, below] = PAPER.map(|name| log_det(certificate, name));
    let paper = 0.5 * (above - below);
    json!({
        "set": set.name, "n": n, "lower": rounded(&lml["lower"], 1), "upper": rounded(&lml["upper"], 1),
        "lower_by": lml["bound"], "upper_by": lml["bound_lower"],
        "width": rounded(&json!(width), 1), "per_row": rounded(&json!(width / n), 5),
        "paper_width": rounded(&json!(paper), 1), "part": rounded(&json!(width / paper), 4),
        "seconds": rounded(&certificate["seconds"], 0),
    })
}

/// The value of a bound on log|K|.
fn log_det(certificate: &Value, name: &str) -> f64 {
    let bounds = certificate["bounds"].as_array().into_iter().flatten();
    let mut found = bounds.filter(|bound| bound["name"] == name && bound["quantity"] == "logdet");
    found.next().and_then(|bound| bound["value"].as_f64()).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_is_held_against_that_of_the_paper() {
        let bound =
            |name: &str, value: f64| json!({"name": name, "quantity": "logdet", "value": value});
        let certificate = json!({
            "n": 100, "seconds": 3.2, "lml": {"lower": -9.0, "upper": -4.0, "bound": "vif"},
            "bounds": [bound(PAPER[0], 30.0), bound(PAPER[1], -70.0), bound("vif", 1.0)],
        });
        let row = row(&sets::SETS[0], &certificate);
        assert_eq!((&row["width"], &row["paper_width"]), (&json!(5.0), &json!(50.0)));
        assert_eq!((&row["part"], &row["per_row"]), (&json!(0.1), &json!(0.05)));
        assert!(COLUMNS.iter().all(|column| row.get(column).is_some()), "{row}");
    }
}
