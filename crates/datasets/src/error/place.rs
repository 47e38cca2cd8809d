//! Where in a file something is.

use std::fmt;

/// A cell of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Name of the source.
    pub file: String,
    /// Name of the column.
    pub column: String,
    /// Data row, from 1; 0 is the header.
    pub row: u64,
    /// Line of the file that the row begins on, from 1; 0 in files without lines.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, column, row, line } = self;
        match row {
            _ if *line == 0 => write!(f, "`{file}`, row {row}, column `{column}`"),
            0 => write!(f, "`{file}`, header (line {line}), column `{column}`"),
            row => write!(f, "`{file}`, row {row} (line {line}), column `{column}`"),
        }
    }
}

/// Longest piece of a file repeated in a message, in characters.
const LONGEST: usize = 40;

/// Text from a file, made fit for one line of a message.
pub(crate) fn shown(text: &str) -> String {
    let mut kept = one_line(&text.chars().take(LONGEST).collect::<String>());
    if text.chars().nth(LONGEST).is_some() {
        kept.push('…');
    }
    kept
}

/// Text with control characters, line breaks among them, written out.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default())
        } else {
            line.push(character)
        }
    }
    line
}

/// Most names repeated in a message.
const MOST_NAMES: usize = 12;

/// Names for a message: quoted, and cut off after a dozen.
#[must_use]
pub fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let quoted: Vec<String> =
        names.take(MOST_NAMES).map(|name| format!("`{}`", shown(name))).collect();
    let rest = count - quoted.len();
    let tail = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    quoted.join(", ") + &tail
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn long_and_control_text_is_tamed() {
        assert_eq!(shown("a\nb"), "a\\nb");
        assert_eq!(shown("é").chars().count(), 1);
        assert_eq!(shown(&"x".repeat(1000)).chars().count(), 41);
    }
}
