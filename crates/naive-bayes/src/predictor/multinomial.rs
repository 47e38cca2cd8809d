//! Documents.

use std::collections::HashMap;
use std::ops::Range;

use super::joint::Joint;
use super::term::Term;
use crate::simd::{self, Kernel};
use crate::statistics::Tally;
use crate::{Documents, Label};

/// Classes whose sums stay in registers together.
const LANES: usize = 4;
/// The place of a term the model does not know.
const UNKNOWN: u32 = u32::MAX;

/// log (N_t + α)/(N + αV) by term and class, classes beside each other.
#[derive(Debug, Clone)]
pub(super) struct MultinomialTable {
    places: Option<HashMap<Label, u32>>,
    n_terms: usize,
    n_classes: usize,
    /// Classes rounded up to whole lanes.
    width: usize,
    logs: Lines,
    /// Number of impossible values a term stands for; empty when there are none.
    orders: Vec<f64>,
}

/// Numbers that begin where a line of the cache does: a row of them is spread over as few lines as can be.
#[derive(Debug, Clone)]
struct Lines {
    start: usize,
    numbers: Vec<f64>,
}

/// Bytes of a line of the cache.
const LINE: usize = 64;

impl Lines {
    /// So many zeros. A clone may lie otherwise, which costs time only.
    fn new(length: usize) -> Self {
        let room = LINE / size_of::<f64>();
        let mut numbers: Vec<f64> = Vec::with_capacity(length + room);
        let start = numbers.as_ptr().align_offset(LINE).min(room);
        numbers.resize(start + length, 0.0);
        Self { start, numbers }
    }

    fn at(&mut self, place: usize, number: f64) {
        self.numbers[self.start + place] = number;
    }

    #[inline(always)]
    fn all(&self) -> &[f64] {
        &self.numbers[self.start..]
    }
}

/// The table for the terms of a batch.
pub(super) struct LocalMultinomial<'b> {
    table: &'b MultinomialTable,
    documents: &'b Documents,
    /// `None` where the numbers of terms are places already.
    places: Option<Vec<u32>>,
}

impl MultinomialTable {
    pub(super) fn new(tally: &Tally, classes: &[usize], alpha: f64) -> Self {
        let kept = tally.kept();
        let (n_terms, width) = (kept.len(), classes.len().next_multiple_of(LANES));
        let name = |labels: &[Label]| kept.iter().map(|&at| labels[at].clone()).zip(0..).collect();
        let mut table = Self {
            places: tally.labels().map(name),
            n_terms,
            n_classes: classes.len(),
            width,
            logs: Lines::new(n_terms * width),
            orders: Vec::new(),
        };
        for (column, &class) in classes.iter().enumerate() {
            let total = tally.total(class);
            for (term, &at) in kept.iter().enumerate() {
                let found = Term::smoothed(tally.get(class, at), total, alpha, n_terms as f64);
                table.logs.at(term * width + column, found.log);
                if found.order > 0.0 {
                    table.orders.resize(n_terms * width, 0.0);
                    table.orders[term * width + column] = found.order;
                }
            }
        }
        table
    }

    pub(super) fn is_named(&self) -> bool {
        self.places.is_some()
    }

    /// log p of each term in a class.
    pub(super) fn terms(&self, class: usize) -> impl Iterator<Item = f64> {
        (0..self.n_terms).map(move |term| self.term(term, class).log)
    }

    /// Names of the terms, in the order of [`terms`](Self::terms).
    pub(super) fn names(&self) -> Option<Vec<Label>> {
        let places = self.places.as_ref()?;
        let mut names: Vec<_> = places.iter().map(|(label, at)| (*at, label.clone())).collect();
        names.sort_unstable_by_key(|(at, _)| *at);
        Some(names.into_iter().map(|(_, label)| label).collect())
    }

    fn term(&self, term: usize, class: usize) -> Term {
        let at = term * self.width + class;
        Term { log: self.logs.all()[at], order: self.orders.get(at).copied().unwrap_or(0.0) }
    }

