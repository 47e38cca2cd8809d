//! Adding to and taking from a model.

use super::Model;
use super::terms::{self, ByClass};
use std::collections::HashMap;

use crate::statistics::{Gathered, Tally, gather};
use crate::{Batch, Kind, Label, NaiveBayesError, Training};

/// Where something stands that has nothing to add.
const NOWHERE: usize = usize::MAX;

impl Model {
    /// See [`Model::observe`].
    pub(super) fn learn(&mut self, training: &Training<'_>) -> Result<(), NaiveBayesError> {
        let batch = training.batch();
        self.features.check(batch.features())?;
        for (name, documents) in batch.all_documents() {
            self.check_terms(name, documents.names().is_some())?;
        }
        let found = gather(training)?;
        let classes = self.register_classes(training.classes().labels(), &found.weights);
        self.add_tables(training, &found, &classes);
        self.add_levels(training, &found, &classes);
        self.add_documents(training, &classes);
        Ok(())
    }

    /// Registers the classes that have rows; those that have none stand nowhere.
    fn register_classes(&mut self, labels: &[Label], weights: &[f64]) -> Vec<usize> {
        let place = |(label, &weight): (&Label, &f64)| {
            if weight == 0.0 {
                return NOWHERE;
            }
            let class = self.classes.register(label);
            self.classes.weights[class] += weight;
            class
        };
        labels.iter().zip(weights).map(place).collect()
    }

    fn add_tables(&mut self, training: &Training<'_>, found: &Gathered, classes: &[usize]) {
        let batch = training.batch();
        self.register_columns(batch, found);
        self.make_room();
        let places = |kind| {
            let columns = batch.columns(kind, |_| true);
            let place = |name: &&str| self.features.find(name).map_or(NOWHERE, |(_, at)| at);
            columns.names().iter().map(place).collect::<Vec<_>>()
        };
        let [bernoulli, tags, gaussian, counts] =
            [Kind::Bernoulli, Kind::Tag, Kind::Gaussian, Kind::Count].map(places);
        self.bernoulli.merge(&found.bernoulli, classes, &bernoulli);
        self.tags.merge(&found.tags, classes, &tags);
        self.gaussian.merge(&found.gaussian, classes, &gaussian);
        self.counts.merge(&found.counts, classes, &counts);
    }

    /// Registers the columns that have any cell, in the batch's order.
    fn register_columns(&mut self, batch: &Batch<'_>, found: &Gathered) {
        let mut next = HashMap::new();
        for (name, kind) in batch.features().filter(|(_, kind)| kind.is_numeric()) {
            let column = next.entry(kind).or_insert(0);
            if !found.is_empty(kind, *column) {
                self.features.register(name, kind);
            }
            *column += 1;
        }
    }

    /// Makes every table as large as classes and features say.
    pub(super) fn make_room(&mut self) {
        let classes = self.classes.len();
        self.bernoulli.grow(classes, self.features.count(Kind::Bernoulli));
        self.tags.grow(classes, self.features.count(Kind::Tag));
        self.gaussian.grow(classes, self.features.count(Kind::Gaussian));
        self.counts.grow(classes, self.features.count(Kind::Count));
    }

    fn add_levels(&mut self, training: &Training<'_>, found: &Gathered, classes: &[usize]) {
        let n_classes = self.classes.len();
        for ((name, levels), tally) in training.batch().all_levels().zip(&found.levels) {
            // Levels without a cell that counts are not seen.
            let seen: Vec<usize> = (0..levels.labels().len())
                .filter(|&level| tally.iter().any(|row| row[level] > 0.0))
                .collect();
            if seen.is_empty() {
                continue;
            }
            let labels: Vec<Label> = seen.iter().map(|&at| levels.labels()[at].clone()).collect();
            let at = self.features.register(name, Kind::Categorical);
            let known = at_or_new(&mut self.categorical, at, true);
            let places = known.map(Some(&labels), labels.len());
            let rows = known.rows(n_classes);
            for (from, &class) in tally.iter().zip(classes).filter(|(_, class)| **class != NOWHERE)
            {
                seen.iter().zip(&places).for_each(|(&level, &at)| rows[class][at] += from[level]);
            }
        }
    }

    fn add_documents(&mut self, training: &Training<'_>, classes: &[usize]) {
        let mut by_class = None;
        for (name, documents) in training.batch().all_documents() {
            let by_class = by_class.get_or_insert_with(|| ByClass::new(training));
            let at = self.features.register(name, Kind::Multinomial);
            let named = documents.names().is_some();
            let known = at_or_new(&mut self.multinomial, at, named);
            let places = match named {
                true => known.map(documents.names(), documents.n_terms()),
                false => known.widen(documents.n_terms()),
            };
            let counts = known.rows(self.classes.len());
            terms::count(counts, documents, training, by_class, classes, &places);
        }
    }

    /// Refuses a block whose terms are named on one side only.
    fn check_terms(&self, name: &str, named: bool) -> Result<(), NaiveBayesError> {
        let known = self.features.find(name).and_then(|(kind, at)| self.tally(kind, at));
        match known {
            Some(known) if known.labels().is_some() != named => {
                Err(NaiveBayesError::TermNames { name: name.to_owned() })
            }
            _ => Ok(()),
        }
    }

