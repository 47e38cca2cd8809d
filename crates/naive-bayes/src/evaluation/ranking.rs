//! Scores of two classes in order: thresholds and what they cost.

use serde::Serialize;

use crate::NaiveBayesError;
use crate::error::length;

/// What a threshold leads to: positive when score > threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outcome {
    /// The threshold.
    pub threshold: f64,
    /// Negatives called negative.
    pub true_negatives: u64,
    /// Negatives called positive.
    pub false_positives: u64,
    /// Positives called negative.
    pub false_negatives: u64,
    /// Positives called positive.
    pub true_positives: u64,
}

/// A point of the receiver operating characteristic: positive when score ≥ threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RocPoint {
    /// Share of negatives called positive.
    pub false_positive_rate: f64,
    /// Share of positives called positive.
    pub true_positive_rate: f64,
    /// The threshold, +∞ at the beginning.
    pub threshold: f64,
}

/// A point of the precision-recall curve: positive when score ≥ threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PrecisionRecall {
    /// Of those called positive, the share that are.
    pub precision: f64,
    /// Of the positives, the share called so.
    pub recall: f64,
    /// The threshold.
    pub threshold: f64,
}

/// The threshold that leaves no positive undetected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NoMisses {
    /// The lowest score of a positive.
    pub lowest_positive: f64,
    /// What it leads to; the threshold is the next number below that score.
    pub outcome: Outcome,
    /// 1/(m + 1) with m positives: bounds the expected miss rate on a new positive exchangeable with them.
    pub miss_bound: f64,
}

/// Scores of rows, sorted once; a larger score speaks for the positive class.
///
/// Give log odds rather than probabilities: a probability that rounds to 0 has no threshold below it.
///
/// ```
/// use naive_bayes::evaluation::Ranking;
///
/// let ranking = Ranking::new(&[-2.0, 0.5, 1.0, 3.0], &[false, true, false, true])?;
/// assert_eq!(ranking.auc(), Some(0.75));
/// let safe = ranking.no_misses().expect("there are positives");
/// assert_eq!((safe.lowest_positive, safe.outcome.false_positives), (0.5, 1));
/// # Ok::<(), naive_bayes::NaiveBayesError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ranking {
    /// From the largest score to the smallest: the score, positives and negatives that have it.
    groups: Vec<(f64, u64, u64)>,
    positives: u64,
    negatives: u64,
}

impl Ranking {
    /// Sorts the scores.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`], [`NaiveBayesError::Empty`]; [`NaiveBayesError::Score`] for NaN.
    pub fn new(scores: &[f64], positive: &[bool]) -> Result<Self, NaiveBayesError> {
        length("positive", scores.len(), positive.len(), "row")?;
        if scores.is_empty() {
            return Err(NaiveBayesError::Empty { argument: "scores" });
        }
        if let Some(row) = scores.iter().position(|score| score.is_nan()) {
            let (argument, accepted) = ("scores", "numbers");
            return Err(NaiveBayesError::Score { argument, row, found: scores[row], accepted });
        }
        // Adding 0 turns −0 into 0, which sorts beside it.
        let pairs = scores.iter().zip(positive);
        let mut rows: Vec<(f64, bool)> = pairs.map(|(score, &is)| (score + 0.0, is)).collect();
        rows.sort_unstable_by(|(a, _), (b, _)| b.total_cmp(a));
        let mut groups: Vec<(f64, u64, u64)> = Vec::new();
        for (score, is) in rows {
            let (yes, no) = (u64::from(is), u64::from(!is));
            match groups.last_mut().filter(|last| last.0.to_bits() == score.to_bits()) {
                Some(last) => (last.1, last.2) = (last.1 + yes, last.2 + no),
                None => groups.push((score, yes, no)),
            }
        }
        let positives = groups.iter().map(|group| group.1).sum();
        let negatives = groups.iter().map(|group| group.2).sum();
        Ok(Self { groups, positives, negatives })
    }

    /// What a threshold leads to.
    #[must_use]
    pub fn at(&self, threshold: f64) -> Outcome {
        let above = self.groups.partition_point(|(score, ..)| *score > threshold);
        self.outcome(threshold, &self.groups[..above])
    }

    fn outcome(&self, threshold: f64, above: &[(f64, u64, u64)]) -> Outcome {
        let true_positives = above.iter().map(|group| group.1).sum();
        let false_positives = above.iter().map(|group| group.2).sum();
        self.counted(threshold, true_positives, false_positives)
    }

    fn counted(&self, threshold: f64, true_positives: u64, false_positives: u64) -> Outcome {
        Outcome {
            threshold,
            true_negatives: self.negatives - false_positives,
            false_positives,
            false_negatives: self.positives - true_positives,
            true_positives,
        }
    }

