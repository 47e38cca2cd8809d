//! What to do about a table, in the options of the command that reads it.

use datasets::{DataError, Hint};

use super::failure::Failure;

const FILL_OR_DROP_ROWS: &str = "correct the cells, or leave such rows out with --drop-missing";
const EMPTY_MARK: &str = "if it marks a missing value, leave the cell empty and use --drop-missing";

/// What a table is read for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// Training, with these target columns.
    Fit(&'a [String]),
    /// Testing a fit.
    Test,
    /// Predicting its rows.
    Predict,
    /// Taking its rows as inducing points.
    Points,
}

impl Purpose<'_> {
    /// The failure with a remedy this command has.
    pub(crate) fn failure(self, error: DataError) -> Failure {
        let remedy = match self {
            Self::Fit(targets) => fit(&error, targets),
            Self::Test => test(&error),
            Self::Predict => predict(&error),
            Self::Points => points(&error),
        };
        match remedy {
            Some(remedy) => Failure::new(error.cause(), remedy),
            None => error.into(),
        }
    }
}

fn fit(error: &DataError, targets: &[String]) -> Option<&'static str> {
    match error {
        DataError::MissingCell { place, .. } | DataError::NotFinite { place, .. } => {
            Some(if targets.contains(&place.column) {
                FILL_OR_DROP_ROWS
            } else {
                "correct the cells, leave such rows out with --drop-missing, or the column with --drop"
            })
        }
        DataError::NotANumber { hint: Some(Hint::MissingMark), .. } => Some(EMPTY_MARK),
        DataError::NotANumber { place, hint, .. } if targets.contains(&place.column) => {
            match hint {
                Some(Hint::Categories | Hint::Boolean) => Some(
                    "name a column of numbers with --target: to predict categories is classification, and this is regression",
                ),
                None => Some("correct the cell: a target holds numbers"),
                _ => None,
            }
        }
        DataError::NotANumber { hint: None, .. } => {
            Some("correct the cell, or use --one-hot or --drop for the column")
        }
        DataError::NotANumber { hint: Some(Hint::Categories), .. } => {
            Some("use --one-hot for the column, or leave it out with --drop")
        }
        DataError::NotANumber { hint: Some(Hint::Boolean), .. } => {
            Some("write 0 and 1, or use --one-hot for the column")
        }
        _ => None,
    }
}

/// A test table has no say in which columns are inputs.
fn test(error: &DataError) -> Option<&'static str> {
    match error {
        DataError::MissingCell { .. } | DataError::NotFinite { .. } => Some(FILL_OR_DROP_ROWS),
        DataError::NotANumber { hint: Some(Hint::MissingMark), .. } => Some(EMPTY_MARK),
        DataError::NotANumber { hint: None | Some(Hint::Categories | Hint::Boolean), .. } => {
            Some("correct the cell: the column must hold numbers, as in the training table")
        }
        DataError::AllRowsDropped { .. } => Some("give test rows with every cell filled"),
        DataError::UnseenLevel { .. } => {
            Some("correct the cell, leave that row out, or put such rows in the training table")
        }
        DataError::MissingColumn { nearest: None, .. } => {
            Some("give the test table the inputs and targets of the training table")
        }
        _ => None,
    }
}

fn predict(error: &DataError) -> Option<&'static str> {
    match error {
        DataError::MissingCell { .. } | DataError::NotFinite { .. } => {
            Some("correct the cell, or leave that row out")
        }
        DataError::NotANumber {
            hint: None | Some(Hint::Categories | Hint::Boolean | Hint::MissingMark),
            ..
        } => Some(
            "correct the cell, or leave that row out: the column must hold numbers, as in training",
        ),
        DataError::UnseenLevel { .. } => {
            Some("correct the cell, leave that row out, or fit again with such rows")
        }
        _ => None,
    }
}

fn points(error: &DataError) -> Option<&'static str> {
    match error {
        DataError::MissingCell { .. } | DataError::NotFinite { .. } => {
            Some("correct the cell, or leave that inducing point out")
        }
        DataError::MissingColumn { nearest: None, .. } => {
            Some("give inducing points the inputs of the training table")
        }
        _ => predict(error),
    }
}
