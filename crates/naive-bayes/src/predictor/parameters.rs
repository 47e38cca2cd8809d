//! Fitted parameters, to look at.

use super::Predictor;
use super::counts::Rate;
use super::gaussian::Density;
use crate::{Kind, Label, NaiveBayesError};

/// The parameters of a feature; vectors are by class, in the order of [`Predictor::classes`].
#[derive(Debug, Clone, PartialEq)]
pub enum Parameters {
    /// θ: the probability of 1.
    Bernoulli {
        /// Of each class.
        theta: Vec<f64>,
    },
    /// Mean and variance.
    Gaussian {
        /// Of each class.
        mean: Vec<f64>,
        /// Of each class, smoothing included.
        variance: Vec<f64>,
        /// What smoothing added.
        epsilon: f64,
    },
    /// A Student-t predictive.
    StudentT {
        /// Degrees of freedom of each class.
        degrees: Vec<f64>,
        /// Centre of each class.
        location: Vec<f64>,
        /// Scale of each class.
        scale: Vec<f64>,
    },
    /// Rate of a Poisson or, with its uncertainty, mean of a negative binomial.
    Count {
        /// Of each class.
        rate: Vec<f64>,
    },
    /// Probabilities of levels.
    Categorical {
        /// The levels, sorted.
        levels: Vec<Label>,
        /// By class, then level.
        probabilities: Vec<Vec<f64>>,
    },
    /// Probabilities of terms.
    Multinomial {
        /// The terms, `None` when they are numbered.
        terms: Option<Vec<Label>>,
        /// By class, then term.
        probabilities: Vec<Vec<f64>>,
    },
}

impl Predictor {
    /// The parameters of a feature that takes part in predictions.
    ///
    /// # Errors
    /// [`NaiveBayesError::UnknownFeature`].
    pub fn parameters(&self, feature: &str) -> Result<Parameters, NaiveBayesError> {
        let unknown = || NaiveBayesError::UnknownFeature { name: feature.to_owned() };
        let &(kind, at) = self.features.get(feature).ok_or_else(unknown)?;
        Ok(match kind {
            Kind::Bernoulli => Parameters::Bernoulli { theta: self.thetas(&self.bernoulli, at) },
            Kind::Tag => Parameters::Bernoulli { theta: self.thetas(&self.tags, at) },
            Kind::Gaussian => self.densities(at),
            Kind::Count => {
                Parameters::Count { rate: self.by_class(|c| rate(self.counts.rate(c, at))) }
            }
            Kind::Categorical => self.level_probabilities(at),
            Kind::Multinomial => Parameters::Multinomial {
                terms: self.multinomial[at].names(),
                probabilities: (0..self.classes.len())
                    .map(|class| self.multinomial[at].terms(class).map(f64::exp).collect())
                    .collect(),
            },
        })
    }

    fn by_class(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..self.classes.len()).map(value).collect()
    }

    fn thetas(&self, table: &super::BinaryTable, at: usize) -> Vec<f64> {
        self.by_class(|class| {
            let one = table.terms(class, at)[1];
            if one.order > 0.0 { 0.0 } else { one.log.exp() }
        })
    }

    fn densities(&self, at: usize) -> Parameters {
        let density = |class| self.gaussian.density(class, at);
        if matches!(density(0), Density::Student(_)) {
            let student = |class| match density(class) {
                Density::Student(student) => student,
                _ => crate::priors::StudentT::default(),
            };
            return Parameters::StudentT {
                degrees: self.by_class(|class| student(class).degrees),
                location: self.by_class(|class| student(class).location),
                scale: self.by_class(|class| student(class).inverse_scale.recip()),
            };
        }
        let normal = |class| match density(class) {
            Density::Normal { mean, variance } => (mean, variance),
            _ => (f64::NAN, f64::NAN),
        };
        Parameters::Gaussian {
            mean: self.by_class(|class| normal(class).0),
            variance: self.by_class(|class| normal(class).1),
            epsilon: self.gaussian.epsilon(at),
        }
    }

    fn level_probabilities(&self, at: usize) -> Parameters {
        let mut levels: Vec<_> = self.categorical[at].levels().collect();
        levels.sort_unstable_by_key(|(label, _)| *label);
        let probability = |class: usize| {
            let term = |(_, terms): &(&Label, &[super::term::Term])| {
                if terms[class].order > 0.0 { 0.0 } else { terms[class].log.exp() }
            };
            levels.iter().map(term).collect()
        };
        Parameters::Categorical {
            probabilities: (0..self.classes.len()).map(probability).collect(),
            levels: levels.iter().map(|(label, _)| (*label).clone()).collect(),
        }
    }
}

fn rate(rate: Rate) -> f64 {
    match rate {
        Rate::Unknown => f64::NAN,
        Rate::Mean(rate) => rate,
        Rate::Zero(_) => 0.0,
        Rate::Predictive(shape, rate) => shape / rate,
    }
}