    /// Every different decision, thresholds rising: the first is below all scores, the others are scores.
    #[must_use]
    pub fn sweep(&self) -> Vec<Outcome> {
        let (mut yes, mut no) = (0, 0);
        let mut outcomes = Vec::with_capacity(self.groups.len() + 1);
        for (score, positives, negatives) in &self.groups {
            outcomes.push(self.counted(*score, yes, no));
            (yes, no) = (yes + positives, no + negatives);
        }
        let lowest = self.groups.last().map_or(0.0, |group| group.0.next_down());
        outcomes.push(self.counted(lowest, yes, no));
        outcomes.reverse();
        outcomes
    }

    /// The curve from (0, 0) to (1, 1); `None` without positives or without negatives.
    #[must_use]
    pub fn roc(&self) -> Option<Vec<RocPoint>> {
        let (all_yes, all_no) = self.both()?;
        let (mut yes, mut no) = (0, 0);
        let first = RocPoint {
            false_positive_rate: 0.0,
            true_positive_rate: 0.0,
            threshold: f64::INFINITY,
        };
        let points = self.groups.iter().map(|(threshold, positives, negatives)| {
            (yes, no) = (yes + positives, no + negatives);
            RocPoint {
                false_positive_rate: no as f64 / all_no,
                true_positive_rate: yes as f64 / all_yes,
                threshold: *threshold,
            }
        });
        Some(std::iter::once(first).chain(points).collect())
    }

    /// Probability that a positive scores higher than a negative, ties counted half; `None` without either.
    #[must_use]
    pub fn auc(&self) -> Option<f64> {
        let (all_yes, all_no) = self.both()?;
        let mut yes = 0;
        let mut twice = 0_u128;
        for (_, positives, negatives) in &self.groups {
            twice += u128::from(*negatives) * u128::from(2 * yes + positives);
            yes += positives;
        }
        Some(twice as f64 / (2.0 * all_yes * all_no))
    }

    /// Precision against recall, thresholds falling; `None` without positives.
    #[must_use]
    pub fn precision_recall(&self) -> Option<Vec<PrecisionRecall>> {
        let all = (self.positives > 0).then_some(self.positives as f64)?;
        let (mut yes, mut no) = (0, 0);
        let points = self.groups.iter().map(|(threshold, positives, negatives)| {
            (yes, no) = (yes + positives, no + negatives);
            let precision = yes as f64 / (yes + no) as f64;
            PrecisionRecall { precision, recall: yes as f64 / all, threshold: *threshold }
        });
        Some(points.collect())
    }

    /// Σ (recall rise) × precision; `None` without positives.
    #[must_use]
    pub fn average_precision(&self) -> Option<f64> {
        let points = self.precision_recall()?;
        let before = std::iter::once(0.0).chain(points.iter().map(|point| point.recall));
        Some(
            points
                .iter()
                .zip(before)
                .map(|(point, before)| (point.recall - before) * point.precision)
                .sum(),
        )
    }

    /// The largest threshold without false negatives and what it costs; `None` without positives, or when the lowest positive scores −∞.
    #[must_use]
    pub fn no_misses(&self) -> Option<NoMisses> {
        let lowest_positive = self.groups.iter().rev().find(|group| group.1 > 0)?.0;
        let outcome =
            (lowest_positive > f64::NEG_INFINITY).then(|| self.at(lowest_positive.next_down()))?;
        let miss_bound = 1.0 / (self.positives as f64 + 1.0);
        Some(NoMisses { lowest_positive, outcome, miss_bound })
    }

    /// The largest threshold for which the expected miss rate of a new positive is at most `target`, if it is exchangeable with the positives
    /// here, which must not have been learned from.
    ///
    /// ```text
    /// just below the k-th smallest score of a positive, k = ⌊target (m + 1)⌋
    /// ```
    ///
    /// `None` when k = 0: m positives are too few for the target. Source: Vovk, Gammerman & Shafer (2005), chapter 2.
    #[must_use]
    pub fn threshold_for_miss_rate(&self, target: f64) -> Option<f64> {
        let k = (target * (self.positives as f64 + 1.0)).floor();
        if k.is_nan() || k < 1.0 {
            return None;
        }
        let mut seen = 0;
        let scores = self.groups.iter().rev().map(|(score, positives, _)| {
            seen += positives;
            (seen, *score)
        });
        let mut reached = scores.filter(|(seen, _)| *seen as f64 >= k);
        // A target of 1 or more allows every positive to be missed.
        reached.next().map_or(Some(f64::INFINITY), |(_, score)| Some(score.next_down()))
    }

    fn both(&self) -> Option<(f64, f64)> {
        let both = self.positives > 0 && self.negatives > 0;
        both.then_some((self.positives as f64, self.negatives as f64))
    }
}
