//! What every covariance function can do.

use std::fmt::Debug;

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use crate::points::Inputs;
use crate::prepared::PreparedKernel;
use crate::simd::Simd;
use crate::single::PreparedSingle;
use crate::{KernelError, KernelSpec, contract, dense};

/// One hyperparameter: its path within the kernel and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Such as `terms[0].lengthscales[1]`.
    pub name: String,
    /// Positive for kernels, any sign for means.
    pub value: f64,
}

impl Parameter {
    pub(crate) fn new(name: impl Into<String>, value: f64) -> Self {
        Self { name: name.into(), value }
    }

    pub(crate) fn numbered(name: &str, values: &[f64]) -> impl Iterator<Item = Self> {
        values.iter().enumerate().map(move |(i, &value)| Self::new(format!("{name}[{i}]"), value))
    }
}

/// A covariance function k(x, x') with positive hyperparameters θ.
///
/// Work is done a block at a time: `x` `[A, D]` against `x2` `[B, D]`. Gradients are contracted
/// with the block's weights W as they are formed, so that no derivative matrix is ever stored, and
/// they are with respect to log θ (θ ∂/∂θ), in the order of [`parameters`](Self::parameters).
/// Inputs whose columns the kernel does not fit ([`check_columns`](Self::check_columns)) make the
/// block methods panic.
pub trait Kernel: Debug + Send + Sync {
    /// The name used in specifications and reports, such as "matern32".
    fn name(&self) -> &'static str;

    /// The form that is written to files.
    fn spec(&self) -> KernelSpec;

    /// A copy behind a pointer of its own.
    fn clone_box(&self) -> Box<dyn Kernel>;

    /// Whether inputs of `d` columns fit.
    ///
    /// # Errors
    /// [`KernelError::Columns`], [`KernelError::ActiveDim`].
    fn check_columns(&self, d: usize) -> Result<(), KernelError>;

    /// All hyperparameters, depth first; in a leaf lengthscales, then variances, then shape.
    fn parameters(&self) -> Vec<Parameter>;

    /// Replaces all hyperparameters, in the order of [`parameters`](Self::parameters).
    ///
    /// # Errors
    /// [`KernelError::ParameterCount`], [`KernelError::BadParameter`]; the kernel is then as before.
    fn set_parameters(&mut self, values: &[f64]) -> Result<(), KernelError>;

    /// Makes the kernel ready for tiles of a kernel matrix: all work on pairs of rows goes through
    /// what this returns.
    fn prepare(&self, inputs: &Inputs<'_>) -> Box<dyn PreparedKernel>;

    /// Makes the kernel ready in single precision for tiles of `k(X, X)`, scaled once; `None` if it
    /// cannot be, or not well enough. Nothing certified uses it.
    fn prepare_single(&self, inputs: &Inputs<'_>) -> Option<Box<dyn PreparedSingle>> {
        let _ = inputs;
        None
    }

    /// k(xᵢ, x2ⱼ) `[A, B]`. A white kernel is zero here, even where rows coincide.
    fn block(&self, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
        dense::block(self.prepare(&Inputs::pair(x, x2, Simd::detect())).as_ref(), x, x2)
    }

    /// k(xᵢ, xᵢ) `[A]`, without white kernels.
    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64>;

    /// `grad[p] += Σᵢⱼ Wᵢⱼ ∂k(xᵢ, x2ⱼ)/∂log θ_p`, W `[A, B]`.
    fn accumulate_gradient(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad: &mut [f64],
    ) {
        let prepared = self.prepare(&Inputs::pair(x, x2, Simd::detect()));
        contract::add_gradient(prepared.as_ref(), weights, grad);
    }

    /// `grad[p] += Σᵢ wᵢ ∂k(xᵢ, xᵢ)/∂log θ_p`, w `[A]`.
    fn accumulate_diag_gradient(
        &self,
        x: &ArrayRef2<f64>,
        weights: &ArrayRef1<f64>,
        grad: &mut [f64],
    );

    /// `grad_x[i, d] += Σⱼ Wᵢⱼ ∂k(xᵢ, x2ⱼ)/∂xᵢ_d`: the first argument moves, the second stands.
    fn accumulate_input_gradient(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad_x: &mut ArrayRef2<f64>,
    ) {
        let prepared = self.prepare(&Inputs::pair(x, x2, Simd::detect()));
        contract::add_input_gradient(prepared.as_ref(), weights, grad_x);
    }

    /// Total variance of white kernels: it stands on the *training* diagonal only,
    /// `K = block(X, X) + (noise variance + white variance) I`.
    fn white_variance(&self) -> f64 {
        0.0
    }

    /// `grad[p] += θ_p · d_white` for the variance of every white kernel.
    fn accumulate_white_gradient(&self, d_white: f64, grad: &mut [f64]) {
        let _ = (d_white, grad);
    }

    /// Coordinates `[A, E]` whose Euclidean distance orders the covariance: x/ℓ for a stationary
    /// kernel. For orderings and nearest neighbours.
    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64>;

    /// k(x, x') of one pair of points `[D]`.
    fn eval(&self, x: &ArrayRef1<f64>, x2: &ArrayRef1<f64>) -> f64 {
        let row = |x: &ArrayRef1<f64>| x.to_owned().insert_axis(ndarray::Axis(0));
        self.block(&row(x), &row(x2))[[0, 0]]
    }
}

impl Clone for Box<dyn Kernel> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// A parameter and its reciprocal are finite and positive.
pub(crate) fn check_positive(name: &str, value: f64) -> Result<(), KernelError> {
    if value > 0.0 && value.is_finite() && value.recip().is_finite() {
        return Ok(());
    }
    Err(KernelError::BadParameter { name: name.to_owned(), value })
}

pub(crate) fn check_all_positive(name: &'static str, values: &[f64]) -> Result<(), KernelError> {
    if values.is_empty() {
        return Err(KernelError::Empty { name });
    }
    Parameter::numbered(name, values).try_for_each(|p| check_positive(&p.name, p.value))
}

/// One value serves all columns; several serve one column each.
pub(crate) fn check_per_column(
    name: &str,
    found: usize,
    columns: usize,
) -> Result<(), KernelError> {
    if found == 1 || found == columns {
        return Ok(());
    }
    Err(KernelError::Columns { name: name.to_owned(), found, columns })
}

pub(crate) fn check_count(
    owner: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), KernelError> {
    if expected == found {
        Ok(())
    } else {
        Err(KernelError::ParameterCount { owner, expected, found })
    }
}
