//! The copy of a crate that is published.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest;
use crate::task::{self, Failure};

/// The workspace's manifest and the crate's.
pub(super) struct Manifests {
    pub(super) root: String,
    pub(super) member: String,
}

/// Copies crate `name` to a workspace of its own below `target/`, ready to publish, and returns the crate's folder.
pub(super) fn copy(name: &str) -> Result<PathBuf, Failure> {
    let (root, stage) = (task::root(), task::root().join("target/taut-release").join(name));
    fill(&root, &stage, name).map_err(|error| Failure::io(&stage, &error))?;
    Ok(stage.join("crates").join(name))
}

fn fill(root: &Path, stage: &Path, name: &str) -> io::Result<()> {
    if stage.exists() {
        fs::remove_dir_all(stage)?;
    }
    let (source, folder) = (root.join("crates").join(name), stage.join("crates").join(name));
    copy_tree(&source, &folder)?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(licence), folder.join(licence))?;
    }
    let read = |folder: &Path| fs::read_to_string(folder.join("Cargo.toml"));
    let ours = Manifests { root: read(root)?, member: read(&source)? };
    let theirs = manifest::for_publishing(&ours, name);
    fs::write(stage.join("Cargo.toml"), theirs.root)?;
    fs::write(folder.join("Cargo.toml"), theirs.member)
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The real manifests, as cargo reads the copies.
    #[test]
    fn a_staged_crate_has_its_published_name_and_no_path_out_of_the_stage() {
        for (name, published) in [("kernels", "taut-kernels"), ("gp-core", "gp-core")] {
            let folder = copy(name).expect("a copy");
            let mut command = task::cargo(["metadata", "--no-deps", "--format-version", "1"]);
            let metadata = task::output(command.current_dir(folder)).expect("valid manifests");
            let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("JSON");
            let package = &metadata["packages"][0];
            assert_eq!(metadata["packages"].as_array().map(Vec::len), Some(1));
            assert_eq!(package["name"], published);
            assert_eq!(package["targets"][0]["name"], name.replace('-', "_"));
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            assert!(dependencies.iter().all(|edge| edge["path"].is_null()), "{name}");
            let renamed = dependencies.iter().filter(|edge| edge["rename"] == "kernels");
            assert!(renamed.map(|edge| &edge["name"]).all(|real| real == "taut-kernels"));
        }
    }
}
