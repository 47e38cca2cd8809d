//! One crate talks to the BLAS.

use super::workspace::{Crate, Dependency, Workspace};
use super::{Violation, dag};

const OWNER: &str = "linalg-cg";

/// Crates that bring, bind or need a BLAS or LAPACK.
const BLAS: &[&str] = &[
    "accelerate-src",
    "blas",
    "blas-src",
    "blas-sys",
    "blis-src",
    "cblas",
    "cblas-sys",
    "faer",
    "intel-mkl-src",
    "lapack",
    "lapack-src",
    "lapack-sys",
    "lapacke",
    "lapacke-sys",
    "lax",
    "ndarray-linalg",
    "netlib-src",
    "openblas-build",
    "openblas-src",
];

/// No crate but `linalg-cg` names one of [`BLAS`], not even for its tests, or turns on ndarray's `blas`.
pub(super) fn only_linalg_cg_names_a_blas(workspace: &Workspace) -> Vec<Violation> {
    let others = workspace.crates.iter().filter(|member| member.name != OWNER);
    others
        .flat_map(|member| member.dependencies.iter().filter_map(|edge| names_a_blas(member, edge)))
        .collect()
}

fn names_a_blas(member: &Crate, edge: &Dependency) -> Option<Violation> {
    let by_feature =
        edge.name == "ndarray" && edge.features.iter().any(|feature| feature.contains("blas"));
    let named = BLAS.contains(&edge.name.as_str()) || by_feature;
    named.then(|| {
        Violation::new(
            &member.name,
            format!("names a BLAS through `{}`: only `{OWNER}` may", edge.name),
        )
    })
}

const PRODUCTS: &[&str] = &[".dot(", "general_mat_mul", "general_mat_vec_mul"];

/// In a build of the whole workspace ndarray's products call the BLAS, which crates apart from `linalg-cg` do not link.
pub(super) fn no_matrix_products_without_a_blas(workspace: &Workspace) -> Vec<Violation> {
    let unlinked = |name: &str| name != OWNER && !dag::reaches(name, OWNER);
    let files = workspace.files.iter().filter(|file| file.crate_name().is_some_and(unlinked));
    let calls = files.flat_map(|file| file.uses(PRODUCTS));
    calls
        .map(|(place, _)| Violation::new(place, "calls the BLAS in a crate that does not link it"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::workspace::File;
    use super::*;

    fn with(name: &str, dependency: Dependency) -> Workspace {
        let member =
            Crate { name: name.to_owned(), dependencies: vec![dependency], ..Crate::default() };
        Workspace { crates: vec![member], files: Vec::new() }
    }

    #[test]
    fn a_blas_elsewhere_is_refused_even_for_tests() {
        let openblas =
            Dependency { name: "openblas-src".to_owned(), dev: true, ..Dependency::default() };
        assert_eq!(only_linalg_cg_names_a_blas(&with("bounds", openblas.clone())).len(), 1);
        assert_eq!(only_linalg_cg_names_a_blas(&with(OWNER, openblas)), []);
    }

    #[test]
    fn the_blas_feature_counts() {
        let features = vec!["rayon".to_owned(), "blas".to_owned()];
        let ndarray = Dependency { name: "ndarray".to_owned(), features, ..Dependency::default() };
        assert_eq!(only_linalg_cg_names_a_blas(&with("kernels", ndarray)).len(), 1);
    }

    #[test]
    fn dot_is_refused_where_no_blas_is_linked() {
        let file = |name: &str| {
            File::new(format!("crates/{name}/src/lib.rs"), "// a.dot(b)\nlet c = a.dot(&b);\n")
        };
        let files = vec![file("datasets"), file("kernels"), file(OWNER)];
        let found = no_matrix_products_without_a_blas(&Workspace { files, ..Workspace::default() });
        assert_eq!(
            found.into_iter().map(|found| found.place).collect::<Vec<_>>(),
            ["crates/datasets/src/lib.rs:2"]
        );
    }
}
