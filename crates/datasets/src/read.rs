//! From a source to tables: whole, or in chunks of a fixed number of rows.

mod chunks;
mod header;
mod records;

use crate::{DataError, Source, Table, table::TableBuilder};
pub use chunks::{Chunk, CsvChunks};
pub(crate) use header::check as check_header;
#[cfg(feature = "parquet")]
pub(crate) use header::check_names;
pub(crate) use records::Records;

/// How a CSV file is read.
///
/// | option | default | meaning |
/// | --- | --- | --- |
/// | `missing_tokens` | `NA`, `NaN`, `nan`, `null`, `?` | cells that count as missing, as an empty cell always does; letter case matters |
/// | `delimiter` | `None` | the byte between cells; `None` takes the one of comma, semicolon and tab that is most frequent in the header outside quotes (comma when equal) |
///
/// Cells and names are stripped of surrounding white space. Quoting is that of RFC 4180. Blank lines are skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// Cells that count as missing besides the empty one.
    pub missing_tokens: Vec<String>,
    /// The byte between cells, `None` to detect it.
    pub delimiter: Option<u8>,
}

impl Default for CsvOptions {
    fn default() -> Self {
        let missing_tokens = ["NA", "NaN", "nan", "null", "?"].map(String::from).to_vec();
        Self { missing_tokens, delimiter: None }
    }
}

/// Reads a whole CSV source: plain or gzip, with a header line.
///
/// Every cell that is a finite number is kept as `f64`, every other as text, so that the roles given later decide what a column is.
/// Numbers may have a sign, an exponent and surrounding spaces.
///
/// # Errors
/// Everything about the file itself: absent, empty, not UTF-8, damaged gzip, a header with blank, repeated or only numeric names,
/// rows of unequal length, no rows.
///
/// ```
/// use datasets::{CsvOptions, Source, read_csv};
///
/// let table = read_csv(Source::text("memory", "t,y\n0,1.5\n1,NA\n"), &CsvOptions::default())?;
/// assert_eq!((table.n_rows(), table.columns()[1].n_missing()), (2, 1));
/// # Ok::<(), datasets::DataError>(())
/// ```
pub fn read_csv(source: Source, options: &CsvOptions) -> Result<Table, DataError> {
    let mut records = Records::open(source, options.delimiter)?;
    let mut builder = TableBuilder::new(&records, options);
    while let Some(line) = records.advance()? {
        builder.push(records.current(), line);
    }
    if records.rows() == 0 {
        return Err(records.no_rows());
    }
    Ok(builder.finish())
}
