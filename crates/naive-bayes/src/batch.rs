//! Rows to learn from or to predict, by columns that say what they are.

mod columns;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Deref;

use ndarray::{Array2, ArrayRef2, Axis};

use crate::{Documents, Kind, Levels, NaiveBayesError, error::length};
pub(crate) use columns::{Block, Columns};

/// Rows by named columns, each with its kind; NaN is a missing cell.
///
/// A model needs no list of features in advance: what a batch has is learned or used, what it lacks is missing.
///
/// ```
/// use naive_bayes::{Batch, Kind, Levels};
/// use ndarray::array;
///
/// let x = array![[1.5, 1.0], [f64::NAN, 0.0]];
/// let colour = Levels::from_texts([Some("red"), None]);
/// let batch = Batch::new(2)
///     .matrix(&[("size", Kind::Gaussian), ("sold", Kind::Bernoulli)], &x)?
///     .levels("colour", &colour)?;
/// assert_eq!(batch.n_rows(), 2);
/// # Ok::<(), naive_bayes::NaiveBayesError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Batch<'a> {
    n_rows: usize,
    names: HashSet<String>,
    numbers: Vec<Numbers<'a>>,
    levels: Vec<(String, Cow<'a, Levels>)>,
    documents: Vec<(String, Cow<'a, Documents>)>,
}

/// Columns of a matrix.
#[derive(Debug, Clone)]
struct Numbers<'a> {
    columns: Vec<(String, Kind)>,
    values: Values<'a>,
}

/// A matrix, lent or owned.
#[derive(Debug, Clone)]
enum Values<'a> {
    Lent(&'a ArrayRef2<f64>),
    Owned(Array2<f64>),
}

impl Deref for Values<'_> {
    type Target = ArrayRef2<f64>;

    fn deref(&self) -> &ArrayRef2<f64> {
        match self {
            Self::Lent(values) => values,
            Self::Owned(values) => values,
        }
    }
}

impl<'a> Batch<'a> {
    /// No columns yet.
    #[must_use]
    pub fn new(n_rows: usize) -> Self {
        let names = HashSet::new();
        Self { n_rows, names, numbers: Vec::new(), levels: Vec::new(), documents: Vec::new() }
    }

    /// Adds the columns of `values` `[N, D]`, each with its name and kind.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`], [`NaiveBayesError::RepeatedFeature`], [`NaiveBayesError::NotNumeric`].
    pub fn matrix<S: AsRef<str>>(
        self,
        columns: &[(S, Kind)],
        values: &'a ArrayRef2<f64>,
    ) -> Result<Self, NaiveBayesError> {
        let columns = columns.iter().map(|(name, kind)| (name.as_ref().to_owned(), *kind));
        self.add_numbers(columns.collect(), Values::Lent(values))
    }

    /// Adds one column, a value for each row.
    ///
    /// # Errors
    /// Those of [`matrix`](Self::matrix).
    pub fn column(self, name: &str, kind: Kind, values: Vec<f64>) -> Result<Self, NaiveBayesError> {
        length("values", self.n_rows, values.len(), "row")?;
        let values = Array2::from_shape_vec((self.n_rows, 1), values).unwrap_or_default();
        self.add_numbers(vec![(name.to_owned(), kind)], Values::Owned(values))
    }

