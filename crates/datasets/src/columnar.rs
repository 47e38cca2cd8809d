//! Parquet files as tables, a number of rows at a time.

mod cells;
mod decode;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use csv::StringRecord;
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::read::check_names;
use crate::table::TableBuilder;
use crate::{Chunk, CsvOptions, DataError, Table};
use cells::Fault;
use decode::Decode;

/// Where a Parquet file is: its end must be read first.
pub(crate) enum Input {
    File(File),
    Memory(Bytes),
}

/// A Parquet file read a fixed number of rows at a time.
pub(crate) struct ParquetChunks {
    name: String,
    file: Arc<dyn FileReader>,
    names: Vec<String>,
    decoders: Vec<Decode>,
    options: CsvOptions,
    /// Of the row group that is read.
    readers: Vec<ColumnReader>,
    next_group: usize,
    left_in_group: usize,
    rows: u64,
    rows_per_chunk: usize,
    keep_cells: bool,
    finished: bool,
}

impl ParquetChunks {
    pub(crate) fn open(
        name: String,
        input: Input,
        options: &CsvOptions,
        rows_per_chunk: usize,
    ) -> Result<Self, DataError> {
        let reader = |input| -> Result<Arc<dyn FileReader>, ParquetError> {
            Ok(match input {
                Input::File(file) => Arc::new(SerializedFileReader::new(file)?),
                Input::Memory(bytes) => Arc::new(SerializedFileReader::new(bytes)?),
            })
        };
        let file = guarded(|| reader(input)).map_err(|error| damaged(&name, 0, &error))?;
        check_places(file.as_ref()).map_err(|error| damaged(&name, 0, &error))?;
        let (names, decoders) = columns(&name, file.as_ref())?;
        check_names(&name, &names)?;
        Ok(Self {
            name,
            file,
            names,
            decoders,
            options: options.clone(),
            readers: Vec::new(),
            next_group: 0,
            left_in_group: 0,
            rows: 0,
            rows_per_chunk,
            keep_cells: false,
            finished: false,
        })
    }

    pub(crate) fn keep_cells(mut self) -> Self {
        self.keep_cells = true;
        self
    }

    pub(crate) fn column_names(&self) -> &[String] {
        &self.names
    }

    /// Everything in one table.
    pub(crate) fn whole(mut self) -> Result<Table, DataError> {
        match self.read_chunk()? {
            Some(chunk) => Ok(chunk.table),
            None => Err(self.no_rows()),
        }
    }

    fn no_rows(&self) -> DataError {
        DataError::NoRows { file: self.name.clone(), columns: self.names.len() }
    }

    fn damaged(&self, error: &ParquetError) -> DataError {
        damaged(&self.name, self.rows, error)
    }

    /// Opens the next row group that has rows; false after the last.
    fn next_group(&mut self) -> Result<bool, DataError> {
        while self.left_in_group == 0 {
            if self.next_group >= self.file.num_row_groups() {
                return Ok(false);
            }
            let opened = guarded(|| {
                let group = self.file.get_row_group(self.next_group)?;
                let columns = 0..self.names.len();
                let readers = columns.map(|column| group.get_column_reader(column));
                Ok((group.metadata().num_rows(), readers.collect::<Result<_, _>>()?))
            });
            let (rows, readers) = opened.map_err(|error| self.damaged(&error))?;
            self.readers = readers;
            self.left_in_group = usize::try_from(rows).unwrap_or(0);
            self.next_group += 1;
        }
        Ok(true)
    }

    fn read_chunk(&mut self) -> Result<Option<Chunk>, DataError> {
        let mut builder = TableBuilder::for_cells(self.name.clone(), &self.names, &self.options);
        builder.start_after(self.rows);
        let mut filled = 0;
        while filled < self.rows_per_chunk && self.next_group()? {
            let n = self.left_in_group.min(self.rows_per_chunk - filled);
            self.read_rows(&mut builder, n)?;
            builder.end_rows(n);
            filled += n;
            self.left_in_group -= n;
            self.rows += n as u64;
        }
        match (filled, self.rows) {
            (0, 0) => Err(self.no_rows()),
            (0, _) => Ok(None),
            _ => Ok(Some(self.chunk(builder.finish()))),
        }
    }

    /// The next `n` cells of every column.
    fn read_rows(&mut self, builder: &mut TableBuilder, n: usize) -> Result<(), DataError> {
        let (name, rows) = (&self.name, self.rows);
        for (index, (reader, decode)) in self.readers.iter_mut().zip(&self.decoders).enumerate() {
            let pushed = guarded(|| cells::push(builder, index, reader, *decode, n));
            pushed.map_err(|fault| match fault {
                Fault::Parquet(error) => damaged(name, rows, &error),
                Fault::NotText(row) => DataError::InvalidUtf8 {
                    place: crate::Place {
                        file: name.clone(),
                        column: self.names[index].clone(),
                        row: rows + row as u64 + 1,
                        line: 0,
                    },
                },
            })?;
        }
        Ok(())
    }

    fn chunk(&self, table: Table) -> Chunk {
        let row = |row: usize| {
            table.columns().iter().map(|column| column.cell(row).text()).collect::<StringRecord>()
        };
        let records = match self.keep_cells {
            true => (0..table.n_rows()).map(row).collect(),
            false => Vec::new(),
        };
        Chunk::new(table, records)
    }
}

impl Iterator for ParquetChunks {
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

fn damaged(name: &str, rows: u64, error: &ParquetError) -> DataError {
    DataError::DamagedParquet { file: name.to_owned(), rows, what: error.to_string() }
}

/// Runs the decoder, which panics on some files that contradict themselves.
fn guarded<T, E: From<ParquetError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    // What is half done is given up with the error.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(ParquetError::General("its parts contradict each other".to_owned()).into())
    })
}

/// Refuses columns that would lie before the file's beginning.
fn check_places(file: &dyn FileReader) -> Result<(), ParquetError> {
    let mut columns = file.metadata().row_groups().iter().flat_map(|group| group.columns());
    let before = columns.any(|column| {
        let places = [column.data_page_offset(), column.compressed_size(), column.num_values()];
        places.into_iter().chain(column.dictionary_page_offset()).any(|place| place < 0)
    });
    match before {
        true => Err(ParquetError::General("a column lies before the file's beginning".to_owned())),
        false => Ok(()),
    }
}

/// Names of the columns and how their cells are read.
fn columns(name: &str, file: &dyn FileReader) -> Result<(Vec<String>, Vec<Decode>), DataError> {
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let mut found = (Vec::new(), Vec::new());
    for column in schema.columns() {
        let path = column.path().parts();
        let unsupported = |found: String| DataError::UnsupportedColumn {
            file: name.to_owned(),
            name: crate::error::shown(path.first().map_or("", String::as_str)),
            found,
        };
        if path.len() != 1 || column.max_rep_level() > 0 {
            return Err(unsupported("lists or columns of its own".to_owned()));
        }
        let decode = Decode::of(column);
        found.1.push(decode.ok_or_else(|| unsupported(decode::type_text(column)))?);
        found.0.push(path[0].trim().to_owned());
    }
    Ok(found)
}
