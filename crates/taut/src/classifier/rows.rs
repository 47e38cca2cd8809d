//! From the cells of a table to rows a model takes.

use std::collections::BTreeMap;

use datasets::{Cell, Column, Place, Table};
use naive_bayes::{Batch, Documents, Kind, Label, Levels, NaiveBayesError, Unlabelled};
use ndarray::{Array1, Array2};

use super::feature_kind::TAG_SEPARATOR;
use super::infer::truth;
use super::schema::{ColumnSpec, Schema};
use super::{ClassifyError, FeatureKind, LabelledRows};

/// Largest weight and count that is exact.
const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;

impl Schema {
    /// The features of a table.
    pub(super) fn batch<'t>(&self, table: &'t Table) -> Result<Batch<'t>, ClassifyError> {
        let mut batch = Batch::new(table.n_rows());
        let mut groups: BTreeMap<&str, Vec<&Column>> = BTreeMap::new();
        for (spec, kind) in
            self.columns().iter().filter_map(|spec| Some((spec, spec.kind.as_ref()?)))
        {
            let Some(column) = table.column(&spec.name) else { continue };
            batch = match kind {
                FeatureKind::Ignore => batch,
                FeatureKind::Categorical => {
                    batch.levels(&spec.name, exact_levels(table, column)?)?
                }
                FeatureKind::Words => batch.documents(&spec.name, words(column))?,
                FeatureKind::Tags => with_tags(batch, column)?,
                FeatureKind::Multinomial { group } => {
                    groups.entry(group).or_default().push(column);
                    batch
                }
                _ => {
                    let numeric = kind.numeric().unwrap_or(Kind::Gaussian);
                    batch.column(&spec.name, numeric, numbers(table, column, spec, kind)?)?
                }
            };
        }
        for (group, columns) in groups {
            batch = batch.documents(group, self.block(table, &columns)?)?;
        }
        Ok(batch)
    }

    /// Terms of a block, one column each.
    fn block(&self, table: &Table, columns: &[&Column]) -> Result<Documents, ClassifyError> {
        let mut counts = Array2::zeros((table.n_rows(), columns.len()));
        for (index, column) in columns.iter().enumerate() {
            let spec = self.column(column.name());
            for (row, cell) in column.cells().enumerate() {
                counts[[row, index]] = match cell {
                    Cell::Missing(_) => 0.0,
                    Cell::Number(value) if (0.0..=LARGEST_COUNT).contains(&value) => value,
                    _ => return Err(refused(table, column, row, spec)),
                };
            }
        }
        let names = columns.iter().map(|column| Label::from(column.name())).collect();
        Ok(Documents::from_matrix(&counts)?.named(names)?)
    }

    /// The features, classes and weights of a table.
    pub(super) fn labelled<'t>(&self, table: &'t Table) -> Result<LabelledRows<'t>, ClassifyError> {
        let find = |name: &str, role| {
            table.column(name).ok_or_else(|| ClassifyError::UnknownColumn {
                file: table.name().to_owned(),
                name: name.to_owned(),
                role,
                available: table.listed_names(),
            })
        };
        let classes = exact_levels(table, find(self.label(), "the label")?)?;
        let weights = self.weight_column().map(|name| weights(table, find(name, "weights")?));
        Ok(LabelledRows { batch: self.batch(table)?, classes, weights: weights.transpose()? })
    }

    /// Refuses rows without a class, or counts them.
    pub(super) fn check_labels(
        &self,
        table: &Table,
        rows: &LabelledRows<'_>,
        unlabelled: Unlabelled,
    ) -> Result<usize, ClassifyError> {
        let missing: Vec<usize> =
            (0..table.n_rows()).filter(|&row| rows.classes.label(row).is_none()).collect();
        match missing.first() {
            Some(&row) if unlabelled == Unlabelled::Refuse => {
                Err(ClassifyError::Unlabelled { place: place(table, row, self.label()) })
            }
            _ => Ok(missing.len()),
        }
    }

    /// Names a model's error by the table's file, row and column.
    pub(super) fn located(&self, table: &Table, error: NaiveBayesError) -> ClassifyError {
        match &error {
            NaiveBayesError::Cell { feature, row, .. } => match table.column(feature) {
                Some(column) => refused(table, column, *row, self.column(feature)),
                None => error.into(),
            },
            NaiveBayesError::UnseenLevel { feature, row, level } => {
                ClassifyError::Unseen { place: place(table, *row, feature), level: level.clone() }
            }
            _ => error.into(),
        }
    }
}

