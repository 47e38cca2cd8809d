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
