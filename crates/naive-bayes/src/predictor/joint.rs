//! The joint log likelihood of a block of rows, filled kind by kind.

use super::term::Term;

/// What the values of a row are good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// log p(y = c, x) itself.
    Absolute,
    /// Differences between classes: a row may be shifted by a number common to all classes, to save digits.
    Relative,
}

/// log p(y = c, x) for rows and classes.
pub(super) struct Joint {
    pub(super) n_classes: usize,
    pub(super) mode: Mode,
    log: Vec<f64>,
    /// Space for a kind's own sums.
    scratch: Vec<f64>,
    /// Number of impossible values, kept from the first of a block on.
    order: Vec<f64>,
    limited: bool,
}

/// One row of a [`Joint`].
pub(super) struct Row<'j> {
    pub(super) log: &'j mut [f64],
    order: Option<&'j [f64]>,
}

impl Joint {
    pub(super) fn new(n_classes: usize, mode: Mode, rows: usize) -> Self {
        let log = Vec::with_capacity(rows * n_classes);
        Self {
            n_classes,
            mode,
            log,
            scratch: vec![0.0; rows * n_classes],
            order: Vec::new(),
            limited: false,
        }
    }

    /// Begins a block: every row has the prior alone.
    pub(super) fn start(&mut self, rows: usize, log_prior: &[f64]) {
        self.log.resize(rows * self.n_classes, 0.0);
        for values in self.log.chunks_exact_mut(self.n_classes) {
            values.iter_mut().zip(log_prior).for_each(|(value, prior)| *value = *prior);
        }
        self.limited = false;
    }

    /// The values of every row of the block.
    pub(super) fn all_values(&mut self) -> &mut [f64] {
        &mut self.log
    }

    /// The values of a row.
    pub(super) fn values(&mut self, row: usize) -> &mut [f64] {
        &mut self.log[row * self.n_classes..][..self.n_classes]
    }

    /// Space for a number for each row and class; what it held before is still there.
    pub(super) fn scratch(&mut self, rows: usize) -> &mut [f64] {
        &mut self.scratch[..rows * self.n_classes]
    }

    /// The values of a row with its scratch.
    pub(super) fn values_and_scratch(&mut self, row: usize) -> (&mut [f64], &[f64]) {
        let range = row * self.n_classes..(row + 1) * self.n_classes;
        (&mut self.log[range.clone()], &self.scratch[range])
    }

    /// Adds `times` the term to a row's class.
    pub(super) fn add(&mut self, row: usize, class: usize, term: Term, times: f64) {
        let at = row * self.n_classes + class;
        self.log[at] += times * term.log;
        if term.order > 0.0 {
            if !self.limited {
                self.order.clear();
                self.order.resize(self.log.len(), 0.0);
                self.limited = true;
            }
            self.order[at] += times * term.order;
        }
    }

    /// Each row in turn.
    pub(super) fn finish(&mut self, mut each: impl FnMut(usize, Row<'_>)) {
        let (n, limited) = (self.n_classes, self.limited);
        for (row, log) in self.log.chunks_exact_mut(n).enumerate() {
            let order = limited.then(|| &self.order[row * n..(row + 1) * n]);
            each(row, Row { log, order });
        }
    }
}

impl Row<'_> {
    /// What is impossible has no probability.
    pub(super) fn exclude_impossible(&mut self) {
        self.exclude(0.0);
    }

    /// The fewest impossible values of any class that has a prior.
    fn fewest(&self, order: &[f64]) -> f64 {
        let live = order.iter().zip(&*self.log).filter(|(_, log)| **log > f64::NEG_INFINITY);
        live.map(|(order, _)| *order).fold(f64::INFINITY, f64::min)
    }

    fn exclude(&mut self, allowed: f64) {
        let Some(order) = self.order else { return };
        let beyond = self.log.iter_mut().zip(order).filter(|(_, order)| **order > allowed);
        beyond.for_each(|(log, _)| *log = f64::NEG_INFINITY);
    }

    /// The limit α → 0: classes with more impossible values than others have no probability.
    pub(super) fn keep_most_possible(&mut self) {
        if let Some(order) = self.order {
            let fewest = self.fewest(order);
            self.exclude(fewest);
        }
    }
}
