//! Categorical features.

use std::collections::HashMap;
use std::ops::Range;

use super::joint::Joint;
use super::term::Term;
use crate::levels::MISSING;
use crate::statistics::Tally;
use crate::{Label, Levels, Options, UnseenLevel};

/// log (n_k + α)/(n + αK) by level and class.
#[derive(Debug, Clone)]
pub(super) struct CategoricalTable {
    places: HashMap<Label, usize>,
    /// By level, then class.
    terms: Vec<Vec<Term>>,
    /// Of a level that no class has, by class; used when the options leave a slot open.
    unseen: Vec<Term>,
}

/// The table for the levels of a batch.
pub(super) struct LocalCategorical<'b> {
    table: &'b CategoricalTable,
    levels: &'b Levels,
    places: Vec<Option<usize>>,
}

impl CategoricalTable {
    pub(super) fn new(tally: &Tally, classes: &[usize], options: &Options) -> Self {
        let labels = tally.labels().unwrap_or_default();
        let seen = tally.kept();
        let spare = if options.unseen == UnseenLevel::Open { 1.0 } else { 0.0 };
        let k = seen.len() as f64 + spare;
        let term =
            |class: usize, count: f64| Term::smoothed(count, tally.total(class), options.alpha, k);
        let row = |&level: &usize| {
            classes.iter().map(|&class| term(class, tally.get(class, level))).collect()
        };
        Self {
            places: seen
                .iter()
                .enumerate()
                .map(|(at, &level)| (labels[level].clone(), at))
                .collect(),
            terms: seen.iter().map(row).collect(),
            unseen: classes.iter().map(|&class| term(class, 0.0)).collect(),
        }
    }

    /// The levels, with the terms of each class.
    pub(super) fn levels(&self) -> impl Iterator<Item = (&Label, &[Term])> {
        self.places.iter().map(|(label, &at)| (label, self.terms[at].as_slice()))
    }

    /// The terms of a level, `None` where it counts as missing.
    pub(super) fn terms(&self, level: &Label, unseen: UnseenLevel) -> Option<&[Term]> {
        match self.places.get(level) {
            Some(&at) => Some(&self.terms[at]),
            None => (unseen == UnseenLevel::Open).then_some(&self.unseen),
        }
    }

    pub(super) fn local<'b>(&'b self, levels: &'b Levels) -> LocalCategorical<'b> {
        let places = levels.labels().iter().map(|label| self.places.get(label).copied()).collect();
        LocalCategorical { table: self, levels, places }
    }
}

impl LocalCategorical<'_> {
    /// Adds the cells of some rows; the error names an unseen level that is refused, with its row.
    pub(super) fn add(
        &self,
        joint: &mut Joint,
        rows: Range<usize>,
        unseen: UnseenLevel,
    ) -> Result<(), (usize, Label)> {
        for (row, &code) in self.levels.codes()[rows.clone()].iter().enumerate() {
            if code == MISSING {
                continue;
            }
            let terms = match (self.places[code as usize], unseen) {
                (Some(place), _) => &self.table.terms[place],
                (None, UnseenLevel::Open) => &self.table.unseen,
                (None, UnseenLevel::Skip) => continue,
                (None, UnseenLevel::Refuse) => {
                    return Err((rows.start + row, self.levels.labels()[code as usize].clone()));
                }
            };
            terms.iter().enumerate().for_each(|(class, term)| joint.add(row, class, *term, 1.0));
        }
        Ok(())
    }
}
