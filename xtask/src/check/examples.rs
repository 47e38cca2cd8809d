//! Example programs of all crates land in one folder.

use std::collections::BTreeMap;

use super::Violation;
use super::workspace::Workspace;

/// No two crates have an example of one name: cargo writes both to `target/PROFILE/examples/NAME`.
pub(super) fn no_two_examples_share_a_name(workspace: &Workspace) -> Vec<Violation> {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    let mut violations = Vec::new();
    for file in &workspace.files {
        let Some(name) = example(&file.path) else { continue };
        if let Some(other) = first.insert(name, &file.path) {
            let message = format!("{other} is an example `{name}` too; rename one");
            violations.push(Violation::new(&file.path, message));
        }
    }
    violations
}

/// The example that `path` is the main file of: `examples/NAME.rs` or `examples/NAME/main.rs`.
fn example(path: &str) -> Option<&str> {
    let (_, inside) = path.strip_prefix("crates/")?.split_once("/examples/")?;
    let name = inside.strip_suffix("/main.rs").or_else(|| inside.strip_suffix(".rs"))?;
    (!name.contains('/')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::workspace::File;
    use super::*;

    fn with(paths: &[&str]) -> Workspace {
        let files = paths.iter().map(|path| File::new((*path).to_owned(), "")).collect();
        Workspace { files, ..Workspace::default() }
    }

    #[test]
    fn a_name_is_taken_once() {
        let shared = with(&["crates/a/examples/run/main.rs", "crates/b/examples/run.rs"]);
        assert_eq!(no_two_examples_share_a_name(&shared).len(), 1);
        let apart = with(&[
            "crates/a/examples/run/main.rs",
            "crates/a/examples/run/part.rs",
            "crates/b/examples/part.rs",
        ]);
        assert_eq!(no_two_examples_share_a_name(&apart), []);
    }
}
