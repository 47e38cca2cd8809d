//! Two modules may be unsafe: the calls into the BLAS and the SIMD tiles.

use super::Violation;
use super::workspace::Workspace;

/// Files, or folders ending in `/`.
const ALLOWED: &[&str] = &[
    "crates/linalg-cg/src/blas.rs",
    "crates/linalg-cg/src/blas/",
    "crates/kernels/src/simd.rs",
    "crates/kernels/src/simd/",
];

/// No `unsafe` outside [`ALLOWED`], whatever the lints say.
pub(super) fn unsafe_stays_in_its_modules(workspace: &Workspace) -> Vec<Violation> {
    let others = workspace.files.iter().filter(|file| !is_allowed(&file.path));
    let uses = others.flat_map(|file| file.uses(&["unsafe"]));
    let message = "`unsafe` outside the modules of xtask/src/check/unsafe_code.rs";
    uses.map(|(place, _)| Violation::new(place, message)).collect()
}

fn is_allowed(path: &str) -> bool {
    ALLOWED.iter().any(|place| path == *place || (place.ends_with('/') && path.starts_with(place)))
}

#[cfg(test)]
mod tests {
    use super::super::workspace::File;
    use super::*;

    #[test]
    fn unsafe_elsewhere_is_found() {
        let files = [
            "crates/linalg-cg/src/blas.rs",
            "crates/linalg-cg/src/cg.rs",
            "crates/kernels/src/simd/avx512.rs",
        ];
        let files = files
            .map(|path| File::new(path, "#[allow(unsafe_code)]\nunsafe { call() }\n"))
            .to_vec();
        let found = unsafe_stays_in_its_modules(&Workspace { files, ..Workspace::default() });
        assert_eq!(
            found.into_iter().map(|found| found.place).collect::<Vec<_>>(),
            ["crates/linalg-cg/src/cg.rs:2"]
        );
    }
}
