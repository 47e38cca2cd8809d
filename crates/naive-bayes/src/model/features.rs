//! The features a model knows.

use std::collections::HashMap;

use crate::{Kind, NaiveBayesError};

/// Names with kinds and places: the place is a position among the features of that kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Features {
    list: Vec<(String, Kind, usize)>,
    index: HashMap<String, usize>,
    counts: HashMap<Kind, usize>,
}

impl Features {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Kind, usize)> {
        self.list.iter().map(|(name, kind, at)| (name.as_str(), *kind, *at))
    }

    /// Kind and place of a feature.
    pub(crate) fn find(&self, name: &str) -> Option<(Kind, usize)> {
        let (_, kind, at) = &self.list[*self.index.get(name)?];
        Some((*kind, *at))
    }

    /// Number of features of a kind.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.counts.get(&kind).copied().unwrap_or(0)
    }

    /// Place of a feature, a new one where it is not known; kinds were checked before.
    pub(crate) fn register(&mut self, name: &str, kind: Kind) -> usize {
        if let Some((_, at)) = self.find(name) {
            return at;
        }
        let count = self.counts.entry(kind).or_default();
        let at = *count;
        *count += 1;
        self.index.insert(name.to_owned(), self.list.len());
        self.list.push((name.to_owned(), kind, at));
        at
    }

    /// Refuses features that have another kind here.
    pub(crate) fn check<'n>(
        &self,
        found: impl Iterator<Item = (&'n str, Kind)>,
    ) -> Result<(), NaiveBayesError> {
        for (name, found) in found {
            if let Some((known, _)) = self.find(name).filter(|(known, _)| *known != found) {
                return Err(NaiveBayesError::KindMismatch { name: name.to_owned(), known, found });
            }
        }
        Ok(())
    }

    /// Removes a feature and closes the gap it leaves among those of its kind.
    pub(crate) fn remove(&mut self, name: &str) -> Option<(Kind, usize)> {
        let position = self.index.remove(name)?;
        let (_, kind, at) = self.list.remove(position);
        self.counts.entry(kind).and_modify(|count| *count -= 1);
        self.index.values_mut().filter(|other| **other > position).for_each(|other| *other -= 1);
        let later = self.list.iter_mut().filter(|(_, other, _)| *other == kind);
        later.filter(|(.., other)| *other > at).for_each(|(.., other)| *other -= 1);
        Some((kind, at))
    }
}
