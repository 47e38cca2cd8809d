//! The table `ssgp-vb`: variational sparse-spectrum fits, global and local, beside exact and inducing-point fits; cycles of both
//! algorithms; seconds of a cycle beside the floor of its arithmetic and beside NumPy.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{Table, rows};
use crate::task::{self, Failure, TaskResult};

pub(super) const TABLE: Table = Table {
    name: "ssgp-vb",
    usage: "ssgp-vb [scores|cycles|speed]..",
    about: "sparse-spectrum fits of the sets in TAUT_DATA_DIR beside exact ones, cycles, and seconds beside NumPy in TAUT_PEERS_PYTHON",
    run,
};

/// Makes one part of the table with the program that measures.
type Part = fn(&Path) -> TaskResult;

/// The parts of the table, each a table of its own.
const PARTS: [(&str, Part); 3] = [("scores", scores), ("cycles", cycles), ("speed", speed)];
const SCORES: [&str; 13] = [
    "set",
    "split",
    "method",
    "m",
    "k",
    "draws",
    "nmse",
    "mnlp",
    "coverage95",
    "beyond3",
    "bound",
    "factor",
    "seconds",
];
const CYCLES: [&str; 5] = ["set", "m", "seed", "plain", "adaptive"];
const SPEED: [&str; 10] = [
    "op",
    "n",
    "d",
    "m",
    "cycle_s",
    "over_floor",
    "over_pairs",
    "numpy_s",
    "numpy_over_ours",
    "speedup",
];
/// Sets with their splits. The rainfall set stands in for the paper's emulation of a catchment model, whose runs are not public:
/// it is the observed runoff of one catchment, split by time.
const SPLITS: [(&str, usize); 7] = [
    ("pendulum", 0),
    ("pendulum", 1),
    ("pendulum", 2),
    ("autompg", 0),
    ("autompg", 1),
    ("autompg", 2),
    ("rainfall_runoff", 0),
];
/// Seeds on which the two algorithms are compared.
const SEEDS: u64 = 10;
/// Seconds of the gradients and of the rest of a cycle, as the reference program does them, in a process of one thread.
const NUMPY: &str = "
import json, sys, time
sys.path.insert(0, sys.argv[1])
import numpy as np
import ssgp_vb_reference as r
n, d, m = map(int, sys.argv[2:5])
step = lambda j: np.sqrt(2.0 + j) % 1
x = np.array([[2 * (((i + 1) * step(j)) % 1) - 1 for j in range(d)] for i in range(n)])
y, s, prior = np.sin(2 * x.sum(1)), np.random.default_rng(0).normal(size=(m, d)), r.Prior(d)
state, best = r.init_state(x, y, s, prior, Sig_init=0.05 * np.eye(d)), np.inf
for _ in range(5):
    begun = time.perf_counter()
    r.cycle(x, y, s, prior, state, r.grads(x, y, s, state), 1.0, 1.5)
    best = min(best, time.perf_counter() - begun)
print(json.dumps({'seconds': best}))
";

fn run(args: &[String]) -> TaskResult {
    let parts = chosen(args)?;
    let cargo = "build --release --package ssgp-vb --example measure_ssgp_vb";
    task::run(&mut task::cargo(cargo.split(' ')))?;
    let program = task::root().join("target/release/examples/measure_ssgp_vb");
    parts.into_iter().try_for_each(|part| part(&program))
}

fn chosen(args: &[String]) -> Result<Vec<Part>, Failure> {
    let known = |arg: &&String| PARTS.iter().all(|(name, _)| name != arg);
    if let Some(unknown) = args.iter().find(known) {
        let names = PARTS.map(|(name, _)| name).join(", ");
        return Err(Failure::usage(format!("there is no part `{unknown}`; the parts are {names}")));
    }
    let wanted = |name: &str| args.is_empty() || args.iter().any(|arg| arg == name);
    Ok(PARTS.iter().filter(|(name, _)| wanted(name)).map(|(_, part)| *part).collect())
}

/// What `program` finds for `spec`, beside the spec itself.
fn measured(program: &Path, spec: &Value) -> Result<Value, Failure> {
    eprintln!("{spec}");
    let text = task::output(Command::new(program).arg(spec.to_string()))?;
    let found: Value = serde_json::from_str(&text).map_err(|error| Failure::io(program, &error))?;
    let mut row = spec.clone();
    for (key, value) in found.as_object().into_iter().flatten() {
        row[key] = value.clone();
    }
    Ok(row)
}

