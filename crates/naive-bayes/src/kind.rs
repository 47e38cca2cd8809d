//! The kinds of feature.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::NaiveBayesError;

/// How a feature is distributed within a class.
///
/// | kind | a cell | log p(x given the class) |
/// | --- | --- | --- |
/// | [`Bernoulli`](Self::Bernoulli) | 0 or 1 | x log θ + (1−x) log(1−θ), θ = (k + α)/(n + 2α) |
/// | [`Tag`](Self::Tag) | 1, or absent, which means 0 | the same with n the rows of the class |
/// | [`Gaussian`](Self::Gaussian) | a number | −½ log 2πv − (x−μ)²/2v |
/// | [`Count`](Self::Count) | 0, 1, 2, … | x log r − r − log x!, r = (S + shape)/(n + rate) |
/// | [`Categorical`](Self::Categorical) | a level | log (n_k + α)/(n + αK) |
/// | [`Multinomial`](Self::Multinomial) | counts of terms | Σ x_t log (N_t + α)/(N + αV), the coefficient left out |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Yes or no, missing when not a number.
    Bernoulli,
    /// Yes, or not mentioned, which means no: genres, words, tags. Used once it has been mentioned.
    Tag,
    /// A real number.
    Gaussian,
    /// A count with a Poisson rate.
    Count,
    /// One of several levels.
    Categorical,
    /// A document: how often each term occurs.
    Multinomial,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Bernoulli,
        Self::Tag,
        Self::Gaussian,
        Self::Count,
        Self::Categorical,
        Self::Multinomial,
    ];

    /// The word for it, as in saved models.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bernoulli => "bernoulli",
            Self::Tag => "tag",
            Self::Gaussian => "gaussian",
            Self::Count => "count",
            Self::Categorical => "categorical",
            Self::Multinomial => "multinomial",
        }
    }

    /// Whether cells are numbers, so that columns of this kind may stand in a matrix.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        !matches!(self, Self::Categorical | Self::Multinomial)
    }

    /// What a column of numbers looks like: all 0 or 1 is Bernoulli, anything else Gaussian; `None` without a finite number.
    ///
    /// Counts are not guessed: that a column of whole numbers has a Poisson distribution is for its owner to say.
    #[must_use]
    pub fn of_numbers(cells: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut kinds = cells
            .into_iter()
            .filter(|cell| cell.is_finite())
            .map(|cell| if is_binary(cell) { Self::Bernoulli } else { Self::Gaussian });
        let first = kinds.next()?;
        Some(if kinds.all(|kind| kind == first) { first } else { Self::Gaussian })
    }

    /// What a cell may hold, for messages.
    pub(crate) fn accepted(self) -> &'static str {
        match self {
            Self::Bernoulli => "0, 1 and NaN for a missing cell",
            Self::Tag => "1, and 0 or NaN for a tag that is absent",
            Self::Gaussian => {
                "finite numbers, of magnitude up to 1e140 to learn from, and NaN for a missing cell"
            }
            Self::Count => "whole numbers from 0 to 2^53 and NaN for a missing cell",
            Self::Categorical => "levels",
            Self::Multinomial => "finite numbers from 0 to 2^53",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = NaiveBayesError;

    /// Reads [`name`](Kind::name).
    fn from_str(word: &str) -> Result<Self, NaiveBayesError> {
        let known = Self::ALL.into_iter().find(|kind| kind.name() == word);
        known.ok_or_else(|| NaiveBayesError::UnknownKind { found: word.to_owned() })
    }
}

/// Whether a cell is 0 or 1.
pub(crate) fn is_binary(cell: f64) -> bool {
    matches!(cell, 0.0 | 1.0)
}
