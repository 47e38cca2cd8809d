use std::{f64::consts::PI, ops::Range};

use ndarray::ArrayRef1;

use super::TestFunction;

/// Friedman's second function: the impedance of a circuit of resistance x₁, frequency x₂, inductance x₃ and capacitance x₄.
///
/// ```text
/// f(x) = √(x₁² + (x₂x₃ − 1/(x₂x₄))²),   x ∈ [0, 100] × [40π, 560π] × [0, 1] × [1, 11]
/// ```
///
/// Source: Friedman (1991), there with noise of a third of the signal's deviation (125). Inputs differ a thousandfold in scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Friedman2;

/// The box of the second and third function.
pub(super) fn circuit_ranges() -> Vec<Range<f64>> {
    vec![0.0..100.0, 40.0 * PI..560.0 * PI, 0.0..1.0, 1.0..11.0]
}

/// x₂x₃ − 1/(x₂x₄).
pub(super) fn reactance(x: &ArrayRef1<f64>) -> f64 {
    x[1] * x[2] - 1.0 / (x[1] * x[3])
}

impl TestFunction for Friedman2 {
    fn name(&self) -> &'static str {
        "friedman2"
    }

    fn ranges(&self) -> Vec<Range<f64>> {
        circuit_ranges()
    }

    fn value(&self, x: &ArrayRef1<f64>) -> f64 {
        x[0].hypot(reactance(x))
    }
}
