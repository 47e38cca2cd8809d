//! Which columns there are, and what each is.

use datasets::{Column, Table};
pub use naive_bayes::Unlabelled;
use serde::{Deserialize, Serialize};

use super::infer::kind_of;
use super::{ClassifyError, FeatureKind};

/// The columns of a classifier.
///
/// ```
/// use taut::{FeatureKind, Schema};
///
/// let schema = Schema::new("rated").kind("id", FeatureKind::Ignore).weights("n");
/// assert_eq!((schema.label(), schema.columns().len()), ("rated", 1));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    label: String,
    weights: Option<String>,
    columns: Vec<ColumnSpec>,
}

/// A column of a classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnSpec {
    /// Its name.
    pub name: String,
    /// What it is, `None` while no cell of it has been seen.
    pub kind: Option<FeatureKind>,
    /// Whether the kind was guessed from the cells.
    pub inferred: bool,
}

impl Schema {
    /// The column to predict; all others are inferred from the first rows.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), weights: None, columns: Vec::new() }
    }

    /// Names the column of weights.
    #[must_use]
    pub fn weights(mut self, name: impl Into<String>) -> Self {
        self.weights = Some(name.into());
        self
    }

    /// Without a column of weights.
    pub(super) fn unweighted(&self) -> Self {
        Self { weights: None, ..self.clone() }
    }

    /// Says what a column is; the last word on a column counts.
    #[must_use]
    pub fn kind(mut self, name: impl Into<String>, kind: FeatureKind) -> Self {
        let name = name.into();
        self.columns.retain(|column| column.name != name);
        self.columns.push(ColumnSpec { name, kind: Some(kind), inferred: false });
        self
    }

    /// The column to predict.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The column of weights.
    #[must_use]
    pub fn weight_column(&self) -> Option<&str> {
        self.weights.as_deref()
    }

    /// Every column but the label and the weights, in the order of first sight.
    #[must_use]
    pub fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&ColumnSpec> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Columns of this schema that `names` lacks, those left out aside.
    pub fn absent_from<'s>(&'s self, names: &[String]) -> Vec<&'s str> {
        let used = self.columns.iter().filter(|column| column.kind != Some(FeatureKind::Ignore));
        let names_of = used.map(|column| column.name.as_str());
        names_of.filter(|name| names.iter().all(|other| other != name)).collect()
    }

    /// Whether a column is the label or the weights.
    #[must_use]
    pub fn is_special(&self, name: &str) -> bool {
        name == self.label || self.weights.as_deref() == Some(name)
    }

    /// With the columns of a table that were not known, and the kinds of those that had no cell before.
    pub(super) fn extended(&self, table: &Table) -> Result<Self, ClassifyError> {
        let mut schema = self.clone();
        if let Some(spec) = self.columns.iter().find(|spec| self.is_special(&spec.name)) {
            let second = if spec.name == self.label { "the label" } else { "the weights" };
            return Err(ClassifyError::Twice {
                name: spec.name.clone(),
                first: spec.kind.as_ref().map_or("a feature".to_owned(), ToString::to_string),
                second: second.to_owned(),
            });
        }
        let features = table.columns().iter().filter(|column| !self.is_special(column.name()));
        features.for_each(|column| schema.take_in(column));
        Ok(schema)
    }

    fn take_in(&mut self, column: &Column) {
        match self.columns.iter_mut().find(|spec| spec.name == column.name()) {
            Some(spec) if spec.kind.is_some() => {}
            Some(spec) => spec.kind = kind_of(column),
            None => self.columns.push(ColumnSpec {
                name: column.name().to_owned(),
                kind: kind_of(column),
                inferred: true,
            }),
        }
    }

    /// The columns of both.
    pub(super) fn merged(&self, other: &Self) -> Result<Self, ClassifyError> {
        let differ = |what: &str, first: &str, second: &str| ClassifyError::Differ {
            what: what.to_owned(),
            first: format!("`{first}`"),
            second: format!("`{second}`"),
        };
        if self.label != other.label {
            return Err(differ("the label", &self.label, &other.label));
        }
        if self.weights != other.weights {
            let named = |weights: &Option<String>| weights.clone().unwrap_or("none".to_owned());
            let (first, second) = (named(&self.weights), named(&other.weights));
            return Err(differ("the column of weights", &first, &second));
        }
        let mut merged = self.clone();
        for spec in &other.columns {
            let known = merged.columns.iter_mut().find(|known| known.name == spec.name);
            let Some(known) = known else {
                merged.columns.push(spec.clone());
                continue;
            };
            match (&known.kind, &spec.kind) {
                (Some(a), Some(b)) if a != b => {
                    let what = format!("column `{}`", spec.name);
                    return Err(differ(&what, &a.to_string(), &b.to_string()));
                }
                (None, Some(_)) => *known = spec.clone(),
                _ => {}
            }
        }
        Ok(merged)
    }
}
