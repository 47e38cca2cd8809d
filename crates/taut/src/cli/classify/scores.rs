//! Scores of predictions, gathered chunk by chunk.

use naive_bayes::evaluation::{Calibration, Confusion, Ranking};
use naive_bayes::{Label, first_largest};
use ndarray::ArrayView1;

use crate::cli::failure::Failure;

/// What is known of predictions so far. The confusion matrix and sums take no memory for a row; scores of a class that is ranked, and
/// confidences, take nine bytes each.
pub(super) struct Scores {
    /// Those of the model, then those that only the table has.
    classes: Vec<Label>,
    /// Those of the model.
    known: usize,
    /// The class that is ranked.
    positive: Option<usize>,
    counts: Vec<Vec<u64>>,
    loss: f64,
    squares: f64,
    /// Log odds of the ranked class, or the logarithm of the predicted class's probability.
    scores: Vec<f64>,
    hits: Vec<bool>,
}

impl Scores {
    pub(super) fn new(classes: &[Label], positive: Option<usize>) -> Self {
        Self {
            classes: classes.to_vec(),
            known: classes.len(),
            positive,
            counts: vec![vec![0; classes.len()]; classes.len()],
            loss: 0.0,
            squares: 0.0,
            scores: Vec::new(),
            hits: Vec::new(),
        }
    }

    /// Adds a row: its class and log p(c | x) for each class of the model.
    pub(super) fn add(&mut self, label: &Label, log_proba: ArrayView1<'_, f64>) {
        let actual = self.position(label);
        let log = log_proba.to_slice().unwrap_or_default();
        let predicted = first_largest(log);
        self.counts[actual][predicted] += 1;
        self.loss -= log.get(actual).copied().unwrap_or(f64::NEG_INFINITY);
        let off = |(class, log): (usize, &f64)| {
            (log.exp() - f64::from(u8::from(class == actual))).powi(2)
        };
        let unknown = f64::from(u8::from(actual >= self.known));
        self.squares += unknown + log.iter().enumerate().map(off).sum::<f64>();
        match self.positive {
            Some(positive) => {
                self.scores.push(log_odds(log, positive));
                self.hits.push(actual == positive);
            }
            None => {
                self.scores.push(log[predicted]);
                self.hits.push(actual == predicted);
            }
        }
    }

    fn position(&mut self, label: &Label) -> usize {
        if let Some(known) = self.classes.iter().position(|class| class == label) {
            return known;
        }
        self.classes.push(label.clone());
        self.counts.push(vec![0; self.known]);
        self.classes.len() - 1
    }

    pub(super) fn n(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// Rows of classes that the model does not have.
    pub(super) fn unknown_rows(&self) -> u64 {
        self.counts[self.known..].iter().flatten().sum()
    }

    /// Every class, sorted, with the confusion matrix in that order: rows actual, columns predicted.
    pub(super) fn confusion(&self) -> Result<(Vec<Label>, Confusion), Failure> {
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.sort_by(|&a, &b| self.classes[a].cmp(&self.classes[b]));
        // Columns of classes that the model does not have are never predicted.
        let cell = |&actual: &usize, &predicted: &usize| {
            self.counts[actual].get(predicted).copied().unwrap_or(0)
        };
        let row = |actual| order.iter().map(|predicted| cell(actual, predicted)).collect();
        let matrix = order.iter().map(row).collect();
        let classes = order.iter().map(|&class| self.classes[class].clone()).collect();
        Ok((classes, Confusion::from_matrix(matrix)?))
    }

    /// Mean of −log p(actual class), in nats; infinite when one had probability 0.
    pub(super) fn log_loss(&self) -> f64 {
        self.loss / self.n() as f64
    }

    /// With two classes the mean of (p − t)², with more that of Σ_c (p_c − t_c)².
    pub(super) fn brier(&self) -> f64 {
        let share = if self.classes.len() == 2 { 0.5 } else { 1.0 };
        share * self.squares / self.n() as f64
    }

    /// The class that is ranked, with its ranking by log odds.
    pub(super) fn ranking(&self) -> Result<Option<(Label, Ranking)>, Failure> {
        let Some(positive) = self.positive else { return Ok(None) };
        let ranking = Ranking::new(&self.scores, &self.hits)?;
        Ok(Some((self.classes[positive].clone(), ranking)))
    }

    /// Of the ranked class, or of the predicted one.
    pub(super) fn calibration(&self, bins: usize) -> Result<Calibration, Failure> {
        let probability = |score: &f64| match self.positive {
            Some(_) => 1.0 / (1.0 + (-score).exp()),
            None => score.exp(),
        };
        let proba: Vec<f64> = self.scores.iter().map(probability).collect();
        Ok(Calibration::new(&proba, &self.hits, bins)?)
    }
}

/// log p(class) − log p(any other class).
fn log_odds(log: &[f64], class: usize) -> f64 {
    let others = log.iter().enumerate().filter(|(other, _)| *other != class).map(|(_, log)| *log);
    let largest = others.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return f64::INFINITY;
    }
    log[class] - (largest + others.map(|log| (log - largest).exp()).sum::<f64>().ln())
}
