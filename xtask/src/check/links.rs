//! Relative links in Markdown lead somewhere.

use super::Violation;
use super::workspace::{File, Workspace};

const BOOK: &str = "docs/src/";

/// Every relative link of every Markdown file names a file or folder of the tree.
pub(super) fn links_resolve(workspace: &Workspace) -> Vec<Violation> {
    let pages = workspace.files.iter().filter(|file| file.path.ends_with(".md"));
    pages.flat_map(|page| dead_links(workspace, page)).collect()
}

/// Every page of the book is reachable: mdBook leaves out what the summary does not list.
pub(super) fn every_page_is_in_the_summary(workspace: &Workspace) -> Vec<Violation> {
    let summary_path = format!("{BOOK}SUMMARY.md");
    let Some(summary) = workspace.files.iter().find(|file| file.path == summary_path) else {
        return vec![Violation::new(summary_path, "is missing")];
    };
    let listed: Vec<String> =
        links(summary).into_iter().map(|(_, link)| target(summary, &link)).collect();
    let is_page =
        |path: &str| path.starts_with(BOOK) && path.ends_with(".md") && path != summary_path;
    let lost =
        workspace.files.iter().filter(|file| is_page(&file.path) && !listed.contains(&file.path));
    lost.map(|file| Violation::new(&file.path, "is not in the summary of the book")).collect()
}

fn dead_links(workspace: &Workspace, page: &File) -> Vec<Violation> {
    let relative = links(page).into_iter().filter(|(_, link)| is_path(link));
    let dead = relative.filter(|(_, link)| !workspace.has(&target(page, link)));
    dead.map(|(line, link)| Violation::new(page.place(line), format!("`{link}` leads nowhere")))
        .collect()
}

/// Leaves out web addresses, places within the page, and rustdoc's links to items.
fn is_path(link: &str) -> bool {
    let elsewhere = link.contains("://")
        || link.contains("::")
        || link.starts_with(['#', '<'])
        || link.starts_with("mailto:");
    !elsewhere && (link.contains('/') || link.contains('.'))
}

/// The path from the root that `link` in `page` means, without its fragment.
fn target(page: &File, link: &str) -> String {
    let mut parts: Vec<&str> = page.path.split('/').collect();
    parts.pop();
    for part in link.split('#').next().unwrap_or_default().split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Line numbers and targets of the links in `page`, outside code.
fn links(page: &File) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (index, line) in page.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            found.extend(links_of_line(line).map(|link| (index + 1, link)));
        }
    }
    found
}

/// Splits at backticks, since every second piece is code; what follows `](` up to `)` or a space is a target.
fn links_of_line(line: &str) -> impl Iterator<Item = String> {
    let prose: String = line
        .split('`')
        .enumerate()
        .map(|(index, piece)| if index % 2 == 0 { piece } else { "code" })
        .collect();
    let targets = prose
        .split("](")
        .skip(1)
        .map(|rest| rest.split([')', ' ']).next().unwrap_or_default().to_owned());
    targets.collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(pages: &[(&str, &str)]) -> Workspace {
        let files = pages.iter().map(|(path, text)| File::new(*path, *text)).collect();
        Workspace { files, ..Workspace::default() }
    }

    fn places(found: Vec<Violation>) -> Vec<String> {
        found.into_iter().map(|found| found.place).collect()
    }

    #[test]
    fn dead_links_are_found_by_line() {
        let text = "[a](b.md) [c](../../crates/x)\n[d](gone.md#top)\n`[e](f.md)`\n```\n[g](h.md)\n```\n[i](https://j.k/l.md)\n[m](crate::N)\n";
        let workspace =
            book(&[("docs/src/a.md", text), ("docs/src/b.md", ""), ("crates/x/README.md", "")]);
        assert_eq!(places(links_resolve(&workspace)), ["docs/src/a.md:2"]);
    }

    #[test]
    fn a_link_whose_text_is_code_counts() {
        let workspace = book(&[("README.md", "see [`x`](crates/x)")]);
        assert_eq!(places(links_resolve(&workspace)), ["README.md:1"]);
    }

    #[test]
    fn pages_outside_the_summary_are_found() {
        let summary = ("docs/src/SUMMARY.md", "- [A](a.md)\n  - [B](how-to/b.md)\n");
        let workspace = book(&[
            summary,
            ("docs/src/a.md", ""),
            ("docs/src/how-to/b.md", ""),
            ("docs/src/lost.md", ""),
        ]);
        assert_eq!(places(every_page_is_in_the_summary(&workspace)), ["docs/src/lost.md"]);
        assert_eq!(places(every_page_is_in_the_summary(&book(&[]))), ["docs/src/SUMMARY.md"]);
    }
}
