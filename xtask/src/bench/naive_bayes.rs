//! The table `naive-bayes`: learning and predicting, beside scikit-learn on the same rows in the same run.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{Table, rows};
use crate::task::{self, Failure, TaskResult};

pub(super) const TABLE: Table = Table {
    name: "naive-bayes",
    usage: "naive-bayes [--quick]",
    about: "learning and predicting on made-up rows, and scikit-learn in TAUT_PEERS_PYTHON",
    run,
};

const COLUMNS: [&str; 11] = [
    "task",
    "step",
    "cpu_s",
    "over_floor",
    "wall_s",
    "wall_2_threads_s",
    "speed_up",
    "peer_cpu_s",
    "times_peer",
    "trusting_peer_cpu_s",
    "times_trusting",
];
/// Rounds of all programs, the fewest seconds of which count.
const ROUNDS: usize = 3;
/// The step of a task that only reads the numbers; `floor of STEP` where it is that of one step.
const FLOOR: &str = "floor";
/// The peer's program, handed to Python as text.
const PEER: &str = include_str!("naive_bayes/peer.py");
/// Calls of each step by the peer, the fastest of which counts.
const REPEATS: (&str, &str) = ("5", "1");

fn run(args: &[String]) -> TaskResult {
    let quick = quick(args)?;
    let folder = task::root().join("target/taut-bench/naive-bayes");
    let program = built(quick)?;
    let python = std::env::var_os("TAUT_PEERS_PYTHON");
    if python.is_none() {
        println!("peer skipped: TAUT_PEERS_PYTHON is not set to a Python that has scikit-learn");
    }
    let [mut one, mut two, mut peer] = [const { Vec::new() }; 3];
    // In turn, so that what else the machine does for a while slows no side alone.
    for _ in 0..if quick { 1 } else { ROUNDS } {
        keep_least(&mut one, measured(&program, &folder, quick, "1")?);
        keep_least(&mut two, measured(&program, &folder, quick, "2")?);
        if let Some(python) = &python {
            let mut command = Command::new(python);
            command.args(["-c", PEER]).arg(&folder);
            let repeats = if quick { REPEATS.1 } else { REPEATS.0 };
            keep_least(&mut peer, lines(&task::output(command.arg(repeats))?)?);
        }
    }
    let found: Vec<Value> = one.iter().map(|row| joined(row, &one, &two, &peer)).collect();
    rows::publish(TABLE.name, &COLUMNS, &found)?;
    agreements(&peer);
    Ok(())
}

fn quick(args: &[String]) -> Result<bool, Failure> {
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(false),
        ["--quick"] => Ok(true),
        _ => Err(Failure::usage(format!("`{}` is not --quick (a smoke test)", args.join(" ")))),
    }
}

/// The program that measures; a smoke test takes what the tests of the whole workspace have built.
fn built(quick: bool) -> Result<PathBuf, Failure> {
    let (profile, build) = match quick {
        true => ("debug", "build --workspace --example measure_naive_bayes"),
        false => ("release", "build --release --package naive-bayes --example measure_naive_bayes"),
    };
    task::run(&mut task::cargo(build.split(' ')))?;
    Ok(task::root().join("target").join(profile).join("examples/measure_naive_bayes"))
}

fn measured(
    program: &Path,
    folder: &Path,
    quick: bool,
    threads: &str,
) -> Result<Vec<Value>, Failure> {
    let mut command = Command::new(program);
    command.arg(folder).env("RAYON_NUM_THREADS", threads);
    // NumPy asks for large pages, so both sides get them.
    command.env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
    if quick {
        command.arg("--quick");
    }
    lines(&task::output(&mut command)?)
}

fn lines(text: &str) -> Result<Vec<Value>, Failure> {
    let parsed = text.lines().map(serde_json::from_str);
    parsed.collect::<Result<_, _>>().map_err(|error| {
        Failure::run(format!("a measurement is no JSON: {error}"), "read its output above")
    })
}

/// Of every step the fewest seconds of all rounds.
fn keep_least(known: &mut Vec<Value>, round: Vec<Value>) {
    if known.is_empty() {
        return *known = round;
    }
    for (known, row) in known.iter_mut().zip(&round) {
        for key in ["cpu_s", "wall_s"] {
            if row[key].as_f64() < known[key].as_f64() {
                known[key] = row[key].clone();
            }
        }
    }
}

