//! The classes of a block's rows.

use std::ops::Range;

use crate::levels::MISSING;

/// Which rows of a block belong to which class, and with which weight.
pub(crate) struct Group<'g> {
    /// The classes that occur in the block; positions in this list are called slots.
    pub(crate) classes: &'g [usize],
    /// Weight of the block's rows in each slot.
    pub(crate) totals: &'g [f64],
    /// Slot of each row, [`MISSING`] for one that does not count.
    pub(crate) slots: &'g [u32],
    /// Weight of each row, `None` when all are 1.
    weights: Option<&'g [f64]>,
}

impl Group<'_> {
    /// Hands over each row that counts: position, slot, weight.
    pub(crate) fn each_row(&self, mut work: impl FnMut(usize, usize, f64)) {
        for (row, &slot) in self.slots.iter().enumerate() {
            if slot != MISSING {
                work(row, slot as usize, self.weight(row));
            }
        }
    }

    #[inline(always)]
    pub(crate) fn weight(&self, row: usize) -> f64 {
        match self.weights {
            Some(weights) => weights[row],
            None => 1.0,
        }
    }

    /// For each slot its rows with their weights.
    pub(crate) fn sorted(&self) -> Vec<Vec<(usize, f64)>> {
        let mut rows = vec![Vec::new(); self.classes.len()];
        self.each_row(|row, slot, weight| rows[slot].push((row, weight)));
        rows
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
        let (slots, present, totals) = (Vec::new(), Vec::new(), Vec::new());
        Self { classes, weights, slot_of_class, slots, present, totals }
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
        let Self { present, totals, slots, .. } = self;
        Group { classes: present, totals, slots, weights }
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
