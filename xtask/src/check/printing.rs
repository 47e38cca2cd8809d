//! Libraries return what they have to say.

use super::Violation;
use super::workspace::{File, Workspace};

const MACROS: &[&str] = &["print!", "println!", "eprint!", "eprintln!"];

/// Whether `file` belongs to a program: `xtask`, or the command line of `taut`.
fn is_program(file: &File) -> bool {
    let inside = file.path.strip_prefix("crates/taut/src/");
    file.path.starts_with("xtask/")
        || inside.is_some_and(|rest| rest == "main.rs" || rest.starts_with("cli"))
}

/// No printing in the `src/` of a library; programs, tests and examples may.
pub(super) fn libraries_never_print(workspace: &Workspace) -> Vec<Violation> {
    let libraries = workspace.files.iter().filter(|file| file.is_source() && !is_program(file));
    let uses = libraries.flat_map(|file| file.uses(MACROS));
    let message =
        |needle| format!("`{needle}` in a library: return a value or emit a tracing event");
    uses.map(|(place, needle)| Violation::new(place, message(needle))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_programs_print() {
        let text = "/// println!(\"in a doctest\");\nfn f() { println!(\"x\"); }\n";
        let paths = [
            "crates/bounds/src/lib.rs",
            "crates/taut/src/main.rs",
            "crates/taut/src/cli/fit.rs",
            "xtask/src/main.rs",
            "crates/bounds/tests/it/main.rs",
        ];
        let files = paths.map(|path| File::new(path, text)).to_vec();
        let found = libraries_never_print(&Workspace { files, ..Workspace::default() });
        assert_eq!(
            found.into_iter().map(|found| found.place).collect::<Vec<_>>(),
            ["crates/bounds/src/lib.rs:2"]
        );
    }
}
