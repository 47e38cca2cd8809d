//! Public data sets as files: found, or downloaded and checked.

mod download;
mod text;

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::public::{PublicSet, Recipe};
use crate::{DataError, FetchProblem};

/// Where files are looked for, and put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Looked into first and never written to.
    pub data: Option<PathBuf>,
    /// Where downloads go; `None` where the system names no such folder.
    pub cache: Option<PathBuf>,
}

/// How a set came to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was in [`Places::data`].
    Data,
    /// It was in [`Places::cache`].
    Cache,
    /// It was downloaded now.
    Download,
}

/// A file whose text is the right one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The file, plain or gzip.
    pub path: PathBuf,
    /// How it came to be there.
    pub origin: Origin,
}

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Downloaded {
    /// Bytes there are, those of earlier tries included.
    pub bytes: u64,
    /// Bytes of the file, if the server said.
    pub of: Option<u64>,
}

impl Places {
    /// `TAUT_DATA_DIR`; `TAUT_CACHE_DIR`, or `taut/data` in the user's folder for caches.
    #[must_use]
    pub fn from_environment() -> Self {
        let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let usual = || {
            let strategy = etcetera::choose_base_strategy().ok()?;
            Some(strategy.cache_dir().join("taut").join("data"))
        };
        Self {
            data: folder("TAUT_DATA_DIR").map(PathBuf::from),
            cache: folder("TAUT_CACHE_DIR").map(PathBuf::from).or_else(usual),
        }
    }

    /// The file of a set, if it is in either place; its text is not looked at.
    #[must_use]
    pub fn find(&self, set: &PublicSet) -> Option<Fetched> {
        let found = |folder: &Option<PathBuf>, origin| {
            let path = set.in_folder(folder.as_deref()?)?;
            Some(Fetched { path, origin })
        };
        found(&self.data, Origin::Data).or_else(|| found(&self.cache, Origin::Cache))
    }

    /// The file of a set: as it is found, or downloaded from `url` (by default the set's own). Its text
    /// is checked in every case. A file appears in the cache whole or not at all; a download that was
    /// cut goes on where it ended.
    ///
    /// # Errors
    /// [`DataError::Fetch`], and [`DataError::Unreadable`] or [`DataError::Unwritable`] for the disk.
    pub fn fetch(
        &self,
        set: &PublicSet,
        url: Option<&str>,
        progress: &mut dyn FnMut(Downloaded),
    ) -> Result<Fetched, DataError> {
        let problem = |problem| DataError::fetch(set.name, problem);
        if let Some(found) = self.find(set) {
            let hash = text::hash(&found.path)?;
            text::compare(set, &hash, &found.path.display()).map_err(problem)?;
            return Ok(found);
        }
        let header = match set.recipe {
            Recipe::AsIs { .. } => None,
            Recipe::WithHeader { header, .. } => Some(header),
            Recipe::Unknown { reason } => return Err(problem(FetchProblem::NoAddress { reason })),
        };
        let url = url.or(set.url()).unwrap_or_default();
        let cache = self.cache.as_deref().ok_or_else(|| problem(FetchProblem::NoCache))?;
        let path = cache.join(set.name).join(set.file);
        bring(set, url, header, &path, progress)?;
        Ok(Fetched { path, origin: Origin::Download })
    }
}

/// Downloads beside `path`, checks, and puts the text in its place.
fn bring(
    set: &PublicSet,
    url: &str,
    header: Option<&str>,
    path: &Path,
    progress: &mut dyn FnMut(Downloaded),
) -> Result<(), DataError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(|source| unwritable(folder, source))?;
    let part = path.with_file_name(format!("{}.part", set.file));
    let lock = download::to_file(set.name, url, &part, progress)?;
    let checked = text::write(&part, header, folder).and_then(|(whole, hash)| {
        let right = text::compare(set, &hash, &url);
        right.map(|()| whole).map_err(|problem| DataError::fetch(set.name, problem))
    });
    if checked.as_ref().is_err_and(is_of_the_file) {
        // Going on from a wrong beginning would never end well.
        std::fs::remove_file(&part).map_err(|source| unwritable(&part, source))?;
    }
    let whole = checked?;
    whole.as_file().sync_all().map_err(|source| unwritable(path, source))?;
    whole.persist(path).map_err(|error| unwritable(path, error.error))?;
    drop(lock);
    // It has served; where it cannot be removed it does no harm.
    let _ = std::fs::remove_file(&part);
    Ok(())
}

/// Whether the file that was brought is to blame, and not the disk.
fn is_of_the_file(error: &DataError) -> bool {
    !matches!(error, DataError::Unwritable { .. } | DataError::Unreadable { .. })
}

fn unwritable(path: &Path, source: std::io::Error) -> DataError {
    DataError::Unwritable { file: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::*;

    #[test]
    fn a_full_disk_is_no_fault_of_the_file() {
        let (file, source) = ("x".to_owned(), || Error::from(ErrorKind::StorageFull));
        for (error, expected) in [
            (unwritable(Path::new("x"), source()), false),
            (DataError::Unreadable { file: file.clone(), source: source() }, false),
            (DataError::TruncatedGzip { file: file.clone(), rows: 0 }, true),
            (DataError::fetch("x", FetchProblem::Busy { file }), true),
        ] {
            assert_eq!(is_of_the_file(&error), expected, "{error}");
        }
    }
}
