//! The table `micro`: criterion's benches, one crate or all.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::{Table, rows};
use crate::task::{self, Failure, TaskResult};

pub(super) const TABLE: Table = Table {
    name: "micro",
    usage: "micro [CRATE..] [-- ARGS..]",
    about: "criterion's benches of the named crates or of all, with ARGS for criterion",
    run,
};

/// A bench target.
#[derive(Debug, PartialEq)]
struct Bench {
    package: String,
    name: String,
}

fn run(args: &[String]) -> TaskResult {
    let split = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let (named, rest) = args.split_at(split);
    let criterion_args = rest.get(1..).unwrap_or_default();
    let metadata =
        task::output(&mut task::cargo(["metadata", "--no-deps", "--format-version", "1"]))?;
    let start = SystemTime::now();
    let mut found = Vec::new();
    for bench in chosen(benches(&metadata), named)? {
        let home = criterion_home(&bench);
        let mut command =
            task::cargo(["bench", "--package", &bench.package, "--bench", &bench.name, "--"]);
        task::run(command.args(criterion_args).env("CRITERION_HOME", &home))?;
        found.extend(estimates(&home, start).into_iter().map(|estimate| row(&bench, estimate)));
    }
    rows::publish(TABLE.name, &["crate", "id", "median_ns", "mean_ns"], &found)
}

/// Every bench target of the workspace.
fn benches(metadata: &str) -> Vec<Bench> {
    let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.flat_map(|package| {
        package["targets"].as_array().into_iter().flatten().map(move |target| (package, target))
    });
    let benches = targets.filter(|(_, target)| target["kind"][0] == "bench");
    let text = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    benches.map(|(package, target)| Bench { package: text(package), name: text(target) }).collect()
}

/// Those of the `named` crates, all when none is named.
fn chosen(all: Vec<Bench>, named: &[String]) -> Result<Vec<Bench>, Failure> {
    if let Some(unknown) = named.iter().find(|name| all.iter().all(|bench| bench.package != **name))
    {
        let mut crates: Vec<&str> = all.iter().map(|bench| bench.package.as_str()).collect();
        crates.dedup();
        return Err(Failure::usage(format!(
            "`{unknown}` has no benches; these have: {}",
            crates.join(", ")
        )));
    }
    if all.is_empty() {
        let remedy = "add one as benches/NAME.rs with its [[bench]] section";
        return Err(Failure::run("no crate has a criterion bench", remedy));
    }
    Ok(all.into_iter().filter(|bench| named.is_empty() || named.contains(&bench.package)).collect())
}

/// A folder of its own, so that what criterion leaves there is this bench's.
fn criterion_home(bench: &Bench) -> PathBuf {
    task::root().join("target/taut-bench/criterion").join(&bench.package).join(&bench.name)
}

/// What criterion wrote below `folder` since `start`: its description of each benchmark with its estimates.
fn estimates(folder: &Path, start: SystemTime) -> Vec<(Value, Value)> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let is_new = |path: &Path| {
        fs::metadata(path).and_then(|data| data.modified()).is_ok_and(|time| time >= start)
    };
    let mut found = Vec::new();
    for path in entries.iter().filter(|path| path.is_dir()) {
        let values =
            (json_file(&path.join("benchmark.json")), json_file(&path.join("estimates.json")));
        match values {
            (Some(benchmark), Some(estimate))
                if path.ends_with("new") && is_new(&path.join("estimates.json")) =>
            {
                found.push((benchmark, estimate));
            }
            _ => found.extend(estimates(path, start)),
        }
    }
    found
}

fn json_file(path: &Path) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

fn row(bench: &Bench, (benchmark, estimate): (Value, Value)) -> Value {
    json!({
        "crate": bench.package,
        "id": benchmark["full_id"],
        "median_ns": estimate["median"]["point_estimate"],
        "mean_ns": estimate["mean"]["point_estimate"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<Bench> {
        let metadata = json!({"packages": [
            {"name": "a", "targets": [{"name": "a", "kind": ["lib"]}, {"name": "speed", "kind": ["bench"]}]},
            {"name": "b", "targets": [{"name": "cg", "kind": ["bench"]}]},
        ]});
        benches(&metadata.to_string())
    }

    #[test]
    fn benches_come_from_the_metadata() {
        let names: Vec<String> =
            two().into_iter().map(|bench| format!("{}/{}", bench.package, bench.name)).collect();
        assert_eq!(names, ["a/speed", "b/cg"]);
    }

    #[test]
    fn a_crate_without_benches_is_refused_with_those_that_have_some() {
        let failure = chosen(two(), &["c".to_owned()]).expect_err("no benches");
        assert_eq!(failure, Failure::usage("`c` has no benches; these have: a, b"));
        assert_eq!(chosen(two(), &["b".to_owned()]).expect("some").len(), 1);
        assert_eq!(chosen(two(), &[]).expect("all").len(), 2);
    }

    #[test]
    fn rows_hold_criterions_estimates() {
        let estimate = json!({"median": {"point_estimate": 2.0}, "mean": {"point_estimate": 3.0}});
        let bench = Bench { package: "a".to_owned(), name: "speed".to_owned() };
        let found = row(&bench, (json!({"full_id": "f/1"}), estimate));
        assert_eq!(found, json!({"crate": "a", "id": "f/1", "median_ns": 2.0, "mean_ns": 3.0}));
    }
}
