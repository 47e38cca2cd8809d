//! `cargo xtask test`: everything that must hold before a change is merged.

use std::time::Instant;

use crate::task::{self, Failure, Task, TaskResult};
use crate::{check, setup, tutorial};

pub(crate) const TASK: Task = Task {
    name: "test",
    usage: "test [STEP..]",
    about: "setup, fmt, check, clippy, docs, tutorial, tests: all of them, or those named",
    run,
};

struct Step {
    name: &'static str,
    run: fn() -> TaskResult,
}

/// In order of cost, so that the cheap failures come first.
const STEPS: &[Step] = &[
    Step { name: "setup", run: || setup::run(&[]).and_then(|()| setup::lint_tools()) },
    Step { name: "fmt", run: || cargo("fmt --all --check") },
    Step { name: "check", run: || check::run(&[]) },
    Step { name: "clippy", run: || cargo("clippy --workspace --all-targets -- -D warnings") },
    Step { name: "docs", run: docs },
    Step { name: "tutorial", run: tutorial::run },
    Step { name: "tests", run: || cargo("test --workspace") },
];

fn run(args: &[String]) -> TaskResult {
    let steps = chosen(args)?;
    let skips_real_data = std::env::var_os("TAUT_DATA_DIR").is_none();
    for step in steps {
        timed(step)?;
    }
    if skips_real_data {
        println!("TAUT_DATA_DIR is not set: the tests on real data were skipped");
    }
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<&'static Step>, Failure> {
    let known = |name: &String| STEPS.iter().any(|step| step.name == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let all: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        return Err(Failure::usage(format!(
            "`{unknown}` is no step of `test`; choose from {}",
            all.join(", ")
        )));
    }
    let wanted = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
    Ok(STEPS.iter().filter(wanted).collect())
}

fn timed(step: &Step) -> TaskResult {
    let start = Instant::now();
    let result = (step.run)();
    let verdict = if result.is_ok() { "ok" } else { "FAILED" };
    println!("xtask {}: {verdict} ({:.1} s)", step.name, start.elapsed().as_secs_f64());
    result
}

fn cargo(words: &str) -> TaskResult {
    task::run(&mut task::cargo(words.split(' ')))
}

fn docs() -> TaskResult {
    let mut command = task::cargo(["doc", "--workspace", "--no-deps"]);
    task::run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_means_every_step_in_order() {
        let all = chosen(&[]).expect("no names");
        assert!(all.iter().zip(STEPS).all(|(a, b)| a.name == b.name));
        assert_eq!(all.len(), STEPS.len());
    }

    #[test]
    fn named_steps_alone_are_run() {
        let one = chosen(&["fmt".to_owned()]).expect("a step");
        assert_eq!(one.iter().map(|step| step.name).collect::<Vec<_>>(), ["fmt"]);
    }

    #[test]
    fn an_unknown_step_is_named() {
        let failure = chosen(&["spelling".to_owned()]).err().expect("no such step");
        assert!(matches!(failure, Failure::Usage(cause) if cause.starts_with("`spelling`")));
    }
}
