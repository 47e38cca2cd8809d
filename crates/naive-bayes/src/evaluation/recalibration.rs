//! Probabilities that come true, from log odds that exaggerate: naive Bayes counts correlated features as if each spoke anew.

use serde::{Deserialize, Serialize};

use crate::NaiveBayesError;
use crate::error::length;

/// Most Newton steps; the objective is convex and few are needed.
const MAX_STEPS: usize = 100;

fn check(log_odds: &[f64], positive: &[bool]) -> Result<(), NaiveBayesError> {
    length("positive", log_odds.len(), positive.len(), "row")?;
    if log_odds.is_empty() {
        return Err(NaiveBayesError::Empty { argument: "log_odds" });
    }
    match log_odds.iter().position(|score| !score.is_finite()) {
        None => Ok(()),
        Some(row) => Err(NaiveBayesError::Score {
            argument: "log_odds",
            row,
            found: log_odds[row],
            accepted: "finite numbers",
        }),
    }
}

/// Platt's recalibration: p = 1/(1 + exp(−(slope · log odds + intercept))).
///
/// Fitted by maximum likelihood to the targets (m₊ + 1)/(m₊ + 2) and 1/(m₋ + 2), on rows that were not learned from. Source: Platt (1999), with
/// the Newton steps of Lin, Lin & Weng (2007).
///
/// ```
/// use naive_bayes::evaluation::Platt;
///
/// let (odds, positive) = ([-9.0, -8.0, 7.0, -7.5, 8.5, 9.0], [false, false, true, true, false, true]);
/// let platt = Platt::fit(&odds, &positive)?;
/// assert!(platt.proba(9.0) < 0.9);
/// # Ok::<(), naive_bayes::NaiveBayesError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Platt {
    /// Factor of the log odds: below 1 where they exaggerate.
    pub slope: f64,
    /// Log odds where the given ones are 0.
    pub intercept: f64,
}

impl Platt {
    /// Fits both parameters.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`], [`NaiveBayesError::Empty`]; [`NaiveBayesError::Score`] for log odds that are not finite.
    pub fn fit(log_odds: &[f64], positive: &[bool]) -> Result<Self, NaiveBayesError> {
        check(log_odds, positive)?;
        let yes = positive.iter().filter(|is| **is).count() as f64;
        let no = positive.len() as f64 - yes;
        let target = |is: &bool| if *is { (yes + 1.0) / (yes + 2.0) } else { 1.0 / (no + 2.0) };
        let targets: Vec<f64> = positive.iter().map(target).collect();
        let mut found = Self { slope: 0.0, intercept: ((yes + 1.0) / (no + 1.0)).ln() };
        let mut loss = found.loss(log_odds, &targets);
        for _ in 0..MAX_STEPS {
            let step = found.newton_step(log_odds, &targets);
            let Some((better, new_loss)) = found.descend(step, loss, log_odds, &targets) else {
                break;
            };
            (found, loss) = (better, new_loss);
        }
        Ok(found)
    }

    /// The recalibrated probability.
    #[must_use]
    pub fn proba(&self, log_odds: f64) -> f64 {
        1.0 / (1.0 + (-self.log_odds(log_odds)).exp())
    }

    /// The recalibrated log odds.
    #[must_use]
    pub fn log_odds(&self, log_odds: f64) -> f64 {
        self.slope * log_odds + self.intercept
    }

    /// Cross-entropy, in a form that cannot overflow.
    fn loss(&self, log_odds: &[f64], targets: &[f64]) -> f64 {
        let term = |(&score, target): (&f64, &f64)| {
            let f = self.log_odds(score);
            f.max(0.0) - target * f + (-f.abs()).exp().ln_1p()
        };
        log_odds.iter().zip(targets).map(term).sum()
    }

    fn newton_step(&self, log_odds: &[f64], targets: &[f64]) -> (f64, f64) {
        let (mut g, mut h) = ((0.0, 0.0), (1e-12, 0.0, 1e-12));
        for (&score, target) in log_odds.iter().zip(targets) {
            let p = self.proba(score);
            let (off, curve) = (p - target, p * (1.0 - p));
            g = (g.0 + off * score, g.1 + off);
            h = (h.0 + curve * score * score, h.1 + curve * score, h.2 + curve);
        }
        let determinant = h.0 * h.2 - h.1 * h.1;
        ((h.1 * g.1 - h.2 * g.0) / determinant, (h.1 * g.0 - h.0 * g.1) / determinant)
    }

    /// The longest of a step's halves that lowers the loss, with the loss there.
    fn descend(
        &self,
        step: (f64, f64),
        loss: f64,
        log_odds: &[f64],
        targets: &[f64],
    ) -> Option<(Self, f64)> {
        let halves = std::iter::successors(Some(1.0), |length| Some(length / 2.0)).take(40);
        let tried = halves.map(|length| {
            let slope = self.slope + length * step.0;
            let next = Self { slope, intercept: self.intercept + length * step.1 };
            (next, next.loss(log_odds, targets))
        });
        tried.into_iter().find(|(_, next)| *next < loss)
    }
}

/// Isotonic recalibration: the rising step function nearest to the outcomes.
///
/// Fitted by pooling adjacent violators, on rows that were not learned from. Source: Zadrozny & Elkan (2002).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Isotonic {
    /// Rising scores, each with the probability from there on.
    steps: Vec<(f64, f64)>,
}

impl Isotonic {
    /// Fits the steps.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`], [`NaiveBayesError::Empty`]; [`NaiveBayesError::Score`] for log odds that are not finite.
    pub fn fit(log_odds: &[f64], positive: &[bool]) -> Result<Self, NaiveBayesError> {
        check(log_odds, positive)?;
        let mut rows: Vec<(f64, f64)> =
            log_odds.iter().zip(positive).map(|(&s, &is)| (s, f64::from(u8::from(is)))).collect();
        rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        // (lowest score, highest score, positives, rows)
        let mut blocks: Vec<(f64, f64, f64, f64)> = Vec::new();
        for (score, is) in rows {
            blocks.push((score, score, is, 1.0));
            while let [.., a, b] = blocks[..] {
                if a.1 < b.0 && a.2 * b.3 < b.2 * a.3 {
                    break;
                }
                blocks.truncate(blocks.len() - 2);
                blocks.push((a.0, b.1, a.2 + b.2, a.3 + b.3));
            }
        }
        Ok(Self { steps: blocks.iter().map(|block| (block.0, block.2 / block.3)).collect() })
    }

    /// The recalibrated probability.
    #[must_use]
    pub fn proba(&self, log_odds: f64) -> f64 {
        let above = self.steps.partition_point(|(score, _)| *score <= log_odds);
        self.steps[above.saturating_sub(1)].1
    }

    /// Rising scores, each with the probability from there to the next.
    #[must_use]
    pub fn steps(&self) -> &[(f64, f64)] {
        &self.steps
    }
}
