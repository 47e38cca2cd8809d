//! Files that appear whole or not at all.

use std::fs::File;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::GpError;

/// More links one behind the other than any system follows.
const MAX_LINKS: usize = 40;
/// Bytes of `.csv.gz` and the like; a longer ending is part of a name.
const MAX_ENDING: usize = 16;

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
    /// As the caller named it, for messages.
    place: PathBuf,
    /// Where the file will be: `place` with links followed.
    destination: PathBuf,
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
    /// [`GpError::Io`] when the folder does not exist or cannot be written to, the name is too
    /// long, or `place` is a folder itself.
    pub fn begin(place: &Path) -> Result<Self, GpError> {
        let io = |source| GpError::Io { action: "write", path: place.to_owned(), source };
        if is_device(place) {
            let device = File::options().write(true).open(place).map_err(io)?;
            let (place, destination) = (place.to_owned(), place.to_owned());
            return Ok(Self { target: Target::Device(device), place, destination });
        }
        if place.is_dir() {
            return Err(io(std::io::ErrorKind::IsADirectory.into()));
        }
        let destination = Self::destination(place);
        check_name(&destination).map_err(io)?;
        let temporary = beside(&destination).map_err(|error| io(without_path(error)))?;
        Ok(Self { target: Target::Temporary(temporary), place: place.to_owned(), destination })
    }

    /// Whether [`begin`](Self::begin) would succeed; leaves nothing, and does not open devices.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn check(place: &Path) -> Result<(), GpError> {
        if is_device(place) { Ok(()) } else { Self::begin(place).map(drop) }
    }

    /// The file that writing to `place` would make or replace: links are followed, also one to a
    /// file that is not there yet, and the folder is spelled in the one way the system has for it.
    #[must_use]
    pub fn destination(place: &Path) -> PathBuf {
        let mut place = place.to_owned();
        for _ in 0..MAX_LINKS {
            match place.read_link() {
                Ok(target) => place = folder(&place).join(target),
                Err(_) => break,
            }
        }
        match (folder(&place).canonicalize(), place.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => place.canonicalize().unwrap_or(place),
        }
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
        let Self { target, place, destination } = self;
        let Target::Temporary(temporary) = target else { return Ok(0) };
        let io = |source| GpError::Io { action: "write", path: place.clone(), source };
        temporary.as_file().sync_all().map_err(io)?;
        let file =
            temporary.persist(&destination).map_err(|error| io(without_path(error.error)))?;
        Ok(file.metadata().map_err(io)?.len())
    }
}

/// Neither a file nor a folder, such as `/dev/null` or a named pipe.
fn is_device(place: &Path) -> bool {
    place.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A temporary name says nothing of whether the real one is accepted.
fn check_name(destination: &Path) -> std::io::Result<()> {
    match destination.symlink_metadata() {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn folder(place: &Path) -> &Path {
    match place.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn beside(destination: &Path) -> std::io::Result<NamedTempFile> {
    let name = destination.file_name().unwrap_or_default().to_string_lossy();
    let mut builder = tempfile::Builder::new();
    builder.prefix(".taut-").suffix(endings(&name));
    readable_by_default(&mut builder);
    builder.tempfile_in(folder(destination))
}

/// `.csv.gz` of `a.csv.gz`; the last alone, or nothing, where they are too long to be a format's.
fn endings(name: &str) -> &str {
    let from = |at: Option<usize>| at.filter(|at| *at > 0).map(|at| &name[at..]);
    let first = name.char_indices().skip(1).find(|(_, letter)| *letter == '.');
    let all = [from(first.map(|(at, _)| at)), from(name.rfind('.'))];
    all.into_iter().flatten().find(|ending| ending.len() <= MAX_ENDING).unwrap_or_default()
}

/// What the system said, without the temporary name, which the user never gave.
fn without_path(error: std::io::Error) -> std::io::Error {
    let text = error.to_string();
    match text.split_once(" at path \"") {
        Some((said, _)) => std::io::Error::new(error.kind(), said.to_owned()),
        None => error,
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
    #[cfg(unix)]
    fn a_link_to_nothing_yet_stays_a_link() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        let second = folder.path().join("second");
        std::os::unix::fs::symlink("real", &link).expect("a link");
        std::os::unix::fs::symlink("link", &second).expect("a link");
        WholeFile::begin(&second).and_then(WholeFile::commit).expect("in place");
        assert!(link.is_symlink() && second.is_symlink() && real.is_file());
        let same = |place| assert_eq!(WholeFile::destination(place), WholeFile::destination(&real));
        [&link, &second].into_iter().for_each(|place| same(place));
    }

    #[test]
    #[cfg(unix)]
    fn any_name_the_system_takes_will_do() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for start in ["", ".", "a."] {
            let place = folder.path().join(format!("{start}{}", "x".repeat(255 - start.len())));
            WholeFile::begin(&place).and_then(WholeFile::commit).expect("255 bytes");
            let longer = folder.path().join(format!("{start}{}", "x".repeat(256 - start.len())));
            let error = WholeFile::begin(&longer).expect_err("256 bytes").to_string();
            assert!(!error.contains(".taut-"), "{error}");
        }
        assert_eq!(["a.csv.gz", ".hidden", ".a.gz", "a"].map(endings), [".csv.gz", "", ".gz", ""]);
        let missing = folder.path().join("none").join("m.taut");
        let error = WholeFile::begin(&missing).expect_err("no folder").to_string();
        assert!(error.contains("none/m.taut: ") && !error.contains(".taut-"), "{error}");
    }

    #[test]
    fn a_folder_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(WholeFile::begin(folder.path()).is_err());
    }
}
