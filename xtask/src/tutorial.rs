//! The commands of the tutorial, run as a reader would.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::task::{self, Failure, TaskResult};

const PAGE: &str = "docs/src/tutorial.md";

/// Runs every shell block of the tutorial, in order, in an empty folder and with this tree's `taut`.
pub(crate) fn run() -> TaskResult {
    task::run(&mut task::cargo(["build", "--package", "taut"]))?;
    let page = task::root().join(PAGE);
    let text = fs::read_to_string(&page).map_err(|error| Failure::io(&page, &error))?;
    let folder = task::root().join("target/taut-tutorial");
    empty(&folder).map_err(|error| Failure::io(&folder, &error))?;
    let programs = task::root().join("target/debug");
    let search = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-euxc", &script(&text)]).current_dir(folder);
    task::run(shell.env("PATH", format!("{}:{search}", programs.display())))
        .map_err(|_| Failure::run(format!("a command of {PAGE} failed"), "read its output above"))
}

fn empty(folder: &Path) -> std::io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)
}

/// The lines of the page's `sh` blocks, without those that build or install the program.
fn script(page: &str) -> String {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in page.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            _ if inside && !line.starts_with("cargo ") => lines.push(line),
            _ => {}
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_the_shell_blocks_alone() {
        let page = "text\n```sh\ncargo install x\ntaut a\n```\n```rust\nfn main() {}\n```\n```sh\ntaut b \\\n  c\n```\n";
        assert_eq!(script(page), "taut a\ntaut b \\\n  c");
    }
}
