use std::ops::Range;

use ndarray::ArrayRef1;

use super::TestFunction;

/// A unit step: no stationary kernel fits both its flats and its edge.
///
/// ```text
/// f(x) = 0 for x < 0, 1 for x ≥ 0,   x ∈ [−1, 1]
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step;

impl TestFunction for Step {
    fn name(&self) -> &'static str {
        "step"
    }

    fn ranges(&self) -> Vec<Range<f64>> {
        vec![-1.0..1.0; 1]
    }

    fn value(&self, x: &ArrayRef1<f64>) -> f64 {
        if x[0] < 0.0 { 0.0 } else { 1.0 }
    }
}
