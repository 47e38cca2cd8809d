//! A column of labels as codes.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::{Label, NaiveBayesError};

/// The code of a missing cell.
pub(crate) const MISSING: u32 = u32::MAX;
/// Widest range of integers that is coded through a table.
const TABLE_RANGE: i64 = 1 << 16;
/// Cells looked at together by one thread.
const PART: usize = 1 << 16;

/// A column of labels: for each row the position of its label, each different label once.
///
/// Both classes and categories are given this way.
///
/// ```
/// use naive_bayes::{Label, Levels};
///
/// let genres = Levels::from_texts([Some("war"), None, Some("drama"), Some("war")]);
/// assert_eq!(genres.label(3), Some(&Label::from("war")));
/// assert_eq!(genres.label(1), None);
/// assert_eq!(genres.labels().len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Levels {
    codes: Vec<u32>,
    labels: Vec<Label>,
}

impl Levels {
    /// From one label for each row, `None` where it is missing.
    pub fn from_labels(cells: impl IntoIterator<Item = Option<Label>>) -> Self {
        let mut coder = Coder::default();
        let codes = cells.into_iter().map(|cell| cell.map_or(MISSING, |label| coder.code(label)));
        let codes = codes.collect();
        Self { codes, labels: coder.labels }
    }

    /// From texts, `None` where one is missing.
    pub fn from_texts<'a>(cells: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut labels = Vec::new();
        let mut code = |text: &'a str| {
            *known.entry(text).or_insert_with(|| {
                labels.push(Label::from(text));
                labels.len() as u32 - 1
            })
        };
        let codes = cells.into_iter().map(|cell| cell.map_or(MISSING, &mut code)).collect();
        Self { codes, labels }
    }

    /// From whole numbers; no cell is missing.
    #[must_use]
    pub fn from_integers(cells: &[i64]) -> Self {
        let (low, high) = bounds(cells);
        match high.checked_sub(low) {
            Some(range) if range < TABLE_RANGE => Self::by_table(cells, low, range as usize),
            _ => Self::from_labels(cells.iter().map(|&cell| Some(Label::Integer(cell)))),
        }
    }

    /// From numbers, equal when their values are; NaN and infinite cells are missing.
    #[must_use]
    pub fn from_numbers(cells: &[f64]) -> Self {
        Self::from_labels(cells.iter().map(|&cell| Label::from_number(cell)))
    }

    /// From positions in `labels`, `None` where a cell is missing.
    ///
    /// # Errors
    /// [`NaiveBayesError::Index`] for a position beyond the labels, or a repeated label.
    pub fn from_codes(
        codes: &[Option<usize>],
        labels: Vec<Label>,
    ) -> Result<Self, NaiveBayesError> {
        let refuse = |position, found, accepted| {
            Err(NaiveBayesError::Index { argument: "codes", position, found, accepted })
        };
        let mut sorted: Vec<&Label> = labels.iter().collect();
        sorted.sort_unstable();
        if let Some(position) = sorted.windows(2).position(|pair| pair[0] == pair[1]) {
            return refuse(position, position, "labels that differ");
        }
        let beyond = |code: &Option<usize>| code.is_some_and(|code| code >= labels.len());
        if let Some(position) = codes.iter().position(beyond) {
            return refuse(position, codes[position].unwrap_or(0), "positions in `labels`");
        }
        let codes = codes.iter().map(|code| code.map_or(MISSING, |code| code as u32)).collect();
        Ok(Self { codes, labels })
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The different labels, in the order of first sight, or as given.
    #[must_use]
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The label of a row, `None` where it is missing or the row is beyond the last.
    #[must_use]
    pub fn label(&self, row: usize) -> Option<&Label> {
        self.labels.get(*self.codes.get(row)? as usize)
    }

    /// The rows named, in that order; every label is kept.
    ///
    /// # Panics
    /// When a row is beyond the last.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let codes = rows.iter().map(|&row| self.codes[row]).collect();
        Self { codes, labels: self.labels.clone() }
    }

    /// For each row the position of its label, or [`MISSING`].
    pub(crate) fn codes(&self) -> &[u32] {
        &self.codes
    }

    fn by_table(cells: &[i64], low: i64, range: usize) -> Self {
        let mut table = vec![MISSING; range + 1];
        let mut labels = Vec::new();
        let code = |&cell: &i64| {
            let code = &mut table[(cell - low) as usize];
            if *code == MISSING {
                *code = labels.len() as u32;
                labels.push(Label::Integer(cell));
            }
            *code
        };
        let codes = cells.iter().map(code).collect();
        Self { codes, labels }
    }
}

/// The smallest and the largest cell, 0 where there is none.
fn bounds(cells: &[i64]) -> (i64, i64) {
    let wider = |(low, high): (i64, i64), (other_low, other_high): (i64, i64)| {
        (low.min(other_low), high.max(other_high))
    };
    let of_part = |part: &[i64]| {
        part.iter().fold((i64::MAX, i64::MIN), |found, &cell| wider(found, (cell, cell)))
    };
    let parts = cells.par_chunks(PART).map(of_part);
    parts.reduce_with(wider).unwrap_or_default()
}

#[derive(Default)]
struct Coder {
    labels: Vec<Label>,
    known: HashMap<Label, u32>,
}

impl Coder {
    fn code(&mut self, label: Label) -> u32 {
        if let Some(&code) = self.known.get(&label) {
            return code;
        }
        let code = self.labels.len() as u32;
        self.labels.push(label.clone());
        self.known.insert(label, code);
        code
    }
}
