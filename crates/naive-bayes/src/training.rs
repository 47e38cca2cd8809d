//! Rows with their classes.

use std::borrow::Cow;

use ndarray::ArrayRef1;

use crate::documents::LARGEST_COUNT;
use crate::levels::MISSING;
use crate::{Batch, Levels, NaiveBayesError, error::length};

/// What happens to rows whose class is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unlabelled {
    /// The first such row is an error.
    #[default]
    Refuse,
    /// Such rows are as if they were not there.
    Skip,
}

/// Rows to learn from: a batch, the class of each row and, where rows differ in weight, their weights.
///
/// A row of weight w counts as w rows; one of weight 0 is no row.
///
/// ```
/// use naive_bayes::{Batch, Kind, Levels, Model, Training};
/// use ndarray::array;
///
/// let x = array![[0.1], [0.9], [0.7]];
/// let batch = Batch::new(3).matrix(&[("x", Kind::Gaussian)], &x)?;
/// let classes = Levels::from_integers(&[0, 1, 1]);
/// let mut model = Model::default();
/// model.observe(&Training::new(&batch, &classes)?.weights(&array![2.0, 1.0, 1.0])?)?;
/// assert_eq!(model.total_weight(), 4.0);
/// # Ok::<(), naive_bayes::NaiveBayesError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Training<'a> {
    batch: &'a Batch<'a>,
    classes: &'a Levels,
    weights: Option<Cow<'a, [f64]>>,
    unlabelled: Unlabelled,
}

impl<'a> Training<'a> {
    /// Every row with weight 1; unlabelled rows are refused.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`] unless there is a class for each row.
    pub fn new(batch: &'a Batch<'a>, classes: &'a Levels) -> Result<Self, NaiveBayesError> {
        length("classes", batch.n_rows(), classes.len(), "row")?;
        Ok(Self { batch, classes, weights: None, unlabelled: Unlabelled::Refuse })
    }

    /// Gives each row a weight.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`]; [`NaiveBayesError::Weight`] for one that is negative, not finite, or beyond 2⁵³.
    pub fn weights(mut self, weights: &'a ArrayRef1<f64>) -> Result<Self, NaiveBayesError> {
        length("weights", self.batch.n_rows(), weights.len(), "row")?;
        let bad = |weight: &f64| !(0.0..=LARGEST_COUNT).contains(weight);
        if let Some(row) = weights.iter().position(bad) {
            return Err(NaiveBayesError::Weight { row, found: weights[row] });
        }
        let weights = weights.as_slice().map_or_else(|| weights.to_vec().into(), Cow::Borrowed);
        self.weights = Some(weights);
        Ok(self)
    }

    /// Says what happens to rows without a class.
    #[must_use]
    pub fn unlabelled(mut self, unlabelled: Unlabelled) -> Self {
        self.unlabelled = unlabelled;
        self
    }

    /// The rows without their classes.
    #[must_use]
    pub fn batch(&self) -> &'a Batch<'a> {
        self.batch
    }

    /// The class of each row.
    #[must_use]
    pub fn classes(&self) -> &'a Levels {
        self.classes
    }

    /// The weight of a row.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    pub(crate) fn policy(&self) -> Unlabelled {
        self.unlabelled
    }

    pub(crate) fn all_weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Refuses rows that count and have no class, unless they are skipped.
    pub(crate) fn check_classes(&self) -> Result<(), NaiveBayesError> {
        if self.unlabelled == Unlabelled::Skip {
            return Ok(());
        }
        let mut codes = self.classes.codes().iter().enumerate();
        match codes.find(|(row, code)| **code == MISSING && self.weight(*row) > 0.0) {
            Some((row, _)) => Err(NaiveBayesError::Unlabelled { row }),
            None => Ok(()),
        }
    }
}
