//! Whether probabilities come true.

use serde::Serialize;

use crate::NaiveBayesError;
use crate::error::{length, option};

/// Rows whose probability lies between two limits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    /// Lower limit, included.
    pub low: f64,
    /// Upper limit, excluded but in the last bin.
    pub high: f64,
    /// Number of rows.
    pub n: u64,
    /// Mean probability, `None` without rows.
    pub mean_score: Option<f64>,
    /// Share of positives, `None` without rows.
    pub fraction_positive: Option<f64>,
}

/// A table of reliability: bins of equal width, with what was said beside what was so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// The bins, from 0 to 1.
    pub bins: Vec<Bin>,
    /// Expected calibration error: Σ (n_b/n) |mean score − fraction positive|.
    pub ece: f64,
}

impl Calibration {
    /// Sorts probabilities of the positive class into `n_bins` bins.
    ///
    /// # Errors
    /// [`NaiveBayesError::Length`], [`NaiveBayesError::Empty`]; [`NaiveBayesError::Score`] for a number outside 0 to 1;
    /// [`NaiveBayesError::Option`] without bins.
    pub fn new(proba: &[f64], positive: &[bool], n_bins: usize) -> Result<Self, NaiveBayesError> {
        length("positive", proba.len(), positive.len(), "row")?;
        option("n_bins", n_bins as f64, n_bins > 0, "whole numbers above 0")?;
        if proba.is_empty() {
            return Err(NaiveBayesError::Empty { argument: "proba" });
        }
        if let Some(row) = proba.iter().position(|p| !(0.0..=1.0).contains(p)) {
            let (argument, accepted) = ("proba", "probabilities from 0 to 1");
            return Err(NaiveBayesError::Score { argument, row, found: proba[row], accepted });
        }
        let mut sums = vec![(0_u64, 0.0, 0_u64); n_bins];
        for (&p, &is) in proba.iter().zip(positive) {
            let bin = &mut sums[bin_of(p, n_bins)];
            *bin = (bin.0 + 1, bin.1 + p, bin.2 + u64::from(is));
        }
        let limit = |index: usize| index as f64 / n_bins as f64;
        let bin = |(index, &(n, sum, positives)): (usize, &(u64, f64, u64))| Bin {
            low: limit(index),
            high: limit(index + 1),
            n,
            mean_score: (n > 0).then(|| sum / n as f64),
            fraction_positive: (n > 0).then(|| positives as f64 / n as f64),
        };
        let bins: Vec<Bin> = sums.iter().enumerate().map(bin).collect();
        let error = |bin: &Bin| {
            let off =
                bin.mean_score.zip(bin.fraction_positive).map(|(said, was)| (said - was).abs());
            off.map(|off| off * bin.n as f64 / proba.len() as f64)
        };
        let ece = bins.iter().filter_map(error).sum();
        Ok(Self { bins, ece })
    }
}

/// The bin whose limits, as rounded, hold the number.
fn bin_of(p: f64, n_bins: usize) -> usize {
    let near = ((p * n_bins as f64) as usize).min(n_bins - 1);
    let low = |index: usize| index as f64 / n_bins as f64;
    if p < low(near) {
        near - 1
    } else if near + 1 < n_bins && p >= low(near + 1) {
        near + 1
    } else {
        near
    }
}
