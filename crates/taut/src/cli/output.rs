//! Where results go.

use std::io::{ErrorKind, Write, stderr, stdout};
use std::path::{Path, PathBuf};

use gp_core::WholeFile;
use serde::Serialize;

use super::failure::Failure;

/// Refuses now what could not be written after hours of work.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    Ok(WholeFile::check(path)?)
}

/// Refuses outputs that would replace an input or each other.
pub(crate) fn check_apart(inputs: &[&Path], outputs: &[&Path]) -> Result<(), Failure> {
    let same = |a: &Path, b: &Path| a != Path::new("-") && place(a) == place(b);
    let replaces = |(_, output): &(usize, &&Path)| {
        // A device is written to, not replaced.
        output.metadata().map_or(true, |found| found.is_file())
    };
    for (index, output) in outputs.iter().enumerate().filter(replaces) {
        let mut others = inputs.iter().chain(&outputs[..index]);
        if let Some(other) = others.find(|other| same(other, output)) {
            return Err(Failure::usage(
                format!("writing {} would replace {}", output.display(), other.display()),
                "choose different names",
            ));
        }
    }
    Ok(())
}

/// A path that is the same for all ways to write it, where its folder exists.
fn place(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
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

/// Prints lines on standard output. `println!` would panic where the reader has gone.
///
/// # Errors
/// [`Failure::closed_pipe`], or what else the system says.
pub(crate) fn print(lines: &[String]) -> Result<(), Failure> {
    let mut out = stdout().lock();
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    written.and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::closed_pipe(),
        _ => Failure::cannot_write(Path::new("standard output"), &error),
    })
}

/// Prints a line on standard error; where nobody reads it, nobody misses it.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

/// `path` with `ending` appended to its whole name.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
