use std::ops::Range;

use ndarray::ArrayRef1;

use super::TestFunction;

/// The cardinal sine, not normalised.
///
/// ```text
/// f(x) = sin(x) / x,  f(0) = 1,   x ∈ [−10, 10]
/// ```
///
/// Source: the example of Tipping (2001), "Sparse Bayesian learning and the relevance vector machine", JMLR 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sinc;

impl TestFunction for Sinc {
    fn name(&self) -> &'static str {
        "sinc"
    }

    fn ranges(&self) -> Vec<Range<f64>> {
        vec![-10.0..10.0; 1]
    }

    fn value(&self, x: &ArrayRef1<f64>) -> f64 {
        if x[0] == 0.0 { 1.0 } else { x[0].sin() / x[0] }
    }
}
