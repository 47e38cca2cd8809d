//! Names asked for on the command line, of sets and methods.

use crate::task::Failure;

/// Whether it is asked for: without names, all are.
pub(super) fn wanted(asked: &[String], name: &str) -> bool {
    asked.is_empty() || asked.iter().any(|one| one == name)
}

/// Refuses a name that is not known, with those that are.
pub(super) fn check<'a>(
    asked: &[String],
    known: impl Iterator<Item = &'a str> + Clone,
    what: &str,
) -> Result<(), Failure> {
    match asked.iter().find(|name| known.clone().all(|other| other != name.as_str())) {
        Some(unknown) => {
            let list = known.collect::<Vec<_>>().join(", ");
            Err(Failure::usage(format!("there is no {what} `{unknown}`; there are {list}")))
        }
        None => Ok(()),
    }
}
