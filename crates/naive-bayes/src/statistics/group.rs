//! The classes of a block's rows.

use std::ops::Range;

use crate::levels::MISSING;

/// Which rows of a block belong to which class, and with which weight.
pub(crate) struct Group<'g> {
    /// For each row its position in `classes`, [`MISSING`] for a row that does not count.
    pub(crate) slots: &'g [u32],
    /// The classes that occur in the block.
    pub(crate) classes: &'g [usize],
    /// Weight of the block's rows in each of them.
    pub(crate) totals: &'g [f64],
    weights: Option<&'g [f64]>,
}

impl Group<'_> {
    /// Rows that count: position, slot, weight.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let counting = self.slots.iter().enumerate().filter(|(_, slot)| **slot != MISSING);
        counting.map(|(row, &slot)| {
            (row, slot as usize, self.weights.map_or(1.0, |weights| weights[row]))
        })
    }
}

/// Makes a [`Group`] of each block, in space that is used again.
pub(crate) struct Grouping<'g> {
    classes: &'g [u32],
    weights: Option<&'g [f64]>,
    slot_of_class: Vec<u32>,
    slots: Vec<u32>,
    present: Vec<usize>,
    totals: Vec<f64>,
}

impl<'g> Grouping<'g> {
    /// `classes` and `weights` are those of all rows.
    pub(crate) fn new(classes: &'g [u32], weights: Option<&'g [f64]>, n_classes: usize) -> Self {
        let slot_of_class = vec![MISSING; n_classes];
        Self {
            classes,
            weights,
            slot_of_class,
            slots: Vec::new(),
            present: Vec::new(),
            totals: Vec::new(),
        }
    }

    pub(crate) fn block(&mut self, rows: Range<usize>) -> Group<'_> {
        self.present.drain(..).for_each(|class| self.slot_of_class[class] = MISSING);
        self.slots.clear();
        self.totals.clear();
        let weights = self.weights.map(|weights| &weights[rows.clone()]);
        for (row, &class) in self.classes[rows].iter().enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[row]);
            // A row of weight 0 is no row.
            let slot = if class == MISSING || weight == 0.0 { MISSING } else { self.slot(class) };
            if slot != MISSING {
                self.totals[slot as usize] += weight;
            }
            self.slots.push(slot);
        }
        Group { slots: &self.slots, classes: &self.present, totals: &self.totals, weights }
    }

    fn slot(&mut self, class: u32) -> u32 {
        let slot = &mut self.slot_of_class[class as usize];
        if *slot == MISSING {
            *slot = self.present.len() as u32;
            self.present.push(class as usize);
            self.totals.push(0.0);
        }
        *slot
    }
}
