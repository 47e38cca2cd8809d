//! Where results go.

use std::io::Write;
use std::path::{Path, PathBuf};

use gp_core::WholeFile;
use serde::Serialize;

use super::failure::Failure;

/// Refuses now what could not be written after hours of work.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    Ok(WholeFile::begin(path).map(drop)?)
}

/// Writes JSON, indented, with all digits of its numbers.
pub(crate) fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::cannot_write(path, &error);
    let text = serde_json::to_string_pretty(value).map_err(|error| failed(error.into()))?;
    let mut whole = WholeFile::begin(path)?;
    writeln!(whole.file(), "{text}").map_err(failed)?;
    whole.commit()?;
    Ok(())
}

/// `path` with `ending` appended to its whole name.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
