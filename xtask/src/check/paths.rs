//! Nothing in the tree knows whose machine it was written on.

use super::Violation;
use super::workspace::{File, Workspace};

/// Folders that exist on some machines; written in pieces so that this file passes.
const MACHINE: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// The folder beside the checkout that the CI script may look for data in.
const BESIDE: &str = concat!("../sha", "red");

/// No machine path in any file, and the folder beside the checkout in the CI script alone.
pub(super) fn no_machine_paths(workspace: &Workspace) -> Vec<Violation> {
    workspace.files.iter().flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Violation> {
    let beside = (file.path != ".ci/run").then_some(BESIDE);
    let needles: Vec<&str> = MACHINE.iter().copied().chain(beside).collect();
    let numbered = file.text.lines().enumerate();
    let hits = numbered.filter_map(|(index, line)| {
        Some((index + 1, *needles.iter().find(|needle| line.contains(**needle))?))
    });
    hits.map(|(line, needle)| {
        Violation::new(file.place(line), format!("`{needle}` is a path of one machine"))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_are_found_line_by_line() {
        let text = format!("fine\ncd {}x\n", MACHINE[0]);
        let files = vec![File::new("README.md", text)];
        let found = no_machine_paths(&Workspace { files, ..Workspace::default() });
        assert_eq!(found.into_iter().map(|found| found.place).collect::<Vec<_>>(), ["README.md:2"]);
    }

    #[test]
    fn only_the_ci_script_looks_beside_the_checkout() {
        let files = [".ci/run", "docs/src/a.md"]
            .map(|path| File::new(path, format!("{BESIDE}/data")))
            .to_vec();
        let found = no_machine_paths(&Workspace { files, ..Workspace::default() });
        assert_eq!(
            found.into_iter().map(|found| found.place).collect::<Vec<_>>(),
            ["docs/src/a.md:1"]
        );
    }
}