    pub(super) fn local<'b>(&'b self, documents: &'b Documents) -> LocalMultinomial<'b> {
        let places = match (&self.places, documents.names()) {
            (Some(places), Some(names)) => Some(
                names.iter().map(|name| places.get(name).copied().unwrap_or(UNKNOWN)).collect(),
            ),
            _ if documents.n_terms() <= self.n_terms => None,
            _ => {
                let known = self.n_terms as u32;
                let terms = 0..documents.n_terms() as u32;
                Some(terms.map(|term| if term < known { term } else { UNKNOWN }).collect())
            }
        };
        LocalMultinomial { table: self, documents, places }
    }
}

impl LocalMultinomial<'_> {
    pub(super) fn add(&self, joint: &mut Joint, rows: Range<usize>) {
        if self.table.orders.is_empty() {
            return simd::run(Sums { local: self, joint, rows });
        }
        rows.enumerate().for_each(|(row, document)| self.add_terms(joint, row, document));
    }

    /// What a document says of a class.
    pub(super) fn total(&self, document: usize, class: usize) -> Term {
        self.known(document).fold(Term::default(), |sum, (place, count)| {
            let term = self.table.term(place, class);
            Term { log: sum.log + count * term.log, order: sum.order + count * term.order }
        })
    }

    /// Terms of a document that the model knows, with their counts.
    fn known(&self, document: usize) -> impl Iterator<Item = (usize, f64)> {
        let (terms, counts) = self.documents.row(document);
        let place = |term: u32| self.places.as_ref().map_or(term, |places| places[term as usize]);
        let placed = terms.iter().map(move |&term| place(term)).zip(counts.iter().copied());
        let known = placed.filter(|(place, count)| *place != UNKNOWN && *count > 0.0);
        known.map(|(place, count)| (place as usize, count))
    }

    fn add_terms(&self, joint: &mut Joint, row: usize, document: usize) {
        for (place, count) in self.known(document) {
            for class in 0..self.table.n_classes {
                joint.add(row, class, self.table.term(place, class), count);
            }
        }
    }
}

/// Adds whole documents, as many classes at a time as the table's width allows.
struct Sums<'k> {
    local: &'k LocalMultinomial<'k>,
    joint: &'k mut Joint,
    rows: Range<usize>,
}

impl Kernel for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (row, document) in self.rows.enumerate() {
            self.local.add_regular(self.joint.values(row), document);
        }
    }
}

impl LocalMultinomial<'_> {
    #[inline(always)]
    fn add_regular(&self, values: &mut [f64], document: usize) {
        let width = self.table.width;
        let mut first = 0;
        while first < values.len() {
            let rest = &mut values[first..];
            first += match width - first {
                4 => self.add_classes::<4>(rest, first, document),
                8 => self.add_classes::<8>(rest, first, document),
                12 => self.add_classes::<12>(rest, first, document),
                16 => self.add_classes::<16>(rest, first, document),
                _ => self.add_classes::<20>(rest, first, document),
            };
        }
    }

    #[inline(always)]
    fn add_classes<const W: usize>(
        &self,
        values: &mut [f64],
        first: usize,
        document: usize,
    ) -> usize {
        let (terms, counts) = self.documents.row(document);
        let mut sums = [0.0; W];
        let table = self.table.logs.all();
        let logs = |place: u32| -> Option<&[f64; W]> {
            let at = place as usize * self.table.width + first;
            table.get(at..at + W)?.try_into().ok()
        };
        let mut add = |place: u32, count: f64| {
            if let Some(logs) = logs(place) {
                for (sum, log) in sums.iter_mut().zip(logs) {
                    *sum += count * log;
                }
            }
        };
        match &self.places {
            None => terms.iter().zip(counts).for_each(|(&term, &count)| add(term, count)),
            Some(places) => {
                let known = terms.iter().map(|&term| places[term as usize]).zip(counts);
                known.filter(|(place, _)| *place != UNKNOWN).for_each(|(place, &x)| add(place, x));
            }
        }
        values.iter_mut().zip(sums).for_each(|(value, sum)| *value += sum);
        W
    }
}
