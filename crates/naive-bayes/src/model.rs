//! The model: statistics of everything observed.

mod features;
mod terms;
mod update;

use serde::{Deserialize, Serialize};

use crate::classes::Classes;
use crate::saved::Saved;
use crate::statistics::{Cell, Counts, Moments, Ones, Table, Tags, Tally};
use crate::{Evidence, EvidencePriors, Kind, Label, NaiveBayesError, Options, Predictor, Training};
use features::Features;

/// A naive Bayes model as sufficient statistics of the rows it has observed.
///
/// It holds no smoothing and no prior: these are [`Options`] of a [`Predictor`], so that changing them never needs the data again.
/// Its size depends on classes, features, levels and terms, not on rows. Classes, features and levels may appear at any time.
///
/// ```text
/// observe(A), observe(B)  =  observe(A ∪ B)  =  merge(model of A, model of B)
/// ```
///
/// exactly for counts below 2⁵³ and up to rounding for moments. Serialises to a versioned form through `serde`.
///
/// ```
/// use naive_bayes::{Batch, Kind, Label, Levels, Model, Options, Training};
/// use ndarray::array;
///
/// let x = array![[1.0, 0.0], [3.0, 1.0], [1.5, 1.0], [2.5, 0.0]];
/// let columns = [("length", Kind::Gaussian), ("ripe", Kind::Bernoulli)];
/// let batch = Batch::new(4).matrix(&columns, &x)?;
/// let classes = Levels::from_texts(["pear", "fig", "pear", "fig"].map(Some));
///
/// let mut model = Model::default();
/// model.observe(&Training::new(&batch, &classes)?)?;
/// let predictor = model.predictor(&Options::default())?;
/// assert_eq!(predictor.classes(), [Label::from("fig"), Label::from("pear")]);
/// assert_eq!(predictor.predict(&batch)?, [1, 0, 1, 0]);
/// # Ok::<(), naive_bayes::NaiveBayesError>(())
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(into = "Saved", try_from = "Saved")]
pub struct Model {
    pub(crate) classes: Classes,
    pub(crate) features: Features,
    pub(crate) bernoulli: Table<Ones>,
    pub(crate) tags: Table<Tags>,
    pub(crate) gaussian: Table<Moments>,
    pub(crate) counts: Table<Counts>,
    pub(crate) categorical: Vec<Tally>,
    pub(crate) multinomial: Vec<Tally>,
}

/// A feature of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureSummary {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Different levels or terms seen, for kinds that have any.
    pub labels: Option<usize>,
    /// Whether no cell of positive weight is left of it; such a feature is not used.
    pub is_empty: bool,
}

impl Model {
    /// Learns from rows, in time proportional to their number.
    ///
    /// # Errors
    /// A cell its kind cannot have, a missing class, a feature of another kind than before; the model is then as it was.
    pub fn observe(&mut self, training: &Training<'_>) -> Result<(), NaiveBayesError> {
        self.learn(training)
    }

    /// Forgets rows observed before, in any order and grouping: the result is that of never having observed them, exactly for counts,
    /// while moments lose digits when what is left varies far less than what is taken.
    ///
    /// # Errors
    /// Those of [`observe`](Self::observe), and [`NaiveBayesError::NotLearned`] when counts would become negative; the model is then as it
    /// was.
    pub fn forget(&mut self, training: &Training<'_>) -> Result<(), NaiveBayesError> {
        let mut taken = Self::default();
        taken.observe(training)?;
        self.subtract(&taken)
    }

    /// Adds what another model has observed, which may know other classes, features and levels.
    ///
    /// # Errors
    /// [`NaiveBayesError::KindMismatch`], [`NaiveBayesError::TermNames`]; the model is then as it was.
    pub fn merge(&mut self, other: &Self) -> Result<(), NaiveBayesError> {
        self.add(other)
    }

    /// Takes out what another model has observed: the inverse of [`merge`](Self::merge).
    ///
    /// # Errors
    /// Those of [`merge`](Self::merge), and [`NaiveBayesError::NotLearned`]; the model is then as it was.
    pub fn subtract(&mut self, other: &Self) -> Result<(), NaiveBayesError> {
        let mut left = self.clone();
        left.take_out(other)?;
        *self = left;
        Ok(())
    }

