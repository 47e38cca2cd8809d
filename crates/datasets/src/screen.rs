//! Which rows can be used: the one place that decides about text, missing and infinite cells.

use serde::Serialize;

use crate::{Cell, Column, ColumnKind, DataError, Hint, Missing, Table, error::shown};

/// Dropped rows that are described.
const DESCRIBED: usize = 5;

/// A row left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DroppedRow {
    /// Data row in the source, from 1.
    pub row: u64,
    /// Its line, from 1.
    pub line: u64,
    /// The first column with a missing or infinite cell.
    pub column: String,
    /// What that cell holds; empty for an empty cell.
    pub found: String,
}

/// The rows left out for a missing or infinite cell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Dropped {
    /// How many rows.
    pub count: usize,
    /// Missing cells in the columns used.
    pub missing_cells: usize,
    /// Infinite cells in the columns used.
    pub not_finite_cells: usize,
    /// The first few of the rows.
    pub first: Vec<DroppedRow>,
}

/// A column to look at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used {
    pub(crate) position: usize,
    /// Whether its cells are categories rather than numbers.
    pub(crate) categories: bool,
}

/// The outcome: rows by position in the table, ascending.
pub(crate) struct Screened {
    pub(crate) kept: Vec<usize>,
    pub(crate) dropped: Dropped,
}

/// Refuses text in columns of numbers, then refuses or drops rows with missing or infinite cells.
pub(crate) fn screen(
    table: &Table,
    used: &[Used],
    missing: Missing,
) -> Result<Screened, DataError> {
    refuse_text(table, used)?;
    let suspects: Vec<Used> = used
        .iter()
        .filter(|used| !table.columns()[used.position].is_all_numbers())
        .copied()
        .collect();
    let mut screened =
        Screened { kept: Vec::with_capacity(table.n_rows()), dropped: Dropped::default() };
    let mut first_bad = None;
    for row in 0..table.n_rows() {
        match look_at_row(table, &suspects, row, &mut screened.dropped) {
            None => screened.kept.push(row),
            Some(used) => _ = first_bad.get_or_insert((row, used)),
        }
    }
    match (first_bad, missing) {
        (None, _) => Ok(screened),
        (Some((row, used)), Missing::Refuse) => Err(refusal(table, row, used, &screened.dropped)),
        (Some(_), Missing::DropRows) if screened.kept.is_empty() => Err(nothing_left(table, used)),
        (Some(_), Missing::DropRows) => Ok(screened),
    }
}

/// Counts the bad cells of a row and gives the first one's column.
fn look_at_row(
    table: &Table,
    suspects: &[Used],
    row: usize,
    dropped: &mut Dropped,
) -> Option<Used> {
    let mut first = None;
    for used in suspects {
        let found = match table.columns()[used.position].cell(row) {
            Cell::Missing(found) => {
                dropped.missing_cells += 1;
                found
            }
            Cell::NotFinite(found) if !used.categories => {
                dropped.not_finite_cells += 1;
                found
            }
            _ => continue,
        };
        first.get_or_insert((*used, found));
    }
    let (used, found) = first?;
    dropped.count += 1;
    if dropped.first.len() < DESCRIBED {
        let place = table.place(row, used.position);
        dropped.first.push(DroppedRow {
            row: place.row,
            line: place.line,
            column: place.column,
            found: shown(found),
        });
    }
    Some(used)
}

fn refusal(table: &Table, row: usize, used: Used, dropped: &Dropped) -> DataError {
    let column = used.position;
    let (place, cell) = (table.place(row, column), table.columns()[column].cell(row));
    let found = shown(&cell.text());
    match cell {
        Cell::NotFinite(_) => {
            DataError::NotFinite { place, found, cells: dropped.not_finite_cells }
        }
        _ => DataError::MissingCell {
            place,
            found,
            category: used.categories,
            cells: dropped.missing_cells,
            rows: dropped.count,
        },
    }
}

fn nothing_left(table: &Table, used: &[Used]) -> DataError {
    let bad = |column: &Column| column.n_missing() + column.n_not_finite();
    let worst =
        used.iter().map(|used| &table.columns()[used.position]).max_by_key(|column| bad(column));
    DataError::AllRowsDropped {
        file: table.name().to_owned(),
        rows: table.n_rows(),
        column: worst.map(|column| shown(column.name())).unwrap_or_default(),
        missing: worst.map_or(0, bad),
    }
}

/// The first text cell, by row, in a column used as numbers.
fn refuse_text(table: &Table, used: &[Used]) -> Result<(), DataError> {
    let columns = used.iter().filter(|used| !used.categories).map(|used| used.position);
    let first_of = |position: usize| {
        let column = &table.columns()[position];
        let row = if column.n_text() == 0 {
            None
        } else {
            column.cells().position(|cell| matches!(cell, Cell::Text(_)))
        };
        row.map(|row| (row, position))
    };
    match columns.filter_map(first_of).min_by_key(|&(row, _)| row) {
        None => Ok(()),
        Some((row, position)) => Err(not_a_number(table, row, position)),
    }
}

fn not_a_number(table: &Table, row: usize, position: usize) -> DataError {
    let column = &table.columns()[position];
    let found = column.cell(row).text();
    let categories = (column.kind() == ColumnKind::Text).then_some(Hint::Categories);
    DataError::NotANumber {
        place: table.place(row, position),
        found: shown(&found),
        count: column.n_text(),
        rows: column.len(),
        hint: Hint::guess(&found).or(categories),
    }
}
