use std::ops::Range;

use ndarray::ArrayRef1;

use super::{
    TestFunction,
    friedman2::{circuit_ranges, reactance},
};

/// Friedman's third function: the phase of the circuit of [`Friedman2`](super::Friedman2).
///
/// ```text
/// f(x) = arctan((x₂x₃ − 1/(x₂x₄)) / x₁),   on the same box; ±π/2 at x₁ = 0
/// ```
///
/// Source: Friedman (1991), there with noise of a third of the signal's deviation (0.1). Steep near x₁ = 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Friedman3;

impl TestFunction for Friedman3 {
    fn name(&self) -> &'static str {
        "friedman3"
    }

    fn ranges(&self) -> Vec<Range<f64>> {
        circuit_ranges()
    }

    fn value(&self, x: &ArrayRef1<f64>) -> f64 {
        reactance(x).atan2(x[0])
    }
}
