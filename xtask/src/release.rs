//! `cargo xtask release CRATE VERSION`: publishes one crate, after checking that it may be.
//!
//! The tree is never changed: what is published is a copy below `target/taut-release/`, where [`manifest`] gives
//! the crates whose names are taken on the registry their prefix.

mod changelog;
mod manifest;
mod stage;

use std::process::Command;

use serde_json::Value;

use crate::task::{self, Failure, Task, TaskResult};

pub(crate) const TASK: Task = Task {
    name: "release",
    usage: "release CRATE VERSION [--execute]",
    about: "check and package a crate; with --execute publish and tag it",
    run,
};

/// What a release is about.
#[derive(Debug, PartialEq)]
struct Request {
    name: String,
    version: String,
    execute: bool,
}

/// A member of the workspace, as far as releasing goes.
struct Member {
    name: String,
    version: String,
    published: bool,
    /// Those of our crates it needs, for its tests too: the registry must have them all.
    needs: Vec<String>,
}

fn run(args: &[String]) -> TaskResult {
    let request = parse(args)?;
    let metadata =
        task::output(&mut task::cargo(["metadata", "--no-deps", "--format-version", "1"]))?;
    let members = members(&metadata);
    let state = State {
        changelog: std::fs::read_to_string(
            task::root().join(format!("crates/{}/CHANGELOG.md", request.name)),
        )
        .unwrap_or_default(),
        uncommitted: git(&["status", "--porcelain"])?.lines().next().map(str::to_owned),
        tags: git(&["tag", "--list"])?.lines().map(str::to_owned).collect(),
    };
    if let Some(failure) = objection(&request, &members, &state) {
        return Err(failure);
    }
    let staged = stage::copy(&request.name)?;
    let mode: &[&str] = if request.execute { &[] } else { &["--dry-run"] };
    task::run(
        task::cargo(["publish"])
            .args(mode)
            .current_dir(staged)
            .env("CARGO_TARGET_DIR", task::root().join("target/taut-release/build")),
    )?;
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

/// What the tree says about a release.
struct State {
    /// The crate's changelog.
    changelog: String,
    /// The first change that is not committed.
    uncommitted: Option<String>,
    tags: Vec<String>,
}

/// The first reason not to release.
fn objection(request: &Request, members: &[Member], state: &State) -> Option<Failure> {
    let Request { name, version, .. } = request;
    let Some(member) = members.iter().find(|member| member.name == *name) else {
        let names: Vec<&str> = members
            .iter()
            .filter(|member| member.published)
            .map(|member| member.name.as_str())
            .collect();
        return Some(Failure::run(
            format!("there is no crate `{name}`"),
            format!("name one of {}", names.join(", ")),
        ));
    };
    let needs =
        member.needs.iter().filter_map(|need| members.iter().find(|member| member.name == *need));
    let unreleased =
        needs.map(|need| tag(&need.name, &need.version)).find(|tag| !state.tags.contains(tag));
    let checks = [
        (!member.published).then(|| {
            (
                format!("`{name}` is not published: it holds nothing yet"),
                "fill it, then remove `publish = false` from its Cargo.toml".to_owned(),
            )
        }),
        (member.version != *version).then(|| {
            (
                format!("`{name}` has version {}, not {version}", member.version),
                "set the version in Cargo.toml first".to_owned(),
            )
        }),
        (!changelog::has_section(&state.changelog, version)).then(|| {
            (
                format!("crates/{name}/CHANGELOG.md has no section for {version}"),
                format!("turn its Unreleased section into `## [{version}] - <date>`"),
            )
        }),
        state.tags.contains(&tag(name, version)).then(|| {
            (
                format!("`{}` is tagged already", tag(name, version)),
                "choose the next version".to_owned(),
            )
        }),
        unreleased.map(|tag| {
            (
                format!("`{name}` needs `{tag}`, which is not tagged"),
                "release the crates it depends on first".to_owned(),
            )
        }),
        state.uncommitted.as_ref().map(|change| {
            (
                format!("the tree has uncommitted changes, the first is `{change}`"),
                "commit or remove them".to_owned(),
            )
        }),
    ];
    checks.into_iter().flatten().next().map(|(cause, remedy)| Failure::run(cause, remedy))
}

fn tag(name: &str, version: &str) -> String {
    format!("{name}-v{version}")
}

fn finish(request: &Request) -> TaskResult {
    let tag = tag(&request.name, &request.version);
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

fn members(metadata: &str) -> Vec<Member> {
    let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let names: Vec<String> = packages.iter().map(|package| text(&package["name"])).collect();
    let read = |package: &Value| Member {
        name: text(&package["name"]),
        version: text(&package["version"]),
        published: package["publish"].as_array().is_none_or(|registries| !registries.is_empty()),
        needs: package["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|edge| text(&edge["name"]))
            .filter(|name| names.contains(name))
            .collect(),
    };
    packages.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &str) -> Vec<String> {
        words.split(' ').map(str::to_owned).collect()
    }

    fn workspace() -> Vec<Member> {
        members(
            &serde_json::json!({"packages": [
                {"name": "linalg-cg", "version": "0.1.0", "publish": null, "dependencies": [{"name": "ndarray"}]},
                {"name": "kernels", "version": "0.1.0", "publish": null, "dependencies": [{"name": "linalg-cg"}]},
                {"name": "cglb", "version": "0.1.0", "publish": [], "dependencies": []},
            ]})
            .to_string(),
        )
    }

    fn ready() -> State {
        State {
            changelog: "## [0.1.0] - 2026-01-01\n".to_owned(),
            uncommitted: None,
            tags: vec!["linalg-cg-v0.1.0".to_owned()],
        }
    }

    fn cause(words: &str, state: &State) -> String {
        let request = parse(&args(words)).expect("a request");
        match objection(&request, &workspace(), state) {
            Some(Failure::Run { cause, .. }) => cause,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_crate_that_is_ready_meets_no_objection() {
        assert_eq!(cause("kernels 0.1.0", &ready()), "None");
    }

    #[test]
    fn every_objection_names_its_cause() {
        assert!(cause("quernels 0.1.0", &ready()).contains("no crate `quernels`"));
        assert!(cause("cglb 0.1.0", &ready()).contains("not published"));
        assert!(cause("kernels 0.2.0", &ready()).contains("has version 0.1.0"));
        assert!(cause("linalg-cg 0.1.0", &ready()).contains("tagged already"));
        let untagged = State { tags: Vec::new(), ..ready() };
        assert!(cause("kernels 0.1.0", &untagged).contains("needs `linalg-cg-v0.1.0`"));
        let silent = State { changelog: "## [Unreleased]\n".to_owned(), ..ready() };
        assert!(cause("kernels 0.1.0", &silent).contains("no section for 0.1.0"));
        let dirty = State { uncommitted: Some(" M Cargo.toml".to_owned()), ..ready() };
        assert!(cause("kernels 0.1.0", &dirty).contains("M Cargo.toml"));
    }

    #[test]
    fn a_release_is_a_rehearsal_unless_told_otherwise() {
        assert!(!parse(&args("kernels 0.1.0")).expect("a request").execute);
        assert!(parse(&args("kernels 0.1.0 --execute")).expect("a request").execute);
        assert!(parse(&args("kernels")).is_err());
        assert!(parse(&args("kernels 0.1.0 --force")).is_err());
    }
}
