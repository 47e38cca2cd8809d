//! A table as read: names, cells, and where each row stood in its file.

mod builder;
mod cell;
mod column;
mod lines;

pub(crate) use builder::TableBuilder;
pub use cell::Cell;
pub(crate) use cell::number_text;
pub use column::{Column, ColumnKind};
use lines::Lines;
use ndarray::ArrayRef2;

use crate::{DataError, Place, error::listed, read::check_header};

/// A table of named columns, its cells untyped until roles are given.
///
/// ```
/// use datasets::{Cell, CsvOptions, Source, read_csv};
///
/// let table = read_csv(Source::text("memory", "x,colour\n1.5,red\n"), &CsvOptions::default())?;
/// assert_eq!(table.columns()[0].cell(0), Cell::Number(1.5));
/// assert_eq!(table.columns()[1].cell(0), Cell::Text("red"));
/// # Ok::<(), datasets::DataError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Table {
    name: String,
    columns: Vec<Column>,
    n_rows: usize,
    delimiter: char,
    /// Rows of the source before this table's first: not zero in a chunk.
    rows_before: u64,
    lines: Lines,
}

impl Table {
    /// A table of numbers, `values` `[rows, columns]`, one name a column; cells that are not finite count as missing (NaN) or infinite.
    ///
    /// Row r counts as line r + 1, as if below a header.
    ///
    /// # Errors
    /// [`DataError::ShapeMismatch`] when names and columns differ in number, and the header's errors of [`read_csv`](crate::read_csv).
    pub fn from_numbers(
        name: impl Into<String>,
        names: &[&str],
        values: &ArrayRef2<f64>,
    ) -> Result<Self, DataError> {
        let name = name.into();
        if names.len() != values.ncols() {
            return Err(DataError::ShapeMismatch {
                argument: "names",
                expected: values.ncols(),
                found: names.len(),
            });
        }
        let headers: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
        check_header(&name, &headers)?;
        let mut builder = TableBuilder::for_numbers(name, &headers);
        for row in values.rows() {
            builder.push_numbers(row.iter().copied());
        }
        Ok(builder.finish())
    }

    /// Name of the source, as it stands in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The columns, in the order of the header.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Names of the columns, in the order of the header.
    #[must_use]
    pub fn column_names(&self) -> Vec<&str> {
        self.columns.iter().map(Column::name).collect()
    }

    /// The column of that name, `None` when there is none.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name() == name)
    }

    /// The character between cells in the source.
    #[must_use]
    pub fn delimiter(&self) -> char {
        self.delimiter
    }

    /// Number of a row in its source, from 1, the header left out; `row` counts from 0 in this table.
    #[must_use]
    pub fn row_number(&self, row: usize) -> u64 {
        self.rows_before + row as u64 + 1
    }

    /// Line of the source that a row begins on, from 1, or 0 where it has none; `row` counts from 0 in this table.
    #[must_use]
    pub fn line_number(&self, row: usize) -> u64 {
        self.lines.line(row)
    }

    /// Position of the column of that name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name() == name)
    }

    pub(crate) fn place(&self, row: usize, column: usize) -> Place {
        Place {
            file: self.name.clone(),
            column: self.columns[column].name().to_owned(),
            row: self.row_number(row),
            line: self.line_number(row),
        }
    }

    /// The names for a message.
    #[must_use]
    pub fn listed_names(&self) -> String {
        listed(self.columns.iter().map(Column::name))
    }
}
