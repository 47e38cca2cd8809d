//! `cargo xtask bench`: tables of measurements.
//!
//! A table prints itself and leaves one JSON object per row in `target/taut-bench/NAME.jsonl`, mostly through
//! [`rows::publish`]; `uci`, which may be stopped and started, adds a row as it is made. A new one is a file in this folder
//! and a line in [`TABLES`]; it is listed once it works.

mod brackets;
mod full;
mod kernels;
mod micro;
mod naive_bayes;
mod names;
mod program;
mod rows;
mod sets;
mod ssgp_vb;
mod subsets;
mod training;
mod uci;

use crate::task::{self, Failure, Task, TaskResult};

pub(crate) const TASK: Task = Task {
    name: "bench",
    usage: "bench [TABLE [ARGS]]",
    about: "list the tables of measurements, or make one",
    run,
};

/// One line of the list of tables.
struct Table {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    /// Makes the table, given the arguments after its name.
    run: fn(&[String]) -> TaskResult,
}

const TABLES: &[Table] = &[
    brackets::TABLE,
    full::TABLE,
    kernels::TABLE,
    micro::TABLE,
    naive_bayes::TABLE,
    ssgp_vb::TABLE,
    subsets::TABLE,
    training::TABLE,
    uci::TABLE,
];

fn run(args: &[String]) -> TaskResult {
    let Some((name, rest)) = args.split_first() else {
        println!("tables, made by `cargo xtask bench TABLE`:\n\n{}", list());
        return Ok(());
    };
    let table = TABLES.iter().find(|table| table.name == name);
    let table = table.ok_or_else(|| {
        Failure::usage(format!("there is no table `{name}`; the tables are\n\n{}", list()))
    })?;
    if task::asks_for_help(rest) {
        task::print_help(&format!("bench {}", table.usage), table.about);
        return Ok(());
    }
    (table.run)(rest)
}

fn list() -> String {
    TABLES.iter().map(|table| format!("    {}  {}\n", table.usage, table.about)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_table_is_named_with_those_there_are() {
        let failure = run(&["speed".to_owned()]).expect_err("no such table");
        assert!(
            matches!(failure, Failure::Usage(cause) if cause.contains("`speed`") && cause.contains("micro"))
        );
    }
}
