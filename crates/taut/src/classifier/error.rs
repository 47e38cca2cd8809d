//! What can be wrong with a table, or a request, for a classifier.

use datasets::Place;
use naive_bayes::{Label, NaiveBayesError};

use super::FeatureKind;

/// Why a classifier refused; nothing was learned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClassifyError {
    /// No kind has that name.
    #[error(
        "`{found}` is no kind of column, accepted are gaussian, bernoulli, categorical, count, multinomial, multinomial:GROUP, tag, tags, words and ignore: choose one of them"
    )]
    UnknownKind {
        /// The word found.
        found: String,
    },
    /// A column asked for by name is not there.
    #[error(
        "`{file}` has no column `{name}` (asked for as {role}), it has {available}: check the name"
    )]
    UnknownColumn {
        /// The table.
        file: String,
        /// The name asked for.
        name: String,
        /// What it was to serve as.
        role: &'static str,
        /// The names there are.
        available: String,
    },
    /// A column was given two things to be.
    #[error("column `{name}` is asked for as {first} and as {second}: name it once")]
    Twice {
        /// The column.
        name: String,
        /// What it was first asked for as.
        first: String,
        /// And then.
        second: String,
    },
    /// A cell that its column's kind cannot have.
    #[error("{place} holds `{found}`, the column is {kind}{why} and accepts {accepted}: {remedy}",
        accepted = kind.accepted(), why = if *inferred { " by its first rows" } else { "" }, remedy = remedy(*text, place))]
    Cell {
        /// Where.
        place: Place,
        /// What is there.
        found: String,
        /// The column's kind.
        kind: FeatureKind,
        /// Whether the kind was guessed from the first rows.
        inferred: bool,
        /// Whether the cell is text, not a number.
        text: bool,
    },
    /// A level the model has not seen, refused because the options say so.
    #[error(
        "{place} holds `{level}`, which the model has not seen: correct the cell, or let unseen levels pass"
    )]
    Unseen {
        /// Where.
        place: Place,
        /// The level.
        level: Label,
    },
    /// A label that is a number too large for its digits to be told apart.
    #[error(
        "{place} holds a label of 2^53 or more, whose last digits are lost in a number: write labels as text, with a letter in front"
    )]
    LargeLabel {
        /// Where.
        place: Place,
    },
    /// A row to learn from has no class.
    #[error(
        "{place} is empty, and is the class of the row: fill the cell, or have rows without a class left out"
    )]
    Unlabelled {
        /// Where.
        place: Place,
    },
    /// A weight that is none.
    #[error("{place} holds `{found}`, weights are numbers from 0 to 2^53: correct the cell")]
    Weight {
        /// Where.
        place: Place,
        /// What is there.
        found: String,
    },
    /// No row has a class.
    #[error("`{file}` has no row with a class: give rows whose `{label}` is filled")]
    NoLabels {
        /// The table.
        file: String,
        /// The label column.
        label: String,
    },
    /// Two classifiers that cannot be put together.
    #[error("{what} is {first} in one model and {second} in the other: fit both alike")]
    Differ {
        /// What they disagree about.
        what: String,
        /// In the first.
        first: String,
        /// In the second.
        second: String,
    },
    /// What the model says.
    #[error(transparent)]
    Model(#[from] NaiveBayesError),
}

fn remedy(text: bool, place: &Place) -> String {
    let Place { column, .. } = place;
    match text {
        true => format!("correct the cell, or declare `{column}` categorical"),
        false => format!("correct the cell, or declare `{column}` to be of another kind"),
    }
}
