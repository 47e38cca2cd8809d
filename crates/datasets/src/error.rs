//! What can be wrong with a file, a request or an argument.

mod fetch;
mod hint;
mod message;
mod place;

use std::io;

pub use fetch::FetchProblem;
pub use hint::Hint;
pub(crate) use place::shown;
pub use place::{Place, listed};

use crate::Role;

/// A file that is recognised but is not text in UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// UTF-16 text, with or without a byte-order mark.
    Utf16,
    /// An Apache Parquet file.
    Parquet,
    /// A zip archive, which is also what `.xlsx` and `.npz` files are.
    Zip,
    /// A bzip2, xz or zstd stream; only gzip is read.
    OtherCompression,
    /// A NumPy array.
    Npy,
    /// Some other binary file: its first line holds a zero byte.
    Binary,
}

/// Everything that can go wrong here.
///
/// `Display` gives cause and remedy in one line; [`cause`](Self::cause) and [`remedy`](Self::remedy) give them apart.
/// Rows count from 1 and leave the header out, lines count from 1 as an editor does. Text taken from the file is shortened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The path leads nowhere.
    NotFound {
        /// The path as given.
        file: String,
    },
    /// The path is a directory.
    Directory {
        /// The path as given.
        file: String,
    },
    /// Reading failed in the operating system.
    Unreadable {
        /// Name of the source.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// Writing failed in the operating system.
    Unwritable {
        /// Name of the destination.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The source holds no byte, or white space only.
    Empty {
        /// Name of the source.
        file: String,
    },
    /// The source has a header and nothing below it.
    NoRows {
        /// Name of the source.
        file: String,
        /// Columns in the header.
        columns: usize,
    },
    /// The source is not UTF-8 text.
    NotCsv {
        /// Name of the source.
        file: String,
        /// What it looks like.
        format: FileFormat,
    },
    /// The name says Parquet, the first bytes do not.
    NotParquet {
        /// Name of the source.
        file: String,
    },
    /// A Parquet file that was cut off or contradicts itself.
    DamagedParquet {
        /// Name of the source.
        file: String,
        /// Complete rows before the damage.
        rows: u64,
        /// What the decoder said.
        what: String,
    },
    /// A column of a Parquet file that cells cannot hold.
    UnsupportedColumn {
        /// Name of the source.
        file: String,
        /// The column.
        name: String,
        /// What it holds.
        found: String,
    },
    /// A gzip stream stops before its end.
    TruncatedGzip {
        /// Name of the source.
        file: String,
        /// Complete rows before the break.
        rows: u64,
    },
    /// A gzip stream is damaged.
    CorruptGzip {
        /// Name of the source.
        file: String,
        /// Complete rows before the damage.
        rows: u64,
        /// What the decoder said.
        source: io::Error,
    },
    /// A cell's bytes are not UTF-8; row 0 is the header.
    InvalidUtf8 {
        /// Where.
        place: Place,
    },
    /// A column has no name.
    BlankHeader {
        /// Name of the source.
        file: String,
        /// Position of the column, from 1.
        position: usize,
        /// Columns in the header.
        columns: usize,
    },
    /// Two columns have the same name.
    DuplicateHeader {
        /// Name of the source.
        file: String,
        /// The name.
        name: String,
        /// Position of the first, from 1.
        first: usize,
        /// Position of the second, from 1.
        second: usize,
    },
    /// The first line holds numbers only, so that it is data rather than names.
    NumericHeader {
        /// Name of the source.
        file: String,
        /// Its first cell.
        found: String,
    },
    /// A row has more or fewer cells than the header.
    RaggedRow {
        /// Name of the source.
        file: String,
        /// The row, from 1.
        row: u64,
        /// The line it begins on.
        line: u64,
        /// Lines it covers: more than one when a quoted cell holds a line break.
        lines: u64,
        /// Cells found.
        found: usize,
        /// Cells in the header.
        expected: usize,
    },
    /// A requested column does not exist.
    UnknownColumn {
        /// Name of the source.
        file: String,
        /// The name asked for.
        name: String,
        /// What it was asked for as.
        role: Role,
        /// The closest name there is, when it is close.
        nearest: Option<String>,
        /// The names there are, shortened.
        available: String,
    },
    /// A column that the encoder was made with is absent from this table.
    MissingColumn {
        /// Name of the source.
        file: String,
        /// The column.
        name: String,
        /// What the column serves as.
        role: Role,
        /// The closest name there is, when it is close.
        nearest: Option<String>,
        /// The names there are, shortened.
        available: String,
    },
    /// A column was named twice in one role.
    RepeatedColumn {
        /// The name.
        name: String,
        /// The role.
        role: Role,
    },
    /// A column was given two roles that exclude each other.
    RoleConflict {
        /// The name.
        name: String,
        /// The first role.
        first: Role,
        /// The second.
        second: Role,
    },
    /// No target column was named.
    NoTarget {
        /// The names there are, shortened.
        available: String,
    },
    /// No column is left to predict from.
    NoFeatures {
        /// Name of the source.
        file: String,
        /// Columns in the table.
        columns: usize,
    },
    /// A one-hot column gives a feature name that is already taken.
    FeatureNameTaken {
        /// The one-hot column.
        column: String,
        /// The name.
        feature: String,
    },
    /// Text in a column used as numbers.
    NotANumber {
        /// The first such cell.
        place: Place,
        /// What it holds.
        found: String,
        /// Text cells in that column.
        count: usize,
        /// Cells in that column.
        rows: usize,
        /// What the text looks like.
        hint: Option<Hint>,
    },
    /// An empty cell, or one that holds a missing-value mark.
    MissingCell {
        /// The first such cell.
        place: Place,
        /// What it holds.
        found: String,
        /// Whether a category was expected, not a number.
        category: bool,
        /// Missing cells in the columns used.
        cells: usize,
        /// Rows with a missing or non-finite cell.
        rows: usize,
    },
    /// An infinite cell, or a number beyond the range of `f64`.
    NotFinite {
        /// The first such cell.
        place: Place,
        /// What it holds.
        found: String,
        /// Non-finite cells in the columns used.
        cells: usize,
    },
    /// Dropping incomplete rows left none.
    AllRowsDropped {
        /// Name of the source.
        file: String,
        /// Rows there were.
        rows: usize,
        /// The column with most missing cells.
        column: String,
        /// Its missing cells.
        missing: usize,
    },
    /// A one-hot column has too many different values.
    TooManyLevels {
        /// Name of the source.
        file: String,
        /// The column.
        column: String,
        /// Different values.
        levels: usize,
        /// The largest number accepted.
        most: usize,
    },
    /// A value of a one-hot column that was not seen when the encoder was made.
    UnseenLevel {
        /// The first such cell.
        place: Place,
        /// What it holds.
        found: String,
        /// The values accepted, shortened.
        accepted: String,
    },
    /// A split that leaves one side empty.
    BadSplit {
        /// Rows there are.
        rows: usize,
        /// What was asked for.
        asked: String,
        /// What is accepted.
        accepted: &'static str,
    },
    /// A numeric argument is out of range.
    BadArgument {
        /// Its name.
        argument: &'static str,
        /// Its value.
        found: f64,
        /// What is accepted.
        accepted: &'static str,
    },
    /// An array's width or length does not fit.
    ShapeMismatch {
        /// The argument.
        argument: &'static str,
        /// What was expected.
        expected: usize,
        /// What was found.
        found: usize,
    },
    /// A kernel closure is not a covariance: a conditional variance came out negative or not finite.
    NotPositiveSemidefinite {
        /// The input row, from 0.
        row: usize,
        /// Its conditional variance.
        variance: f64,
    },
    /// No public data set of that name.
    UnknownSet {
        /// The name asked for.
        name: String,
        /// The names there are.
        available: String,
    },
    /// A public data set that cannot be had.
    Fetch {
        /// Its name.
        name: String,
        /// Why not.
        problem: Box<FetchProblem>,
    },
    /// No embedded sample of that name.
    UnknownSample {
        /// The name asked for.
        name: String,
        /// The names there are.
        available: String,
    },
}

#[cfg(feature = "fetch")]
impl DataError {
    pub(crate) fn fetch(name: &str, problem: FetchProblem) -> Self {
        Self::Fetch { name: name.to_owned(), problem: Box::new(problem) }
    }
}
