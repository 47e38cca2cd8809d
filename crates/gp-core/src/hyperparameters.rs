//! The numbers a Gaussian process is determined by, beside its data.

use bounds::Gradient;
use kernels::{Kernel, Mean};
use ndarray::{Array2, ArrayRef2, Axis};

use crate::GpError;

/// Covariance function, noise variance and prior mean of a Gaussian process.
///
/// ```text
/// y = m(X) + f(X) + ε,   f ~ GP(0, k),   ε ~ N(0, σ²I)
/// ```
///
/// ```
/// use gp_core::Hyperparameters;
/// use kernels::{Matern32, Mean};
///
/// let kernel = Box::new(Matern32::new(vec![0.5], 1.0)?);
/// let hyper = Hyperparameters { kernel, noise_variance: 0.1, mean: Mean::Constant(2.0) };
/// let names: Vec<String> = hyper.named_values().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["kernel.lengthscales[0]", "kernel.variance", "noise_variance", "mean"]);
/// assert_eq!(hyper.with_values(&[0.5, 1.0, 0.2, 2.0])?.noise_variance, 0.2);
/// # Ok::<(), gp_core::GpError>(())
/// ```
#[derive(Debug)]
pub struct Hyperparameters {
    /// The covariance function k.
    pub kernel: Box<dyn Kernel>,
    /// σ², in the target's units squared.
    pub noise_variance: f64,
    /// The prior mean m.
    pub mean: Mean,
}

impl Clone for Hyperparameters {
    fn clone(&self) -> Self {
        Self {
            kernel: self.kernel.clone_box(),
            noise_variance: self.noise_variance,
            mean: self.mean.clone(),
        }
    }
}

impl Hyperparameters {
    /// Checks every number, and that the kernel and the mean accept inputs of `d` columns.
    ///
    /// # Errors
    /// [`GpError::BadParameter`] for the noise variance, [`GpError::Kernel`] for the others.
    pub fn check(&self, d: usize) -> Result<(), GpError> {
        self.kernel.check_columns(d)?;
        self.mean.check_columns(d)?;
        if self.noise_variance.is_finite() && self.noise_variance > 0.0 {
            return Ok(());
        }
        Err(GpError::BadParameter {
            name: "noise_variance".to_owned(),
            value: self.noise_variance,
            least: 0.0,
            hint: " (for targets without noise give a small one such as 1e-10, which keeps the covariance matrix invertible)",
        })
    }

    /// σ² with the variances of white kernels: what stands on the training diagonal besides k.
    #[must_use]
    pub fn total_noise_variance(&self) -> f64 {
        self.noise_variance + self.kernel.white_variance()
    }

    /// y − m(X) `[N, P]`, for targets `y` `[N, P]` at `x` `[N, D]`.
    #[must_use]
    pub fn residual(&self, x: &ArrayRef2<f64>, y: &ArrayRef2<f64>) -> Array2<f64> {
        y.to_owned() - self.mean.value(x).insert_axis(Axis(1))
    }

    /// Names and values, in the order of [`HyperGradient`]: `kernel.…`, `noise_variance`, `mean…`.
    #[must_use]
    pub fn named_values(&self) -> Vec<(String, f64)> {
        let kernel = self.kernel.parameters();
        let mut named: Vec<_> =
            kernel.into_iter().map(|p| (format!("kernel.{}", p.name), p.value)).collect();
        named.push(("noise_variance".to_owned(), self.noise_variance));
        named.extend(self.mean.parameters().into_iter().map(|p| (p.name, p.value)));
        named
    }

    /// The same model with the values of [`named_values`](Self::named_values) replaced.
    ///
    /// # Errors
    /// [`GpError::ShapeMismatch`] for another number of values, [`GpError::Kernel`] for values a
    /// kernel refuses.
    pub fn with_values(&self, values: &[f64]) -> Result<Self, GpError> {
        let n_kernel = self.kernel.parameters().len();
        let expected = n_kernel + 1 + self.mean.parameters().len();
        if values.len() != expected {
            let found = values.len();
            return Err(GpError::ShapeMismatch {
                argument: "values",
                unit: "values",
                expected,
                found,
            });
        }
        let mut changed = self.clone();
        changed.kernel.set_parameters(&values[..n_kernel])?;
        changed.noise_variance = values[n_kernel];
        changed.mean.set_parameters(&values[n_kernel + 1..])?;
        Ok(changed)
    }
}

/// Derivatives of an objective, in the order of [`Hyperparameters::named_values`].
#[derive(Debug, Clone, PartialEq)]
pub struct HyperGradient {
    /// With respect to the logarithm of each kernel parameter.
    pub log_kernel: Vec<f64>,
    /// With respect to log σ².
    pub log_noise_variance: f64,
    /// With respect to each parameter of the mean itself.
    pub mean: Vec<f64>,
}

impl HyperGradient {
    /// Joins a bound's gradient with that of the mean's parameters.
    #[must_use]
    pub fn new(gradient: Gradient, mean: Vec<f64>) -> Self {
        Self { log_kernel: gradient.kernel, log_noise_variance: gradient.noise_variance, mean }
    }
}
