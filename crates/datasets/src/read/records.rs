//! One CSV record after another, each checked against the header.

use std::io::Read;

use csv::{Reader, ReaderBuilder, StringRecord};

use super::header;
use crate::{
    DataError, Place, Source,
    source::{read_error, separator},
};

/// Bytes of the parser's buffer.
const BUFFER: usize = 1 << 17;

/// The records below a header.
pub(crate) struct Records {
    name: String,
    gzip: bool,
    delimiter: u8,
    headers: Vec<String>,
    reader: Reader<Box<dyn Read + Send>>,
    record: StringRecord,
    rows: u64,
    /// The line after the last record.
    line_after: u64,
}

impl Records {
    /// Opens the source and reads its header.
    pub(crate) fn open(source: Source, delimiter: Option<u8>) -> Result<Self, DataError> {
        let opened = source.open()?;
        let delimiter = delimiter.unwrap_or_else(|| separator(&opened.head));
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).buffer_capacity(BUFFER);
        let mut records = Self {
            name: opened.name,
            gzip: opened.gzip,
            delimiter,
            headers: Vec::new(),
            reader: builder.from_reader(opened.reader),
            record: StringRecord::new(),
            rows: 0,
            line_after: 1,
        };
        records.read_header()?;
        Ok(records)
    }

    fn read_header(&mut self) -> Result<(), DataError> {
        if !self.next_filled()? {
            return Err(DataError::Empty { file: self.name.clone() });
        }
        self.headers = self.record.iter().map(|name| name.trim().to_owned()).collect();
        self.line_after = self.reader.position().line();
        header::check(&self.name, &self.headers)
    }

    /// Reads the next row and gives the line it begins on, `None` at the end.
    pub(crate) fn advance(&mut self) -> Result<Option<u64>, DataError> {
        if !self.next_filled()? {
            return Ok(None);
        }
        self.rows += 1;
        let (line, lines) = self.extent();
        self.line_after = self.reader.position().line();
        if self.record.len() == self.headers.len() {
            return Ok(Some(line));
        }
        Err(DataError::RaggedRow {
            file: self.name.clone(),
            row: self.rows,
            line,
            lines,
            found: self.record.len(),
            expected: self.headers.len(),
        })
    }

    /// The next record that is not a line of white space.
    fn next_filled(&mut self) -> Result<bool, DataError> {
        loop {
            if !self.reader.read_record(&mut self.record).map_err(|error| self.failure(error))? {
                return Ok(false);
            }
            let blank = self.headers.len() != 1
                && self.record.len() == 1
                && self.record[0].trim().is_empty();
            if !blank {
                return Ok(true);
            }
        }
    }

    /// The line that the current record begins on and how many lines it covers.
    ///
    /// Counted back from the parser's position after it, since the position before it leaves blank lines in between out.
    fn extent(&self) -> (u64, u64) {
        let inside = self.record.as_slice().bytes().filter(|&byte| byte == b'\n').count() as u64;
        let after = self.reader.position().line();
        // A quote left open takes the last line break in, hence the lower bound.
        (after.saturating_sub(1 + inside).max(self.line_after), 1 + inside)
    }

    fn failure(&self, error: csv::Error) -> DataError {
        let line = self.reader.position().line();
        match error.into_kind() {
            csv::ErrorKind::Io(source) => read_error(&self.name, self.gzip, self.rows, source),
            csv::ErrorKind::Utf8 { err, .. } => {
                DataError::InvalidUtf8 { place: self.place_of_field(err.field(), line) }
            }
            other => {
                let source = std::io::Error::other(format!("{other:?}"));
                DataError::Unreadable { file: self.name.clone(), source }
            }
        }
    }

    fn place_of_field(&self, field: usize, line_after: u64) -> Place {
        let column =
            self.headers.get(field).cloned().unwrap_or_else(|| format!("number {}", field + 1));
        let row = if self.headers.is_empty() { 0 } else { self.rows + 1 };
        Place { file: self.name.clone(), column, row, line: line_after.saturating_sub(1).max(1) }
    }

    pub(crate) fn current(&self) -> &StringRecord {
        &self.record
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn headers(&self) -> &[String] {
        &self.headers
    }

    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Rows read so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// The error of a source that has a header only.
    pub(crate) fn no_rows(&self) -> DataError {
        DataError::NoRows { file: self.name.clone(), columns: self.headers.len() }
    }
}
