//! What one cell holds.

use std::borrow::Cow;

/// A cell of a [`Column`](crate::Column).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// A finite number.
    Number(f64),
    /// Empty, or a missing-value mark: the text found.
    Missing(&'a str),
    /// Infinite, beyond the range of `f64`, or a NaN that is not among the missing-value marks: the text found.
    NotFinite(&'a str),
    /// Any other text.
    Text(&'a str),
}

impl<'a> Cell<'a> {
    /// Reads a cell that is already stripped of white space.
    pub(crate) fn parse(text: &'a str, missing_tokens: &[String]) -> Self {
        if text.is_empty() || missing_tokens.iter().any(|token| token == text) {
            return Self::Missing(text);
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Self::Number(value),
            Ok(_) => Self::NotFinite(text),
            Err(_) => Self::Text(text),
        }
    }

    /// The text found, of a number the shortest that reads back the same.
    #[must_use]
    pub fn text(self) -> Cow<'a, str> {
        match self {
            Self::Number(value) => Cow::Owned(number_text(value)),
            Self::Missing(text) | Self::NotFinite(text) | Self::Text(text) => Cow::Borrowed(text),
        }
    }
}

/// The shortest text that reads back as the same number; with an exponent where the digits would be many.
pub(crate) fn number_text(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-5..1e16).contains(&magnitude) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, number_text};

    #[test]
    fn cells() {
        let tokens = ["NA".to_owned()];
        for (text, expected) in [
            ("", Cell::Missing("")),
            ("NA", Cell::Missing("NA")),
            ("+1", Cell::Number(1.0)),
            ("-2.5e-3", Cell::Number(-0.0025)),
            (".5", Cell::Number(0.5)),
            ("1e-400", Cell::Number(0.0)),
            ("1e400", Cell::NotFinite("1e400")),
            ("-inf", Cell::NotFinite("-inf")),
            ("NaN", Cell::NotFinite("NaN")),
            ("1_000", Cell::Text("1_000")),
            ("0x1F", Cell::Text("0x1F")),
            ("1 2", Cell::Text("1 2")),
        ] {
            assert_eq!(Cell::parse(text, &tokens), expected, "{text}");
        }
    }

    #[test]
    fn numbers_read_back_bit_for_bit() {
        for value in [0.0, -0.0, 1.0, 0.1, -1.5e300, 5e-324, 1e16, 123_456.789, f64::MAX] {
            let text = number_text(value);
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()), "{text}");
            assert!(text.len() < 26, "{text}");
        }
    }
}
