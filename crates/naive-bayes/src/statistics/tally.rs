//! How often each level or term occurred in each class.

use std::collections::HashMap;

use crate::Label;

use super::remainder;

/// Counts by class and label; labels are named, or numbered `0..width`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tally {
    labels: Option<Vec<Label>>,
    index: HashMap<Label, usize>,
    width: usize,
    counts: Vec<Vec<f64>>,
}

impl Tally {
    /// No labels yet; named or numbered.
    pub(crate) fn new(named: bool) -> Self {
        let labels = named.then(Vec::new);
        Self { labels, index: HashMap::new(), width: 0, counts: Vec::new() }
    }

    /// From saved parts; `None` when they contradict each other.
    pub(crate) fn from_parts(
        labels: Option<Vec<Label>>,
        width: usize,
        counts: Vec<Vec<f64>>,
    ) -> Option<Self> {
        let mut tally = Self::new(labels.is_some());
        if let Some(labels) = labels {
            (tally.map(Some(&labels), labels.len()).len() == tally.width).then_some(())?;
        }
        tally.width = tally.width.max(width);
        let fine = |row: &Vec<f64>| {
            row.len() <= width && row.iter().all(|count| count.is_finite() && *count >= 0.0)
        };
        (tally.width == width && counts.iter().all(fine)).then_some(())?;
        tally.counts = counts;
        Some(tally)
    }

    pub(crate) fn labels(&self) -> Option<&[Label]> {
        self.labels.as_deref()
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The counts of every class; a row may end early, and a class may have none.
    pub(crate) fn counts(&self) -> &[Vec<f64>] {
        &self.counts
    }

    pub(crate) fn get(&self, class: usize, at: usize) -> f64 {
        self.counts.get(class).and_then(|row| row.get(at)).copied().unwrap_or(0.0)
    }

    /// Total of a class.
    pub(crate) fn total(&self, class: usize) -> f64 {
        self.counts.get(class).map_or(0.0, |row| row.iter().sum())
    }

    /// Total of a label.
    pub(crate) fn column_total(&self, at: usize) -> f64 {
        self.counts.iter().filter_map(|row| row.get(at)).sum()
    }

    /// Where a label stands, if it has a place.
    pub(crate) fn place(&self, label: &Label) -> Option<usize> {
        match (&self.labels, label) {
            (Some(_), label) => self.index.get(label).copied(),
            (None, Label::Integer(number)) => {
                usize::try_from(*number).ok().filter(|&at| at < self.width)
            }
            (None, Label::Text(_)) => None,
        }
    }

    /// Whether a place counts: a name of which nothing is left is as good as never seen, a number always has its place.
    pub(crate) fn keeps(&self, at: usize) -> bool {
        self.labels.is_none() || self.column_total(at) > 0.0
    }

    /// The places that count.
    pub(crate) fn kept(&self) -> Vec<usize> {
        (0..self.width).filter(|&at| self.keeps(at)).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.counts.iter().flatten().all(|count| *count == 0.0)
    }

    /// Registers labels, or `width` numbers, and says where they stand.
    pub(crate) fn map(&mut self, labels: Option<&[Label]>, width: usize) -> Vec<usize> {
        let (Some(known), Some(labels)) = (&mut self.labels, labels) else {
            self.width = self.width.max(width);
            return (0..width).collect();
        };
        let mut place = |label: &Label| {
            *self.index.entry(label.clone()).or_insert_with(|| {
                known.push(label.clone());
                known.len() - 1
            })
        };
        let places = labels.iter().map(&mut place).collect();
        self.width = known.len();
        places
    }

    /// Makes room for numbered terms, which stand where their numbers say: no map is needed.
    pub(crate) fn widen(&mut self, width: usize) -> Vec<usize> {
        self.width = self.width.max(width);
        Vec::new()
    }

    /// The counts of each class with room for every label.
    pub(crate) fn rows(&mut self, classes: usize) -> &mut [Vec<f64>] {
        self.counts.resize(self.counts.len().max(classes), Vec::new());
        for row in &mut self.counts {
            row.resize(self.width, 0.0);
        }
        &mut self.counts
    }

    /// Adds the counts of another tally.
    pub(crate) fn merge(&mut self, other: &Self, classes: &[usize], n_classes: usize) {
        let places = self.map(other.labels(), other.width);
        let rows = self.rows(n_classes);
        for (from, &class) in other.counts.iter().zip(classes) {
            let Some(row) = rows.get_mut(class) else { continue };
            from.iter().zip(&places).for_each(|(count, &at)| row[at] += count);
        }
    }

    /// Takes the counts of another tally out; false when there are not so many.
    pub(crate) fn remove(&mut self, other: &Self, classes: &[usize], n_classes: usize) -> bool {
        let places = self.map(other.labels(), other.width);
        let rows = self.rows(n_classes);
        for (from, &class) in other.counts.iter().zip(classes) {
            for (count, &at) in from.iter().zip(&places) {
                match remainder(rows[class][at], *count) {
                    Some(left) => rows[class][at] = left,
                    None => return false,
                }
            }
        }
        true
    }

    pub(crate) fn scale(&mut self, factor: f64) {
        self.counts.iter_mut().flatten().for_each(|count| *count *= factor);
    }
}
