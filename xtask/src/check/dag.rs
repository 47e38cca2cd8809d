//! Who may depend on whom.

use super::Violation;
use super::workspace::{Crate, Workspace};

/// Each crate with those directly below it; a crate may name whatever it can reach from here.
const TABLE: &[(&str, &[&str])] = &[
    ("linalg-cg", &[]),
    ("kernels", &["linalg-cg"]),
    ("bounds", &["kernels"]),
    ("gp-core", &["bounds"]),
    ("exact-gp", &["gp-core"]),
    ("sparse-gp", &["gp-core"]),
    ("cglb", &["sparse-gp"]),
    ("iterative-gp", &["gp-core"]),
    ("ssgp-vb", &["gp-core"]),
    ("naive-bayes", &[]),
    ("datasets", &[]),
    ("taut", &["exact-gp", "cglb", "iterative-gp", "ssgp-vb", "naive-bayes", "datasets"]),
];

/// Dependencies between our crates stay within the table; those of tests are free.
pub(super) fn dependencies_follow_the_table(workspace: &Workspace) -> Vec<Violation> {
    let unlisted = workspace.crates.iter().filter(|member| below(&member.name).is_none());
    let unlisted = unlisted.map(|member| {
        Violation::new(&member.name, "is not in the table of xtask/src/check/dag.rs")
    });
    let absent = TABLE.iter().filter(|(name, _)| !workspace.is_member(name));
    let absent =
        absent.map(|(name, _)| Violation::new(*name, "is in the table and not in the workspace"));
    unlisted
        .chain(absent)
        .chain(workspace.crates.iter().flat_map(|member| upward(workspace, member)))
        .collect()
}

/// The edges of `member` that the table does not have.
fn upward(workspace: &Workspace, member: &Crate) -> Vec<Violation> {
    let ours =
        member.dependencies.iter().filter(|edge| !edge.dev && workspace.is_member(&edge.name));
    let wrong = ours.filter(|edge| !reaches(&member.name, &edge.name));
    wrong
        .map(|edge| Violation::new(&member.name, format!("may not depend on `{}`", edge.name)))
        .collect()
}

/// Whether `from` stands above `to` in the table.
pub(super) fn reaches(from: &str, to: &str) -> bool {
    below(from).into_iter().flatten().any(|&next| next == to || reaches(next, to))
}

fn below(name: &str) -> Option<&'static [&'static str]> {
    TABLE.iter().find(|(listed, _)| *listed == name).map(|(_, below)| *below)
}

#[cfg(test)]
mod tests {
    use super::super::workspace::Dependency;
    use super::*;

    fn full() -> Workspace {
        let crates =
            TABLE.iter().map(|(name, _)| Crate { name: (*name).to_owned(), ..Crate::default() });
        Workspace { crates: crates.collect(), ..Workspace::default() }
    }

    fn depend(workspace: &mut Workspace, from: &str, to: &str, dev: bool) {
        let member =
            workspace.crates.iter_mut().find(|member| member.name == from).expect("a member");
        member.dependencies.push(Dependency { name: to.to_owned(), dev, ..Dependency::default() });
    }

    #[test]
    fn what_the_table_reaches_is_allowed() {
        let mut workspace = full();
        for (from, to) in [
            ("bounds", "linalg-cg"),
            ("cglb", "sparse-gp"),
            ("taut", "kernels"),
            ("cglb", "bounds"),
        ] {
            depend(&mut workspace, from, to, false);
        }
        assert_eq!(dependencies_follow_the_table(&workspace), []);
    }

    #[test]
    fn upward_and_sideways_edges_are_refused() {
        for (from, to) in [
            ("kernels", "bounds"),
            ("sparse-gp", "exact-gp"),
            ("sparse-gp", "cglb"),
            ("datasets", "linalg-cg"),
        ] {
            let mut workspace = full();
            depend(&mut workspace, from, to, false);
            let expected = Violation::new(from, format!("may not depend on `{to}`"));
            assert_eq!(dependencies_follow_the_table(&workspace), [expected]);
        }
    }

    #[test]
    fn tests_may_use_any_crate() {
        let mut workspace = full();
        depend(&mut workspace, "gp-core", "datasets", true);
        assert_eq!(dependencies_follow_the_table(&workspace), []);
    }

    #[test]
    fn new_and_lost_crates_are_named() {
        let mut workspace = full();
        workspace.crates[0].name = "linalg".to_owned();
        let places: Vec<_> = dependencies_follow_the_table(&workspace)
            .into_iter()
            .map(|found| found.place)
            .collect();
        assert_eq!(places, ["linalg", "linalg-cg"]);
    }
}
