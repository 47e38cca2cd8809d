//! One idea per file.

use super::Violation;
use super::workspace::Workspace;

/// Lines above which a source file draws a warning, and above which it fails.
const BUDGET: (usize, usize) = (400, 700);

/// Source files stay within [`BUDGET`], unit tests included.
pub(super) fn files_stay_small(workspace: &Workspace) -> Vec<Violation> {
    let sources = workspace.files.iter().filter(|file| file.is_source());
    sources.filter_map(|file| judge(&file.path, file.text.lines().count())).collect()
}

fn judge(path: &str, lines: usize) -> Option<Violation> {
    let (soft, hard) = BUDGET;
    match lines {
        _ if lines > hard => Some(Violation::new(
            path,
            format!("has {lines} lines, at most {hard} are allowed: split it"),
        )),
        _ if lines > soft => Some(Violation::warning(
            path,
            format!("has {lines} lines: {soft} are enough for one idea"),
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::workspace::File;
    use super::*;

    #[test]
    fn long_files_draw_a_warning_and_longer_ones_fail() {
        let file =
            |lines: usize| File::new(format!("crates/x/src/l{lines}.rs"), "\n".repeat(lines));
        let files = vec![file(400), file(401), file(700), file(701)];
        let found = files_stay_small(&Workspace { files, ..Workspace::default() });
        assert_eq!(
            found.iter().map(|found| found.warning).collect::<Vec<_>>(),
            [true, true, false]
        );
    }
}
