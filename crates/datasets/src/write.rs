//! Tables on their way out.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use csv::WriterBuilder;
use flate2::{Compression, write::GzEncoder};

use crate::{DataError, Table, table::number_text};

/// Writes CSV: comma-separated, quoted where needed, LF line ends, numbers in the shortest form that reads back bit for bit.
///
/// ```
/// use datasets::{CsvOptions, CsvWriter, Source, read_csv};
///
/// let table = read_csv(Source::text("memory", "x,c\n1,a\n2.50,\"b,c\"\n"), &CsvOptions::default())?;
/// let mut text = Vec::new();
/// let mut writer = CsvWriter::new("memory", &mut text);
/// writer.write_table(&table, [1, 0])?;
/// writer.finish()?;
/// assert_eq!(text, b"x,c\n2.5,\"b,c\"\n1,a\n");
/// # Ok::<(), datasets::DataError>(())
/// ```
pub struct CsvWriter<W: Write> {
    name: String,
    writer: csv::Writer<W>,
}

/// A plain or gzip file, chosen by name.
enum Destination {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Stdout(io::Stdout),
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Gzip(encoder) => {
                encoder.try_finish()?;
                encoder.get_mut().flush()
            }
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

impl CsvWriter<Box<dyn Write + Send>> {
    /// Creates a file (gzip where its name ends in `.gz`), or takes standard output for `-`.
    ///
    /// # Errors
    /// [`DataError::Unwritable`] when the file cannot be created.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, DataError> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Ok(Self::new("standard output", Box::new(Destination::Stdout(io::stdout()))));
        }
        let name = path.display().to_string();
        let file = File::create(path)
            .map_err(|source| DataError::Unwritable { file: name.clone(), source })?;
        let file = BufWriter::new(file);
        let gzip = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let destination = if gzip {
            Destination::Gzip(GzEncoder::new(file, Compression::default()))
        } else {
            Destination::Plain(file)
        };
        Ok(Self::new(name, Box::new(destination)))
    }
}

impl<W: Write> CsvWriter<W> {
    /// Writes to anything that takes bytes; `name` stands in messages.
    pub fn new(name: impl Into<String>, writer: W) -> Self {
        Self { name: name.into(), writer: WriterBuilder::new().flexible(true).from_writer(writer) }
    }

    /// Another name in messages, for a file that is written under a temporary one.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Writes a line of cells: the header, or a row of text.
    ///
    /// # Errors
    /// [`DataError::Unwritable`].
    pub fn write_text<'a>(
        &mut self,
        cells: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), DataError> {
        self.write_row(cells, &[])
    }

    /// Writes a row: text cells, then numbers.
    ///
    /// # Errors
    /// [`DataError::Unwritable`].
    pub fn write_row<'a>(
        &mut self,
        cells: impl IntoIterator<Item = &'a str>,
        numbers: &[f64],
    ) -> Result<(), DataError> {
        for cell in cells {
            self.writer.write_field(cell).map_err(|error| self.failure(error))?;
        }
        for &number in numbers {
            self.writer.write_field(number_text(number)).map_err(|error| self.failure(error))?;
        }
        self.writer.write_record(None::<&[u8]>).map_err(|error| self.failure(error))
    }

    /// Writes a table's header and the given rows of it, counted from 0.
    ///
    /// # Errors
    /// [`DataError::Unwritable`].
    ///
    /// # Panics
    /// When a row is not below the table's [`n_rows`](Table::n_rows).
    pub fn write_table(
        &mut self,
        table: &Table,
        rows: impl IntoIterator<Item = usize>,
    ) -> Result<(), DataError> {
        self.write_text(table.column_names())?;
        for row in rows {
            let cells: Vec<Cow<'_, str>> =
                table.columns().iter().map(|column| column.cell(row).text()).collect();
            self.write_text(cells.iter().map(AsRef::as_ref))?;
        }
        Ok(())
    }

    /// Completes the output; without it the end may be lost.
    ///
    /// # Errors
    /// [`DataError::Unwritable`].
    pub fn finish(mut self) -> Result<(), DataError> {
        self.writer
            .flush()
            .map_err(|source| DataError::Unwritable { file: self.name.clone(), source })
    }

    fn failure(&self, error: csv::Error) -> DataError {
        let source = match error.into_kind() {
            csv::ErrorKind::Io(source) => source,
            other => io::Error::other(format!("{other:?}")),
        };
        DataError::Unwritable { file: self.name.clone(), source }
    }
}
