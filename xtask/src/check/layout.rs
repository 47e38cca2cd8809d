//! What a crate consists of.

use super::Violation;
use super::workspace::{Crate, Workspace};

/// Every crate has its front page, its tests, the shared lints and, once published, its changelog.
pub(super) fn every_crate_is_complete(workspace: &Workspace) -> Vec<Violation> {
    workspace.crates.iter().flat_map(|member| gaps(workspace, member)).collect()
}

fn gaps(workspace: &Workspace, member: &Crate) -> Vec<Violation> {
    let has = |path: &str| workspace.has(&format!("crates/{}/{path}", member.name));
    let tests_properties =
        member.dependencies.iter().any(|edge| edge.dev && edge.name == "proptest");
    let checks = [
        (has("README.md"), "has no README.md"),
        (has("tests/it/main.rs"), "has no tests/it/main.rs"),
        (!member.published || has("CHANGELOG.md"), "is published and has no CHANGELOG.md"),
        (tests_properties, "has no proptest among its dev-dependencies"),
        (!member.description.is_empty(), "has no description"),
        (shares_lints(&member.manifest), "does not take the workspace's lints"),
    ];
    checks
        .into_iter()
        .filter(|(holds, _)| !holds)
        .map(|(_, message)| Violation::new(&member.name, message))
        .collect()
}

fn shares_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim);
    let spelled_out =
        lines.clone().skip_while(|line| *line != "[lints]").nth(1) == Some("workspace = true");
    spelled_out || lines.any(|line| line == "lints.workspace = true")
}

#[cfg(test)]
mod tests {
    use super::super::workspace::{Dependency, File};
    use super::*;

    fn complete() -> Workspace {
        let member = Crate {
            name: "x".to_owned(),
            description: "d".to_owned(),
            published: true,
            dependencies: vec![Dependency {
                name: "proptest".to_owned(),
                dev: true,
                ..Dependency::default()
            }],
            manifest: "[lints]\nworkspace = true\n".to_owned(),
        };
        let paths = ["README.md", "CHANGELOG.md", "tests/it/main.rs"];
        let files = paths.map(|path| File::new(format!("crates/x/{path}"), "")).to_vec();
        Workspace { crates: vec![member], files }
    }

    #[test]
    fn a_complete_crate_passes() {
        assert_eq!(every_crate_is_complete(&complete()), []);
    }

    #[test]
    fn an_unpublished_crate_needs_no_changelog() {
        let mut workspace = complete();
        workspace.files.retain(|file| !file.path.ends_with("CHANGELOG.md"));
        assert_eq!(every_crate_is_complete(&workspace).len(), 1);
        workspace.crates[0].published = false;
        assert_eq!(every_crate_is_complete(&workspace), []);
    }

    #[test]
    fn an_empty_crate_lacks_everything() {
        let bare = Crate { name: "y".to_owned(), published: true, ..Crate::default() };
        let workspace = Workspace { crates: vec![bare], ..Workspace::default() };
        assert_eq!(every_crate_is_complete(&workspace).len(), 6);
    }
}
