//! A model with priors and smoothing fixed: tables for prediction.

mod binary;
mod categorical;
mod class_prior;
mod contribution;
mod counts;
mod explain;
mod far;
mod gaussian;
mod joint;
mod multinomial;
mod parameters;
mod posterior;
mod run;
mod term;

use std::collections::HashMap;

use ndarray::{Array1, Array2};

use crate::statistics::{Ones, Table};
use crate::{Batch, Kind, Label, Model, NaiveBayesError, Options, UnseenLevel};
use binary::BinaryTable;
use categorical::CategoricalTable;
pub use contribution::Contribution;
use counts::CountTable;
pub use explain::Explanation;
use gaussian::GaussianTable;
use multinomial::MultinomialTable;
pub use parameters::Parameters;
pub use posterior::{Posterior, first_largest};

/// Predicts classes of rows, in log space.
///
/// ```text
/// log p(y = c, x) = log p(c) + Σ_j log p(x_j | c)      over the cells that are there
/// log p(c | x)    = log p(y = c, x) − log Σ_c' p(y = c', x)
/// ```
///
/// Classes are sorted; ties go to the first. A feature the model does not know is ignored, one the batch lacks is missing. A Gaussian
/// feature takes part once every class that can be predicted has a cell of it. Where a class has a pseudo-count of 0 and a value it has never
/// had, probabilities are the limit α → 0: the classes with the fewest such values share all of it.
#[derive(Debug, Clone)]
pub struct Predictor {
    classes: Vec<Label>,
    log_prior: Vec<f64>,
    features: HashMap<String, (Kind, usize)>,
    bernoulli: BinaryTable,
    tags: BinaryTable,
    gaussian: GaussianTable,
    counts: CountTable,
    categorical: Vec<CategoricalTable>,
    multinomial: Vec<MultinomialTable>,
    unseen: UnseenLevel,
}

impl Predictor {
    pub(crate) fn new(model: &Model, options: &Options) -> Result<Self, NaiveBayesError> {
        options.check()?;
        let present = model.classes.present();
        let log_prior = class_prior::log_prior(model, &present, &options.prior)?;
        let all: Vec<usize> = (0..present.len()).collect();
        let live: Vec<usize> =
            all.into_iter().filter(|&class| log_prior[class] > f64::NEG_INFINITY).collect();
        let ones = Table::ones_of_tags(&model.tags, &model.classes.weights);
        let mut predictor = Self {
            classes: present.iter().map(|&class| model.classes.labels()[class].clone()).collect(),
            log_prior,
            features: HashMap::new(),
            bernoulli: BinaryTable::new(&model.bernoulli, &present, options.alpha),
            tags: BinaryTable::new(&ones, &present, options.alpha),
            gaussian: GaussianTable::new(&model.gaussian, &present, options.smoothing),
            counts: CountTable::new(&model.counts, &present, options),
            categorical: model
                .categorical
                .iter()
                .map(|tally| CategoricalTable::new(tally, &present, options))
                .collect(),
            multinomial: model
                .multinomial
                .iter()
                .map(|tally| MultinomialTable::new(tally, &present, options.alpha))
                .collect(),
            unseen: options.unseen,
        };
        predictor.features = predictor.used(model, &live);
        Ok(predictor)
    }

    /// The features that take part.
    fn used(&self, model: &Model, live: &[usize]) -> HashMap<String, (Kind, usize)> {
        let takes_part = |kind: Kind, at: usize| match kind {
            Kind::Gaussian => self.gaussian.is_known(at, live),
            Kind::Count => self.counts.is_known(at, live),
            _ => true,
        };
        let features = model.features.iter();
        features
            .filter(|(_, kind, at)| !model.is_empty(*kind, *at) && takes_part(*kind, *at))
            .map(|(name, kind, at)| (name.to_owned(), (kind, at)))
            .collect()
    }

    /// The classes, sorted: the columns of every result.
    #[must_use]
    pub fn classes(&self) -> &[Label] {
        &self.classes
    }

    /// log p(c) for each class, −∞ for one that is never predicted.
    #[must_use]
    pub fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    /// Whether a feature takes part in predictions.
    #[must_use]
    pub fn uses(&self, feature: &str) -> bool {
        self.features.contains_key(feature)
    }