    /// Multiplies the weight of everything observed so far by `factor`: rows to come count for more.
    ///
    /// # Errors
    /// [`NaiveBayesError::Option`] unless 0 < factor ≤ 1.
    pub fn decay(&mut self, factor: f64) -> Result<(), NaiveBayesError> {
        let accepted = "numbers above 0 and up to 1";
        crate::error::option("factor", factor, factor > 0.0 && factor <= 1.0, accepted)?;
        self.classes.weights.iter_mut().for_each(|weight| *weight *= factor);
        self.bernoulli.scale(factor);
        self.tags.scale(factor);
        self.gaussian.scale(factor);
        self.counts.scale(factor);
        self.categorical.iter_mut().chain(&mut self.multinomial).for_each(|t| t.scale(factor));
        Ok(())
    }

    /// Makes a class known that may never be observed.
    pub fn declare_class(&mut self, class: impl Into<Label>) {
        self.classes.declare(&class.into());
        self.make_room();
    }

    /// Removes a feature: the result is that of never having observed it.
    ///
    /// # Errors
    /// [`NaiveBayesError::UnknownFeature`].
    pub fn remove_feature(&mut self, name: &str) -> Result<(), NaiveBayesError> {
        let Some((kind, at)) = self.features.remove(name) else {
            return Err(NaiveBayesError::UnknownFeature { name: name.to_owned() });
        };
        match kind {
            Kind::Bernoulli => self.bernoulli.drop_feature(at),
            Kind::Tag => self.tags.drop_feature(at),
            Kind::Gaussian => self.gaussian.drop_feature(at),
            Kind::Count => self.counts.drop_feature(at),
            Kind::Categorical => drop(self.categorical.remove(at)),
            Kind::Multinomial => drop(self.multinomial.remove(at)),
        }
        Ok(())
    }

    /// Keeps the features named and removes all others.
    ///
    /// # Errors
    /// [`NaiveBayesError::UnknownFeature`] for a name the model does not have.
    pub fn with_features<S: AsRef<str>>(&self, names: &[S]) -> Result<Self, NaiveBayesError> {
        let mut kept = self.clone();
        let keep: std::collections::HashSet<&str> = names.iter().map(AsRef::as_ref).collect();
        if let Some(unknown) = names.iter().find(|name| self.features.find(name.as_ref()).is_none())
        {
            return Err(NaiveBayesError::UnknownFeature { name: unknown.as_ref().to_owned() });
        }
        for (name, ..) in self.features.iter().filter(|(name, ..)| !keep.contains(name)) {
            kept.remove_feature(name)?;
        }
        Ok(kept)
    }

    /// The classes that have rows or were declared, sorted, with the weight of their rows.
    #[must_use]
    pub fn classes(&self) -> Vec<(&Label, f64)> {
        let present = self.classes.present().into_iter();
        present.map(|class| (&self.classes.labels()[class], self.classes.weights[class])).collect()
    }

    /// Weight of all rows: their number when none was weighted.
    #[must_use]
    pub fn total_weight(&self) -> f64 {
        self.classes.weights.iter().sum()
    }

    /// Every feature, in the order of first sight.
    #[must_use]
    pub fn features(&self) -> Vec<FeatureSummary> {
        let summary = |(name, kind, at): (&str, Kind, usize)| FeatureSummary {
            name: name.to_owned(),
            kind,
            labels: self.tally(kind, at).map(Tally::width),
            is_empty: self.is_empty(kind, at),
        };
        self.features.iter().map(summary).collect()
    }

    /// Fixes priors and smoothing, ready to predict.
    ///
    /// # Errors
    /// Options outside their range, a prior that does not fit the classes, no class at all.
    pub fn predictor(&self, options: &Options) -> Result<Predictor, NaiveBayesError> {
        Predictor::new(self, options)
    }

    /// The log marginal likelihood under conjugate priors, by feature and in total.
    ///
    /// # Errors
    /// A prior outside its range; no class at all.
    pub fn evidence(&self, priors: &EvidencePriors) -> Result<Evidence, NaiveBayesError> {
        Evidence::new(self, priors)
    }

    pub(crate) fn tally(&self, kind: Kind, at: usize) -> Option<&Tally> {
        match kind {
            Kind::Categorical => self.categorical.get(at),
            Kind::Multinomial => self.multinomial.get(at),
            _ => None,
        }
    }

    /// Whether no cell of positive weight is left of a feature.
    pub(crate) fn is_empty(&self, kind: Kind, at: usize) -> bool {
        match kind {
            Kind::Bernoulli => self.bernoulli.column(at).all(Cell::is_empty),
            Kind::Tag => self.tags.column(at).all(Cell::is_empty),
            Kind::Gaussian => self.gaussian.column(at).all(Cell::is_empty),
            Kind::Count => self.counts.column(at).all(Cell::is_empty),
            Kind::Categorical => self.categorical[at].is_empty(),
            Kind::Multinomial => self.multinomial[at].is_empty(),
        }
    }
}
