//! Reading a changelog in the format of keepachangelog.com.

/// Whether `text` has a section of its own for `version`.
pub(super) fn has_section(text: &str, version: &str) -> bool {
    let heading = format!("## [{version}]");
    text.lines().any(|line| line.starts_with(&heading))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_a_heading_of_its_own() {
        let text = "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-01\nsee ## [0.2.0]\n";
        assert!(has_section(text, "0.1.0"));
        assert!(!has_section(text, "0.2.0") && !has_section(text, "0.1"));
    }
}