    /// log p(y = c, x) `[T, C]`, −∞ where it is impossible. Multinomial coefficients are left out, as they are the same for all classes.
    ///
    /// # Errors
    /// A cell its kind cannot have, a feature of another kind than in the model, an unseen level where the options refuse it.
    pub fn joint_log_likelihood(&self, batch: &Batch<'_>) -> Result<Array2<f64>, NaiveBayesError> {
        let mut joint = Array2::zeros((batch.n_rows(), self.classes.len()));
        let out = joint.as_slice_mut().unwrap_or_default();
        self.run(batch, joint::Mode::Absolute, self.classes.len(), out, |mut row, out| {
            row.exclude_impossible();
            out.copy_from_slice(row.log);
        })?;
        Ok(joint)
    }

    /// log p(c | x) and log p(x) in one pass.
    ///
    /// # Errors
    /// Those of [`joint_log_likelihood`](Self::joint_log_likelihood).
    pub fn posterior(&self, batch: &Batch<'_>) -> Result<Posterior, NaiveBayesError> {
        let log_proba = self.log_proba(batch)?;
        let joint = self.joint_log_likelihood(batch)?;
        let log_evidence =
            joint.rows().into_iter().map(|row| posterior::log_sum_exp(&row.to_vec()));
        Ok(Posterior { log_evidence: log_evidence.collect(), log_proba })
    }

    /// log p(c | x) `[T, C]`; rows of probabilities add up to 1.
    ///
    /// # Errors
    /// Those of [`joint_log_likelihood`](Self::joint_log_likelihood).
    pub fn log_proba(&self, batch: &Batch<'_>) -> Result<Array2<f64>, NaiveBayesError> {
        let mut result = Array2::zeros((batch.n_rows(), self.classes.len()));
        let out = result.as_slice_mut().unwrap_or_default();
        self.run(batch, joint::Mode::Relative, self.classes.len(), out, |mut row, out| {
            row.keep_most_possible();
            posterior::normalise(row.log);
            out.copy_from_slice(row.log);
        })?;
        Ok(result)
    }

    /// p(c | x) `[T, C]`.
    ///
    /// # Errors
    /// Those of [`joint_log_likelihood`](Self::joint_log_likelihood).
    pub fn proba(&self, batch: &Batch<'_>) -> Result<Array2<f64>, NaiveBayesError> {
        let mut result = Array2::zeros((batch.n_rows(), self.classes.len()));
        let out = result.as_slice_mut().unwrap_or_default();
        self.run(batch, joint::Mode::Relative, self.classes.len(), out, |mut row, out| {
            row.keep_most_possible();
            posterior::probabilities(row.log, out);
        })?;
        Ok(result)
    }

    /// The most probable class of each row, as a position in [`classes`](Self::classes).
    ///
    /// # Errors
    /// Those of [`joint_log_likelihood`](Self::joint_log_likelihood).
    pub fn predict(&self, batch: &Batch<'_>) -> Result<Vec<usize>, NaiveBayesError> {
        let mut best = vec![0; batch.n_rows()];
        self.run(batch, joint::Mode::Relative, 1, &mut best, |mut row, out| {
            row.keep_most_possible();
            out[0] = posterior::first_largest(row.log);
        })?;
        Ok(best)
    }

    /// log p(second class | x) − log p(first class | x) of a model with two classes: finite where the probability rounds to 0 or 1.
    ///
    /// # Errors
    /// [`NaiveBayesError::NotBinary`], and those of [`joint_log_likelihood`](Self::joint_log_likelihood).
    pub fn log_odds(&self, batch: &Batch<'_>) -> Result<Array1<f64>, NaiveBayesError> {
        if self.classes.len() != 2 {
            return Err(NaiveBayesError::NotBinary { classes: self.classes.len() });
        }
        let mut odds = vec![0.0; batch.n_rows()];
        self.run(batch, joint::Mode::Relative, 1, &mut odds, |mut row, out| {
            row.keep_most_possible();
            out[0] = row.log[1] - row.log[0];
        })?;
        Ok(Array1::from(odds))
    }
}

impl Table<Ones> {
    /// Tags as if every row of a class had said yes or no.
    fn ones_of_tags(tags: &Table<crate::statistics::Tags>, weights: &[f64]) -> Self {
        let mut table = Self::new(weights.len(), tags.width());
        for (class, &n) in weights.iter().enumerate() {
            for (feature, cell) in table.row(class).iter_mut().enumerate() {
                *cell = Ones { ones: tags.get(class, feature).ones, n };
            }
        }
        table
    }
}
