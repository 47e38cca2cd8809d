//! Workspace tasks, run as `cargo xtask <task>`.
//!
//! One task per file. A task takes the arguments after its name and returns a [`TaskResult`]; a new task is
//! one file and one line in [`TASKS`].

// A command-line program speaks on standard output and standard error.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod check;
mod demo;
mod release;
mod setup;
mod task;
mod test;
mod tutorial;

use std::process::ExitCode;

use task::{Failure, Task, TaskResult};

const TASKS: &[Task] =
    &[setup::TASK, demo::TASK, test::TASK, check::TASK, bench::TASK, release::TASK];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure),
    }
}

fn dispatch(args: &[String]) -> TaskResult {
    if task::asks_for_help(args) {
        println!("{}", usage());
        return Ok(());
    }
    let Some((name, rest)) = args.split_first() else {
        return Err(Failure::usage("no task named"));
    };
    let task = TASKS.iter().find(|task| task.name == name);
    let task = task.ok_or_else(|| Failure::usage(format!("there is no task `{name}`")))?;
    if task::asks_for_help(rest) {
        task::print_help(task.usage, task.about);
        return Ok(());
    }
    (task.run)(rest)
}

fn report(failure: &Failure) -> ExitCode {
    match failure {
        Failure::Usage(cause) => {
            eprintln!("error: {cause}\n\n{}", usage());
            ExitCode::from(2)
        }
        Failure::Run { cause, remedy } => {
            eprintln!("error: {cause}\nremedy: {remedy}");
            ExitCode::from(1)
        }
    }
}

fn usage() -> String {
    let width = TASKS.iter().map(|task| task.usage.len()).max().unwrap_or(0);
    let lines = TASKS.iter().map(|task| format!("    {:width$}  {}\n", task.usage, task.about));
    format!("usage: cargo xtask <task>\n\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_task_is_a_usage_error_that_names_it() {
        let failure = dispatch(&["polish".to_owned()]).expect_err("no such task");
        assert_eq!(failure, Failure::usage("there is no task `polish`"));
    }

    #[test]
    fn every_task_and_table_says_how_it_is_called() {
        for words in
            [vec!["release", "--help"], vec!["bench", "-h"], vec!["bench", "uci", "--help"]]
        {
            let args: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(dispatch(&args), Ok(()), "{words:?}");
        }
    }

    #[test]
    fn the_usage_names_every_task() {
        let text = usage();
        assert!(TASKS.iter().all(|task| text.contains(task.usage)));
    }
}