    /// Adds one [`Kind::Tag`] column for each different word: 1 in the rows that list it.
    ///
    /// # Errors
    /// Those of [`matrix`](Self::matrix).
    pub fn tags<'w>(
        self,
        lists: impl IntoIterator<Item = impl IntoIterator<Item = &'w str>>,
    ) -> Result<Self, NaiveBayesError> {
        let lists: Vec<Vec<&str>> =
            lists.into_iter().map(|list| list.into_iter().collect()).collect();
        length("lists", self.n_rows, lists.len(), "row")?;
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut columns = Vec::new();
        for word in lists.iter().flatten() {
            known.entry(word).or_insert_with(|| {
                columns.push(((*word).to_owned(), Kind::Tag));
                columns.len() - 1
            });
        }
        let mut values = Array2::zeros((lists.len(), columns.len()));
        for (row, list) in lists.iter().enumerate() {
            list.iter().for_each(|word| values[[row, known[word]]] = 1.0);
        }
        self.add_numbers(columns, Values::Owned(values))
    }

    /// Adds a categorical feature, lent or given.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`], [`NaiveBayesError::RepeatedFeature`].
    pub fn levels(
        mut self,
        name: &str,
        levels: impl Into<Cow<'a, Levels>>,
    ) -> Result<Self, NaiveBayesError> {
        let levels = levels.into();
        length("levels", self.n_rows, levels.len(), "row")?;
        self.reserve(name)?;
        self.levels.push((name.to_owned(), levels));
        Ok(self)
    }

    /// Adds a block of terms with their counts, lent or given.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`], [`NaiveBayesError::RepeatedFeature`].
    pub fn documents(
        mut self,
        name: &str,
        documents: impl Into<Cow<'a, Documents>>,
    ) -> Result<Self, NaiveBayesError> {
        let documents = documents.into();
        length("documents", self.n_rows, documents.n_rows(), "row")?;
        self.reserve(name)?;
        self.documents.push((name.to_owned(), documents));
        Ok(self)
    }

    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Every feature with its kind, numbers first, then levels, then documents.
    pub fn features(&self) -> impl Iterator<Item = (&str, Kind)> {
        let numbers = self.numbers.iter().flat_map(|part| &part.columns);
        numbers
            .map(|(name, kind)| (name.as_str(), *kind))
            .chain(self.levels.iter().map(|(name, _)| (name.as_str(), Kind::Categorical)))
            .chain(self.documents.iter().map(|(name, _)| (name.as_str(), Kind::Multinomial)))
    }

    /// The rows named, in that order.
    ///
    /// # Panics
    /// When a row is beyond the last.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Batch<'static> {
        let numbers = self.numbers.iter().map(|part| Numbers {
            columns: part.columns.clone(),
            values: Values::Owned(part.values.select(Axis(0), rows)),
        });
        let levels = self.levels.iter().map(|(name, levels)| {
            let chosen: Cow<'static, Levels> = Cow::Owned(levels.select(rows));
            (name.clone(), chosen)
        });
        let documents = self.documents.iter().map(|(name, documents)| {
            let chosen: Cow<'static, Documents> = Cow::Owned(documents.select(rows));
            (name.clone(), chosen)
        });
        Batch {
            n_rows: rows.len(),
            names: self.names.clone(),
            numbers: numbers.collect(),
            levels: levels.collect(),
            documents: documents.collect(),
        }
    }

    /// The columns of a kind whose names are kept.
    pub(crate) fn columns(&self, kind: Kind, keep: impl Fn(&str) -> bool) -> Columns<'_> {
        let mut columns = Columns::default();
        for part in &self.numbers {
            for (position, (name, found)) in part.columns.iter().enumerate() {
                if *found == kind && keep(name) {
                    columns.push(name, &part.values, position);
                }
            }
        }
        columns
    }

    pub(crate) fn all_levels(&self) -> impl Iterator<Item = (&str, &Levels)> {
        self.levels.iter().map(|(name, levels)| (name.as_str(), levels.as_ref()))
    }

    pub(crate) fn all_documents(&self) -> impl Iterator<Item = (&str, &Documents)> {
        self.documents.iter().map(|(name, documents)| (name.as_str(), documents.as_ref()))
    }

    fn add_numbers(
        mut self,
        columns: Vec<(String, Kind)>,
        values: Values<'a>,
    ) -> Result<Self, NaiveBayesError> {
        length("values", self.n_rows, values.nrows(), "row")?;
        length("columns", values.ncols(), columns.len(), "column of `values`")?;
        for (name, kind) in &columns {
            if !kind.is_numeric() {
                return Err(NaiveBayesError::NotNumeric { name: name.clone(), kind: *kind });
            }
            self.reserve(name)?;
        }
        self.numbers.push(Numbers { columns, values });
        Ok(self)
    }

    fn reserve(&mut self, name: &str) -> Result<(), NaiveBayesError> {
        match self.names.insert(name.to_owned()) {
            true => Ok(()),
            false => Err(NaiveBayesError::RepeatedFeature { name: name.to_owned() }),
        }
    }
}

impl<'a> From<&'a Levels> for Cow<'a, Levels> {
    fn from(levels: &'a Levels) -> Self {
        Self::Borrowed(levels)
    }
}

impl From<Levels> for Cow<'_, Levels> {
    fn from(levels: Levels) -> Self {
        Self::Owned(levels)
    }
}

impl<'a> From<&'a Documents> for Cow<'a, Documents> {
    fn from(documents: &'a Documents) -> Self {
        Self::Borrowed(documents)
    }
}

impl From<Documents> for Cow<'_, Documents> {
    fn from(documents: Documents) -> Self {
        Self::Owned(documents)
    }
}
