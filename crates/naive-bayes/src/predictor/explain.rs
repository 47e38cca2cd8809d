//! Which feature speaks for which class.

use super::Predictor;
use super::contribution::Contribution;
use super::joint::Mode;
use super::term::Term;
use crate::special::ln_factorial;
use crate::{Batch, Kind, Label, NaiveBayesError};

/// A prediction taken apart: the prior and the contributions add up to the joint value.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The classes.
    pub classes: Vec<Label>,
    /// log p(c) for each class.
    pub log_prior: Vec<f64>,
    /// What each feature that is there adds, in the batch's order, then tags the batch lacks.
    pub contributions: Vec<Contribution>,
    /// log p(y = c, x) for each class.
    pub joint_log_likelihood: Vec<f64>,
    /// log p(c | x) for each class.
    pub log_proba: Vec<f64>,
}

impl Predictor {
    /// Takes the prediction for a row apart.
    ///
    /// # Errors
    /// [`NaiveBayesError::Index`] for a row beyond the last, and those of [`Predictor::joint_log_likelihood`].
    pub fn explain(&self, batch: &Batch<'_>, row: usize) -> Result<Explanation, NaiveBayesError> {
        if row >= batch.n_rows() {
            let (argument, accepted) = ("row", "rows of the batch");
            return Err(NaiveBayesError::Index { argument, position: 0, found: row, accepted });
        }
        let mut joint = Vec::new();
        self.run_shard_of(batch, Mode::Absolute, row..row + 1, |_, mut values| {
            values.exclude_impossible();
            joint = values.log.to_vec();
        })?;
        let mut log_proba = Vec::new();
        self.run_shard_of(batch, Mode::Relative, row..row + 1, |_, mut values| {
            values.keep_most_possible();
            super::posterior::normalise(values.log);
            log_proba = values.log.to_vec();
        })?;
        Ok(Explanation {
            classes: self.classes.clone(),
            log_prior: self.log_prior.clone(),
            contributions: self.contributions(batch, row),
            joint_log_likelihood: joint,
            log_proba,
        })
    }

    fn contributions(&self, batch: &Batch<'_>, row: usize) -> Vec<Contribution> {
        let mut found = Vec::new();
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_numeric()) {
            let columns = batch.columns(kind, |name| self.uses(name));
            let mut cells = Vec::new();
            let block = columns.block(row..row + 1, &mut cells);
            for (name, &cell) in columns.names().iter().zip(block.row(0)) {
                let cell = if kind == Kind::Tag && cell.is_nan() { 0.0 } else { cell };
                if !cell.is_nan() {
                    found.push(self.of_number(name, kind, cell));
                }
            }
        }
        let absent = self.features.iter().filter(|(name, (kind, _))| {
            *kind == Kind::Tag && batch.features().all(|(other, _)| other != name.as_str())
        });
        let mut absent: Vec<&String> = absent.map(|(name, _)| name).collect();
        absent.sort_unstable();
        found.extend(absent.into_iter().map(|name| self.of_number(name, Kind::Tag, 0.0)));
        found.extend(self.of_levels(batch, row));
        found.extend(self.of_documents(batch, row));
        found
    }

    fn of_number(&self, name: &str, kind: Kind, cell: f64) -> Contribution {
        let at = self.features[name].1;
        let term = |class: usize| match kind {
            Kind::Bernoulli => self.bernoulli.terms(class, at)[usize::from(cell > 0.5)],
            Kind::Tag => self.tags.terms(class, at)[usize::from(cell > 0.5)],
            _ => self.counts.rate(class, at).term(cell, ln_factorial(cell)),
        };
        if kind == Kind::Gaussian {
            let densities: Vec<_> =
                (0..self.classes.len()).map(|class| self.gaussian.density(class, at)).collect();
            return Contribution::of_densities(name, cell, &densities);
        }
        self.contribution(name, term)
    }

    fn of_levels(&self, batch: &Batch<'_>, row: usize) -> Vec<Contribution> {
        let known = batch.all_levels().filter(|(name, _)| self.uses(name));
        let found = known.filter_map(|(name, levels)| {
            let table = &self.categorical[self.features[name].1];
            let terms = table.terms(levels.label(row)?, self.unseen)?;
            Some(self.contribution(name, |class| terms[class]))
        });
        found.collect()
    }

    fn of_documents(&self, batch: &Batch<'_>, row: usize) -> Vec<Contribution> {
        let known = batch.all_documents().filter(|(name, _)| self.uses(name));
        let found = known.map(|(name, documents)| {
            let local = self.multinomial[self.features[name].1].local(documents);
            self.contribution(name, |class| local.total(row, class))
        });
        found.collect()
    }

    fn contribution(&self, name: &str, term: impl Fn(usize) -> Term) -> Contribution {
        Contribution::of_terms(name, (0..self.classes.len()).map(term).collect())
    }
}
