//! The two halves of every message: what is wrong, and what to do.

use std::fmt;

use super::{DataError, FileFormat, place::one_line};

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.cause(), self.remedy())
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf16 => "UTF-16 text",
            Self::Parquet => "a Parquet file",
            Self::Zip => "a zip archive (or an Excel workbook)",
            Self::OtherCompression => "a compressed file other than gzip",
            Self::Npy => "a NumPy array",
            Self::Binary => "a binary file",
        })
    }
}

impl DataError {
    /// What is wrong: file, row, column or argument, and what was found.
    #[must_use]
    pub fn cause(&self) -> String {
        let cause =
            self.source_cause().or_else(|| self.header_cause()).or_else(|| self.cell_cause());
        // Names of files and columns may hold line breaks.
        one_line(&cause.unwrap_or_else(|| self.request_cause()))
    }

    fn source_cause(&self) -> Option<String> {
        Some(match self {
            Self::NotFound { file } => format!("`{file}` does not exist"),
            Self::Directory { file } => format!("`{file}` is a directory, not a file"),
            Self::Unreadable { file, source } => format!("`{file}` cannot be read: {source}"),
            Self::Unwritable { file, source } => format!("`{file}` cannot be written: {source}"),
            Self::Empty { file } => format!("`{file}` is empty"),
            Self::NoRows { file, columns } => {
                format!(
                    "`{file}` has a header of {} and no rows below it",
                    counted(*columns, "column")
                )
            }
            Self::NotCsv { file, format } => format!("`{file}` is {format}, expected CSV in UTF-8"),
            Self::NotParquet { file } => {
                format!("`{file}` is no Parquet file: it does not begin with the bytes PAR1")
            }
            Self::DamagedParquet { file, rows, what } => {
                format!("`{file}` cannot be read as Parquet after {rows} complete rows: {what}")
            }
            Self::UnsupportedColumn { file, name, found } => {
                format!(
                    "`{file}`: column `{name}` holds {found}, expected one number or text a row"
                )
            }
            Self::TruncatedGzip { file, rows } => {
                format!("`{file}` breaks off inside its gzip stream, after {rows} complete rows")
            }
            Self::CorruptGzip { file, rows, source } => {
                format!("`{file}` is damaged gzip after {rows} complete rows: {source}")
            }
            _ => return None,
        })
    }

    fn header_cause(&self) -> Option<String> {
        Some(match self {
            Self::BlankHeader { file, position, columns } => {
                format!("`{file}`: column {position} of {columns} has no name in the header")
            }
            Self::DuplicateHeader { file, name, first, second } => {
                format!("`{file}`: columns {first} and {second} are both named `{name}`")
            }
            Self::NumericHeader { file, found } => {
                format!(
                    "`{file}`: the first line holds numbers only (`{found}`…), expected the names of the columns"
                )
            }
            Self::RaggedRow { file, row, line, found, expected, .. } => {
                format!(
                    "`{file}`, row {row} (line {line}) has {}, the header has {expected}",
                    counted(*found, "cell")
                )
            }
            Self::UnknownColumn { file, name, role, available, .. } => {
                format!("`{file}` has no column `{name}` (asked for as {role}); it has {available}")
            }
            Self::MissingColumn { file, name, role, available, .. } => {
                format!(
                    "`{file}` lacks the column `{name}`, a {role} of the model; it has {available}"
                )
            }
            _ => return None,
        })
    }

    fn cell_cause(&self) -> Option<String> {
        Some(match self {
            Self::InvalidUtf8 { place } => format!("{place} is not valid UTF-8"),
            Self::NotANumber { place, found, count, rows, .. } => {
                format!(
                    "{place} holds `{found}`, expected a number ({count} of the column's {rows} cells hold text)"
                )
            }
            Self::MissingCell { place, found, category, cells, rows } => {
                format!(
                    "{place} {}, expected a {} ({} in {})",
                    empty_or(found),
                    if *category { "category" } else { "number" },
                    counted(*cells, "such cell"),
                    counted(*rows, "row")
                )
            }
            Self::NotFinite { place, found, cells } => {
                format!(
                    "{place} holds `{found}`, expected a finite number ({})",
                    counted(*cells, "such cell")
                )
            }
            Self::UnseenLevel { place, found, accepted } => {
                format!(
                    "{place} holds `{found}`, which the model has not seen; it knows {accepted}"
                )
            }
            Self::TooManyLevels { file, column, levels, most } => {
                format!(
                    "`{file}`: column `{column}` has {levels} different values, one-hot takes at most {most}"
                )
            }
            Self::AllRowsDropped { file, rows, column, missing } => format!(
                "`{file}`: each of the {rows} rows has a missing or infinite cell (`{column}` has most, {missing})"
            ),
            _ => return None,
        })
    }

