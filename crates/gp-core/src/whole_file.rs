//! Files that appear whole or not at all.

use std::fs::File;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::GpError;

/// A file under a temporary name beside its place, put there when it is complete.
///
/// Dropped before [`commit`](Self::commit) it leaves nothing behind, and what was there before
/// stays.
///
/// ```
/// use gp_core::WholeFile;
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let place = folder.path().join("result.csv");
/// let mut whole = WholeFile::begin(&place)?;
/// whole.file().write_all(b"a,b\n")?;
/// assert!(!place.exists());
/// assert_eq!(whole.commit()?, 4);
/// assert!(place.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WholeFile {
    temporary: NamedTempFile,
    place: PathBuf,
}

impl WholeFile {
    /// Begins the file that is to be at `place`. The temporary name has the same endings, for
    /// writers that choose a format by them.
    ///
    /// # Errors
    /// [`GpError::Io`] when the folder does not exist or cannot be written to, or `place` is a
    /// folder itself.
    pub fn begin(place: &Path) -> Result<Self, GpError> {
        let io = |source| GpError::Io { action: "write", path: place.to_owned(), source };
        if place.is_dir() {
            return Err(io(std::io::ErrorKind::IsADirectory.into()));
        }
        let folder = match place.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let name = place.file_name().map(|name| name.to_string_lossy().into_owned());
        let endings = name.as_deref().and_then(|name| name.find('.').map(|at| &name[at..]));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".taut-").suffix(endings.unwrap_or_default());
        readable_by_default(&mut builder);
        let temporary = builder.tempfile_in(folder).map_err(io)?;
        Ok(Self { temporary, place: place.to_owned() })
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        self.temporary.as_file_mut()
    }

    /// The temporary name.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Puts the complete file in its place; returns its size in bytes.
    ///
    /// # Errors
    /// [`GpError::Io`].
    pub fn commit(self) -> Result<u64, GpError> {
        let Self { temporary, place } = self;
        let io = |source| GpError::Io { action: "write", path: place.clone(), source };
        temporary.as_file().sync_all().map_err(io)?;
        let file = temporary.persist(&place).map_err(|error| io(error.error))?;
        Ok(file.metadata().map_err(io)?.len())
    }
}

/// Temporary files are private unless told otherwise; results are as readable as other files.
fn readable_by_default(builder: &mut tempfile::Builder<'_, '_>) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = builder;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn nothing_is_left_of_an_unfinished_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = folder.path().join("a.csv.gz");
        std::fs::write(&place, "before").expect("writable");
        let mut unfinished = WholeFile::begin(&place).expect("writable");
        assert!(unfinished.path().to_string_lossy().ends_with(".csv.gz"));
        unfinished.file().write_all(b"half").expect("writable");
        drop(unfinished);
        assert_eq!(std::fs::read_to_string(&place).expect("still there"), "before");
        assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 1);
        let mut finished = WholeFile::begin(&place).expect("writable");
        finished.file().write_all(b"whole").expect("writable");
        assert_eq!(finished.commit().expect("in place"), 5);
        assert_eq!(std::fs::read_to_string(&place).expect("there"), "whole");
    }

    #[test]
    fn a_folder_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(WholeFile::begin(folder.path()).is_err());
    }
}
