//! Tables filled row by row.

use std::collections::HashMap;

use csv::StringRecord;

use super::{Cell, Column, Lines, Table};
use crate::{CsvOptions, read::Records};

/// Collects rows into columns.
pub(crate) struct TableBuilder {
    table: Table,
    missing_tokens: Vec<String>,
    /// For each column, where each word stands.
    known: Vec<HashMap<Box<str>, usize>>,
}

impl TableBuilder {
    /// A table of the records that follow.
    pub(crate) fn new(records: &Records, options: &CsvOptions) -> Self {
        let name = records.name().to_owned();
        let mut builder = Self::for_cells(name, records.headers(), options);
        builder.table.delimiter = char::from(records.delimiter());
        builder.table.rows_before = records.rows();
        builder
    }

    /// A table of numbers and texts.
    pub(crate) fn for_cells(name: String, headers: &[String], options: &CsvOptions) -> Self {
        let missing_tokens = options.missing_tokens.clone();
        Self { missing_tokens, ..Self::for_numbers(name, headers) }
    }

    /// A table of numbers.
    pub(crate) fn for_numbers(name: String, headers: &[String]) -> Self {
        let columns: Vec<Column> = headers.iter().cloned().map(Column::new).collect();
        let known = vec![HashMap::new(); columns.len()];
        let table = Table {
            name,
            columns,
            n_rows: 0,
            delimiter: ',',
            rows_before: 0,
            lines: Lines::default(),
        };
        Self { table, missing_tokens: Vec::new(), known }
    }

    /// Adds a record of as many cells as there are columns.
    pub(crate) fn push(&mut self, record: &StringRecord, line: u64) {
        for (index, text) in record.iter().enumerate() {
            self.push_text(index, text);
        }
        self.end_row(line);
    }

    /// Adds a row of numbers.
    pub(crate) fn push_numbers(&mut self, values: impl Iterator<Item = f64>) {
        for (index, value) in values.enumerate() {
            self.push_value(index, Some(value));
        }
        self.end_row(self.table.n_rows as u64 + 2);
    }

    /// Adds a number to a column, `None` where it is missing.
    pub(crate) fn push_value(&mut self, index: usize, value: Option<f64>) {
        match value {
            None => self.push_cell(index, Cell::Missing("")),
            Some(value) if value.is_finite() => self.push_cell(index, Cell::Number(value)),
            Some(value) if value.is_nan() => self.push_cell(index, Cell::Missing("NaN")),
            Some(value) => self.push_cell(index, Cell::NotFinite(&value.to_string())),
        }
    }

    /// Adds a cell to a column, as a file of text has it.
    pub(crate) fn push_text(&mut self, index: usize, text: &str) {
        let cell = Cell::parse(text.trim(), &self.missing_tokens);
        self.table.columns[index].push(cell, &mut self.known[index]);
    }

    fn push_cell(&mut self, index: usize, cell: Cell<'_>) {
        self.table.columns[index].push(cell, &mut self.known[index]);
    }

    fn end_row(&mut self, line: u64) {
        self.table.lines.push(self.table.n_rows, line);
        self.table.n_rows += 1;
    }

    /// Counts rows from after those that came before.
    #[cfg(feature = "parquet")]
    pub(crate) fn start_after(&mut self, rows: u64) {
        self.table.rows_before = rows;
    }

    /// Completes rows whose cells were added column by column; they stand on no line.
    #[cfg(feature = "parquet")]
    pub(crate) fn end_rows(&mut self, rows: usize) {
        self.table.n_rows += rows;
    }

    pub(crate) fn finish(self) -> Table {
        self.table
    }
}
