//! Smoothed logarithms, and their limit where there is no smoothing.

/// log p of a value, p = exp(log) · α^order in the limit α → 0: an order of 1 is an impossible value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Term {
    pub(super) log: f64,
    pub(super) order: f64,
}

impl Term {
    /// log (count + α)/(total + α k).
    pub(super) fn smoothed(count: f64, total: f64, alpha: f64, k: f64) -> Self {
        match (alpha > 0.0, count > 0.0, total > 0.0) {
            // (0 + α)/(n + αk) → α/n.
            (false, false, true) => Self { log: -total.ln(), order: 1.0 },
            // α/(αk).
            (false, _, false) => Self { log: -k.ln(), order: 0.0 },
            _ => Self { log: ((count + alpha) / (total + alpha * k)).ln(), order: 0.0 },
        }
    }
}
