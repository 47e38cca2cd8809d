//! `cargo xtask release CRATE VERSION`: publishes one crate, after checking that it may be.
//!
//! The tree is never changed: what is published is a copy below `target/taut-release/`, where [`manifest`] gives
//! the crates whose names are taken on the registry their prefix.

mod changelog;
mod manifest;
mod readiness;
mod stage;

use std::path::Path;
use std::process::Command;

use crate::task::{self, Failure, Task, TaskResult};
use readiness::{Member, State};

pub(crate) const TASK: Task = Task {
    name: "release",
    usage: "release CRATE VERSION [--execute]",
    about: "check and package a crate; with --execute publish and tag it",
    run,
};

/// What the command line asks for.
#[derive(Debug, PartialEq)]
struct Request {
    name: String,
    version: String,
    execute: bool,
}

fn run(args: &[String]) -> TaskResult {
    let request = parse(args)?;
    if let Some(failure) = readiness::objection(&request, &members()?, &state(&request.name)?) {
        return Err(failure);
    }
    publish(&stage::copy(&request.name)?, request.execute)?;
    finish(&request)
}

fn parse(args: &[String]) -> Result<Request, Failure> {
    let (flags, words): (Vec<&String>, Vec<&String>) =
        args.iter().partition(|arg| arg.starts_with("--"));
    if let Some(unknown) = flags.iter().find(|flag| **flag != "--execute") {
        return Err(Failure::usage(format!("`{unknown}` is no option of `release`")));
    }
    let [name, version] = words[..] else {
        return Err(Failure::usage("`release` takes a crate and a version"));
    };
    Ok(Request { name: name.clone(), version: version.clone(), execute: !flags.is_empty() })
}

fn members() -> Result<Vec<Member>, Failure> {
    let mut metadata = task::cargo(["metadata", "--no-deps", "--format-version", "1"]);
    Ok(readiness::members(&task::output(&mut metadata)?))
}

fn state(name: &str) -> Result<State, Failure> {
    let changelog = task::root().join(format!("crates/{name}/CHANGELOG.md"));
    Ok(State {
        changelog: std::fs::read_to_string(changelog).unwrap_or_default(),
        uncommitted: git(&["status", "--porcelain"])?.lines().next().map(str::to_owned),
        tags: git(&["tag", "--list"])?.lines().map(str::to_owned).collect(),
    })
}

fn publish(staged: &Path, execute: bool) -> TaskResult {
    let mode: &[&str] = if execute { &[] } else { &["--dry-run"] };
    let build = task::root().join("target/taut-release/build");
    let mut command = task::cargo(["publish"]);
    task::run(command.args(mode).current_dir(staged).env("CARGO_TARGET_DIR", build))
}

fn finish(request: &Request) -> TaskResult {
    let tag = readiness::tag(&request.name, &request.version);
    if !request.execute {
        println!("release: a rehearsal; `--execute` publishes and tags {tag}");
        return Ok(());
    }
    git(&["tag", "--annotate", &tag, "--message", &tag])?;
    println!("release: published and tagged; now `git push origin {tag}`");
    Ok(())
}

fn git(args: &[&str]) -> Result<String, Failure> {
    task::output(Command::new("git").args(args).current_dir(task::root()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_a_rehearsal_unless_told_otherwise() {
        let parsed = |words: &str| parse(&words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(!parsed("kernels 0.1.0").expect("a request").execute);
        assert!(parsed("kernels 0.1.0 --execute").expect("a request").execute);
        assert!(parsed("kernels").is_err());
        assert!(parsed("kernels 0.1.0 --force").is_err());
    }
}
