//! Which headers are accepted.

use std::collections::HashMap;

use crate::{DataError, error::shown};

/// Every column named, no name twice, and not a row of numbers.
pub(crate) fn check(file: &str, names: &[String]) -> Result<(), DataError> {
    check_not_data(file, names)?;
    check_names(file, names)
}

/// Every column named, no name twice.
pub(crate) fn check_names(file: &str, names: &[String]) -> Result<(), DataError> {
    let mut seen = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(DataError::BlankHeader {
                file: file.to_owned(),
                position: index + 1,
                columns: names.len(),
            });
        }
        if let Some(first) = seen.insert(name.as_str(), index) {
            return Err(DataError::DuplicateHeader {
                file: file.to_owned(),
                name: shown(name),
                first: first + 1,
                second: index + 1,
            });
        }
    }
    Ok(())
}

/// A file without a header would lose its first row unnoticed. The names 0, 1, 2, … or 1, 2, 3, … are let pass: some programs write them.
fn check_not_data(file: &str, names: &[String]) -> Result<(), DataError> {
    let counts_from = |start: usize| {
        names.iter().enumerate().all(|(index, name)| *name == (index + start).to_string())
    };
    let numeric = names.iter().all(|name| name.parse::<f64>().is_ok());
    if numeric && !counts_from(0) && !counts_from(1) {
        return Err(DataError::NumericHeader { file: file.to_owned(), found: shown(&names[0]) });
    }
    Ok(())
}
