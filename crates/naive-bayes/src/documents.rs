//! Documents as counts of terms, most of them zero.

use std::collections::HashMap;

use ndarray::ArrayRef2;

use crate::{Label, NaiveBayesError};

/// Documents in compressed rows: row r has the terms `terms[starts[r]..starts[r + 1]]` with as many counts.
///
/// Terms are numbered, or named by a list of which the numbers are positions. A term may occur twice in a row; its counts add up.
///
/// ```
/// use naive_bayes::Documents;
///
/// let documents = Documents::from_words([vec!["to", "be", "or", "not", "to", "be"], vec!["be"]]);
/// assert_eq!((documents.n_rows(), documents.n_terms()), (2, 4));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Documents {
    starts: Vec<usize>,
    terms: Vec<u32>,
    counts: Vec<f64>,
    n_terms: usize,
    names: Option<Vec<Label>>,
}

impl Documents {
    /// Rows of numbered terms, `0..n_terms`: what other libraries call CSR.
    ///
    /// # Errors
    /// [`NaiveBayesError::Index`] when `starts` does not rise from 0 to the number of entries or a term is not below `n_terms`;
    /// [`NaiveBayesError::Length`] when terms and counts differ in number; [`NaiveBayesError::Count`] for a count that is none.
    pub fn from_rows(
        starts: Vec<usize>,
        terms: Vec<u32>,
        counts: Vec<f64>,
        n_terms: usize,
    ) -> Result<Self, NaiveBayesError> {
        crate::error::length("counts", terms.len(), counts.len(), "term")?;
        let refuse = |argument, position, found, accepted| {
            Err(NaiveBayesError::Index { argument, position, found, accepted })
        };
        if starts.first() != Some(&0) {
            return refuse("starts", 0, starts.first().copied().unwrap_or(0), "0 at the beginning");
        }
        if let Some(row) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
            return refuse("starts", row + 1, starts[row + 1], "positions that never fall");
        }
        let last = starts.len() - 1;
        if starts[last] != terms.len() {
            return refuse("starts", last, starts[last], "the number of entries at the end");
        }
        if let Some(position) = terms.iter().position(|&term| term as usize >= n_terms) {
            let found = terms[position] as usize;
            return refuse("terms", position, found, "numbers below `n_terms`");
        }
        Self { starts, terms, counts, n_terms, names: None }.checked()
    }

    /// The same with a name for each term.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`] unless there is one name for each term; [`NaiveBayesError::Index`] for a repeated name.
    pub fn named(mut self, names: Vec<Label>) -> Result<Self, NaiveBayesError> {
        crate::error::length("names", self.n_terms, names.len(), "term")?;
        let mut seen = HashMap::new();
        for (position, name) in names.iter().enumerate() {
            if seen.insert(name, position).is_some() {
                let (argument, accepted) = ("names", "names that differ");
                return Err(NaiveBayesError::Index {
                    argument,
                    position,
                    found: position,
                    accepted,
                });
            }
        }
        self.names = Some(names);
        Ok(self)
    }

    /// Numbered terms from a matrix of counts, a row for each document; zeros are left out.
    ///
    /// # Errors
    /// [`NaiveBayesError::Count`] for a count that is none.
    pub fn from_matrix(counts: &ArrayRef2<f64>) -> Result<Self, NaiveBayesError> {
        let (mut starts, mut terms, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in counts.rows() {
            for (term, &count) in row.iter().enumerate().filter(|(_, count)| **count != 0.0) {
                terms.push(term as u32);
                values.push(count);
            }
            starts.push(terms.len());
        }
        let n_terms = counts.ncols();
        Self { starts, terms, counts: values, n_terms, names: None }.checked()
    }

    /// Named terms from lists of words, each word once for each time it occurs.
    pub fn from_words<'a, W: IntoIterator<Item = &'a str>>(
        documents: impl IntoIterator<Item = W>,
    ) -> Self {
        let (mut starts, mut terms) = (vec![0], Vec::new());
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut names = Vec::new();
        for words in documents {
            for word in words {
                terms.push(*known.entry(word).or_insert_with(|| {
                    names.push(Label::from(word));
                    names.len() as u32 - 1
                }));
            }
            starts.push(terms.len());
        }
        let (counts, n_terms) = (vec![1.0; terms.len()], names.len());
        Self { starts, terms, counts, n_terms, names: Some(names) }
    }

    /// Number of documents.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of terms, those that occur nowhere included.
    #[must_use]
    pub fn n_terms(&self) -> usize {
        self.n_terms
    }

    /// Names of the terms, `None` when they are numbered.
    #[must_use]
    pub fn names(&self) -> Option<&[Label]> {
        self.names.as_deref()
    }

    /// The rows named, in that order.
    ///
    /// # Panics
    /// When a row is beyond the last.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let (mut starts, mut terms, mut counts) = (vec![0], Vec::new(), Vec::new());
        for &row in rows {
            let (some_terms, some_counts) = self.row(row);
            terms.extend_from_slice(some_terms);
            counts.extend_from_slice(some_counts);
            starts.push(terms.len());
        }
        Self { starts, terms, counts, n_terms: self.n_terms, names: self.names.clone() }
    }

    /// Terms and counts of a document.
    pub(crate) fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.terms[range.clone()], &self.counts[range])
    }

    /// Refuses counts that are none, once and for all.
    fn checked(self) -> Result<Self, NaiveBayesError> {
        let bad = |count: &f64| !(0.0..=LARGEST_COUNT).contains(count);
        match self.counts.iter().position(bad) {
            None => Ok(self),
            Some(position) => {
                let row = self.starts.partition_point(|&start| start <= position) - 1;
                Err(NaiveBayesError::Count { row, found: self.counts[position] })
            }
        }
    }
}

/// Largest count accepted: beyond it counts are not exact.
pub(crate) const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;
