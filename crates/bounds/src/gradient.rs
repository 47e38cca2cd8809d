//! Derivatives of bounds.

use crate::Problem;
use ndarray::{Array1, Array2};

/// Derivative of a bound in the hyperparameters.
///
/// ```text
/// kernel[p]       θ_p ∂F/∂θ_p           one per kernel parameter, in the kernel's own order
/// noise_variance  σ_n² ∂F/∂σ_n²         with respect to log noise variance
/// z[j, d]         ∂F/∂z_jd              [M, D]; None when the bound does not use Z
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Gradient {
    /// With respect to the logarithm of each kernel parameter.
    pub kernel: Vec<f64>,
    /// With respect to the logarithm of the noise variance.
    pub noise_variance: f64,
    /// With respect to the inducing points, `[M, D]`, where the bound uses them.
    pub z: Option<Array2<f64>>,
}

impl Gradient {
    /// The zero gradient of a problem, without an inducing-point part.
    #[must_use]
    pub fn zeros(problem: &Problem<'_>) -> Self {
        let kernel = vec![0.0; problem.kernel().parameters().len()];
        Self { kernel, noise_variance: 0.0, z: None }
    }

    /// Adds `factor · other`; a missing inducing-point part counts as zero.
    pub fn scaled_add(&mut self, factor: f64, other: &Self) {
        for (mine, theirs) in self.kernel.iter_mut().zip(&other.kernel) {
            *mine += factor * theirs;
        }
        self.noise_variance += factor * other.noise_variance;
        match (&mut self.z, &other.z) {
            (Some(mine), Some(theirs)) => mine.scaled_add(factor, theirs),
            (mine @ None, Some(theirs)) => *mine = Some(theirs * factor),
            (_, None) => {}
        }
    }

    /// Adds the effect of `d_sigma2 = ∂F/∂σ²`, where σ² = noise variance + white variance.
    pub fn add_sigma2(&mut self, problem: &Problem<'_>, d_sigma2: f64) {
        self.noise_variance += problem.noise_variance() * d_sigma2;
        problem.kernel().accumulate_white_gradient(d_sigma2, &mut self.kernel);
    }
}

/// Derivative of a quadratic bound, v held fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadGradient {
    /// With respect to the hyperparameters.
    pub hyper: Gradient,
    /// With respect to y, `[N]`: the mean function's parameters enter through it.
    pub y: Array1<f64>,
}
