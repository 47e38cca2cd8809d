//! The classes a model knows.

use std::collections::HashMap;

use crate::Label;

/// Classes in the order of first sight, with the weight of their rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Classes {
    labels: Vec<Label>,
    index: HashMap<Label, usize>,
    /// Total weight of each class's rows.
    pub(crate) weights: Vec<f64>,
    /// Whether the class counts even without rows.
    declared: Vec<bool>,
}

impl Classes {
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    pub(crate) fn labels(&self) -> &[Label] {
        &self.labels
    }

    pub(crate) fn declared(&self) -> &[bool] {
        &self.declared
    }

    /// The position of a class, a new one where it is not known.
    pub(crate) fn register(&mut self, label: &Label) -> usize {
        if let Some(&known) = self.index.get(label) {
            return known;
        }
        self.labels.push(label.clone());
        self.weights.push(0.0);
        self.declared.push(false);
        self.index.insert(label.clone(), self.labels.len() - 1);
        self.labels.len() - 1
    }

    pub(crate) fn position(&self, label: &Label) -> Option<usize> {
        self.index.get(label).copied()
    }

    pub(crate) fn declare(&mut self, label: &Label) {
        let class = self.register(label);
        self.declared[class] = true;
    }

    /// Positions of the classes that have rows or were declared, sorted by label.
    pub(crate) fn present(&self) -> Vec<usize> {
        let mut present: Vec<usize> = (0..self.len())
            .filter(|&class| self.weights[class] > 0.0 || self.declared[class])
            .collect();
        present.sort_unstable_by(|&a, &b| self.labels[a].cmp(&self.labels[b]));
        present
    }
}