fn place(table: &Table, row: usize, column: &str) -> Place {
    Place {
        file: table.name().to_owned(),
        column: column.to_owned(),
        row: table.row_number(row),
        line: table.line_number(row),
    }
}

/// A cell that its column's kind cannot have.
fn refused(table: &Table, column: &Column, row: usize, spec: Option<&ColumnSpec>) -> ClassifyError {
    let cell = column.cell(row);
    ClassifyError::Cell {
        place: place(table, row, column.name()),
        found: cell.text().into_owned(),
        kind: spec.and_then(|spec| spec.kind.clone()).unwrap_or(FeatureKind::Gaussian),
        inferred: spec.is_some_and(|spec| spec.inferred),
        text: matches!(cell, Cell::Text(_)),
    }
}

/// Cells as numbers, NaN where one is missing.
fn numbers(
    table: &Table,
    column: &Column,
    spec: &ColumnSpec,
    kind: &FeatureKind,
) -> Result<Vec<f64>, ClassifyError> {
    let mut numbers = column.numbers().to_vec();
    if column.n_text() + column.n_not_finite() == 0 {
        return Ok(numbers);
    }
    let yes_or_no = matches!(kind, FeatureKind::Bernoulli | FeatureKind::Tag);
    for (row, cell) in column.cells().enumerate() {
        match cell {
            Cell::Text(text) if yes_or_no && truth(text).is_some() => {
                numbers[row] = truth(text).unwrap_or(f64::NAN);
            }
            Cell::Text(_) | Cell::NotFinite(_) => {
                return Err(refused(table, column, row, Some(spec)));
            }
            _ => {}
        }
    }
    Ok(numbers)
}

/// [`levels`], unless whole numbers are too large to have kept their digits.
fn exact_levels(table: &Table, column: &Column) -> Result<Levels, ClassifyError> {
    let lost = |cell| matches!(cell, Cell::Number(value) if value.abs() >= LARGEST_COUNT);
    match column.cells().position(lost) {
        None => Ok(levels(column)),
        Some(row) => Err(ClassifyError::LargeLabel { place: place(table, row, column.name()) }),
    }
}

/// Cells as labels: numbers by value, everything else by its text.
fn levels(column: &Column) -> Levels {
    let words = column.n_text() + column.n_not_finite() + column.n_missing();
    if column.is_all_numbers() {
        return Levels::from_numbers(column.numbers());
    }
    if words == column.len() {
        return Levels::from_texts(column.cells().map(|cell| match cell {
            Cell::Text(text) | Cell::NotFinite(text) => Some(text),
            _ => None,
        }));
    }
    Levels::from_labels(column.cells().map(|cell| match cell {
        Cell::Number(value) => Label::from_number(value),
        Cell::Missing(_) => None,
        Cell::Text(text) | Cell::NotFinite(text) => Some(Label::from(text)),
    }))
}

fn weights(table: &Table, column: &Column) -> Result<Array1<f64>, ClassifyError> {
    let bad = |weight: &f64| !(0.0..=LARGEST_COUNT).contains(weight);
    match column.numbers().iter().position(bad) {
        None => Ok(Array1::from(column.numbers().to_vec())),
        Some(row) => Err(ClassifyError::Weight {
            place: place(table, row, column.name()),
            found: column.cell(row).text().into_owned(),
        }),
    }
}

/// Texts of a column, the empty one where a cell is missing.
fn texts(column: &Column) -> Vec<String> {
    let text = |cell| match cell {
        Cell::Missing(_) => String::new(),
        // As it was learned, with all its digits: it is the name of a term.
        Cell::Number(value) => value.to_string(),
        other => other.text().into_owned(),
    };
    column.cells().map(text).collect()
}

fn words(column: &Column) -> Documents {
    Documents::from_words(texts(column).iter().map(|text| text.split_whitespace()))
}

/// One tag `column=word` for each different word.
fn with_tags<'t>(batch: Batch<'t>, column: &Column) -> Result<Batch<'t>, ClassifyError> {
    let prefixed = |text: &String| -> Vec<String> {
        let words = text.split(TAG_SEPARATOR).map(str::trim).filter(|word| !word.is_empty());
        words.map(|word| format!("{}={word}", column.name())).collect()
    };
    let lists: Vec<Vec<String>> = texts(column).iter().map(prefixed).collect();
    Ok(batch.tags(lists.iter().map(|list| list.iter().map(String::as_str)))?)
}
