//! What a fitted model says about new inputs.

use linalg_cg::symmetric_eigen;
use ndarray::{Array1, Array2, Array3, ArrayRef2, Axis};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::GpError;

/// Marginal predictions at T inputs for P targets that share their hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Posterior mean `[T, P]`.
    pub mean: Array2<f64>,
    /// Variance of the latent function f(x) `[T]`: without noise.
    pub var_latent: Array1<f64>,
    /// Variance of an observation y(x) `[T]`: `var_latent` plus the noise variance, white kernels included.
    pub var_y: Array1<f64>,
}

/// A Gaussian process conditioned on data.
///
/// Inputs are `[T, D]` in the units the model was fitted in. Predictions at a row do not depend on
/// which other rows are asked with it.
pub trait Posterior {
    /// Posterior mean `[T, P]`; costs no variance.
    ///
    /// # Errors
    /// [`GpError::ShapeMismatch`] for another number of columns, [`GpError::NotFinite`].
    fn predict_mean(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError>;

    /// Posterior mean and marginal variances.
    ///
    /// # Errors
    /// As [`predict_mean`](Self::predict_mean), and failures of a factorisation.
    fn predict(&self, x_new: &ArrayRef2<f64>) -> Result<Prediction, GpError>;

    /// Posterior covariance of the latent function `[T, T]`.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    fn covariance(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError>;

    /// `count` joint draws of the latent function `[count, T, P]`; costs T³.
    ///
    /// ```text
    /// f = mean + U Λ^{1/2} z,   covariance = U Λ Uᵀ,   z ~ N(0, I)
    /// ```
    ///
    /// # Errors
    /// As [`covariance`](Self::covariance).
    fn sample(
        &self,
        x_new: &ArrayRef2<f64>,
        count: usize,
        rng: &mut dyn Rng,
    ) -> Result<Array3<f64>, GpError> {
        // Before the mean: models without joint draws refuse here.
        let covariance = self.covariance(x_new)?;
        let mean = self.predict_mean(x_new)?;
        let (values, vectors) = symmetric_eigen(&covariance)?;
        // A posterior covariance is semidefinite; eigenvalues below zero are rounding.
        let root = vectors * &values.mapv(|value| value.max(0.0).sqrt());
        let mut draws = Array3::zeros((count, mean.nrows(), mean.ncols()));
        for mut draw in draws.axis_iter_mut(Axis(0)) {
            let z = Array2::from_shape_simple_fn(mean.raw_dim(), || StandardNormal.sample(rng));
            draw.assign(&(&mean + &linalg_cg::matmul(&root, &z)));
        }
        Ok(draws)
    }
}
