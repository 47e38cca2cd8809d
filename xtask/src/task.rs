//! What every task shares: its entry in the table, its failures, and running other programs.

use std::ffi::OsStr;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One line of the task table.
pub(crate) struct Task {
    /// The word after `cargo xtask`.
    pub(crate) name: &'static str,
    /// The name with its arguments, for the usage text.
    pub(crate) usage: &'static str,
    /// What the task does, in a few words.
    pub(crate) about: &'static str,
    /// Does it, given the arguments after the name.
    pub(crate) run: fn(&[String]) -> TaskResult,
}

/// What a task returns.
pub(crate) type TaskResult = Result<(), Failure>;

/// Why a task stopped.
#[derive(Debug, PartialEq)]
pub(crate) enum Failure {
    /// The command line makes no sense: exit code 2, with the usage text.
    Usage(String),
    /// The task ran and failed: exit code 1.
    Run {
        /// What went wrong.
        cause: String,
        /// What to do about it.
        remedy: String,
    },
}

impl Failure {
    pub(crate) fn usage(cause: impl Into<String>) -> Self {
        Self::Usage(cause.into())
    }

    pub(crate) fn run(cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Run { cause: cause.into(), remedy: remedy.into() }
    }

    /// For an I/O error on `path`.
    pub(crate) fn io(path: &Path, error: &impl Display) -> Self {
        let remedy = "check that the path exists and that you may read and write it";
        Self::run(format!("{}: {error}", path.display()), remedy)
    }
}

/// Whether the first of the arguments asks what there is to say.
pub(crate) fn asks_for_help(args: &[String]) -> bool {
    args.first().is_some_and(|first| matches!(first.as_str(), "help" | "-h" | "--help"))
}

/// Prints how a task or a table is called, and what it does.
pub(crate) fn print_help(usage: &str, about: &str) {
    println!("usage: cargo xtask {usage}\n\n{about}");
}

/// Refuses arguments, for the tasks that take none.
pub(crate) fn no_arguments(args: &[String]) -> TaskResult {
    match args.first() {
        Some(first) => Err(Failure::usage(format!("`{first}` is one argument too many"))),
        None => Ok(()),
    }
}

/// The root of the workspace: the folder above `xtask/`.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.parent().map(Path::to_path_buf).unwrap_or(manifest)
}

/// The cargo that runs this task, started at the root of the workspace.
pub(crate) fn cargo<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    // What cargo told this task about itself; passed on, it would rebuild crates that look at it.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs `command` with its output passed on.
pub(crate) fn run(command: &mut Command) -> TaskResult {
    let line = command_line(command);
    let status = command.status().map_err(|error| not_started(&line, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::run(format!("`{line}` ended with {status}"), "read its output above"))
}

/// Standard output of `command`; standard error is passed on.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let line = command_line(command);
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| not_started(&line, &error))?;
    if !output.status.success() {
        return Err(Failure::run(
            format!("`{line}` ended with {}", output.status),
            "read its output above",
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether `program` starts and succeeds; its output is dropped.
pub(crate) fn succeeds(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn not_started(line: &str, error: &std::io::Error) -> Failure {
    Failure::run(
        format!("`{line}` did not start: {error}"),
        "install the program it names, or add it to PATH",
    )
}

/// `command` as a person would type it; the path to cargo is shortened to its name.
fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace_manifest() {
        assert!(root().join("Cargo.toml").is_file());
        assert!(root().join("xtask").is_dir());
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let failure = run(&mut Command::new("no-such-program-anywhere")).expect_err("cannot start");
        assert!(
            matches!(failure, Failure::Run { cause, .. } if cause.contains("no-such-program-anywhere"))
        );
    }

    #[test]
    fn a_surplus_argument_is_named() {
        assert_eq!(
            no_arguments(&["x".to_owned()]),
            Err(Failure::usage("`x` is one argument too many"))
        );
    }
}