/// Every method: exact, inducing points without and with conjugate gradients, global fits, and local fits before and after the mixture over draws.
fn methods() -> Vec<Value> {
    let paper = json!({"means": [0.5], "variance": 0.5, "draws": 1, "keep": 1, "equal": false});
    let with = |base: &Value, more: Value| {
        let mut spec = base.clone();
        for (key, value) in more.as_object().into_iter().flatten() {
            spec[key] = value.clone();
        }
        spec
    };
    vec![
        json!({"method": "exact"}),
        json!({"method": "sgpr", "m": 100}),
        json!({"method": "cglb", "m": 100}),
        json!({"method": "global", "m": 25, "draws": 4}),
        json!({"method": "global", "m": 50, "draws": 4}),
        with(&paper, json!({"method": "local", "m": 10, "k": 60})),
        json!({"method": "local", "m": 10, "k": 60, "draws": 4}),
        json!({"method": "local", "m": 10, "k": 60, "draws": 4, "calibrate": 100}),
    ]
}

fn scores(program: &Path) -> TaskResult {
    if std::env::var_os("TAUT_DATA_DIR").is_none() {
        let remedy = "set it to the folder with pendulum, autompg and rainfall_runoff";
        return Err(Failure::run("TAUT_DATA_DIR is not set", remedy));
    }
    let mut found = Vec::new();
    for (set, split) in SPLITS {
        for mut spec in methods() {
            (spec["op"], spec["set"], spec["split"]) = (json!("scores"), json!(set), json!(split));
            found.push(measured(program, &spec)?);
        }
    }
    rows::publish(TABLE.name, &SCORES, &found)
}

/// Cycles to a relative rise of 1e-6 from one start, by both algorithms.
fn cycles(program: &Path) -> TaskResult {
    let mut found = Vec::new();
    for (set, m) in [("pendulum", 10), ("autompg", 10)] {
        for seed in 0..SEEDS {
            let spec = json!({"op": "cycles", "set": set, "m": m, "seed": seed});
            let mut row = measured(program, &spec)?;
            for name in ["plain", "adaptive"] {
                row[name] = row[name]["cycles"].clone();
            }
            found.push(row);
        }
    }
    let total = |name: &str| found.iter().filter_map(|row| row[name].as_u64()).sum::<u64>() as f64;
    println!(
        "Algorithm 1 takes {:.2} times the cycles of Algorithm 2",
        total("plain") / total("adaptive")
    );
    rows::publish("ssgp-vb-cycles", &CYCLES, &found)
}

fn speed(program: &Path) -> TaskResult {
    let mut found = Vec::new();
    for m in [10, 25, 50] {
        let mut row = measured(program, &json!({"op": "cycle", "n": 567, "d": 9, "m": m}))?;
        let numpy = numpy(&row);
        row["numpy_s"] = json!(numpy);
        let ours = row["cycle_s"].as_f64();
        row["numpy_over_ours"] = json!(numpy.zip(ours).map(|(numpy, ours)| numpy / ours));
        row["speedup"] = Value::Null;
        found.push(row);
    }
    let mut row = measured(program, &json!({"op": "threads", "set": "pendulum"}))?;
    for column in SPEED.into_iter().filter(|column| !["op", "speedup"].contains(column)) {
        row[column] = Value::Null;
    }
    found.push(row);
    rows::publish("ssgp-vb-speed", &SPEED, &found)
}

/// Seconds of a cycle of the reference program, if there is a Python for it; why not is printed.
fn numpy(row: &Value) -> Option<f64> {
    let peers = || -> Option<(std::ffi::OsString, PathBuf)> {
        let data = PathBuf::from(std::env::var_os("TAUT_DATA_DIR")?);
        Some((std::env::var_os("TAUT_PEERS_PYTHON")?, data.join("../peers")))
    };
    let Some((python, folder)) = peers() else {
        println!("NumPy skipped: TAUT_PEERS_PYTHON or TAUT_DATA_DIR is not set");
        return None;
    };
    let mut command = Command::new(python);
    command.env("OPENBLAS_NUM_THREADS", "1").env("OMP_NUM_THREADS", "1");
    command.args(["-c", NUMPY]).arg(folder);
    command.args(["n", "d", "m"].map(|key| row[key].to_string()));
    match task::output(&mut command) {
        Ok(text) => serde_json::from_str::<Value>(&text).ok()?["seconds"].as_f64(),
        Err(failure) => {
            println!("NumPy skipped: {failure:?}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_is_refused_with_those_there_are() {
        let failure = chosen(&["speeds".to_owned()]).expect_err("not among the parts");
        assert!(
            matches!(failure, Failure::Usage(cause) if cause.contains("scores, cycles, speed"))
        );
        assert_eq!(chosen(&[]).map(|parts| parts.len()), Ok(3));
        assert_eq!(chosen(&["speed".to_owned()]).map(|parts| parts.len()), Ok(1));
    }

    #[test]
    fn local_fits_are_measured_before_and_after_the_remedy() {
        let local: Vec<Value> =
            methods().into_iter().filter(|spec| spec["method"] == "local").collect();
        assert_eq!((&local[0]["draws"], &local[1]["draws"]), (&json!(1), &json!(4)));
        assert!(local.iter().all(|spec| spec["k"] == local[0]["k"] && spec["m"] == local[0]["m"]));
    }
}
