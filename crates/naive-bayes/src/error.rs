//! What can go wrong in this crate.

use crate::{Kind, Label};

/// Why data, an option or a saved model was refused; whatever was to change is unchanged.
///
/// Rows count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NaiveBayesError {
    /// An option is outside its range.
    #[error("`{name}` is {found}, accepted are {accepted}")]
    Option {
        /// The option.
        name: &'static str,
        /// Its value.
        found: f64,
        /// What would do.
        accepted: &'static str,
    },
    /// An argument's length disagrees with the others.
    #[error("`{argument}` has length {found}, expected {expected}: give one for each {each}")]
    Length {
        /// The argument.
        argument: &'static str,
        /// The length that would do.
        expected: usize,
        /// The length found.
        found: usize,
        /// What there must be one of for each.
        each: &'static str,
    },
    /// Two columns of a batch have one name.
    #[error("`{name}` names two features of one batch: give each a name of its own")]
    RepeatedFeature {
        /// The name.
        name: String,
    },
    /// A feature is of another kind than before.
    #[error(
        "`{name}` is {found}, and {known} in the model: give it as {known}, or under another name"
    )]
    KindMismatch {
        /// The feature.
        name: String,
        /// Its kind in the model.
        known: Kind,
        /// Its kind here.
        found: Kind,
    },
    /// A matrix cannot hold the kind.
    #[error(
        "`{name}` is {kind}, which no matrix of numbers can hold: add it with `levels` or `documents`"
    )]
    NotNumeric {
        /// The feature.
        name: String,
        /// Its kind.
        kind: Kind,
    },
    /// Terms are numbered on one side and named on the other.
    #[error(
        "the terms of `{name}` are numbered on one side and named on the other: use one of the two throughout"
    )]
    TermNames {
        /// The block.
        name: String,
    },
    /// No kind has that name.
    #[error(
        "`{found}` is no kind of feature, accepted are bernoulli, tag, gaussian, count, categorical and multinomial"
    )]
    UnknownKind {
        /// The word found.
        found: String,
    },
    /// A cell that its kind cannot have.
    #[error("`{feature}` holds {found} in row {row}, accepted in a {kind} feature are {accepted}", accepted = kind.accepted())]
    Cell {
        /// The feature.
        feature: String,
        /// The row.
        row: usize,
        /// The value.
        found: f64,
        /// The feature's kind.
        kind: Kind,
    },
    /// A level the model has not seen, refused because the options say so.
    #[error(
        "`{feature}` is `{level}` in row {row}, which the model has not seen: skip unseen levels or leave a slot open for them"
    )]
    UnseenLevel {
        /// The feature.
        feature: String,
        /// The row.
        row: usize,
        /// The level.
        level: Label,
    },
    /// Codes or pointers that do not fit.
    #[error("`{argument}` holds {found} at position {position}, accepted are {accepted}")]
    Index {
        /// The argument.
        argument: &'static str,
        /// Where, from 0.
        position: usize,
        /// What is there.
        found: usize,
        /// What would do.
        accepted: &'static str,
    },
    /// A count of a term that is none.
    #[error("`counts` holds {found} in row {row}, accepted are numbers from 0 to 2^53")]
    Count {
        /// The document.
        row: usize,
        /// The count.
        found: f64,
    },
    /// A weight that counts nothing.
    #[error("`weights` holds {found} in row {row}, accepted are numbers from 0 to 2^53")]
    Weight {
        /// The row.
        row: usize,
        /// The weight.
        found: f64,
    },
    /// A training row without a class.
    #[error("row {row} has no class: leave it out, or ask for unlabelled rows to be skipped")]
    Unlabelled {
        /// The row.
        row: usize,
    },
    /// The model has seen no rows and knows no classes.
    #[error("the model has no classes: let it observe at least one row of positive weight")]
    NoClasses,
    /// No class can have any probability.
    #[error("every class of the model has prior probability 0: give a prior with a positive value")]
    NoCandidate,
    /// A prior that names a class twice, not at all, or one that is not there.
    #[error(
        "the prior says {found} values for class `{class}`, exactly one is accepted for each class of the model and none for others"
    )]
    PriorClass {
        /// The class.
        class: Label,
        /// How often it is named.
        found: usize,
    },
    /// A prior probability that is none.
    #[error("the prior of class `{class}` is {found}, accepted are finite numbers of 0 or more")]
    PriorValue {
        /// The class.
        class: Label,
        /// Its value.
        found: f64,
    },
    /// Prior probabilities that do not add up.
    #[error("the prior's values add up to {sum}, accepted is 1 within 1e-9")]
    PriorSum {
        /// Their sum.
        sum: f64,
    },
    /// Rows to be forgotten are not among those learned.
    #[error(
        "the rows to forget hold more of `{what}` than was learned: forget only rows the model has observed"
    )]
    NotLearned {
        /// The feature, or the class.
        what: String,
    },
    /// Two classes are needed.
    #[error(
        "the model has {classes} classes and log odds are those of two: use the log probabilities"
    )]
    NotBinary {
        /// How many there are.
        classes: usize,
    },
    /// A feature that is not there.
    #[error("the model has no feature `{name}`: see `features` for those it has")]
    UnknownFeature {
        /// The name.
        name: String,
    },
    /// A saved model of another format or version.
    #[error(
        "a saved model of format `{format}`, version {version} was found, accepted is `taut-naive-bayes`, version 1: use the program that wrote it, or fit again"
    )]
    SavedFormat {
        /// The format found.
        format: String,
        /// The version found.
        version: u32,
    },
    /// A saved model whose parts contradict each other.
    #[error("the saved model is damaged: {what} is not what the rest of it implies; fit it again")]
    SavedContent {
        /// The part.
        what: String,
    },
    /// An evaluation of nothing.
    #[error("`{argument}` is empty: give at least one row")]
    Empty {
        /// The argument.
        argument: &'static str,
    },
    /// A score or probability that is none.
    #[error("`{argument}` holds {found} in row {row}, accepted are {accepted}")]
    Score {
        /// The argument.
        argument: &'static str,
        /// The row.
        row: usize,
        /// The value.
        found: f64,
        /// What would do.
        accepted: &'static str,
    },
}

/// Refuses an option outside its range.
pub(crate) fn option(
    name: &'static str,
    found: f64,
    holds: bool,
    accepted: &'static str,
) -> Result<(), NaiveBayesError> {
    if holds { Ok(()) } else { Err(NaiveBayesError::Option { name, found, accepted }) }
}

/// Refuses a length that disagrees.
pub(crate) fn length(
    argument: &'static str,
    expected: usize,
    found: usize,
    each: &'static str,
) -> Result<(), NaiveBayesError> {
    if expected == found {
        return Ok(());
    }
    Err(NaiveBayesError::Length { argument, expected, found, each })
}
