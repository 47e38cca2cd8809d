//! What one feature says of a row, class by class.

use std::cmp::Ordering;

use super::far::{self, Far};
use super::gaussian::Density;
use super::term::Term;

/// What one feature adds to each class.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The feature.
    pub feature: String,
    /// log p(x_j | c) for each class, −∞ where the value is impossible.
    pub log_likelihood: Vec<f64>,
    compared: Compared,
}

/// What differences between classes are taken from: those of `log_likelihood` can be ∞ − ∞.
#[derive(Debug, Clone, PartialEq)]
enum Compared {
    /// Logarithms with the number of impossible values.
    Terms(Vec<Term>),
    /// A cell with each class's mean, inverse deviation and constant.
    Normal { x: f64, mean: Vec<f64>, inverse: Vec<f64>, constant: Vec<f64> },
}

impl Contribution {
    pub(super) fn of_terms(feature: &str, terms: Vec<Term>) -> Self {
        let value = |term: &Term| if term.order > 0.0 { f64::NEG_INFINITY } else { term.log };
        let log_likelihood = terms.iter().map(value).collect();
        Self { feature: feature.to_owned(), log_likelihood, compared: Compared::Terms(terms) }
    }

    pub(super) fn of_densities(feature: &str, x: f64, densities: &[Density]) -> Self {
        let log_likelihood: Vec<f64> = densities.iter().map(|d| d.ln_density(x)).collect();
        let normal = |density: &Density| match density {
            Density::Normal { mean, variance } => Some((*mean, variance.sqrt().recip())),
            _ => None,
        };
        let compared = match densities.iter().map(normal).collect::<Option<Vec<_>>>() {
            Some(parameters) => {
                let (mean, inverse) = parameters.into_iter().unzip();
                let constant = densities.iter().map(Density::constant).collect();
                Compared::Normal { x, mean, inverse, constant }
            }
            None => {
                let term = |&log: &f64| Term { log, order: 0.0 };
                Compared::Terms(log_likelihood.iter().map(term).collect())
            }
        };
        Self { feature: feature.to_owned(), log_likelihood, compared }
    }

    /// What the feature adds to the log odds of one class against another; positions in
    /// [`Predictor::classes`](crate::Predictor::classes).
    ///
    /// Of a value that is impossible in both classes it is the limit of small pseudo-counts, and of a cell so far away that both
    /// logarithms are −∞ the difference of the squares, so that it is a number or ±∞ in either case.
    ///
    /// # Panics
    /// When a position is beyond the classes.
    #[must_use]
    pub fn log_odds(&self, class: usize, against: usize) -> f64 {
        match &self.compared {
            Compared::Terms(terms) => {
                let (a, b) = (terms[class], terms[against]);
                // α^order, α → 0: the smaller order wins.
                match a.order.total_cmp(&b.order) {
                    Ordering::Less => f64::INFINITY,
                    Ordering::Equal => a.log - b.log,
                    Ordering::Greater => f64::NEG_INFINITY,
                }
            }
            Compared::Normal { x, mean, inverse, constant } => {
                let pair = |values: &[f64]| [values[class], values[against]];
                let (mean, inverse, mut values) = (pair(mean), pair(inverse), pair(constant));
                let far = Far { cells: &[*x], mean: &mean, inverse: &inverse, width: 1 };
                far::add_differences(&far, &mut values);
                values[0] - values[1]
            }
        }
    }
}
