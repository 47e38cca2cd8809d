//! What is in the tree works.

use super::Violation;
use super::workspace::Workspace;

const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "#[ignore", "dbg!"];

/// No stubs, no debugging output, no switched-off tests in any Rust file.
pub(super) fn nothing_unfinished(workspace: &Workspace) -> Vec<Violation> {
    let uses = workspace.files.iter().flat_map(|file| file.uses(UNFINISHED));
    uses.map(|(place, needle)| Violation::new(place, format!("`{needle}` is unfinished work")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::workspace::File;
    use super::*;

    #[test]
    fn stubs_and_ignored_tests_are_found() {
        let text = "fn f() { todo!() }\n#[ignore = \"slow\"]\nfn g() {}\n// todo!\n";
        let files = vec![File::new("crates/x/tests/it/main.rs", text)];
        let found = nothing_unfinished(&Workspace { files, ..Workspace::default() });
        let places: Vec<_> = found.into_iter().map(|found| found.place).collect();
        assert_eq!(places, ["crates/x/tests/it/main.rs:1", "crates/x/tests/it/main.rs:2"]);
    }
}
