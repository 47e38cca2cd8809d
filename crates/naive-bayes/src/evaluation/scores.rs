//! Proper scores of probabilities.

use ndarray::ArrayRef2;

use crate::NaiveBayesError;
use crate::error::length;

fn check(rows: usize, classes: usize, actual: &[usize]) -> Result<(), NaiveBayesError> {
    length("actual", rows, actual.len(), "row")?;
    if actual.is_empty() {
        return Err(NaiveBayesError::Empty { argument: "actual" });
    }
    match actual.iter().position(|&class| class >= classes) {
        None => Ok(()),
        Some(position) => Err(NaiveBayesError::Index {
            argument: "actual",
            position,
            found: actual[position],
            accepted: "columns of the probabilities",
        }),
    }
}

/// Mean of −log p(actual class), in nats, from log probabilities `[T, C]`: not clipped, so +∞ when an actual class had probability 0.
///
/// # Errors
/// [`NaiveBayesError::Length`], [`NaiveBayesError::Empty`], [`NaiveBayesError::Index`].
pub fn log_loss(log_proba: &ArrayRef2<f64>, actual: &[usize]) -> Result<f64, NaiveBayesError> {
    check(log_proba.nrows(), log_proba.ncols(), actual)?;
    let losses = actual.iter().enumerate().map(|(row, &class)| -log_proba[[row, class]]);
    Ok(losses.sum::<f64>() / actual.len() as f64)
}

/// Mean over rows of Σ_c (p_c − 1[c actual])², from probabilities `[T, C]`: between 0 and 2.
///
/// # Errors
/// [`NaiveBayesError::Length`], [`NaiveBayesError::Empty`], [`NaiveBayesError::Index`].
pub fn brier(proba: &ArrayRef2<f64>, actual: &[usize]) -> Result<f64, NaiveBayesError> {
    check(proba.nrows(), proba.ncols(), actual)?;
    let row = |(row, &class): (usize, &usize)| {
        let value = |(column, p): (usize, &f64)| (p - f64::from(u8::from(column == class))).powi(2);
        proba.row(row).iter().enumerate().map(value).sum::<f64>()
    };
    Ok(actual.iter().enumerate().map(row).sum::<f64>() / actual.len() as f64)
}

/// Mean of (p − t)² with p the probability of the positive class and t whether it is: between 0 and 1, half of [`brier`].
///
/// # Errors
/// [`NaiveBayesError::Length`], [`NaiveBayesError::Empty`].
pub fn binary_brier(proba: &[f64], positive: &[bool]) -> Result<f64, NaiveBayesError> {
    length("positive", proba.len(), positive.len(), "row")?;
    if proba.is_empty() {
        return Err(NaiveBayesError::Empty { argument: "proba" });
    }
    let pairs = proba.iter().zip(positive);
    let losses = pairs.map(|(p, positive)| (p - f64::from(u8::from(*positive))).powi(2));
    Ok(losses.sum::<f64>() / proba.len() as f64)
}
