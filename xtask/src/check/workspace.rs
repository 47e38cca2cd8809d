//! What the rules look at: the crates as cargo sees them, and every text file of the tree.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::code;
use crate::task::{self, Failure};

/// The crates and the files of the workspace.
#[derive(Default)]
pub(super) struct Workspace {
    pub(super) crates: Vec<Crate>,
    pub(super) files: Vec<File>,
}

/// A member under `crates/`.
#[derive(Clone, Default)]
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) published: bool,
    pub(super) dependencies: Vec<Dependency>,
    /// The text of its `Cargo.toml`.
    pub(super) manifest: String,
}

/// One line of a dependency table.
#[derive(Clone, Default)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// Only for tests, examples and benches.
    pub(super) dev: bool,
    pub(super) features: Vec<String>,
}

/// A text file; binary files are left out.
#[derive(Clone, Default)]
pub(super) struct File {
    /// From the root, with forward slashes.
    pub(super) path: String,
    pub(super) text: String,
    /// `text` without comments and literals, line for line; empty unless the file is Rust.
    pub(super) code: String,
}

impl Workspace {
    /// Reads the tree this task belongs to.
    pub(super) fn load() -> Result<Self, Failure> {
        let metadata =
            task::output(&mut task::cargo(["metadata", "--no-deps", "--format-version", "1"]))?;
        let mut workspace = Self { crates: crates(&metadata)?, files: Vec::new() };
        let root = task::root();
        collect(&root, &root, &mut workspace.files).map_err(|error| Failure::io(&root, &error))?;
        workspace.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(workspace)
    }

    /// Whether `path` is a text file or a folder that holds one.
    pub(super) fn has(&self, path: &str) -> bool {
        let inside = |file: &File| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.files.iter().any(inside)
    }

    /// Whether `name` is one of the workspace's crates.
    pub(super) fn is_member(&self, name: &str) -> bool {
        self.crates.iter().any(|member| member.name == name)
    }
}

impl File {
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let (path, text) = (path.into(), text.into());
        let code = if path.ends_with(".rs") { code::only(&text) } else { String::new() };
        Self { path, text, code }
    }

    /// The crate whose folder this file is in.
    pub(super) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// Whether this is library or program code: anything under the `src/` of a crate or of `xtask`.
    pub(super) fn is_source(&self) -> bool {
        self.path.ends_with(".rs") && self.path.contains("/src/")
    }

    /// Where one of `needles` stands in the code as a word of its own.
    pub(super) fn uses(&self, needles: &[&'static str]) -> Vec<(String, &'static str)> {
        let finds = needles.iter().flat_map(|needle| {
            code::lines_with(&self.code, needle).into_iter().map(move |line| (line, *needle))
        });
        finds.map(|(line, needle)| (self.place(line), needle)).collect()
    }

    /// `path:line`, with lines counted from 1.
    pub(super) fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path)
    }
}

/// Reads the members under `crates/` out of `cargo metadata`.
fn crates(metadata: &str) -> Result<Vec<Crate>, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::run(format!("cargo metadata: {error}"), "update cargo")
    };
    let metadata: Value = serde_json::from_str(metadata).map_err(|error| unreadable(&error))?;
    let packages =
        metadata["packages"].as_array().ok_or_else(|| unreadable(&"no packages in it"))?;
    packages.iter().filter(|package| text(package, "name") != "xtask").map(read_crate).collect()
}

fn read_crate(package: &Value) -> Result<Crate, Failure> {
    let path = text(package, "manifest_path");
    let manifest =
        fs::read_to_string(&path).map_err(|error| Failure::io(Path::new(&path), &error))?;
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    Ok(Crate {
        name: text(package, "name"),
        description: text(package, "description"),
        published: package["publish"].as_array().is_none_or(|registries| !registries.is_empty()),
        dependencies: dependencies.map(read_dependency).collect(),
        manifest,
    })
}

fn read_dependency(entry: &Value) -> Dependency {
    let features = entry["features"].as_array().into_iter().flatten();
    Dependency {
        name: text(entry, "name"),
        dev: entry["kind"] == "dev",
        features: features.filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// Adds every text file below `folder`, apart from build output and git's own files.
fn collect(root: &Path, folder: &Path, files: &mut Vec<File>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if entry.file_type()?.is_dir() {
            if name != "target" && name != ".git" {
                collect(root, &path, files)?;
            }
        } else if let Ok(text) = fs::read_to_string(&path) {
            let relative =
                path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push(File::new(relative, text));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_loads() {
        let workspace = Workspace::load().expect("a workspace");
        assert!(workspace.is_member("linalg-cg") && !workspace.is_member("xtask"));
        assert!(workspace.has("crates/bounds/src") && !workspace.has("crates/bou"));
        assert!(workspace.files.iter().all(|file| !file.path.starts_with("target/")));
    }

    #[test]
    fn dependencies_know_their_kind_and_features() {
        let entry = serde_json::json!({"name": "rand", "kind": "dev", "features": ["std"]});
        let dependency = read_dependency(&entry);
        assert!(dependency.dev && dependency.name == "rand" && dependency.features == ["std"]);
    }

    #[test]
    fn a_file_knows_its_crate() {
        let file = File::new("crates/bounds/src/lib.rs", "");
        assert_eq!(file.crate_name(), Some("bounds"));
        assert!(file.is_source() && !File::new("crates/bounds/tests/it/main.rs", "").is_source());
    }
}
