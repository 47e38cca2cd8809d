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
/// A device or a pipe is written to as it is: there is nothing to replace. Behind a symbolic link
/// the file it leads to is replaced, and the link stays.
#[derive(Debug)]
pub struct WholeFile {
    target: Target,
    place: PathBuf,
}

#[derive(Debug)]
enum Target {
    Temporary(NamedTempFile),
    Device(File),
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
        if is_device(place) {
            let device = File::options().write(true).open(place).map_err(io)?;
            return Ok(Self { target: Target::Device(device), place: place.to_owned() });
        }
        if place.is_dir() {
            return Err(io(std::io::ErrorKind::IsADirectory.into()));
        }
        let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        let temporary = beside(&place).map_err(io)?;
        Ok(Self { target: Target::Temporary(temporary), place })
    }

    /// Whether [`begin`](Self::begin) would succeed; leaves nothing, and does not open devices.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn check(place: &Path) -> Result<(), GpError> {
        if is_device(place) { Ok(()) } else { Self::begin(place).map(drop) }
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        match &mut self.target {
            Target::Temporary(temporary) => temporary.as_file_mut(),
            Target::Device(device) => device,
        }
    }

    /// Where to write until the file is complete: the temporary name, or the device.
    #[must_use]
    pub fn path(&self) -> &Path {
        match &self.target {
            Target::Temporary(temporary) => temporary.path(),
            Target::Device(_) => &self.place,
        }
    }

    /// Puts the complete file in its place; returns its size in bytes, 0 for a device.
    ///
    /// # Errors
    /// [`GpError::Io`].
    pub fn commit(self) -> Result<u64, GpError> {
        let Self { target, place } = self;
        let Target::Temporary(temporary) = target else { return Ok(0) };
        let io = |source| GpError::Io { action: "write", path: place.clone(), source };
        temporary.as_file().sync_all().map_err(io)?;
        let file = temporary.persist(&place).map_err(|error| io(error.error))?;
        Ok(file.metadata().map_err(io)?.len())
    }
}

/// Neither a file nor a folder, such as `/dev/null` or a named pipe.
fn is_device(place: &Path) -> bool {
    place.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn beside(place: &Path) -> std::io::Result<NamedTempFile> {
    let folder = match place.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned());
    let endings = name.as_deref().and_then(|name| name.find('.').map(|at| &name[at..]));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".taut-").suffix(endings.unwrap_or_default());
    readable_by_default(&mut builder);
    builder.tempfile_in(folder)
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
    #[cfg(unix)]
    fn links_lead_to_what_is_replaced_and_devices_are_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&real, "before").expect("writable");
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        let mut whole = WholeFile::begin(&link).expect("writable");
        whole.file().write_all(b"after").expect("writable");
        whole.commit().expect("in place");
        assert_eq!(std::fs::read_to_string(&real).expect("there"), "after");
        assert!(link.is_symlink());
        // A named device of its own, so that a fault here harms no other program.
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        assert!(made.success() && is_device(&pipe));
        WholeFile::check(&pipe).expect("not opened");
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || std::fs::read_to_string(pipe))
        };
        let mut whole = WholeFile::begin(&pipe).expect("a reader is there");
        whole.file().write_all(b"through").expect("writable");
        assert_eq!(whole.commit().expect("written"), 0);
        assert_eq!(reader.join().expect("no panic").expect("readable"), "through");
        assert!(is_device(&pipe));
    }

    #[test]
    fn a_folder_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(WholeFile::begin(folder.path()).is_err());
    }
}
