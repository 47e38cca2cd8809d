//! Empirical probabilities and maximum likelihood, as in an introduction to the subject.

use std::collections::BTreeMap;

use crate::NaiveBayesError;
use crate::error::length;

/// How often an event happened, over all rows and for each value of a condition.
///
/// Rows where the event or the condition is missing are left out of every count, so that the product, sum and Bayes' rules hold exactly.
///
/// ```
/// use naive_bayes::probability::Frequencies;
///
/// let rain = [Some(true), Some(false), Some(true), None];
/// let month = [Some(1), Some(1), Some(2), Some(2)];
/// let table = Frequencies::new(&rain, &month)?;
/// let january = table.given(1).expect("two rows");
/// assert_eq!(january.conditional(), 0.5);
/// assert_eq!(january.conditional() * january.marginal(), january.joint());
/// # Ok::<(), naive_bayes::NaiveBayesError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequencies {
    groups: BTreeMap<i64, (u64, u64)>,
    rows: u64,
    events: u64,
}

/// The rows with one value of the condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// The value, t.
    pub value: i64,
    /// Rows that have it.
    pub rows: u64,
    /// Those of them in which the event, y, happened.
    pub events: u64,
    all_rows: u64,
    all_events: u64,
}

impl Frequencies {
    /// Counts.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`].
    pub fn new(event: &[Option<bool>], condition: &[Option<i64>]) -> Result<Self, NaiveBayesError> {
        length("condition", event.len(), condition.len(), "row")?;
        let mut groups: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
        for (event, value) in event.iter().zip(condition) {
            if let (Some(event), Some(value)) = (event, value) {
                let group = groups.entry(*value).or_default();
                *group = (group.0 + 1, group.1 + u64::from(*event));
            }
        }
        let rows = groups.values().map(|group| group.0).sum();
        let events = groups.values().map(|group| group.1).sum();
        Ok(Self { groups, rows, events })
    }

    /// Rows counted.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows in which the event happened.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// P(y); NaN without rows.
    #[must_use]
    pub fn probability(&self) -> f64 {
        self.events as f64 / self.rows as f64
    }

    /// The rows with one value, `None` when there are none.
    #[must_use]
    pub fn given(&self, value: i64) -> Option<Group> {
        let &(rows, events) = self.groups.get(&value)?;
        Some(Group { value, rows, events, all_rows: self.rows, all_events: self.events })
    }

    /// Every value in order.
    pub fn groups(&self) -> impl Iterator<Item = Group> {
        self.groups.keys().filter_map(|value| self.given(*value))
    }
}

impl Group {
    /// P(t).
    #[must_use]
    pub fn marginal(&self) -> f64 {
        self.rows as f64 / self.all_rows as f64
    }

    /// P(y | t).
    #[must_use]
    pub fn conditional(&self) -> f64 {
        self.events as f64 / self.rows as f64
    }

    /// P(y, t).
    #[must_use]
    pub fn joint(&self) -> f64 {
        self.events as f64 / self.all_rows as f64
    }

    /// P(t | y), by Bayes' rule P(y | t) P(t) / P(y); NaN when the event never happened.
    #[must_use]
    pub fn inverse(&self) -> f64 {
        self.events as f64 / self.all_events as f64
    }

    /// Laplace's estimate of P(y | t): (k + 1)/(n + 2).
    #[must_use]
    pub fn laplace(&self) -> f64 {
        laplace(self.events as f64, self.rows as f64)
    }
}

/// Laplace's rule of succession: (k + 1)/(n + 2), the predictive probability under a uniform prior.
#[must_use]
pub fn laplace(ones: f64, n: f64) -> f64 {
    (ones + 1.0) / (n + 2.0)
}

/// −k log π − (n − k) log(1 − π), with 0 log 0 = 0.
#[must_use]
pub fn bernoulli_nll(ones: f64, n: f64, pi: f64) -> f64 {
    let term = |count: f64, p: f64| if count == 0.0 { 0.0 } else { -count * p.ln() };
    term(ones, pi) + term(n - ones, 1.0 - pi)
}

/// Derivative of [`bernoulli_nll`] in π: −k/π + (n − k)/(1 − π); 0 at π = k/n.
#[must_use]
pub fn bernoulli_nll_gradient(ones: f64, n: f64, pi: f64) -> f64 {
    -ones / pi + (n - ones) / (1.0 - pi)
}

/// Second derivative of [`bernoulli_nll`] in π: k/π² + (n − k)/(1 − π)² > 0.
#[must_use]
pub fn bernoulli_nll_curvature(ones: f64, n: f64, pi: f64) -> f64 {
    ones / (pi * pi) + (n - ones) / ((1.0 - pi) * (1.0 - pi))
}

/// Mean and variance (divisor n): what minimises [`gaussian_nll`]; NaN without numbers.
#[must_use]
pub fn gaussian_mle(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (mean, x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n)
}

/// (n/2) log 2πv + Σ (x − μ)²/2v.
#[must_use]
pub fn gaussian_nll(x: &[f64], mean: f64, variance: f64) -> f64 {
    let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
    0.5 * (x.len() as f64 * (2.0 * std::f64::consts::PI * variance).ln() + squares / variance)
}

/// Derivatives of [`gaussian_nll`] in μ and v: −Σ (x − μ)/v and n/2v − Σ (x − μ)²/2v².
#[must_use]
pub fn gaussian_nll_gradient(x: &[f64], mean: f64, variance: f64) -> (f64, f64) {
    let sum: f64 = x.iter().map(|x| x - mean).sum();
    let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
    (-sum / variance, 0.5 * (x.len() as f64 / variance - squares / (variance * variance)))
}
