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
const CYCLES: [&str; 8] =
    ["set", "m", "seed", "plain", "adaptive", "ratio", "plain_bound", "adaptive_bound"];
const CYCLES_OF_SETS: [&str; 7] = ["set", "m", "plain", "adaptive", "ratio", "level", "higher"];
const SPEED: [&str; 11] = [
    "op",
    "n",
    "d",
    "m",
    "cycle_s",
    "over_floor",
    "over_pairs",
    "over_once",
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
/// Nats within which two bounds are of one mode: what the loose tolerance leaves undone is less.
const SAME_BOUND: f64 = 0.5;
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

/// That the data are there.
fn data_folder() -> TaskResult {
    let remedy = "set it to the folder with pendulum, autompg and rainfall_runoff";
    let found = std::env::var_os("TAUT_DATA_DIR");
    found.map(drop).ok_or_else(|| Failure::run("TAUT_DATA_DIR is not set", remedy))
}

fn scores(program: &Path) -> TaskResult {
    data_folder()?;
    let mut found = Vec::new();
    for (set, split) in SPLITS {
        for mut spec in methods() {
            (spec["op"], spec["set"], spec["split"]) = (json!("scores"), json!(set), json!(split));
            found.push(measured(program, &spec)?);
        }
    }
    rows::publish(TABLE.name, &SCORES, &found)
}

/// Cycles to a relative rise of 1e-6 from one start, by both algorithms: a row a seed, then a row a set.
fn cycles(program: &Path) -> TaskResult {
    data_folder()?;
    let (mut found, mut sets) = (Vec::new(), Vec::new());
    for set in ["pendulum", "autompg", "rainfall_runoff"] {
        for m in [10, 25] {
            let runs = (0..SEEDS).map(|seed| cycles_of(program, set, m, seed));
            let runs: Vec<Value> = runs.collect::<Result<_, _>>()?;
            sets.push(summary(&runs));
            found.extend(runs);
        }
    }
    rows::publish("ssgp-vb-cycles", &CYCLES, &found)?;
    rows::publish("ssgp-vb-cycles-of-sets", &CYCLES_OF_SETS, &sets)
}

/// Cycles of both algorithms, and the bounds where they ended.
fn cycles_of(program: &Path, set: &str, m: usize, seed: u64) -> Result<Value, Failure> {
    let spec = json!({"op": "cycles", "set": set, "m": m, "seed": seed});
    let mut row = measured(program, &spec)?;
    for name in ["plain", "adaptive"] {
        row[format!("{name}_bound")] = row[name]["bound"].clone();
        row[name] = row[name]["cycles"].clone();
    }
    row["ratio"] = json!(
        row["plain"]
            .as_f64()
            .zip(row["adaptive"].as_f64())
            .map(|(plain, adaptive)| plain / adaptive)
    );
    Ok(row)
}

/// Median and range over the seeds of one set: cycles and their ratio. `level` counts the seeds on which the bounds differ by less
/// than [`SAME_BOUND`], `higher` the others on which that of Algorithm 2 is higher.
fn summary(runs: &[Value]) -> Value {
    let (plain, adaptive) = (numbers(runs, "plain_bound"), numbers(runs, "adaptive_bound"));
    let gains: Vec<f64> =
        plain.iter().zip(&adaptive).map(|(plain, adaptive)| adaptive - plain).collect();
    let count = |holds: &dyn Fn(f64) -> bool| gains.iter().filter(|gain| holds(**gain)).count();
    json!({
        "set": runs[0]["set"], "m": runs[0]["m"],
        "plain": spread(numbers(runs, "plain"), 0),
        "adaptive": spread(numbers(runs, "adaptive"), 0),
        "ratio": spread(numbers(runs, "ratio"), 2),
        "level": count(&|gain| gain.abs() < SAME_BOUND),
        "higher": count(&|gain| gain >= SAME_BOUND),
    })
}

fn numbers(rows: &[Value], column: &str) -> Vec<f64> {
    rows.iter().map(|row| row[column].as_f64().unwrap_or(f64::NAN)).collect()
}

/// Median and range, with so many decimals.
fn spread(mut values: Vec<f64>, decimals: usize) -> String {
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    let median = 0.5 * (values[last / 2] + values[last.div_ceil(2)]);
    format!("{median:.decimals$} ({:.decimals$} to {:.decimals$})", values[0], values[last])
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

    #[test]
    fn seeds_are_summed_up_by_median_and_range() {
        let run = |plain: f64, bounds: (f64, f64)| {
            json!({"set": "a", "m": 3, "plain": plain, "adaptive": 20, "ratio": plain / 20.0,
                   "plain_bound": bounds.0, "adaptive_bound": bounds.1})
        };
        let runs = [run(80.0, (-9.0, -9.1)), run(40.0, (-9.0, -7.0)), run(50.0, (-7.0, -9.0))];
        let found = summary(&runs);
        assert_eq!(
            (&found["plain"], &found["ratio"]),
            (&json!("50 (40 to 80)"), &json!("2.50 (2.00 to 4.00)"))
        );
        assert_eq!((&found["level"], &found["higher"]), (&json!(1), &json!(1)));
        assert_eq!(spread(vec![4.0, 1.0], 1), "2.5 (1.0 to 4.0)");
    }
}
