//! Conjugate priors.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::error::option;
use crate::special::{ln_gamma, ln_rising};
use crate::statistics::{Counts, Moments};
use crate::{Label, NaiveBayesError};

const POSITIVE: &str = "finite numbers above 0";

fn positive(name: &'static str, value: f64) -> Result<(), NaiveBayesError> {
    option(name, value, value.is_finite() && value > 0.0, POSITIVE)
}

/// Positive pseudo-counts, each label once.
fn each_once(name: &'static str, listed: &[(Label, f64)]) -> Result<(), NaiveBayesError> {
    let mut seen = HashSet::new();
    listed.iter().try_for_each(|(label, value)| {
        positive(name, *value)?;
        option(name, *value, seen.insert(label), "one pseudo-count for each label")
    })
}

/// Gamma prior of a Poisson rate: mean shape / rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GammaPrior {
    /// Shape, a count seen beforehand.
    pub shape: f64,
    /// Rate, the cells it was seen in.
    pub rate: f64,
}

impl GammaPrior {
    pub(crate) fn check(&self) -> Result<(), NaiveBayesError> {
        positive("count_prior.shape", self.shape)?;
        positive("count_prior.rate", self.rate)
    }

    /// a log b − log Γ(a) + log Γ(a+S) − (a+S) log(b+n) − Σ log x!
    pub(crate) fn ln_evidence(&self, counts: &Counts) -> f64 {
        let Self { shape, rate } = *self;
        let Counts { n, sum, ln_factorials } = *counts;
        ln_rising(shape, sum) - shape * (n / rate).ln_1p() - sum * (rate + n).ln() - ln_factorials
    }
}

/// Normal-inverse-gamma prior of mean and variance.
///
/// ```text
/// μ | v ~ N(m0, v/k0),   v ~ InverseGamma(a0, b0)
/// k_n = k0 + n,   m_n = (k0 m0 + n x̄)/k_n,   a_n = a0 + n/2,   b_n = b0 + M2/2 + k0 n (x̄ − m0)²/(2 k_n)
/// ```
///
/// Source: Murphy (2007), *Conjugate Bayesian analysis of the Gaussian distribution*, eq. 85–89.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NormalInverseGamma {
    /// Mean of the mean.
    pub m0: f64,
    /// Cells the mean is worth.
    pub k0: f64,
    /// Shape of the variance: half the cells it is worth.
    pub a0: f64,
    /// Scale of the variance, in squared units.
    pub b0: f64,
}

impl NormalInverseGamma {
    pub(crate) fn check(&self) -> Result<(), NaiveBayesError> {
        option("m0", self.m0, self.m0.is_finite(), "finite numbers")?;
        positive("k0", self.k0)?;
        positive("a0", self.a0)?;
        positive("b0", self.b0)
    }

    /// Given cells.
    pub(crate) fn posterior(&self, cells: &Moments) -> Self {
        let Moments { n, mean, m2, .. } = *cells;
        let k = self.k0 + n;
        let off = mean - self.m0;
        let spread = if n == 0.0 { 0.0 } else { self.k0 * n * off * off / (2.0 * k) };
        let m0 = if n == 0.0 { self.m0 } else { self.m0 + n * off / k };
        Self { m0, k0: k, a0: self.a0 + n / 2.0, b0: self.b0 + m2 / 2.0 + spread }
    }

    /// log Γ(a_n) − log Γ(a0) + a0 log b0 − a_n log b_n + ½ log(k0/k_n) − (n/2) log 2π
    pub(crate) fn ln_evidence(&self, cells: &Moments) -> f64 {
        let after = self.posterior(cells);
        let half = cells.n / 2.0;
        let scale = self.a0 * (self.b0 / after.b0).ln() - half * after.b0.ln();
        ln_rising(self.a0, half) + scale + 0.5 * (self.k0 / after.k0).ln()
            - half * (2.0 * std::f64::consts::PI).ln()
    }

    /// The predictive density of a cell: degrees of freedom, location, inverse scale, log normaliser.
    pub(crate) fn predictive(&self) -> StudentT {
        let degrees = 2.0 * self.a0;
        let scale = (self.b0 * (self.k0 + 1.0) / (self.a0 * self.k0)).sqrt();
        let normaliser = ln_gamma(self.a0 + 0.5) - ln_gamma(self.a0);
        let constant = normaliser - 0.5 * (degrees * std::f64::consts::PI).ln() - scale.ln();
        StudentT { degrees, location: self.m0, inverse_scale: scale.recip(), constant }
    }
}

