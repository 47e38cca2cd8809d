//! Randomness enters through `&mut impl Rng` and seeds, and only where a method is random.

use super::Violation;
use super::workspace::{Crate, Workspace};

const DETERMINISTIC: &[&str] = &["bounds", "cglb"];

/// A bound is a number, not an estimate.
pub(super) fn no_random_crates_in_deterministic_ones(workspace: &Workspace) -> Vec<Violation> {
    let members =
        workspace.crates.iter().filter(|member| DETERMINISTIC.contains(&member.name.as_str()));
    members.flat_map(random_dependencies).collect()
}

fn random_dependencies(member: &Crate) -> impl Iterator<Item = Violation> {
    let random = member.dependencies.iter().filter(|edge| !edge.dev && edge.name.contains("rand"));
    random.map(|edge| {
        Violation::new(
            &member.name,
            format!("holds nothing random and may not depend on `{}`", edge.name),
        )
    })
}

/// Ways to a generator that nobody seeded.
const HIDDEN: &[&str] = &[
    "thread_rng",
    "ThreadRng",
    "rand::rng",
    "rand::random",
    "from_os_rng",
    "try_from_os_rng",
    "from_entropy",
    "make_rng",
    "OsRng",
    "SysRng",
];

/// Holds for tests and benches too: a failure must replay.
pub(super) fn no_hidden_generators(workspace: &Workspace) -> Vec<Violation> {
    let uses = workspace.files.iter().flat_map(|file| file.uses(HIDDEN));
    let message = |needle| format!("`{needle}` is not seeded: take `&mut impl Rng`");
    uses.map(|(place, needle)| Violation::new(place, message(needle))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::workspace::{Dependency, File};
    use super::*;

    #[test]
    fn bounds_may_use_random_numbers_in_tests_only() {
        let rand = |dev| Dependency { name: "rand_distr".to_owned(), dev, ..Dependency::default() };
        let member = Crate {
            name: "bounds".to_owned(),
            dependencies: vec![rand(true), rand(false)],
            ..Crate::default()
        };
        let workspace = Workspace { crates: vec![member], ..Workspace::default() };
        assert_eq!(no_random_crates_in_deterministic_ones(&workspace).len(), 1);
    }

    #[test]
    fn unseeded_generators_are_found_in_code_and_not_in_prose() {
        let text = "// rand::rng() is forbidden\nlet mut rng = rand::rng();\nlet seeded = ChaCha8Rng::seed_from_u64(1);\n";
        let files = vec![File::new("crates/gp-core/tests/it/main.rs", text)];
        let found = no_hidden_generators(&Workspace { files, ..Workspace::default() });
        assert_eq!(
            found.into_iter().map(|found| found.place).collect::<Vec<_>>(),
            ["crates/gp-core/tests/it/main.rs:2"]
        );
    }
}
