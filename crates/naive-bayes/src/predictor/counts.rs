//! Counts: Poisson with the rate's mean, or negative binomial.

use super::joint::Joint;
use super::term::Term;
use crate::batch::Block;
use crate::special::{ln_factorial, ln_rising};
use crate::statistics::{BadCell, Counts, Table, is_count};
use crate::{CountRule, GammaPrior, Options};

/// How a count is distributed in a class.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rate {
    /// No cell was seen and there is no prior.
    Unknown,
    /// r = (S + shape)/(n + rate) > 0.
    Mean(f64),
    /// Never seen above 0, in cells of this weight, and no prior.
    Zero(f64),
    /// Shape and rate of the posterior.
    Predictive(f64, f64),
}

/// Rates by class and feature.
#[derive(Debug, Clone)]
pub(super) struct CountTable {
    rates: Vec<Vec<Rate>>,
}

/// The rates of a batch's columns, a row of `width` for each class.
pub(super) struct LocalCounts {
    width: usize,
    rates: Vec<Rate>,
}

impl Rate {
    fn new(cell: &Counts, prior: GammaPrior, rule: CountRule) -> Self {
        let (a, b) = (cell.sum + prior.shape, cell.n + prior.rate);
        match rule {
            _ if b == 0.0 => Self::Unknown,
            CountRule::Predictive => Self::Predictive(a, b),
            CountRule::Rate if a > 0.0 => Self::Mean(a / b),
            CountRule::Rate => Self::Zero(b),
        }
    }

    /// log p(x); a rate of 0 is the limit shape → 0, in which each count is impossible once.
    pub(super) fn term(&self, x: f64, ln_factorial: f64) -> Term {
        let possible = |log| Term { log, order: 0.0 };
        match *self {
            Self::Unknown => Term::default(),
            Self::Mean(rate) => possible(x * rate.ln() - rate - ln_factorial),
            Self::Zero(n) if x > 0.0 => Term { log: -x * n.ln() - ln_factorial, order: x },
            Self::Zero(_) => Term::default(),
            Self::Predictive(a, b) => {
                let shape = ln_rising(a, x) - a * b.recip().ln_1p();
                possible(shape - x * b.ln_1p() - ln_factorial)
            }
        }
    }
}

impl CountTable {
    pub(super) fn new(table: &Table<Counts>, classes: &[usize], options: &Options) -> Self {
        let rate = |class: usize, feature: usize| {
            Rate::new(table.get(class, feature), options.count_prior, options.count_rule)
        };
        let row = |&class: &usize| (0..table.width()).map(|at| rate(class, at)).collect();
        Self { rates: classes.iter().map(row).collect() }
    }

    pub(super) fn is_known(&self, feature: usize, live: &[usize]) -> bool {
        live.iter().all(|&class| !matches!(self.rates[class][feature], Rate::Unknown))
    }

    pub(super) fn rate(&self, class: usize, feature: usize) -> Rate {
        self.rates[class][feature]
    }

    pub(super) fn local(&self, places: &[usize]) -> LocalCounts {
        let rates = self.rates.iter().flat_map(|row| places.iter().map(|&at| row[at])).collect();
        LocalCounts { width: places.len(), rates }
    }
}

impl LocalCounts {
    pub(super) fn add(
        &self,
        joint: &mut Joint,
        block: Block<'_>,
        rows: usize,
    ) -> Result<(), BadCell> {
        if self.width == 0 {
            return Ok(());
        }
        for row in 0..rows {
            for (column, &found) in block.row(row).iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                if !is_count(found) {
                    return Err(BadCell { row, column, found });
                }
                let ln_factorial = ln_factorial(found);
                for class in 0..joint.n_classes {
                    let term = self.rates[class * self.width + column].term(found, ln_factorial);
                    joint.add(row, class, term, 1.0);
                }
            }
        }
        Ok(())
    }
}
