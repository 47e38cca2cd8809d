//! Statistics by class and feature.

use super::Cell;

/// One [`Cell`] for each class and feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table<T> {
    width: usize,
    rows: Vec<Vec<T>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { width: 0, rows: Vec::new() }
    }
}

impl<T: Cell> Table<T> {
    pub(crate) fn new(classes: usize, width: usize) -> Self {
        Self { width, rows: vec![vec![T::default(); width]; classes] }
    }

    /// From one row for each class; `None` unless all are of that width and valid.
    pub(crate) fn from_columns(classes: usize, columns: &[Vec<T>]) -> Option<Self> {
        let mut table = Self::new(classes, columns.len());
        for (feature, column) in columns.iter().enumerate() {
            if column.len() != classes || !column.iter().all(T::is_valid) {
                return None;
            }
            column.iter().enumerate().for_each(|(class, cell)| *table.at(class, feature) = *cell);
        }
        Some(table)
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn get(&self, class: usize, feature: usize) -> &T {
        &self.rows[class][feature]
    }

    pub(crate) fn at(&mut self, class: usize, feature: usize) -> &mut T {
        &mut self.rows[class][feature]
    }

    pub(crate) fn row(&mut self, class: usize) -> &mut [T] {
        &mut self.rows[class]
    }

    /// The feature in every class.
    pub(crate) fn column(&self, feature: usize) -> impl Iterator<Item = &T> {
        self.rows.iter().map(move |row| &row[feature])
    }

    /// The statistics of a feature over all classes.
    pub(crate) fn pooled(&self, feature: usize) -> T {
        let mut pooled = T::default();
        self.column(feature).for_each(|cell| pooled.combine(cell));
        pooled
    }

    /// Makes room.
    pub(crate) fn grow(&mut self, classes: usize, width: usize) {
        self.width = self.width.max(width);
        self.rows.iter_mut().for_each(|row| row.resize(self.width, T::default()));
        self.rows.resize(self.rows.len().max(classes), vec![T::default(); self.width]);
    }

    /// Adds another table, its classes and features standing where the maps say; what stands beyond the table has no cells.
    pub(crate) fn merge(&mut self, other: &Self, classes: &[usize], features: &[usize]) {
        for (from, &class) in other.rows.iter().zip(classes) {
            let Some(row) = self.rows.get_mut(class) else { continue };
            for (cell, &feature) in from.iter().zip(features) {
                if let Some(known) = row.get_mut(feature) {
                    known.combine(cell);
                }
            }
        }
    }

    /// Takes another table out; the first feature that does not have so much is the error.
    pub(crate) fn remove(
        &mut self,
        other: &Self,
        classes: &[usize],
        features: &[usize],
    ) -> Result<(), usize> {
        for (from, &class) in other.rows.iter().zip(classes) {
            for (cell, &feature) in from.iter().zip(features) {
                if !self.rows[class][feature].remove(cell) {
                    return Err(feature);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn scale(&mut self, factor: f64) {
        self.rows.iter_mut().flatten().for_each(|cell| cell.scale(factor));
    }

    pub(crate) fn drop_feature(&mut self, feature: usize) {
        self.width -= 1;
        for row in &mut self.rows {
            row.remove(feature);
        }
    }
}
