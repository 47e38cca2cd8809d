//! What a predictor adds to the statistics.

use serde::{Deserialize, Serialize};

use crate::error::option;
use crate::priors::{GammaPrior, GaussianPrior};
use crate::{Label, NaiveBayesError};

/// Pseudo-counts and smoothing beyond it would leave no digit of the data.
const LARGEST: f64 = 1e100;

/// Priors, smoothing and what to do with the unknown.
///
/// | option | default | meaning |
/// | --- | --- | --- |
/// | `prior` | [`ClassPrior::Learned`] | probability of each class before a row is seen |
/// | `alpha` | 1 | pseudo-count of each value of Bernoulli, tag, categorical and multinomial features; 0 is the limit α → 0 |
/// | `smoothing` | [`Smoothing::Global`] 1e-9 | what is added to Gaussian variances |
/// | `count_prior` | shape 1, rate 1 | prior of the Poisson rates; shape 0, rate 0 is maximum likelihood |
/// | `count_rule` | [`CountRule::Rate`] | whether counts are predicted with the rate's mean or with its uncertainty |
/// | `unseen` | [`UnseenLevel::Skip`] | what a level means that no class has |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Probability of each class before a row is seen.
    pub prior: ClassPrior,
    /// Pseudo-count of each value.
    pub alpha: f64,
    /// What is added to variances.
    pub smoothing: Smoothing,
    /// Prior of the rates of counts.
    pub count_prior: GammaPrior,
    /// How counts are predicted.
    pub count_rule: CountRule,
    /// What an unseen level means.
    pub unseen: UnseenLevel,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            prior: ClassPrior::Learned,
            alpha: 1.0,
            smoothing: Smoothing::Global(1e-9),
            count_prior: GammaPrior { shape: 1.0, rate: 1.0 },
            count_rule: CountRule::Rate,
            unseen: UnseenLevel::Skip,
        }
    }
}

impl Options {
    /// Maximum likelihood throughout: no pseudo-counts, no variance smoothing, learned priors.
    #[must_use]
    pub fn maximum_likelihood() -> Self {
        let count_prior = GammaPrior { shape: 0.0, rate: 0.0 };
        Self { alpha: 0.0, smoothing: Smoothing::None, count_prior, ..Self::default() }
    }

    pub(crate) fn check(&self) -> Result<(), NaiveBayesError> {
        let not_negative = |value: f64| (0.0..=LARGEST).contains(&value);
        let accepted = "numbers from 0 to 1e100";
        option("alpha", self.alpha, not_negative(self.alpha), accepted)?;
        let GammaPrior { shape, rate } = self.count_prior;
        option("count_prior.shape", shape, not_negative(shape), accepted)?;
        option("count_prior.rate", rate, not_negative(rate), accepted)?;
        if self.count_rule == CountRule::Predictive {
            self.count_prior.check()?;
        }
        match self.smoothing {
            Smoothing::Global(value) | Smoothing::PerFeature(value) => {
                option("smoothing", value, not_negative(value), accepted)
            }
            Smoothing::Predictive(prior) => prior.check(),
            Smoothing::None => Ok(()),
        }
    }
}

/// Probabilities of the classes before a row is seen; n_c is the weight of class c, N of all, C the number of classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ClassPrior {
    /// n_c / N. A class without rows has probability 0 and is never predicted.
    Learned,
    /// (n_c + a) / (N + aC), a ≥ 0.
    Laplace(f64),
    /// 1 / C.
    Uniform,
    /// As given, one value for each class, adding up to 1.
    Given(Vec<(Label, f64)>),
}

/// What is added to Gaussian variances (divisor n) before use.
///
/// Where the total is 0, or within rounding of the pooled mean, it is (2⁻⁵² max(1, |pooled mean|))², the same for all classes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Smoothing {
    /// f times the largest variance of any Gaussian feature over all rows: one number for all features.
    Global(f64),
    /// f times the feature's own variance over all rows.
    PerFeature(f64),
    /// Nothing: maximum likelihood.
    None,
    /// The posterior predictive under a conjugate prior, a Student-t density, in place of the Gaussian.
    Predictive(GaussianPrior),
}

/// How counts are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountRule {
    /// Poisson with the mean of the rate's posterior.
    Rate,
    /// The posterior predictive: negative binomial.
    Predictive,
}

/// What a level means at prediction that no class has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnseenLevel {
    /// The cell counts as missing.
    Skip,
    /// One spare level for all of them: K + 1 in place of K in every denominator.
    Open,
    /// It is an error.
    Refuse,
}