    fn check_model(&self, other: &Self) -> Result<(), NaiveBayesError> {
        self.features.check(other.features.iter().map(|(name, kind, _)| (name, kind)))?;
        let blocks = other.features.iter().filter(|(_, kind, _)| *kind == Kind::Multinomial);
        for (name, _, at) in blocks {
            self.check_terms(name, other.multinomial[at].labels().is_some())?;
        }
        Ok(())
    }

    /// Where the classes of another model stand in this one.
    fn map_classes(&mut self, other: &Self) -> Vec<usize> {
        let labels = other.classes.labels().iter().zip(other.classes.declared());
        let place = |(label, declared): (&Label, &bool)| {
            if *declared {
                self.classes.declare(label);
            }
            self.classes.register(label)
        };
        labels.map(place).collect()
    }

    /// Where the features of another model of that kind stand in this one.
    fn map_features(&mut self, other: &Self, kind: Kind) -> Vec<usize> {
        let mut places = vec![NOWHERE; other.features.count(kind)];
        for (name, _, at) in other.features.iter().filter(|(_, found, _)| *found == kind) {
            places[at] = self.features.register(name, kind);
        }
        places
    }

    /// See [`Model::merge`].
    pub(super) fn add(&mut self, other: &Self) -> Result<(), NaiveBayesError> {
        self.check_model(other)?;
        let classes = self.map_classes(other);
        for (&class, weight) in classes.iter().zip(&other.classes.weights) {
            self.classes.weights[class] += weight;
        }
        let maps = Kind::ALL.map(|kind| self.map_features(other, kind));
        let [bernoulli, tags, gaussian, counts, categorical, multinomial] = maps;
        self.make_room();
        self.bernoulli.merge(&other.bernoulli, &classes, &bernoulli);
        self.tags.merge(&other.tags, &classes, &tags);
        self.gaussian.merge(&other.gaussian, &classes, &gaussian);
        self.counts.merge(&other.counts, &classes, &counts);
        let n_classes = self.classes.len();
        merge_tallies(&mut self.categorical, &other.categorical, &categorical, &classes, n_classes);
        merge_tallies(&mut self.multinomial, &other.multinomial, &multinomial, &classes, n_classes);
        Ok(())
    }

    /// See [`Model::subtract`]; an error leaves an undefined state.
    pub(super) fn take_out(&mut self, other: &Self) -> Result<(), NaiveBayesError> {
        self.check_model(other)?;
        let classes = self.map_classes(other);
        let maps = Kind::ALL.map(|kind| self.map_features(other, kind));
        let [bernoulli, tags, gaussian, counts, categorical, multinomial] = maps;
        self.make_room();
        for (label, (&class, weight)) in
            other.classes.labels().iter().zip(classes.iter().zip(&other.classes.weights))
        {
            let left = crate::statistics::remainder(self.classes.weights[class], *weight);
            let refused = || NaiveBayesError::NotLearned { what: label.to_string() };
            self.classes.weights[class] = left.ok_or_else(refused)?;
        }
        let refused = |kind| move |at: usize| (kind, at);
        let result = self
            .bernoulli
            .remove(&other.bernoulli, &classes, &bernoulli)
            .map_err(refused(Kind::Bernoulli))
            .and_then(|()| {
                self.tags.remove(&other.tags, &classes, &tags).map_err(refused(Kind::Tag))
            })
            .and_then(|()| {
                self.gaussian
                    .remove(&other.gaussian, &classes, &gaussian)
                    .map_err(refused(Kind::Gaussian))
            })
            .and_then(|()| {
                self.counts.remove(&other.counts, &classes, &counts).map_err(refused(Kind::Count))
            });
        result.map_err(|(kind, at)| self.not_learned(kind, at))?;
        let n_classes = self.classes.len();
        for (kind, from, places) in [
            (Kind::Categorical, &other.categorical, categorical),
            (Kind::Multinomial, &other.multinomial, multinomial),
        ] {
            for (tally, at) in from.iter().zip(places) {
                let tallies = if kind == Kind::Categorical {
                    &mut self.categorical
                } else {
                    &mut self.multinomial
                };
                let known = at_or_new(tallies, at, tally.labels().is_some());
                if !known.remove(tally, &classes, n_classes) {
                    return Err(self.not_learned(kind, at));
                }
            }
        }
        Ok(())
    }

    fn not_learned(&self, kind: Kind, at: usize) -> NaiveBayesError {
        let found = self.features.iter().find(|(_, found, place)| (*found, *place) == (kind, at));
        NaiveBayesError::NotLearned {
            what: found.map_or_else(String::new, |(name, ..)| name.to_owned()),
        }
    }
}

fn merge_tallies(
    known: &mut Vec<Tally>,
    other: &[Tally],
    places: &[usize],
    classes: &[usize],
    n_classes: usize,
) {
    for (tally, &at) in other.iter().zip(places) {
        at_or_new(known, at, tally.labels().is_some()).merge(tally, classes, n_classes);
    }
}

/// The tally at a place, a new one just beyond the last.
fn at_or_new(tallies: &mut Vec<Tally>, at: usize, named: bool) -> &mut Tally {
    while tallies.len() <= at {
        tallies.push(Tally::new(named));
    }
    &mut tallies[at]
}
