//! Tables of either format, told apart by their first bytes.

use crate::{Chunk, CsvChunks, CsvOptions, DataError, Source, Table, read_csv};
#[cfg(feature = "parquet")]
use crate::{columnar::ParquetChunks, source::Recognised};

/// Reads a whole table, CSV or Parquet.
///
/// Parquet is recognised by its first four bytes, whatever the name; `options` say what counts as missing in its texts.
///
/// # Errors
/// Those of [`read_csv`], and of Parquet: a damaged file, columns of columns, a type that no cell can hold.
///
/// ```
/// use datasets::{CsvOptions, Source, read_table};
///
/// let table = read_table(Source::text("memory", "t,y\n0,1.5\n"), &CsvOptions::default())?;
/// assert_eq!(table.column_names(), ["t", "y"]);
/// # Ok::<(), datasets::DataError>(())
/// ```
pub fn read_table(source: Source, options: &CsvOptions) -> Result<Table, DataError> {
    #[cfg(feature = "parquet")]
    let source = match source.recognise()? {
        Recognised::Parquet(name, input) => {
            return ParquetChunks::open(name, input, options, usize::MAX)?.whole();
        }
        Recognised::Text(source) => source,
    };
    read_csv(source, options)
}

/// A table, CSV or Parquet, read a fixed number of rows at a time; memory is bounded by one chunk.
///
/// Of Parquet a page of each column is held besides. Iterates over [`Chunk`]s in order and ends after the first error.
///
/// ```
/// use datasets::{CsvOptions, DataError, Source, TableChunks};
///
/// let source = Source::text("memory", "x\n1\n2\n3\n");
/// let chunks = TableChunks::open(source, &CsvOptions::default(), 2)?;
/// let sizes: Result<Vec<usize>, DataError> = chunks.map(|chunk| Ok(chunk?.table.n_rows())).collect();
/// assert_eq!(sizes?, [2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableChunks(Format);

enum Format {
    Csv(Box<CsvChunks>),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetChunks>),
}

impl TableChunks {
    /// Opens a source and reads the names of its columns; chunks have `rows_per_chunk` rows (at least 1), the last one fewer.
    ///
    /// # Errors
    /// Those of [`read_table`] that concern the file's beginning, and of Parquet its end.
    pub fn open(
        source: Source,
        options: &CsvOptions,
        rows_per_chunk: usize,
    ) -> Result<Self, DataError> {
        #[cfg(feature = "parquet")]
        let source = match source.recognise()? {
            Recognised::Parquet(name, input) => {
                let chunks = ParquetChunks::open(name, input, options, rows_per_chunk.max(1))?;
                return Ok(Self(Format::Parquet(Box::new(chunks))));
            }
            Recognised::Text(source) => source,
        };
        Ok(Self(Format::Csv(Box::new(CsvChunks::open(source, options, rows_per_chunk)?))))
    }

    /// Keeps the text of the cells beside the table, to copy them to an output.
    #[must_use]
    pub fn keep_cells(self) -> Self {
        Self(match self.0 {
            Format::Csv(chunks) => Format::Csv(Box::new(chunks.keep_cells())),
            #[cfg(feature = "parquet")]
            Format::Parquet(chunks) => Format::Parquet(Box::new(chunks.keep_cells())),
        })
    }

    /// Names of the columns.
    #[must_use]
    pub fn column_names(&self) -> &[String] {
        match &self.0 {
            Format::Csv(chunks) => chunks.column_names(),
            #[cfg(feature = "parquet")]
            Format::Parquet(chunks) => chunks.column_names(),
        }
    }
}

impl Iterator for TableChunks {
    type Item = Result<Chunk, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Format::Csv(chunks) => chunks.next(),
            #[cfg(feature = "parquet")]
            Format::Parquet(chunks) => chunks.next(),
        }
    }
}
