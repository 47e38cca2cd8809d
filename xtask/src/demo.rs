//! `cargo xtask demo`: the main job on the embedded sample.

use crate::setup;
use crate::task::{self, Task, TaskResult};

pub(crate) const TASK: Task = Task {
    name: "demo",
    usage: "demo [ARGS]",
    about: "set up, build in release, fit and certify the sample",
    run,
};

/// Everything after `demo` goes to the example unchanged.
fn run(args: &[String]) -> TaskResult {
    setup::run(&[])?;
    let words = ["run", "--release", "--package", "taut", "--example", "demo", "--"];
    task::run(task::cargo(words).args(args))
}