/// A Student-t density.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StudentT {
    pub(crate) degrees: f64,
    pub(crate) location: f64,
    pub(crate) inverse_scale: f64,
    pub(crate) constant: f64,
}

impl StudentT {
    pub(crate) fn ln_density(&self, x: f64) -> f64 {
        let z = ((x - self.location) * self.inverse_scale).abs();
        // (z²/ν would overflow where its logarithm does not.)
        let tail = if z > 1e100 {
            2.0 * z.ln() - self.degrees.ln()
        } else {
            (z * z / self.degrees).ln_1p()
        };
        self.constant - 0.5 * (self.degrees + 1.0) * tail
    }
}

/// Where the prior of a Gaussian feature comes from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum GaussianPrior {
    /// m0 the pooled mean, k0 = 1, a0 = 1, b0 the pooled variance: scaled by the data, which it so uses once.
    Pooled,
    /// The same for every feature.
    Given(NormalInverseGamma),
}

impl GaussianPrior {
    pub(crate) fn check(&self) -> Result<(), NaiveBayesError> {
        match self {
            Self::Pooled => Ok(()),
            Self::Given(prior) => prior.check(),
        }
    }

    /// The prior of a feature with these pooled cells.
    pub(crate) fn of(&self, pooled: &Moments) -> NormalInverseGamma {
        match *self {
            Self::Given(prior) => prior,
            Self::Pooled => {
                let b0 = at_least(pooled.variance(), pooled.mean);
                NormalInverseGamma { m0: pooled.mean, k0: 1.0, a0: 1.0, b0 }
            }
        }
    }
}

/// A variance, and for a feature that never varied but for rounding, (2⁻⁵² max(1, |mean|))².
pub(crate) fn at_least(variance: f64, mean: f64) -> f64 {
    let rounding = (4.0 * f64::EPSILON * mean).powi(2);
    if variance > rounding { variance } else { (f64::EPSILON * mean.abs().max(1.0)).powi(2) }
}

/// Priors of the evidence.
///
/// | field | default | prior of |
/// | --- | --- | --- |
/// | `beta` | (1, 1) | Bernoulli and tag probabilities |
/// | `level` | 1 | level and term probabilities: a symmetric Dirichlet |
/// | `level_of` | none | levels and terms of the features named, each with a pseudo-count of its own |
/// | `count` | shape 1, rate 1 | Poisson rates |
/// | `gaussian` | [`GaussianPrior::Pooled`] | means and variances |
/// | `gaussian_of` | none | means and variances of the features named |
/// | `class` | 1 | class probabilities: a symmetric Dirichlet |
/// | `class_of` | none | pseudo-counts of the classes named |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidencePriors {
    /// Pseudo-counts of ones and of zeros.
    pub beta: (f64, f64),
    /// Pseudo-count of each level or term.
    pub level: f64,
    /// Pseudo-counts of single levels or terms, by feature; those not listed have `level`, and those listed count as levels also where no row
    /// has them. Numbered terms are named by their numbers.
    #[serde(default)]
    pub level_of: BTreeMap<String, Vec<(Label, f64)>>,
    /// Prior of rates.
    pub count: GammaPrior,
    /// Prior of Gaussian features.
    pub gaussian: GaussianPrior,
    /// Priors of single Gaussian features, by name.
    pub gaussian_of: BTreeMap<String, NormalInverseGamma>,
    /// Pseudo-count of each class.
    pub class: f64,
    /// Pseudo-counts of single classes; those not listed have `class`.
    #[serde(default)]
    pub class_of: Vec<(Label, f64)>,
}

impl Default for EvidencePriors {
    fn default() -> Self {
        Self {
            beta: (1.0, 1.0),
            level: 1.0,
            level_of: BTreeMap::new(),
            count: GammaPrior { shape: 1.0, rate: 1.0 },
            gaussian: GaussianPrior::Pooled,
            gaussian_of: BTreeMap::new(),
            class: 1.0,
            class_of: Vec::new(),
        }
    }
}

impl EvidencePriors {
    pub(crate) fn check(&self) -> Result<(), NaiveBayesError> {
        positive("beta.0", self.beta.0)?;
        positive("beta.1", self.beta.1)?;
        positive("level", self.level)?;
        positive("class", self.class)?;
        self.level_of.values().try_for_each(|listed| each_once("level_of", listed))?;
        each_once("class_of", &self.class_of)?;
        self.count.check()?;
        self.gaussian.check()?;
        self.gaussian_of.values().try_for_each(NormalInverseGamma::check)
    }
}
