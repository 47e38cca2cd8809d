//! Public data sets by name: where they come from, on what terms, and how to know the right file.

mod catalogue;

use std::path::{Path, PathBuf};

use crate::DataError;
use crate::error::{listed, shown};

/// How the table comes from a file that can be downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recipe {
    /// The file is the table, plain or gzip.
    AsIs {
        /// Its address.
        url: &'static str,
    },
    /// The file, plain or gzip, has no header line; this one goes on top.
    WithHeader {
        /// Its address.
        url: &'static str,
        /// The names of the columns.
        header: &'static str,
    },
    /// The table was made from its source by hand, so no download gives a file that could be checked.
    Unknown {
        /// What was done.
        reason: &'static str,
    },
}

/// A public data set.
///
/// `sha256` is that of the table's text: uncompressed, UTF-8, LF line ends, header line on top. So it
/// is the same for `data.csv` and `data.csv.gz`, and for whatever address a file came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicSet {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// Rows below the header.
    pub rows: usize,
    /// Columns but the target.
    pub inputs: usize,
    /// The column to predict.
    pub target: &'static str,
    /// Name of its file in the folder of its name, without `.gz`.
    pub file: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its terms, as far as they are known.
    pub licence: &'static str,
    /// SHA-256 of the text, in hexadecimal.
    pub sha256: &'static str,
    /// How to get it.
    pub recipe: Recipe,
}

/// Every set known here.
#[must_use]
pub fn catalogue() -> &'static [PublicSet] {
    catalogue::SETS
}

/// The set of that name.
///
/// ```
/// let set = datasets::public::find("kin40k")?;
/// assert_eq!((set.rows, set.inputs, set.target), (40_000, 8, "y"));
/// # Ok::<(), datasets::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::UnknownSet`].
pub fn find(name: &str) -> Result<PublicSet, DataError> {
    catalogue().iter().copied().find(|set| set.name == name).ok_or_else(|| DataError::UnknownSet {
        name: shown(name),
        available: listed(catalogue().iter().map(|set| set.name)),
    })
}

impl PublicSet {
    /// Its address, if it can be downloaded.
    #[must_use]
    pub fn url(&self) -> Option<&'static str> {
        match self.recipe {
            Recipe::AsIs { url } | Recipe::WithHeader { url, .. } => Some(url),
            Recipe::Unknown { .. } => None,
        }
    }

    /// Its file in a folder that has one folder for each set, if it is there: `NAME/data.csv` or
    /// `NAME/data.csv.gz`.
    #[must_use]
    pub fn in_folder(&self, folder: &Path) -> Option<PathBuf> {
        let plain = folder.join(self.name).join(self.file);
        let packed = plain.with_file_name(format!("{}.gz", self.file));
        [plain, packed].into_iter().find(|path| path.is_file())
    }
}
