//! Complement scores of documents.

use ndarray::{Array2, ArrayRef2};

use crate::error::option;
use crate::{Documents, Kind, Label, Model, NaiveBayesError};

/// Scores documents by how badly they fit the other classes: steadier than multinomial naive Bayes where classes differ in size.
///
/// ```text
/// w_ct = −log (N_t − N_ct + α)/(N − N_c + αV),   score_c(x) = Σ_t x_t w_ct,
/// w_ct / Σ_t |w_ct| when normalised (there with the opposite sign first, as in the source)
/// ```
///
/// Scores are not log probabilities. Source: Rennie, Shih, Teevan & Karger (2003), table 4.
#[derive(Debug, Clone)]
pub struct Complement {
    classes: Vec<Label>,
    weights: Array2<f64>,
}

impl Complement {
    /// From a block of numbered terms.
    ///
    /// # Errors
    /// [`NaiveBayesError::UnknownFeature`] unless the model has a block of that name; [`NaiveBayesError::TermNames`] when its terms are named;
    /// [`NaiveBayesError::Option`] unless α is finite and positive.
    pub fn new(
        model: &Model,
        block: &str,
        alpha: f64,
        normalised: bool,
    ) -> Result<Self, NaiveBayesError> {
        option("alpha", alpha, alpha.is_finite() && alpha > 0.0, "finite numbers above 0")?;
        let unknown = || NaiveBayesError::UnknownFeature { name: block.to_owned() };
        let known = model.features.find(block).filter(|(kind, _)| *kind == Kind::Multinomial);
        let tally = &model.multinomial[known.ok_or_else(unknown)?.1];
        if tally.labels().is_some() {
            return Err(NaiveBayesError::TermNames { name: block.to_owned() });
        }
        let present = model.classes.present();
        let count = |(class, term): (usize, usize)| {
            (tally.column_total(term) - tally.get(present[class], term)).max(0.0) + alpha
        };
        let mut weights = Array2::from_shape_fn((present.len(), tally.width()), count);
        for mut row in weights.rows_mut() {
            let total = row.sum();
            row.mapv_inplace(|count| -(count / total).ln());
            if normalised {
                let total = row.sum();
                row.mapv_inplace(|weight| weight / total);
            }
        }
        let label = |&class: &usize| model.classes.labels()[class].clone();
        Ok(Self { classes: present.iter().map(label).collect(), weights })
    }

    /// The classes, sorted.
    #[must_use]
    pub fn classes(&self) -> &[Label] {
        &self.classes
    }

    /// Weights `[C, V]`.
    #[must_use]
    pub fn weights(&self) -> &ArrayRef2<f64> {
        &self.weights
    }

    /// Scores `[T, C]`; terms the model does not know count for nothing.
    #[must_use]
    pub fn scores(&self, documents: &Documents) -> Array2<f64> {
        let mut scores = Array2::zeros((documents.n_rows(), self.classes.len()));
        for (row, mut scores) in scores.rows_mut().into_iter().enumerate() {
            let (terms, counts) = documents.row(row);
            for (&term, count) in terms.iter().zip(counts) {
                if (term as usize) < self.weights.ncols() {
                    let weights = self.weights.column(term as usize);
                    scores.zip_mut_with(&weights, |score, weight| *score += count * weight);
                }
            }
        }
        scores
    }

    /// The class with the largest score for each document, the first of those that tie.
    #[must_use]
    pub fn predict(&self, documents: &Documents) -> Vec<usize> {
        let scores = self.scores(documents);
        let largest = |row: ndarray::ArrayView1<'_, f64>| {
            let better =
                |best: usize, class: usize| if row[class] > row[best] { class } else { best };
            (0..row.len()).fold(0, better)
        };
        scores.rows().into_iter().map(largest).collect()
    }
}
