//! Where results go.

use std::io::{ErrorKind, Write, stderr, stdout};
use std::path::{Path, PathBuf};

use datasets::{CsvWriter, DataError};
use gp_core::WholeFile;
use serde::Serialize;

use super::failure::Failure;

/// Refuses now what could not be written after hours of work, or might wait forever.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Err(Failure::usage(
            "cannot write to `-`: only predictions go to standard output",
            "choose a file, or ./- for one of that name",
        ));
    }
    if is_named_pipe(path) {
        return Err(Failure::new(
            format!("cannot write {}: writing to a named pipe waits for a reader", path.display()),
            "choose a file, or /dev/stdout",
        ));
    }
    Ok(WholeFile::check(path)?)
}

/// Refuses, before any work, outputs that would replace an input or each other, or could not be
/// written.
pub(crate) fn check_places(inputs: &[&Path], outputs: &[Option<&Path>]) -> Result<(), Failure> {
    let outputs: Vec<&Path> = outputs.iter().copied().flatten().collect();
    check_apart(inputs, &outputs)?;
    outputs.into_iter().try_for_each(check_writable)
}

/// A pipe in the file system. Those the shell makes, such as /dev/stdout, have no such place, and
/// somebody reads them.
fn is_named_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let found = path.canonicalize().and_then(|path| path.metadata());
        found.is_ok_and(|found| found.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// A writer of CSV to the whole file that is to be at `place`.
pub(crate) fn csv_writer(whole: &WholeFile, place: &Path) -> Result<CsvFile, Failure> {
    let writer = CsvWriter::create(whole.path()).map_err(|error| match error {
        DataError::Unwritable { source, .. } => Failure::cannot_write(place, &source),
        other => other.into(),
    })?;
    Ok(writer.named(place.display().to_string()))
}

/// Has CSV written to the file `out`, whole or not at all, or to standard output.
pub(crate) fn write_csv(
    out: Option<&Path>,
    write: impl FnOnce(CsvFile) -> Result<(), Failure>,
) -> Result<(), Failure> {
    match out {
        Some(path) if path != Path::new("-") => {
            let whole = WholeFile::begin(path)?;
            write(csv_writer(&whole, path)?)?;
            whole.commit()?;
            Ok(())
        }
        _ => write(CsvWriter::create("-")?),
    }
}

pub(crate) type CsvFile = CsvWriter<Box<dyn Write + Send>>;

/// Refuses outputs that would replace an input or each other, by whatever names they go.
pub(crate) fn check_apart(inputs: &[&Path], outputs: &[&Path]) -> Result<(), Failure> {
    let replaces = |(_, output): &(usize, &&Path)| {
        // A device is written to, not replaced.
        output.metadata().map_or(true, |found| found.is_file())
    };
    for (index, output) in outputs.iter().enumerate().filter(replaces) {
        let mut others = inputs.iter().chain(&outputs[..index]);
        if let Some(other) = others.find(|other| same_file(other, output)) {
            return Err(Failure::usage(
                format!("writing {} would replace {}", output.display(), other.display()),
                "choose different names",
            ));
        }
    }
    Ok(())
}

/// Whether two paths lead to one file, through links of either kind.
fn same_file(a: &Path, b: &Path) -> bool {
    let a = if a == Path::new("-") { Path::new("/dev/stdin") } else { a };
    WholeFile::destination(a) == WholeFile::destination(b) || same_identity(a, b)
}

#[cfg(unix)]
fn same_identity(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).ok();
    identity(a).is_some_and(|found| Some(found) == identity(b))
}

#[cfg(not(unix))]
fn same_identity(_: &Path, _: &Path) -> bool {
    false
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
