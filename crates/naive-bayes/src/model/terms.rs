//! Counting terms: one class beside the other, so that no count is shared between threads.

use rayon::prelude::*;

use crate::levels::MISSING;
use crate::{Documents, Training};

/// Rows of each class in turn.
pub(super) struct ByClass {
    rows: Vec<u32>,
    starts: Vec<usize>,
}

impl ByClass {
    /// Sorts the rows that count by class, each class's rows in order.
    pub(super) fn new(training: &Training<'_>) -> Self {
        let codes = training.classes().codes();
        let counts = |row: usize| codes[row] != MISSING && training.weight(row) > 0.0;
        let mut starts = vec![0; training.classes().labels().len() + 1];
        (0..codes.len())
            .filter(|&row| counts(row))
            .for_each(|row| starts[codes[row] as usize + 1] += 1);
        for class in 1..starts.len() {
            starts[class] += starts[class - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; next.last().copied().unwrap_or(0)];
        for row in (0..codes.len()).filter(|&row| counts(row)) {
            let place = &mut next[codes[row] as usize];
            rows[*place] = row as u32;
            *place += 1;
        }
        Self { rows, starts }
    }

    fn of(&self, class: usize) -> &[u32] {
        &self.rows[self.starts[class]..self.starts[class + 1]]
    }
}

/// Adds the counts of `documents`; `classes` says where each class of the batch stands in `counts`, `places` where each term.
pub(super) fn count(
    counts: &mut [Vec<f64>],
    documents: &Documents,
    training: &Training<'_>,
    by_class: &ByClass,
    classes: &[usize],
    places: &[usize],
) {
    let numbered = documents.names().is_none();
    let mut targets: Vec<Option<&mut Vec<f64>>> = counts.iter_mut().map(Some).collect();
    let work: Vec<_> = classes
        .iter()
        .enumerate()
        .filter_map(|(class, &at)| Some((class, targets.get_mut(at)?.take()?)))
        .collect();
    work.into_par_iter().with_max_len(1).for_each(|(class, counts)| {
        for &row in by_class.of(class) {
            let (terms, found) = documents.row(row as usize);
            let weight = training.weight(row as usize);
            if numbered {
                terms.iter().zip(found).for_each(|(&t, x)| counts[t as usize] += weight * x);
            } else {
                let placed = terms.iter().map(|&term| places[term as usize]);
                placed.zip(found).for_each(|(at, x)| counts[at] += weight * x);
            }
        }
    });
}
