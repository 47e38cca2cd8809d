//! Certificates of a model's predictions, in the table's units.

use std::borrow::Cow;

use bounds::{
    PredictionCertificate, Problem, VarianceOptions, certify_exact_predictions,
    certify_predictions, solve_auxiliary,
};
use gp_core::GpError;
use linalg_cg::CgOptions;
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis, Zip};

use crate::certify::problem;
use crate::{Method, Model, check_predictions};

/// Slack the solve for v may leave, in nats, where the model keeps no v.
const TOLERANCE_NATS: f64 = 1e-3;
/// Vectors of N numbers in the solves for a block of points.
const SOLVED_VECTORS: u64 = 32 * 8;

/// How predictions are certified.
///
/// | option | default |
/// | --- | --- |
/// | `tolerance` | 1e-3: width of the bounds on the variance at which a solve stops, as a share of the kernel's variance |
/// | `cg_max_steps` | 1000 |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictionBoundOptions {
    /// Width at which a solve stops, as a share of the kernel's variance.
    pub tolerance: f64,
    /// Cap on the steps of a solve: a wider bound where it is met.
    pub cg_max_steps: usize,
}

impl Default for PredictionBoundOptions {
    fn default() -> Self {
        Self { tolerance: 1e-3, cg_max_steps: 1000 }
    }
}

/// How far predictions may be from those of the exact Gaussian process with the same
/// hyperparameters, in the targets' own units, one column per target.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionBounds {
    /// Never below |mean − exact posterior mean| `[T, P]`.
    pub mean_error: Array2<f64>,
    /// Never above the exact variance of the latent function `[T, P]`.
    pub var_latent_lower: Array2<f64>,
    /// Never below it `[T, P]`.
    pub var_latent_upper: Array2<f64>,
}

/// Certifies predictions of a model; what they share is computed once.
#[derive(Debug)]
pub struct Certifier<'m> {
    model: &'m Model,
    problem: Problem<'m>,
    /// y − m(X).
    y: Array2<f64>,
    v: Cow<'m, Array2<f64>>,
    options: VarianceOptions,
}

impl Model {
    /// What certifies predictions of this model, whatever its method: N² operations a step of
    /// conjugate gradients for 32 rows (of an exact model N for a row), O(N M) memory.
    ///
    /// # Errors
    /// [`GpError::Bound`] for a tolerance that is not positive, and for factorisations that fail.
    pub fn certifier(&self, options: &PredictionBoundOptions) -> Result<Certifier<'_>, GpError> {
        let hyper = self.hyperparameters();
        let y = self.residual();
        let cg = CgOptions::default().max_iters(options.cg_max_steps);
        let problem = match self.inducing_points() {
            Some(z) => problem(hyper, self.x(), z, self.surrogates())?,
            None => Problem::new(hyper.kernel.as_ref(), self.x(), hyper.noise_variance)?,
        };
        let v = match self.auxiliary() {
            Some(v) => Cow::Borrowed(v),
            None => Cow::Owned(solve_auxiliary(&problem, &y, TOLERANCE_NATS, None, &cg)?.v),
        };
        let tolerance = options.tolerance;
        let options = VarianceOptions { tolerance, cg, ..VarianceOptions::default() };
        Ok(Certifier { model: self, problem, y, v, options })
    }

    /// Bytes a [`certifier`](Self::certifier) needs beside the model.
    #[must_use]
    pub fn certifier_bytes(&self) -> u64 {
        let points = self.inducing_points().map_or(0, |z| z.nrows() as u64);
        8 * (2 * points + SOLVED_VECTORS) * self.x().nrows() as u64
    }
}

impl Certifier<'_> {
    /// Bounds at inputs `x` `[T, D]` in the table's units.
    ///
    /// # Errors
    /// As [`Model::predict`], and [`GpError::Bound`].
    pub fn certify(&self, x: &ArrayRef2<f64>) -> Result<PredictionBounds, GpError> {
        let model = self.model;
        let x = model.x_scaling.apply(x)?;
        let found = match model.method() {
            Method::Exact => {
                let variance = model.gp.predict(&x)?.var_latent;
                certify_exact_predictions(&self.problem, &self.y, &self.v, &x, &variance)?
            }
            _ => certify_predictions(&self.problem, &self.y, &self.v, &x, &self.options)?,
        };
        let prior = model.hyperparameters().mean.value(&x);
        let mean = model.gp.predict_mean(&x)? - prior.insert_axis(Axis(1));
        self.in_table_units(&reach(&found, mean), &found)
    }

    fn in_table_units(
        &self,
        mean_error: &Array2<f64>,
        found: &PredictionCertificate,
    ) -> Result<PredictionBounds, GpError> {
        let scale: Array1<f64> = self.model.y_scaling.scale().iter().copied().collect();
        let of = |variance: &ArrayRef1<f64>| self.model.per_target(variance);
        let bounds = PredictionBounds {
            mean_error: mean_error * &scale,
            var_latent_lower: of(&found.var_lower),
            var_latent_upper: of(&found.var_upper),
        };
        check_predictions(&bounds.mean_error)?;
        check_predictions(&bounds.var_latent_upper)?;
        Ok(bounds)
    }
}

/// From the model's mean to the farther end of the interval the exact one lies in.
fn reach(found: &PredictionCertificate, mut mean: Array2<f64>) -> Array2<f64> {
    Zip::from(&mut mean)
        .and(&found.mean_lower)
        .and(&found.mean_upper)
        .for_each(|mean, lower, upper| *mean = (*mean - lower).max(upper - *mean).max(0.0));
    mean
}
