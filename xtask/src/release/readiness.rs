//! May this crate be released at this version?

use serde_json::Value;

use super::{Request, changelog};
use crate::task::Failure;

/// A member of the workspace, as far as releasing goes.
pub(super) struct Member {
    name: String,
    version: String,
    published: bool,
    /// Those of our crates it needs, for its tests too: the registry must have them all.
    needs: Vec<String>,
}

/// What the repository says.
pub(super) struct State {
    /// The crate's changelog.
    pub(super) changelog: String,
    /// The first change that is not committed.
    pub(super) uncommitted: Option<String>,
    pub(super) tags: Vec<String>,
}

/// Everything a check may look at.
struct Case<'a> {
    request: &'a Request,
    member: &'a Member,
    members: &'a [Member],
    state: &'a State,
}

type Check = fn(&Case<'_>) -> Option<Failure>;

const CHECKS: &[Check] =
    &[unpublished, other_version, no_section, tagged, needs_unreleased, uncommitted];

/// The first reason not to release.
pub(super) fn objection(request: &Request, members: &[Member], state: &State) -> Option<Failure> {
    match members.iter().find(|member| member.name == request.name) {
        None => Some(unknown(&request.name, members)),
        Some(member) => {
            let case = Case { request, member, members, state };
            CHECKS.iter().find_map(|check| check(&case))
        }
    }
}

/// The git tag of a release.
pub(super) fn tag(name: &str, version: &str) -> String {
    format!("{name}-v{version}")
}

fn unknown(name: &str, members: &[Member]) -> Failure {
    let published = members.iter().filter(|member| member.published);
    let names: Vec<&str> = published.map(|member| member.name.as_str()).collect();
    Failure::run(format!("there is no crate `{name}`"), format!("name one of {}", names.join(", ")))
}

fn unpublished(case: &Case<'_>) -> Option<Failure> {
    let cause = format!("`{}` is not published: its Cargo.toml says so", case.member.name);
    let remedy = "remove `publish = false` once the crate does something";
    (!case.member.published).then(|| Failure::run(cause, remedy))
}

fn other_version(case: &Case<'_>) -> Option<Failure> {
    let (ours, asked) = (&case.member.version, &case.request.version);
    let cause = format!("`{}` has version {ours}, not {asked}", case.member.name);
    (ours != asked).then(|| Failure::run(cause, "set the version in Cargo.toml first"))
}

fn no_section(case: &Case<'_>) -> Option<Failure> {
    let Request { name, version, .. } = case.request;
    let cause = format!("crates/{name}/CHANGELOG.md has no section for {version}");
    let remedy = format!("turn its Unreleased section into `## [{version}] - <date>`");
    (!changelog::has_section(&case.state.changelog, version)).then(|| Failure::run(cause, remedy))
}

fn tagged(case: &Case<'_>) -> Option<Failure> {
    let tag = tag(&case.request.name, &case.request.version);
    let cause = format!("`{tag}` is tagged already");
    case.state.tags.contains(&tag).then(|| Failure::run(cause, "choose the next version"))
}

fn needs_unreleased(case: &Case<'_>) -> Option<Failure> {
    let needed = case.members.iter().filter(|other| case.member.needs.contains(&other.name));
    let mut tags = needed.map(|other| tag(&other.name, &other.version));
    let missing = tags.find(|tag| !case.state.tags.contains(tag))?;
    let cause = format!("`{}` needs `{missing}`, which is not tagged", case.member.name);
    Some(Failure::run(cause, "release the crates it depends on first"))
}

fn uncommitted(case: &Case<'_>) -> Option<Failure> {
    let change = case.state.uncommitted.as_ref()?;
    let cause = format!("the tree has uncommitted changes, the first is `{change}`");
    Some(Failure::run(cause, "commit or remove them"))
}

/// Reads the members out of `cargo metadata`.
pub(super) fn members(metadata: &str) -> Vec<Member> {
    let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let names: Vec<String> = packages.iter().map(|package| text(package, "name")).collect();
    packages.iter().map(|package| member(package, &names)).collect()
}

fn member(package: &Value, ours: &[String]) -> Member {
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let needs = dependencies.map(|edge| text(edge, "name")).filter(|name| ours.contains(name));
    Member {
        name: text(package, "name"),
        version: text(package, "version"),
        published: package["publish"].as_array().is_none_or(|registries| !registries.is_empty()),
        needs: needs.collect(),
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Vec<Member> {
        let metadata = serde_json::json!({"packages": [
            {"name": "linalg-cg", "version": "0.1.0", "publish": null, "dependencies": [{"name": "ndarray"}]},
            {"name": "kernels", "version": "0.1.0", "publish": null, "dependencies": [{"name": "linalg-cg"}]},
            {"name": "cglb", "version": "0.1.0", "publish": [], "dependencies": []},
        ]});
        members(&metadata.to_string())
    }

    fn ready() -> State {
        State {
            changelog: "## [0.1.0] - 2026-01-01\n".to_owned(),
            uncommitted: None,
            tags: vec!["linalg-cg-v0.1.0".to_owned()],
        }
    }

    fn cause(name: &str, version: &str, state: &State) -> String {
        let request =
            Request { name: name.to_owned(), version: version.to_owned(), execute: false };
        match objection(&request, &workspace(), state) {
            Some(Failure::Run { cause, .. }) => cause,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_crate_that_is_ready_meets_no_objection() {
        assert_eq!(cause("kernels", "0.1.0", &ready()), "None");
    }

    #[test]
    fn what_is_wrong_with_the_request_is_named() {
        assert_eq!(cause("quernels", "0.1.0", &ready()), "there is no crate `quernels`");
        assert!(cause("cglb", "0.1.0", &ready()).contains("not published"));
        assert!(cause("kernels", "0.2.0", &ready()).contains("has version 0.1.0"));
        assert!(cause("linalg-cg", "0.1.0", &ready()).contains("tagged already"));
    }

    #[test]
    fn what_is_wrong_with_the_repository_is_named() {
        let untagged = State { tags: Vec::new(), ..ready() };
        assert!(cause("kernels", "0.1.0", &untagged).contains("needs `linalg-cg-v0.1.0`"));
        let silent = State { changelog: "## [Unreleased]\n".to_owned(), ..ready() };
        assert!(cause("kernels", "0.1.0", &silent).contains("no section for 0.1.0"));
        let dirty = State { uncommitted: Some(" M Cargo.toml".to_owned()), ..ready() };
        assert!(cause("kernels", "0.1.0", &dirty).contains("M Cargo.toml"));
    }
}
