//! Tables of a fixed number of rows, for sources too large to hold.

use csv::StringRecord;

use super::{CsvOptions, Records};
use crate::{DataError, Source, Table, table::TableBuilder};

/// A CSV source read a fixed number of rows at a time; memory is bounded by one chunk.
///
/// Iterates over [`Chunk`]s in order and ends after the first error. Row and line numbers are those of the whole source.
///
/// ```
/// use datasets::{CsvChunks, CsvOptions, Source};
///
/// let source = Source::text("memory", "x\n1\n2\n3\n");
/// let sizes: Vec<usize> = CsvChunks::open(source, &CsvOptions::default(), 2)?
///     .map(|chunk| chunk.map(|chunk| chunk.table.n_rows()))
///     .collect::<Result<_, _>>()?;
/// assert_eq!(sizes, [2, 1]);
/// # Ok::<(), datasets::DataError>(())
/// ```
pub struct CsvChunks {
    records: Records,
    options: CsvOptions,
    rows_per_chunk: usize,
    keep_cells: bool,
    finished: bool,
}

/// One piece of a source.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The rows as a table.
    pub table: Table,
    records: Vec<StringRecord>,
}

impl Chunk {
    #[cfg(feature = "parquet")]
    pub(crate) fn new(table: Table, records: Vec<StringRecord>) -> Self {
        Self { table, records }
    }

    /// The text of each row's cells, in order, of CSV as it was; no rows unless [`CsvChunks::keep_cells`] was asked for.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = &str>> {
        self.records.iter().map(StringRecord::iter)
    }
}

impl CsvChunks {
    /// Opens a source and reads its header; chunks have `rows_per_chunk` rows (at least 1), the last one fewer.
    ///
    /// # Errors
    /// Those of [`read_csv`](crate::read_csv) that concern the file's beginning.
    pub fn open(
        source: Source,
        options: &CsvOptions,
        rows_per_chunk: usize,
    ) -> Result<Self, DataError> {
        let records = Records::open(source, options.delimiter)?;
        let rows_per_chunk = rows_per_chunk.max(1);
        Ok(Self {
            records,
            options: options.clone(),
            rows_per_chunk,
            keep_cells: false,
            finished: false,
        })
    }

    /// Keeps the original text of the cells beside the table, to copy them to an output.
    #[must_use]
    pub fn keep_cells(mut self) -> Self {
        self.keep_cells = true;
        self
    }

    /// Names of the columns.
    #[must_use]
    pub fn column_names(&self) -> &[String] {
        self.records.headers()
    }

    /// The next chunk, `None` after the last row.
    fn read_chunk(&mut self) -> Result<Option<Chunk>, DataError> {
        let first = self.records.rows();
        let mut builder = TableBuilder::new(&self.records, &self.options);
        let mut kept = Vec::new();
        while self.records.rows() - first < self.rows_per_chunk as u64 {
            let Some(line) = self.records.advance()? else { break };
            builder.push(self.records.current(), line);
            if self.keep_cells {
                kept.push(self.records.current().clone());
            }
        }
        match self.records.rows() {
            0 => Err(self.records.no_rows()),
            rows if rows == first => Ok(None),
            _ => Ok(Some(Chunk { table: builder.finish(), records: kept })),
        }
    }
}

impl Iterator for CsvChunks {
    type Item = Result<Chunk, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let item = self.read_chunk().transpose();
        self.finished = !matches!(item, Some(Ok(_)));
        item
    }
}
