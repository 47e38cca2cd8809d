//! The manifests of the published copy.

use super::stage::Manifests;

/// Crates whose names are taken on the registry: the package gets the prefix, the library keeps its name.
const PREFIXED: &[&str] = &["kernels", "bounds", "datasets"];

/// The manifests of a workspace that holds `name` alone and finds our other crates on the registry.
pub(super) fn for_publishing(manifests: &Manifests, name: &str) -> Manifests {
    Manifests { root: root(&manifests.root, name), member: member(&manifests.member, name) }
}

/// The package name on the registry.
fn published_name(name: &str) -> String {
    if PREFIXED.contains(&name) { format!("taut-{name}") } else { name.to_owned() }
}

/// Keeps the shared versions and lints; one member is left, and no path to any other.
fn root(text: &str, name: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("default-members"));
    let rewritten = lines.map(|line| match line.split_once(" = ") {
        Some(("members", _)) => format!("members = [\"crates/{name}\"]"),
        Some((dependency, value)) if value.contains("path = ") => from_registry(dependency, value),
        _ => line.to_owned(),
    });
    joined(rewritten)
}

/// `kernels = { path = "…", version = "…" }` as a dependency on the registry.
fn from_registry(dependency: &str, value: &str) -> String {
    let fields = value
        .trim_matches(['{', '}', ' '])
        .split(", ")
        .filter(|field| !field.starts_with("path = "));
    let package = PREFIXED
        .contains(&dependency)
        .then(|| format!("package = \"{}\"", published_name(dependency)));
    let fields: Vec<String> = package.into_iter().chain(fields.map(str::to_owned)).collect();
    format!("{dependency} = {{ {} }}", fields.join(", "))
}

/// Renames the package and pins the library's name; everything else stays.
fn member(text: &str, name: &str) -> String {
    let published = published_name(name);
    if published == name {
        return text.to_owned();
    }
    let library = format!("[lib]\nname = \"{}\"", name.replace('-', "_"));
    let has_library = text.lines().any(|line| line == "[lib]");
    let rewritten = text.lines().map(|line| match line {
        "[lib]" => library.clone(),
        _ if line == format!("name = \"{name}\"") => format!("name = \"{published}\""),
        _ => line.to_owned(),
    });
    let rewritten = joined(rewritten);
    if has_library { rewritten } else { format!("{rewritten}\n{library}\n") }
}

fn joined(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = r#"[workspace]
resolver = "3"
members = ["crates/*", "xtask"]
default-members = ["crates/taut"]

[workspace.dependencies]
linalg-cg = { path = "crates/linalg-cg", version = "0.1.0" }
kernels = { path = "crates/kernels", version = "0.1.0" }
ndarray = { version = "0.17.2", features = ["rayon", "serde"] }
"#;

    const MEMBER: &str = r#"[package]
name = "bounds"
version.workspace = true

[lib]
bench = false

[dependencies]
kernels.workspace = true
"#;

    #[test]
    fn the_workspace_holds_one_member_and_no_paths() {
        let expected = r#"[workspace]
resolver = "3"
members = ["crates/bounds"]

[workspace.dependencies]
linalg-cg = { version = "0.1.0" }
kernels = { package = "taut-kernels", version = "0.1.0" }
ndarray = { version = "0.17.2", features = ["rayon", "serde"] }
"#;
        assert_eq!(root(ROOT, "bounds"), expected);
    }

    #[test]
    fn a_taken_name_gets_its_prefix_and_the_library_keeps_its_own() {
        let expected = MEMBER
            .replace("\"bounds\"", "\"taut-bounds\"")
            .replace("[lib]\n", "[lib]\nname = \"bounds\"\n");
        assert_eq!(member(MEMBER, "bounds"), expected);
    }

    #[test]
    fn a_library_section_is_added_where_there_is_none() {
        let bare = "[package]\nname = \"kernels\"\n";
        assert_eq!(
            member(bare, "kernels"),
            "[package]\nname = \"taut-kernels\"\n\n[lib]\nname = \"kernels\"\n"
        );
    }

    #[test]
    fn a_free_name_stays() {
        assert_eq!(member(MEMBER, "gp-core"), MEMBER);
    }
}
