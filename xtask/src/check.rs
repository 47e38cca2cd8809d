//! `cargo xtask check`: the invariants of the workspace that no compiler sees.
//!
//! A rule is a function from the [`Workspace`] to its [`Violation`]s, with a bad example in its tests; a new one
//! is a file in this folder, its `mod` line and its line in [`RULES`].

mod blas;
mod code;
mod dag;
mod examples;
mod layout;
mod leftovers;
mod links;
mod paths;
mod printing;
mod randomness;
mod size;
mod unsafe_code;
mod workspace;

use crate::task::{self, Failure, Task, TaskResult};
use workspace::Workspace;

pub(crate) const TASK: Task = Task {
    name: "check",
    usage: "check",
    about: "the invariants of docs/src/architecture.md",
    run,
};

type Rule = fn(&Workspace) -> Vec<Violation>;

const RULES: &[Rule] = &[
    dag::dependencies_follow_the_table,
    blas::only_linalg_cg_names_a_blas,
    blas::no_matrix_products_without_a_blas,
    randomness::no_random_crates_in_deterministic_ones,
    randomness::no_hidden_generators,
    printing::libraries_never_print,
    unsafe_code::unsafe_stays_in_its_modules,
    layout::every_crate_is_complete,
    examples::no_two_examples_share_a_name,
    size::files_stay_small,
    paths::no_machine_paths,
    leftovers::nothing_unfinished,
    leftovers::no_page_has_gaps,
    links::links_resolve,
    links::every_page_is_in_the_summary,
];

/// One place where a rule is broken.
#[derive(Debug, PartialEq)]
struct Violation {
    /// `file:line`, a file, or a crate.
    place: String,
    message: String,
    /// Warnings are printed and do not fail the check.
    warning: bool,
}

impl Violation {
    fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into(), warning: false }
    }

    fn warning(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { warning: true, ..Self::new(place, message) }
    }
}

/// Prints every violation, and fails unless all of them are warnings.
pub(crate) fn run(args: &[String]) -> TaskResult {
    task::no_arguments(args)?;
    let workspace = Workspace::load()?;
    let found: Vec<Violation> = RULES.iter().flat_map(|rule| rule(&workspace)).collect();
    for violation in &found {
        let kind = if violation.warning { "warning" } else { "error" };
        println!("{kind}: {}: {}", violation.place, violation.message);
    }
    match found.iter().filter(|violation| !violation.warning).count() {
        0 => Ok(()),
        1 => Err(failed("1 rule is broken")),
        count => Err(failed(&format!("rules are broken in {count} places"))),
    }
}

fn failed(cause: &str) -> Failure {
    Failure::run(
        cause,
        "change the places listed above; docs/src/architecture.md says why each rule is there",
    )
}
