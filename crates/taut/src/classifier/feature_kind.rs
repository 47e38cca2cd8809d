//! What a column's cells are to a classifier.

use std::fmt;
use std::str::FromStr;

use naive_bayes::Kind;
use serde::{Deserialize, Serialize};

use super::ClassifyError;

/// What separates the tags of a cell.
pub(super) const TAG_SEPARATOR: char = '|';
/// The block that `multinomial` columns belong to unless another is named.
const DEFAULT_GROUP: &str = "counts";

/// What a column's cells are to a classifier.
///
/// | word | a cell | becomes |
/// | --- | --- | --- |
/// | `gaussian` | a number | a Gaussian feature |
/// | `bernoulli` | 0 or 1, `true` or `false` | a Bernoulli feature |
/// | `categorical` | anything | a categorical feature |
/// | `count` | 0, 1, 2, … | a Poisson count |
/// | `multinomial`, `multinomial:GROUP` | how often a term occurs, empty for 0 | one term of a block |
/// | `tag` | 1, or anything that means no | a tag, absent where it is not 1 |
/// | `tags` | `A\|B\|C` | one tag for each different word |
/// | `words` | text | a block of terms, split at white space |
/// | `ignore` | anything | nothing |
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum FeatureKind {
    /// A real number.
    Gaussian,
    /// Yes or no.
    Bernoulli,
    /// One of several levels.
    Categorical,
    /// A count with a Poisson rate.
    Count,
    /// How often a term occurs: one of the terms of a block.
    Multinomial {
        /// The block.
        group: String,
    },
    /// Yes, or not mentioned, which means no.
    Tag,
    /// A list of tags, separated by `|`.
    Tags,
    /// A text, of which words are counted.
    Words,
    /// Not used.
    Ignore,
}

impl FeatureKind {
    /// The kind of matrix column that a cell's number goes to, `None` for kinds that are no numbers.
    pub(super) fn numeric(&self) -> Option<Kind> {
        match self {
            Self::Gaussian => Some(Kind::Gaussian),
            Self::Bernoulli => Some(Kind::Bernoulli),
            Self::Count => Some(Kind::Count),
            Self::Tag => Some(Kind::Tag),
            _ => None,
        }
    }

    /// The kind that would accept a cell which this one refuses.
    #[must_use]
    pub fn alternative(&self, text: bool) -> Self {
        match (self, text) {
            (Self::Gaussian, false) => Self::Ignore,
            (_, false) => Self::Gaussian,
            (_, true) => Self::Categorical,
        }
    }

    /// What a cell may hold, for messages.
    pub(super) fn accepted(&self) -> &'static str {
        match self {
            Self::Gaussian => "finite numbers up to 1e140 in magnitude",
            Self::Bernoulli | Self::Tag => "0 and 1, or true and false",
            Self::Count | Self::Multinomial { .. } => "whole numbers of 0 or more",
            _ => "text",
        }
    }
}

impl fmt::Display for FeatureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gaussian => "gaussian",
            Self::Bernoulli => "bernoulli",
            Self::Categorical => "categorical",
            Self::Count => "count",
            Self::Multinomial { group } if group == DEFAULT_GROUP => "multinomial",
            Self::Multinomial { group } => return write!(f, "multinomial:{group}"),
            Self::Tag => "tag",
            Self::Tags => "tags",
            Self::Words => "words",
            Self::Ignore => "ignore",
        })
    }
}

impl FromStr for FeatureKind {
    type Err = ClassifyError;

    fn from_str(word: &str) -> Result<Self, ClassifyError> {
        Ok(match word {
            "gaussian" => Self::Gaussian,
            "bernoulli" => Self::Bernoulli,
            "categorical" => Self::Categorical,
            "count" => Self::Count,
            "multinomial" => Self::Multinomial { group: DEFAULT_GROUP.to_owned() },
            "tag" => Self::Tag,
            "tags" => Self::Tags,
            "words" => Self::Words,
            "ignore" => Self::Ignore,
            _ => match word.strip_prefix("multinomial:").filter(|group| !group.is_empty()) {
                Some(group) => Self::Multinomial { group: group.to_owned() },
                None => return Err(ClassifyError::UnknownKind { found: word.to_owned() }),
            },
        })
    }
}

impl TryFrom<String> for FeatureKind {
    type Error = ClassifyError;

    fn try_from(word: String) -> Result<Self, ClassifyError> {
        word.parse()
    }
}

impl From<FeatureKind> for String {
    fn from(kind: FeatureKind) -> Self {
        kind.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::FeatureKind;

    #[test]
    fn words_read_back() {
        for word in [
            "gaussian",
            "bernoulli",
            "categorical",
            "count",
            "multinomial",
            "multinomial:body",
            "tag",
            "tags",
            "words",
            "ignore",
        ] {
            assert_eq!(
                word.parse::<FeatureKind>().map(|kind| kind.to_string()).ok(),
                Some(word.into())
            );
        }
        assert!("multinomial:".parse::<FeatureKind>().is_err());
        assert!("normal".parse::<FeatureKind>().is_err());
    }
}
