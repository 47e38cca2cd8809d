//! What a fit knows as time goes on: fits with ever longer limits.

use std::path::Path;

use serde_json::{Value, json};

use super::maker::Maker;
use super::options::Options;
use super::plan::{Run, Scale};
use super::{append, figure, fit, lines};
use crate::bench::program::{quietly, steps_per_call};
use crate::bench::rows;
use crate::task::{Failure, TaskResult};

/// Fits, each with twice the time of the one before. One that is resumed would take anew the step its limit
/// cut off, which is dear where steps are long.
const LOOKS: i32 = 6;

const COLUMNS: [&str; 12] = [
    "set",
    "method",
    "seconds",
    "lower",
    "own",
    "standard_error",
    "upper",
    "own_is",
    "rmse",
    "nlpd",
    "cg_steps_per_call",
    "stop_reason",
];

/// Makes what is missing, then the table of all, and a picture for each set.
pub(super) fn make(runs: &[Run], scale: &Scale, options: &Options, folder: &Path) -> TaskResult {
    let name = format!("{}-trace", scale.name);
    let results = folder.with_file_name(format!("{name}-runs.jsonl"));
    let maker = Maker::here();
    for run in runs {
        if run.is_among(&lines(&results)?, scale) {
            continue;
        }
        eprintln!("{} against time", run.label());
        let rows = looks(run, scale, options, folder)?;
        let rows: Vec<Value> = rows.into_iter().map(|row| maker.sign(row)).collect();
        append(&results, &rows)?;
    }
    let all = lines(&results)?;
    let made = |row: &&Value| row["time_limit"] == scale.seconds;
    let rows: Vec<Value> = all.iter().filter(made).cloned().collect();
    rows::publish(&name, &COLUMNS, &rows)?;
    for set in &scale.sets {
        let of: Vec<&Value> = rows.iter().filter(|row| row["set"] == set.name).collect();
        if !of.is_empty() {
            let path = folder.with_file_name(format!("{name}-{}.svg", set.name));
            figure::draw(set.name, &of, &path)?;
            println!("picture in {}", path.display());
        }
    }
    Ok(())
}

fn looks(
    run: &Run,
    scale: &Scale,
    options: &Options,
    folder: &Path,
) -> Result<Vec<Value>, Failure> {
    let table = run.table(options, folder)?;
    let stem = format!("trace-{}-{}", run.set.name, run.method.name);
    let place = |ending: &str| folder.join(format!("{stem}{ending}"));
    let mut rows: Vec<Value> = Vec::new();
    for look in (0..LOOKS).rev() {
        let seconds = scale.seconds / 2_f64.powi(look);
        if rows.last().is_some_and(|row| row["seconds"].as_f64() >= Some(seconds)) {
            continue;
        }
        let mut command = fit::command(run, scale, &table, seconds);
        command.arg("--out").arg(place(".taut")).arg("--report").arg(place(".json"));
        let report = quietly(&mut command, &place(".json"))?;
        rows.push(row(run, scale, &report));
        if report["train"]["stop_reason"] != "time_limit" {
            break;
        }
    }
    Ok(rows)
}

fn row(run: &Run, scale: &Scale, report: &Value) -> Value {
    let (lml, test, own) = (&report["lml"], &report["test"], fit::own(report));
    json!({
        "set": run.set.name, "method": run.method.name, "split": run.split,
        "time_limit": scale.seconds, "seconds": report["seconds"]["train"],
        "lower": lml["lower"], "own": own, "standard_error": lml["standard_error"],
        "upper": lml["upper"], "own_is": fit::verdict(report, &own), "rmse": test["rmse"],
        "nlpd": test["nlpd"], "cg_steps_per_call": steps_per_call(report),
        "evaluations": report["train"]["evaluations"],
        "stop_reason": report["train"]["stop_reason"],
    })
}
