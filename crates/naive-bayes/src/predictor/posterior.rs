//! From joint values to probabilities, without overflow or underflow.

use ndarray::{Array1, Array2};

/// Probabilities of the classes given rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// log p(c | x) `[T, C]`.
    pub log_proba: Array2<f64>,
    /// log p(x) `[T]`, multinomial coefficients left out.
    pub log_evidence: Array1<f64>,
}

impl Posterior {
    /// p(c | x) `[T, C]`.
    #[must_use]
    pub fn proba(&self) -> Array2<f64> {
        self.log_proba.mapv(f64::exp)
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// log Σ exp v, the largest value taken out first; −∞ when all are.
pub(super) fn log_sum_exp(values: &[f64]) -> f64 {
    let largest = largest(values);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + values.iter().map(|value| (value - largest).exp()).sum::<f64>().ln()
}

/// Turns joint values into log probabilities.
pub(super) fn normalise(values: &mut [f64]) {
    let largest = largest(values);
    let rest = values.iter().map(|value| (value - largest).exp()).sum::<f64>().ln();
    values.iter_mut().for_each(|value| *value = (*value - largest) - rest);
}

/// Turns joint values into probabilities.
pub(super) fn probabilities(values: &[f64], out: &mut [f64]) {
    let largest = largest(values);
    let mut sum = 0.0;
    for (value, out) in values.iter().zip(&mut *out) {
        *out = (value - largest).exp();
        sum += *out;
    }
    out.iter_mut().for_each(|value| *value /= sum);
}

/// Position of the largest value, the first of those that tie; 0 of no values.
#[must_use]
pub fn first_largest(values: &[f64]) -> usize {
    let (mut best, mut largest) = (0, values.first().copied().unwrap_or(0.0));
    for (position, &value) in values.iter().enumerate() {
        // Two choices instead of one branch, which would often be guessed wrong.
        best = if value > largest { position } else { best };
        largest = if value > largest { value } else { largest };
    }
    best
}
