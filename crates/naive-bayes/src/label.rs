//! What classes, categories and terms are called.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Largest magnitude up to which every integer is an `f64`: 2⁵³.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The name of a class, of a category's level or of a term: a whole number or a text.
///
/// Sorted with numbers before texts, numbers by value, texts by their bytes.
///
/// ```
/// use naive_bayes::Label;
///
/// assert_eq!(Label::from_number(2.0), Some(Label::from(2)));
/// assert_eq!(Label::from_number(2.5), Some(Label::from("2.5")));
/// assert!(Label::from(10) < Label::from("1"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Label {
    /// A whole number.
    Integer(i64),
    /// Any text, also one with commas and quotes.
    Text(String),
}

impl Label {
    /// A number by its value, so that `1` and `1.0` are one label; `None` when it is not finite.
    #[must_use]
    pub fn from_number(value: f64) -> Option<Self> {
        let whole = value.fract() == 0.0 && value.abs() <= EXACT;
        match value.is_finite() {
            true if whole => Some(Self::Integer(value as i64)),
            true => Some(Self::Text(value.to_string())),
            false => None,
        }
    }
}

impl From<i64> for Label {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<&str> for Label {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Label {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Text(text) => f.pad(text),
        }
    }
}