/// A figure of a step.
fn figure(rows: &[Value], task: &Value, step: &Value, key: &str) -> Option<f64> {
    rows.iter().find(|row| row["task"] == *task && row["step"] == *step)?[key].as_f64()
}

/// A step on one thread with the task's floor, the same step on two threads and by the peer, which may trust the data to be 0 and 1.
fn joined(row: &Value, one: &[Value], two: &[Value], peer: &[Value]) -> Value {
    let (task, step) = (&row["task"], &row["step"]);
    let trusting = json!(format!("trusting {}", task.as_str().unwrap_or_default()));
    let number = |key: &str| row[key].as_f64();
    let ratio = |over: Option<f64>, under: Option<f64>| over.zip(under).map(|(a, b)| a / b);
    let own = json!(format!("{FLOOR} of {}", step.as_str().unwrap_or_default()));
    let floors = [json!(FLOOR), own].map(|step| figure(one, task, &step, "cpu_s"));
    let floor = floors.into_iter().flatten().next();
    let two = figure(two, task, step, "wall_s");
    let peers = [task, &trusting].map(|task| figure(peer, task, step, "cpu_s"));
    json!({
        "task": task, "step": step, "cpu_s": row["cpu_s"], "over_floor": ratio(number("cpu_s"), floor),
        "wall_s": row["wall_s"], "wall_2_threads_s": two, "speed_up": ratio(number("wall_s"), two),
        "peer_cpu_s": peers[0], "times_peer": ratio(peers[0], number("cpu_s")),
        "trusting_peer_cpu_s": peers[1], "times_trusting": ratio(peers[1], number("cpu_s")),
    })
}

/// How many rows both predict alike.
fn agreements(peer: &[Value]) {
    for row in peer.iter().filter(|row| row["step"] == "agreement") {
        let (task, share) = (&row["task"], row["share"].as_f64().unwrap_or(f64::NAN));
        println!("{}: {:.4} % of rows predicted alike", task.as_str().unwrap_or(""), 100.0 * share);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_quick_is_an_argument() {
        assert_eq!(quick(&[]), Ok(false));
        assert_eq!(quick(&["--quick".to_owned()]), Ok(true));
        assert!(matches!(quick(&["--fast".to_owned()]), Err(Failure::Usage(_))));
    }

    #[test]
    fn steps_are_joined_by_task_and_name() {
        let row = |task: &str, seconds: f64| json!({"task": task, "step": "fit", "cpu_s": seconds, "wall_s": seconds});
        let floor = json!({"task": "a", "step": FLOOR, "cpu_s": 0.5});
        let peer = [row("a", 10.0), row("trusting a", 6.0)];
        let joined = joined(&row("a", 2.0), &[floor], &[row("b", 9.0), row("a", 1.0)], &peer);
        assert_eq!((&joined["speed_up"], &joined["times_peer"]), (&json!(2.0), &json!(5.0)));
        assert_eq!((&joined["over_floor"], &joined["times_trusting"]), (&json!(4.0), &json!(3.0)));
        let alone = super::joined(&row("a", 2.0), &[], &[], &[]);
        assert_eq!((&alone["speed_up"], &alone["peer_cpu_s"]), (&Value::Null, &Value::Null));
    }

    #[test]
    fn the_fewest_seconds_are_kept() {
        let row = |cpu: f64, wall: f64| json!({"step": "fit", "cpu_s": cpu, "wall_s": wall});
        let mut known = Vec::new();
        keep_least(&mut known, vec![row(2.0, 3.0)]);
        keep_least(&mut known, vec![row(1.0, 4.0)]);
        assert_eq!(known, [row(1.0, 3.0)]);
    }

    #[test]
    fn the_quick_table_is_measured() {
        let folder = task::root().join("target/taut-bench/naive-bayes-quick");
        let program = built(true).expect("built");
        let found = measured(&program, &folder, true, "1").expect("measured");
        assert!(found.iter().all(|row| row["cpu_s"].as_f64().is_some()), "{found:?}");
        assert!(found.len() > 12);
    }
}
