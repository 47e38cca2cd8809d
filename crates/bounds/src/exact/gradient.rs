//! The gradient of the log marginal likelihood.

use super::Exact;
use crate::{BoundError, Gradient};
use kernels::contract_symmetric_gradient;
use linalg_cg::matmul_nt;
use ndarray::{Array2, ArrayRef2, Axis, s};
use rayon::prelude::*;

/// Rows per parallel task.
const BAND: usize = 128;

/// The log marginal likelihood with its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactGradient {
    /// The log marginal likelihood, nats, summed over the target columns.
    pub value: f64,
    /// Derivative in the log kernel parameters and the log noise variance; `z` is `None`.
    pub hyper: Gradient,
    /// Derivative in the targets, −α, `[N, P]`; the mean's parameters enter through it.
    pub y: Array2<f64>,
    /// α = K⁻¹Y, `[N, P]`.
    pub alpha: Array2<f64>,
}

impl Exact<'_, '_> {
    /// Value and gradient for `y [N, P]`.
    ///
    /// ```text
    /// ∂LML/∂θ = Σ_ij W_ij ∂K_ij/∂θ,   W = ½ (Σ_p α_p α_pᵀ − P K⁻¹)
    /// ```
    ///
    /// Cost: 2N³/3 flops beside the factorisation and half a pass over the kernel's derivatives; two
    /// more N × N arrays. Source: Rasmussen & Williams (2006), eq. 5.9.
    ///
    /// # Errors
    /// As [`alpha`](Self::alpha).
    pub fn lml_gradient(&self, y: &ArrayRef2<f64>) -> Result<ExactGradient, BoundError> {
        let alpha = self.alpha(y)?;
        let quad: f64 = alpha.iter().zip(y).map(|(a, y)| a * y).sum();
        let weights = weights(self.cholesky.inverse(), &alpha);
        let mut hyper = Gradient::zeros(self.problem);
        hyper.kernel =
            contract_symmetric_gradient(self.problem.kernel(), self.problem.x(), &weights);
        hyper.add_sigma2(self.problem, weights.diag().sum());
        Ok(ExactGradient { value: self.assemble_lml(quad, y.ncols()), hyper, y: -&alpha, alpha })
    }
}

/// W, in the memory of K⁻¹, by bands of rows.
fn weights(mut inverse: Array2<f64>, alpha: &Array2<f64>) -> Array2<f64> {
    let targets = alpha.ncols() as f64;
    let bands =
        inverse.axis_chunks_iter_mut(Axis(0), BAND).into_par_iter().with_max_len(1).enumerate();
    bands.for_each(|(index, mut band)| {
        let rows = s![index * BAND..index * BAND + band.nrows(), ..];
        let outer = matmul_nt(&alpha.slice(rows), alpha);
        band.zip_mut_with(&outer, |w, outer| *w = 0.5 * (outer - targets * *w));
    });
    inverse
}
