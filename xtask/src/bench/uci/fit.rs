//! One run: the fit, and the exact likelihood of what it found on the fixed subset.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::options::Options;
use super::plan::{Run, Scale};
use crate::bench::program::{TEST_FRACTION, drawn, quietly, steps_per_call, taut};
use crate::task::Failure;

/// The line of a run.
pub(super) fn one(
    run: &Run,
    scale: &Scale,
    options: &Options,
    folder: &Path,
) -> Result<Value, Failure> {
    let table = run.table(options, folder)?;
    let parts = folder.join(format!("{}-subset", run.set.name));
    let subset = drawn(run.set, scale.subset, &table, &parts)?;
    let stem = format!("{}-{}-{}", run.set.name, run.method.name, run.split);
    let place = |ending: &str| folder.join(format!("{stem}{ending}"));
    let mut command = command(run, scale, &table, scale.seconds);
    command.arg("--out").arg(place(".taut")).arg("--report").arg(place(".json"));
    let report = quietly(&mut command, &place(".json"))?;
    let mut command = taut();
    command.arg("fit").arg(subset).args(["--target", run.set.target, "--method", "exact"]);
    command.args(["--no-train", "--quiet", "--params"]).arg(place(".json"));
    command.arg("--out").arg(place("-subset.taut")).arg("--report").arg(place("-subset.json"));
    let on_subset = quietly(&mut command, &place("-subset.json"))?;
    Ok(row(run, scale, &report, &on_subset))
}

/// The fit, but for where its results go.
pub(super) fn command(run: &Run, scale: &Scale, table: &Path, seconds: f64) -> Command {
    let mut command = taut();
    command.arg("fit").arg(table).args(["--target", run.set.target]);
    command.args(&run.method.options).args(["--quiet", "--seed", &run.split.to_string()]);
    command.args(["--test-fraction", &held_out(run, scale), "--time", &seconds.to_string()]);
    command
}

/// The part of the rows that tests.
fn held_out(run: &Run, scale: &Scale) -> String {
    if run.method.on_subset { run.set.left_out(scale.subset) } else { TEST_FRACTION.to_owned() }
}

fn row(run: &Run, scale: &Scale, report: &Value, on_subset: &Value) -> Value {
    let (lml, test, train) = (&report["lml"], &report["test"], &report["train"]);
    let own = own(report);
    json!({
        "set": run.set.name, "method": run.method.name, "split": run.split,
        "time_limit": scale.seconds, "n": report["n_train"], "n_test": report["n_test"],
        "d": report["d"], "rmse": test["rmse"], "nlpd": test["nlpd"],
        "coverage95": test["coverage95"], "noise_variance": report["params"]["noise_variance"],
        "lower": lml["lower"], "upper": lml["upper"], "own": own,
        "standard_error": lml["standard_error"], "own_is": verdict(report, &own),
        "exact": lml["exact"], "exact_on_subset": on_subset["lml"]["exact"],
        "cg_steps_per_call": steps_per_call(report),
        "cg_capped": report["cg"]["capped"], "iterations": train["iterations"],
        "evaluations": train["evaluations"], "stop_reason": train["stop_reason"],
        "train_seconds": report["seconds"]["train"], "total_seconds": report["seconds"]["total"],
        "peak_rss_bytes": report["peak_rss_bytes"], "threads": report["threads"],
        "warnings": report["warnings"],
    })
}

/// What the method itself calls its log marginal likelihood: the exact value, what it maximised, or
/// an estimate.
pub(super) fn own(report: &Value) -> Value {
    let candidates = [&report["lml"]["estimate"], &report["elbo"], &report["lml"]["exact"]];
    candidates.into_iter().find(|value| value.is_number()).cloned().unwrap_or(Value::Null)
}

/// Where that lies in the bracket.
pub(super) fn verdict(report: &Value, own: &Value) -> &'static str {
    let lml = &report["lml"];
    let (Some(own), Some(lower), Some(upper)) =
        (own.as_f64(), lml["lower"].as_f64(), lml["upper"].as_f64())
    else {
        return "not bracketed";
    };
    let chance = lml["standard_error"].as_f64().is_some();
    match (own < lower, own > upper) {
        (true, _) if chance => "estimate below the bracket",
        (_, true) if chance => "estimate above the bracket",
        _ if chance => "estimate inside the bracket",
        // Bounds of certify may be tighter than the one that was trained.
        (true, _) => "bound, below the best one",
        (_, true) => "above the bracket",
        _ if report["method"] == "exact" => "exact",
        _ => "bound, the best one",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(method: &str, lml: Value, elbo: Value) -> Value {
        json!({"method": method, "lml": lml, "elbo": elbo})
    }

    #[test]
    fn claims_are_held_against_the_bracket() {
        let estimate = |value: f64| json!({"lower": -2.0, "upper": -1.0, "estimate": value, "standard_error": 0.1});
        for (value, expected) in [
            (-0.5, "estimate above the bracket"),
            (-1.5, "estimate inside the bracket"),
            (-3.0, "estimate below the bracket"),
        ] {
            let report = report("iterative", estimate(value), Value::Null);
            assert_eq!(verdict(&report, &own(&report)), expected);
        }
        let bound = report("sgpr", json!({"lower": -2.0, "upper": -1.0}), json!(-4.0));
        assert_eq!(verdict(&bound, &own(&bound)), "bound, below the best one");
        let exact = json!({"lower": -2.0, "upper": -1.0, "exact": -1.5});
        let exact = report("exact", exact, Value::Null);
        assert_eq!(verdict(&exact, &own(&exact)), "exact");
        let none = report("sgpr", json!({}), json!(-4.0));
        assert_eq!(verdict(&none, &own(&none)), "not bracketed");
    }
}
