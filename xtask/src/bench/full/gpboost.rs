//! GPBoost's Vecchia approximation on as many rows of the same set, another random third held out.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::bench::program::rounded;
use crate::bench::sets::Set;

pub(super) const NAME: &str = "gpboost";

/// Its row; none, and a line that says why, where it cannot be had.
pub(super) fn row(set: &Set, data: &Path) -> Option<Value> {
    eprintln!("{} {NAME}", set.name);
    let found = std::env::var_os("TAUT_PEERS_PYTHON")
        .ok_or_else(|| "TAUT_PEERS_PYTHON is not set to a Python that has it".to_owned())
        .and_then(|python| figures(&python, set, data));
    match found {
        Ok(figures) => Some(as_row(set, &figures)),
        Err(reason) => {
            println!("{NAME} skipped on {}: {reason}", set.name);
            None
        }
    }
}

fn figures(python: &OsString, set: &Set, data: &Path) -> Result<Value, String> {
    let mut command = Command::new(python);
    command.arg(data.join("../peers/gpboost_bench.py")).args([set.name, "vecchia", "30"]);
    command.env("UCI_DIR", data).env("OMP_NUM_THREADS", "2");
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let figures = text.lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok());
    figures.filter(Value::is_object).ok_or_else(|| {
        let errors = String::from_utf8_lossy(&output.stderr);
        let last = errors.lines().rfind(|line| !line.trim().is_empty());
        last.unwrap_or("it gave no figures").to_owned()
    })
}

fn as_row(set: &Set, figures: &Value) -> Value {
    let seconds = figures["fit_s"].as_f64().zip(figures["pred_s"].as_f64());
    json!({
        "set": set.name, "method": NAME, "n": figures["n"], "d": figures["d"],
        "rmse": rounded(&figures["rmse"], 4), "nlpd": rounded(&figures["nlpd"], 3),
        "coverage95": null, "noise": null, "lower": null, "upper": null,
        "objective": rounded(&json!(figures["nll"].as_f64().map(|nll| -nll)), 1),
        "iterations": null, "evaluations": null, "cg_steps": null, "train_s": rounded(&figures["fit_s"], 0),
        "total_s": rounded(&json!(seconds.map(|(fit, predict)| fit + predict)), 0),
        "peak_mb": figures["rss_mb"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_negative_log_likelihood_becomes_an_objective() {
        let figures = json!({"n": 9, "nll": 2.5, "fit_s": 1.5, "pred_s": 2.0, "rss_mb": 7});
        let row = as_row(&crate::bench::sets::SETS[0], &figures);
        assert_eq!((&row["objective"], &row["total_s"]), (&json!(-2.5), &json!(4.0)));
    }
}