    fn request_cause(&self) -> String {
        match self {
            Self::RepeatedColumn { name, role } => {
                format!("column `{name}` is named twice as {role}")
            }
            Self::RoleConflict { name, first, second } => {
                format!("column `{name}` is named as {first} and as {second}")
            }
            Self::NoTarget { available } => {
                format!("no target column is named; the table has {available}")
            }
            Self::NoFeatures { file, columns } => {
                format!(
                    "`{file}` has {}, none of them left as a feature",
                    counted(*columns, "column")
                )
            }
            Self::FeatureNameTaken { column, feature } => {
                format!(
                    "one-hot column `{column}` gives the feature `{feature}`, a name that is already taken"
                )
            }
            Self::BadSplit { rows, asked, accepted } => {
                format!("{asked} of {rows} rows was asked for, expected {accepted}")
            }
            Self::BadArgument { argument, found, accepted } => {
                format!("`{argument}` is {found}, expected {accepted}")
            }
            Self::ShapeMismatch { argument, expected, found } => {
                format!("`{argument}` has size {found}, expected {expected}")
            }
            Self::NotPositiveSemidefinite { row, variance } => format!(
                "`kernel` is not a covariance: input row {row} has variance {variance:e} given the others, expected at least 0"
            ),
            Self::UnknownSet { name, available } => {
                format!("there is no public data set `{name}`; there are {available}")
            }
            Self::Fetch { name, problem } => format!("`{name}` {}", problem.cause()),
            Self::UnknownSample { name, available } => {
                format!("there is no sample `{name}`; there are {available}")
            }
            other => format!("{other:?}"),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::NotFound { .. } => "check the path".into(),
            Self::Directory { .. } => "name a file in it".into(),
            Self::Unreadable { .. } => "check its permissions and the disk".into(),
            Self::Unwritable { .. } => "check that the folder exists, its permissions and the space left".into(),
            Self::Empty { .. } | Self::NoRows { .. } => "give a header line and at least one row".into(),
            Self::NotCsv { format, .. } => format_remedy(*format).into(),
            Self::NotParquet { .. } => "name it by what it is, such as .csv, or write it again".into(),
            Self::DamagedParquet { .. } => "copy, download or write it again, with snappy, gzip, zstd, lz4 or no compression".into(),
            Self::UnsupportedColumn { .. } => "write the table without it, or with a column for each part of it".into(),
            Self::TruncatedGzip { .. } | Self::CorruptGzip { .. } => "copy, download or compress it again".into(),
            Self::InvalidUtf8 { .. } => "save the file as UTF-8 (it may be Latin-1 or Windows-1252)".into(),
            Self::BlankHeader { .. } => "name every column (programs that write row names leave theirs blank), or remove it".into(),
            Self::DuplicateHeader { .. } => "rename or remove one of them".into(),
            Self::NumericHeader { .. } => "add a first line that names the columns".into(),
            Self::RaggedRow { lines, found, expected, .. } => ragged_remedy(*lines, *found, *expected).into(),
            Self::UnknownColumn { nearest, .. } | Self::MissingColumn { nearest, .. } => column_remedy(nearest.as_deref()),
            Self::RepeatedColumn { .. } | Self::RoleConflict { .. } => "name it once".into(),
            Self::NoTarget { .. } => "name the column to predict".into(),
            Self::NoFeatures { .. } => "keep at least one column besides the target; cells are split at a comma, semicolon or tab".into(),
            Self::FeatureNameTaken { .. } => "rename one of the columns".into(),
            Self::NotANumber { hint, .. } => {
                hint.map_or_else(|| "correct the cell, or make the column one-hot or drop it".into(), |hint| hint.to_string())
            }
            Self::MissingCell { .. } => "fill the cells, ask for incomplete rows to be dropped, or drop the column".into(),
            Self::NotFinite { .. } => "correct the cells, ask for such rows to be dropped, or drop the column".into(),
            Self::AllRowsDropped { column, .. } => format!("drop a column that is often empty, such as `{column}`"),
            Self::TooManyLevels { .. } => "use it as a number, merge rare values, or drop it".into(),
            Self::UnseenLevel { .. } => "correct the cell, remove the row, or fit again with such rows".into(),
            Self::BadSplit { .. } => "change the size or give more rows".into(),
            Self::BadArgument { argument, .. } | Self::ShapeMismatch { argument, .. } => format!("change `{argument}`"),
            Self::NotPositiveSemidefinite { .. } => "use a symmetric positive semidefinite function".into(),
            Self::Fetch { problem, .. } => problem.remedy().into(),
            Self::UnknownSet { .. } | Self::UnknownSample { .. } => "choose one of them".into(),
        }
    }
}

/// `1 row`, `2 rows`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn empty_or(found: &str) -> String {
    if found.is_empty() {
        "is empty".into()
    } else {
        format!("holds `{found}`, a missing-value mark")
    }
}

fn format_remedy(format: FileFormat) -> &'static str {
    match format {
        FileFormat::Utf16 => "save it as UTF-8 (in Excel: `CSV UTF-8`)",
        FileFormat::Zip => "unpack it, or export the sheet as CSV",
        FileFormat::OtherCompression => "unpack it, or compress with gzip",
        FileFormat::Parquet | FileFormat::Npy | FileFormat::Binary => "export it as CSV",
    }
}

fn ragged_remedy(lines: u64, found: usize, expected: usize) -> &'static str {
    if lines > 1 {
        "close the quoted cell: the row runs over several lines"
    } else if found == 2 * expected {
        "write decimals with a point, or separate the cells with semicolons"
    } else if found == 1 {
        "remove the line, or separate its cells as in the header"
    } else {
        "give every row one cell for each name in the header, and quote cells that hold the separator"
    }
}

fn column_remedy(nearest: Option<&str>) -> String {
    nearest.map_or_else(|| "check the name".into(), |name| format!("did you mean `{name}`?"))
}
