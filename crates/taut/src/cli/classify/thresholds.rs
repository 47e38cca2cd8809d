//! What thresholds lead to, in the form of reports.

use naive_bayes::evaluation::{NoMisses, Outcome, PrecisionRecall, Ranking, RocPoint};
use serde::Serialize;

/// Predicted positive when the log odds are above the threshold.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Threshold {
    /// Log odds.
    pub(super) threshold: f64,
    /// The same as a probability.
    pub(super) probability: f64,
    /// Rows actual, columns predicted; the class that is not positive first, unless the positive one is the first of two classes.
    pub(super) confusion: [[u64; 2]; 2],
}

/// How well a class is ranked before others.
#[derive(Debug, Default, Serialize)]
pub(super) struct Ranked {
    pub(super) auc: Option<f64>,
    pub(super) average_precision: Option<f64>,
    pub(super) thresholds: Vec<Threshold>,
    pub(super) no_false_negative: Option<Threshold>,
    /// Bounds the expected miss rate of that threshold on a new positive exchangeable with these.
    pub(super) miss_bound: Option<f64>,
    pub(super) roc: Option<Vec<RocPoint>>,
    pub(super) precision_recall: Option<Vec<PrecisionRecall>>,
}

impl Ranked {
    pub(super) fn new(ranking: &Ranking, positive_first: bool, most: usize) -> Self {
        let threshold = |outcome: &Outcome| Threshold::new(outcome, positive_first);
        let safe: Option<NoMisses> = ranking.no_misses();
        Self {
            auc: ranking.auc(),
            average_precision: ranking.average_precision(),
            thresholds: thinned(&ranking.sweep(), most).iter().map(threshold).collect(),
            no_false_negative: safe.as_ref().map(|safe| threshold(&safe.outcome)),
            miss_bound: safe.map(|safe| safe.miss_bound),
            roc: ranking.roc().map(|points| thinned(&points, most)),
            precision_recall: ranking.precision_recall().map(|points| thinned(&points, most)),
        }
    }
}

impl Threshold {
    fn new(outcome: &Outcome, positive_first: bool) -> Self {
        let Outcome { threshold, true_negatives, false_positives, false_negatives, true_positives } =
            *outcome;
        let confusion = match positive_first {
            false => [[true_negatives, false_positives], [false_negatives, true_positives]],
            true => [[true_positives, false_negatives], [false_positives, true_negatives]],
        };
        Self { threshold, probability: 1.0 / (1.0 + (-threshold).exp()), confusion }
    }
}

/// At most `most` of the items, evenly, the first and the last among them.
fn thinned<T: Copy>(items: &[T], most: usize) -> Vec<T> {
    if items.len() <= most {
        return items.to_vec();
    }
    let last = items.len() - 1;
    let at = |index: usize| if most == 1 { last } else { index * last / (most - 1) };
    (0..most).map(|index| items[at(index)]).collect()
}

#[cfg(test)]
mod tests {
    use super::thinned;

    #[test]
    fn ends_are_kept() {
        let items: Vec<usize> = (0..1001).collect();
        assert_eq!(thinned(&items, 5), [0, 250, 500, 750, 1000]);
        assert_eq!(thinned(&items[..3], 5), [0, 1, 2]);
        assert_eq!(thinned(&items, 1), [1000]);
    }
}
