//! Which class was taken for which.

use serde::Serialize;

use crate::NaiveBayesError;
use crate::error::length;

/// Rows by actual class (rows of the matrix) and predicted class (columns). Ratios without a denominator are `None`.
///
/// ```
/// use naive_bayes::evaluation::Confusion;
///
/// let confusion = Confusion::new(&[0, 0, 1], &[0, 1, 1], 2)?;
/// assert_eq!(confusion.matrix(), [[1, 1], [0, 1]]);
/// assert_eq!(confusion.precision(1), Some(0.5));
/// # Ok::<(), naive_bayes::NaiveBayesError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Confusion {
    matrix: Vec<Vec<u64>>,
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl Confusion {
    /// Counts pairs of classes, given as positions below `n_classes`.
    ///
    /// # Errors
    /// [`NaiveBayesError::Empty`], [`NaiveBayesError::Length`], [`NaiveBayesError::Index`].
    pub fn new(
        actual: &[usize],
        predicted: &[usize],
        n_classes: usize,
    ) -> Result<Self, NaiveBayesError> {
        length("predicted", actual.len(), predicted.len(), "row")?;
        if actual.is_empty() {
            return Err(NaiveBayesError::Empty { argument: "actual" });
        }
        for (argument, classes) in [("actual", actual), ("predicted", predicted)] {
            if let Some(position) = classes.iter().position(|&class| class >= n_classes) {
                let (found, accepted) = (classes[position], "positions below `n_classes`");
                return Err(NaiveBayesError::Index { argument, position, found, accepted });
            }
        }
        let mut matrix = vec![vec![0; n_classes]; n_classes];
        actual.iter().zip(predicted).for_each(|(&a, &p)| matrix[a][p] += 1);
        Ok(Self { matrix })
    }

    /// From counts made elsewhere: rows actual, columns predicted, as many of either.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`] for a row of another length than there are rows; [`NaiveBayesError::Empty`] without a row counted.
    pub fn from_matrix(matrix: Vec<Vec<u64>>) -> Result<Self, NaiveBayesError> {
        matrix.iter().try_for_each(|row| length("matrix", matrix.len(), row.len(), "class"))?;
        if matrix.iter().flatten().all(|count| *count == 0) {
            return Err(NaiveBayesError::Empty { argument: "matrix" });
        }
        Ok(Self { matrix })
    }

    /// The counts: rows actual, columns predicted.
    #[must_use]
    pub fn matrix(&self) -> &[Vec<u64>] {
        &self.matrix
    }

    /// Number of rows counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.matrix.iter().flatten().sum()
    }

    /// Share of rows predicted rightly.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        let right: u64 = (0..self.matrix.len()).map(|class| self.matrix[class][class]).sum();
        right as f64 / self.total() as f64
    }

    /// Of the rows predicted as a class, the share that are of it.
    #[must_use]
    pub fn precision(&self, class: usize) -> Option<f64> {
        let row = self.matrix.get(class)?;
        ratio(row[class], self.matrix.iter().map(|row| row[class]).sum())
    }

    /// Of the rows of a class, the share predicted as it.
    #[must_use]
    pub fn recall(&self, class: usize) -> Option<f64> {
        let row = self.matrix.get(class)?;
        ratio(row[class], row.iter().sum())
    }

    /// 2 TP / (2 TP + FP + FN).
    #[must_use]
    pub fn f1(&self, class: usize) -> Option<f64> {
        let row = self.matrix.get(class)?;
        let column: u64 = self.matrix.iter().map(|row| row[class]).sum();
        ratio(2 * row[class], row.iter().sum::<u64>() + column)
    }

    /// Mean of [`f1`](Self::f1) over the classes that have one.
    #[must_use]
    pub fn macro_f1(&self) -> Option<f64> {
        let scores: Vec<f64> = (0..self.matrix.len()).filter_map(|class| self.f1(class)).collect();
        (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
    }

    /// Matthews' correlation coefficient, for any number of classes.
    ///
    /// ```text
    /// (c s − Σ_k p_k t_k) / √((s² − Σ p_k²)(s² − Σ t_k²))
    /// ```
    ///
    /// with c rows right, s rows, p_k predicted and t_k actual of class k. Source: Gorodkin (2004), eq. 8.
    #[must_use]
    pub fn mcc(&self) -> Option<f64> {
        let classes = 0..self.matrix.len();
        let actual: Vec<f64> =
            self.matrix.iter().map(|row| row.iter().sum::<u64>() as f64).collect();
        let predicted: Vec<f64> = classes
            .map(|class| self.matrix.iter().map(|row| row[class]).sum::<u64>() as f64)
            .collect();
        let total = self.total() as f64;
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let spread = |a: &[f64]| total * total - product(a, a);
        let whole = (spread(&predicted) * spread(&actual)).sqrt();
        let right = self.accuracy() * total;
        (whole > 0.0).then(|| (right * total - product(&predicted, &actual)) / whole)
    }
}
