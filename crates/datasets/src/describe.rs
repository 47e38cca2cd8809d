//! A summary of a table, for people and as JSON.

mod duplicates;

use serde::Serialize;

use crate::{Cell, Column, ColumnKind, Table};
use duplicates::duplicate_rows;

/// Levels listed for a column.
const LISTED_LEVELS: usize = 10;

/// What a table holds, column by column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// Name of the source.
    pub file: String,
    /// Number of rows.
    pub rows: usize,
    /// The character between cells.
    pub delimiter: char,
    /// Rows equal to an earlier one: rows minus different rows.
    pub duplicate_rows: usize,
    /// Rows with a missing or infinite cell in any column.
    pub incomplete_rows: usize,
    /// The columns, in the order of the header.
    pub columns: Vec<ColumnSummary>,
}

/// What one column holds. Statistics are over the finite numbers and `None` where there are none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnSummary {
    /// Name of the column.
    pub name: String,
    /// What its cells have in common.
    pub kind: ColumnKind,
    /// Missing cells.
    pub missing: usize,
    /// Infinite cells.
    pub not_finite: usize,
    /// Text cells.
    pub text: usize,
    /// Different values, missing ones left out.
    pub distinct: usize,
    /// Whether there is at most one value, no cell being missing.
    pub constant: bool,
    /// Smallest number.
    pub min: Option<f64>,
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// Largest number.
    pub max: Option<f64>,
    /// Population standard deviation (divisor n).
    pub sd: Option<f64>,
    /// The most frequent texts, at most ten, the most frequent first, then by their text.
    pub levels: Vec<LevelCount>,
}

/// A text and how often it occurs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LevelCount {
    /// The text.
    pub level: String,
    /// Its cells.
    pub count: usize,
}

/// Summarises every column of a table.
///
/// ```
/// use datasets::{CsvOptions, Source, describe, read_csv};
///
/// let description = describe(&read_csv(Source::text("memory", "x\n1\n3\n"), &CsvOptions::default())?);
/// assert_eq!(description.columns[0].mean, Some(2.0));
/// # Ok::<(), datasets::DataError>(())
/// ```
#[must_use]
pub fn describe(table: &Table) -> Description {
    Description {
        file: table.name().to_owned(),
        rows: table.n_rows(),
        delimiter: table.delimiter(),
        duplicate_rows: duplicate_rows(table),
        incomplete_rows: incomplete_rows(table),
        columns: table.columns().iter().map(summarise).collect(),
    }
}

fn incomplete_rows(table: &Table) -> usize {
    let suspects: Vec<&Column> =
        table.columns().iter().filter(|column| !column.is_all_numbers()).collect();
    let bad =
        |column: &Column, row| matches!(column.cell(row), Cell::Missing(_) | Cell::NotFinite(_));
    (0..table.n_rows()).filter(|&row| suspects.iter().any(|column| bad(column, row))).count()
}

fn summarise(column: &Column) -> ColumnSummary {
    let numbers: Vec<f64> =
        column.numbers().iter().copied().filter(|number| number.is_finite()).collect();
    let words = column.words().filter(|(cell, _)| !matches!(cell, Cell::Missing(_))).count();
    let distinct = distinct_numbers(&numbers) + words;
    let moments = moments(&numbers);
    ColumnSummary {
        name: column.name().to_owned(),
        kind: column.kind(),
        missing: column.n_missing(),
        not_finite: column.n_not_finite(),
        text: column.n_text(),
        distinct,
        constant: distinct <= 1 && column.n_missing() == 0,
        min: numbers.iter().copied().reduce(f64::min),
        mean: moments.map(|(mean, _)| mean),
        max: numbers.iter().copied().reduce(f64::max),
        sd: moments.map(|(_, sd)| sd),
        levels: levels(column),
    }
}

fn distinct_numbers(numbers: &[f64]) -> usize {
    // Adding zero makes -0 equal to 0.
    let mut bits: Vec<u64> = numbers.iter().map(|number| (number + 0.0).to_bits()).collect();
    bits.sort_unstable();
    bits.dedup();
    bits.len()
}

/// Mean and population standard deviation; numbers of extreme size are scaled first, so that sums neither overflow nor vanish.
fn moments(numbers: &[f64]) -> Option<(f64, f64)> {
    let n = numbers.len() as f64;
    let largest = numbers.iter().map(|number| number.abs()).reduce(f64::max)?;
    let scale = if largest == 0.0 || (1e-100..1e100).contains(&largest) { 1.0 } else { largest };
    let mean = numbers.iter().map(|number| number / scale).sum::<f64>() / n;
    let variance = numbers.iter().map(|number| (number / scale - mean).powi(2)).sum::<f64>() / n;
    Some((mean * scale, variance.sqrt() * scale))
}

fn levels(column: &Column) -> Vec<LevelCount> {
    let texts = column.words().filter_map(|(cell, count)| match cell {
        Cell::Text(level) => Some((level, count)),
        _ => None,
    });
    let mut counts: Vec<(&str, usize)> = texts.collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    counts.truncate(LISTED_LEVELS);
    counts.into_iter().map(|(level, count)| LevelCount { level: level.to_owned(), count }).collect()
}
