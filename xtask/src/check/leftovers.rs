//! What is in the tree works.

use super::Violation;
use super::workspace::{File, Workspace};

const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "#[ignore", "dbg!"];

/// No stubs, no debugging output, no switched-off tests in any Rust file.
pub(super) fn nothing_unfinished(workspace: &Workspace) -> Vec<Violation> {
    let uses = workspace.files.iter().flat_map(|file| file.uses(UNFINISHED));
    uses.map(|(place, needle)| Violation::new(place, format!("`{needle}` is unfinished work")))
        .collect()
}

/// How a page says that output is still to be pasted in.
const GAP: &str = "<!-- fill";

/// No page waits for its output.
pub(super) fn no_page_has_gaps(workspace: &Workspace) -> Vec<Violation> {
    let pages = workspace.files.iter().filter(|file| file.path.ends_with(".md"));
    pages.flat_map(gaps).collect()
}

fn gaps(page: &File) -> Vec<Violation> {
    let numbered = page.text.lines().enumerate();
    let open = numbered.filter(|(_, line)| line.starts_with(GAP));
    open.map(|(index, line)| Violation::new(page.place(index + 1), line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_in_pages_are_found() {
        let files = vec![File::new("docs/src/a.md", "text\n<!-- fill: the table -->\n")];
        let found = no_page_has_gaps(&Workspace { files, ..Workspace::default() });
        assert_eq!(found, [Violation::new("docs/src/a.md:2", "<!-- fill: the table -->")]);
    }

    #[test]
    fn stubs_and_ignored_tests_are_found() {
        let text = "fn f() { todo!() }\n#[ignore = \"slow\"]\nfn g() {}\n// todo!\n";
        let files = vec![File::new("crates/x/tests/it/main.rs", text)];
        let found = nothing_unfinished(&Workspace { files, ..Workspace::default() });
        let places: Vec<_> = found.into_iter().map(|found| found.place).collect();
        assert_eq!(places, ["crates/x/tests/it/main.rs:1", "crates/x/tests/it/main.rs:2"]);
    }
}
