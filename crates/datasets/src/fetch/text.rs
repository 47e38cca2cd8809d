//! The text of a table: unpacked, completed, hashed.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::unwritable;
use crate::public::PublicSet;
use crate::source::{Opened, read_error};
use crate::{DataError, FetchProblem, Source};

const BUFFER: usize = 1 << 16;

/// SHA-256 of the text of a file, plain or gzip, line ends as LF.
pub(super) fn hash(path: &Path) -> Result<String, DataError> {
    let mut digest = Sha256::new();
    pour(path, |bytes| {
        digest.update(bytes);
        Ok(())
    })?;
    Ok(hexadecimal(digest))
}

/// Writes the text of `part`, the header on top, to a temporary file in `folder`; its hash too.
pub(super) fn write(
    part: &Path,
    header: Option<&str>,
    folder: &Path,
) -> Result<(NamedTempFile, String), DataError> {
    let io = |source| unwritable(folder, source);
    let mut whole = NamedTempFile::new_in(folder).map_err(io)?;
    let mut digest = Sha256::new();
    let mut last = b'\n';
    let mut put = |bytes: &[u8]| {
        digest.update(bytes);
        last = bytes.last().copied().unwrap_or(last);
        whole.write_all(bytes).map_err(io)
    };
    if let Some(header) = header {
        put(header.as_bytes())?;
        put(b"\n")?;
    }
    pour(part, &mut put)?;
    if last != b'\n' {
        digest.update(b"\n");
        whole.write_all(b"\n").map_err(io)?;
    }
    Ok((whole, hexadecimal(digest)))
}

/// Whether the hash is that of the set.
pub(super) fn compare(set: &PublicSet, hash: &str, file: &dyn Display) -> Result<(), FetchProblem> {
    if hash == set.sha256 {
        return Ok(());
    }
    let (file, found) = (file.to_string(), hash.to_owned());
    Err(FetchProblem::WrongHash { file, expected: set.sha256, found })
}

/// The text of a file, piece by piece.
fn pour(
    path: &Path,
    mut take: impl FnMut(&[u8]) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let Opened { name, gzip, reader: mut text, .. } = Source::path(path).open()?;
    let mut buffer = vec![0; BUFFER];
    loop {
        match text.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => take(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(read_error(&name, gzip, 0, error)),
        }
    }
}

fn hexadecimal(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
