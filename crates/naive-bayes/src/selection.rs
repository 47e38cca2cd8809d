//! Choosing features by evidence.

use crate::Evidence;

/// Where a selection starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// With no feature, adding the most helpful one at a time.
    Forward,
    /// With all features, removing the least helpful one at a time.
    Backward,
}

/// One feature added or removed.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionStep {
    /// The feature.
    pub feature: String,
    /// What the step adds to the evidence, in nats.
    pub gain: f64,
    /// The evidence after the step.
    pub log_evidence: f64,
}

/// The way to the best set of features.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionPath {
    /// The evidence at the start.
    pub start: f64,
    /// Steps that raised the evidence, the largest gain first.
    pub steps: Vec<SelectionStep>,
    /// The features that depend on the class, in the model's order.
    pub selected: Vec<String>,
    /// The evidence of that set.
    pub log_evidence: f64,
}

/// Adds or removes features for as long as the evidence rises.
///
/// The evidence is a sum over features, so both directions end at the best of all 2^D sets, {j : log BF_j > 0}, which is what costs O(D).
#[must_use]
pub fn select(evidence: &Evidence, direction: Direction) -> SelectionPath {
    let forward = direction == Direction::Forward;
    let gain = |factor: f64| if forward { factor } else { -factor };
    let factors =
        evidence.features.iter().map(|feature| (feature, gain(feature.log_bayes_factor())));
    let mut rising: Vec<_> = factors.filter(|(_, gain)| *gain > 0.0).collect();
    rising.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let start = evidence.total_where(|_| !forward);
    let mut log_evidence = start;
    let mut steps = Vec::new();
    for (feature, gain) in rising {
        log_evidence += gain;
        steps.push(SelectionStep { feature: feature.name.clone(), gain, log_evidence });
    }
    let stepped = |name: &str| steps.iter().any(|step| step.feature == name);
    let kept = evidence.features.iter().filter(|feature| stepped(&feature.name) == forward);
    let selected = kept.map(|feature| feature.name.clone()).collect();
    SelectionPath { start, steps, selected, log_evidence }
}
