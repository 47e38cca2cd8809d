//! The exact Gaussian process, conditioned on its training rows.

use std::f64::consts::PI;
use std::sync::OnceLock;

use bounds::exact::{self, Exact};
use bounds::{Problem, Rounding};
use gp_core::{
    GpError, HyperGradient, Hyperparameters, Observer, Posterior, Prediction, Trained,
    TrainingPlan, check_data, check_finite, random_rows,
};
use kernels::{cross_product, gram_matrix, kernel_matrix};
use linalg_cg::{Cholesky, matmul_tn};
use ndarray::{Array1, Array2, ArrayRef2, ArrayView2, Axis, s};

use crate::memory::check_budget;
use crate::objective::{ExactObjective, lml_gradient};

/// Rows of the screening subset on which starts are compared.
const SCREENING_ROWS: usize = 500;
/// Test rows handled at a time, so that memory is bounded by this many columns of N.
const CHUNK: usize = 512;

/// How an exact Gaussian process is fitted.
///
/// | option | default |
/// | --- | --- |
/// | `plan` | see [`TrainingPlan`] |
/// | `memory_budget` | none: bytes the N×N matrices may take |
///
/// ```
/// use exact_gp::{ExactGpOptions, bytes_needed};
///
/// let options = ExactGpOptions { memory_budget: Some(2_000_000_000), ..ExactGpOptions::default() };
/// assert!(Some(bytes_needed(9_000)) <= options.memory_budget);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ExactGpOptions {
    /// Starts, limits, fixed parameters, priors.
    pub plan: TrainingPlan,
    /// Largest number of bytes of the matrices; `None` leaves it to the machine.
    pub memory_budget: Option<u64>,
}

/// Gaussian-process regression by Cholesky factorisation.
///
/// ```text
/// α = K⁻¹(y − m(X)),   mean(x*) = m(x*) + k*ᵀα,   var(x*) = k** − k*ᵀK⁻¹k*
/// ```
///
/// Costs N³/3 multiplications per evaluation of the LML and N² of memory. Source: Rasmussen &
/// Williams (2006), algorithm 2.1.
///
/// ```
/// use exact_gp::ExactGp;
/// use gp_core::{Hyperparameters, Posterior};
/// use kernels::{Mean, SquaredExponential};
/// use ndarray::array;
///
/// let kernel = Box::new(SquaredExponential::new(vec![1.0], 1.0)?);
/// let hyper = Hyperparameters { kernel, noise_variance: 0.1, mean: Mean::Zero };
/// let gp = ExactGp::condition(&hyper, &array![[0.0]], &array![[2.0]], None)?;
///
/// let prediction = gp.predict(&array![[0.0]])?;
/// assert!((prediction.mean[[0, 0]] - 2.0 / 1.1).abs() < 1e-12);
/// assert!((prediction.var_latent[0] - 0.1 / 1.1).abs() < 1e-12);
/// assert!((gp.lml()?.value - -2.784_775_441_3).abs() < 1e-9);
/// # Ok::<(), exact_gp::GpError>(())
/// ```
#[derive(Debug)]
pub struct ExactGp {
    hyper: Hyperparameters,
    x: Array2<f64>,
    y: Array2<f64>,
    alpha: Array2<f64>,
    /// Built when a variance is first asked for: the mean needs only α.
    factor: OnceLock<Cholesky>,
}

/// The exact log marginal likelihood, in nats, summed over targets.
///
/// The true value lies within `rounding_quad + rounding_logdet` of `value`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExactLml {
    /// The value computed.
    pub value: f64,
    /// What rounding may have done to the quadratic term.
    pub rounding_quad: f64,
    /// What rounding may have done to the log-determinant term.
    pub rounding_logdet: f64,
}

impl ExactGp {
    /// Trains the hyperparameters from `template` by maximising the LML of `y` `[N, P]` at `x`
    /// `[N, D]`, and conditions on the data.
    ///
    /// # Errors
    /// Data that are empty, not finite or of disagreeing shapes; parameters out of range; equal
    /// rows without noise; more memory needed than the budget; no usable start.
    pub fn fit(
        template: &Hyperparameters,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        options: &ExactGpOptions,
        observer: &mut dyn Observer,
    ) -> Result<(Self, Trained), GpError> {
        check_data(template, x, y)?;
        check_budget(x.nrows(), true, options.memory_budget)?;
        let rows = random_rows(x.nrows(), SCREENING_ROWS, options.plan.seed);
        let (few_x, few_y) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows));
        let space = options.plan.space(template)?;
        let mut screening = ExactObjective::new(&few_x, &few_y, &space);
        let mut full = ExactObjective::new(x, y, &space);
        let (hyper, trained) =
            options.plan.run(template, x.ncols(), &mut screening, &mut full, observer)?;
        Ok((Self::condition(&hyper, x, y, options.memory_budget)?, trained))
    }

    /// Conditions on the data at given hyperparameters.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn condition(
        hyper: &Hyperparameters,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        memory_budget: Option<u64>,
    ) -> Result<Self, GpError> {
        check_data(hyper, x, y)?;
        check_budget(x.nrows(), false, memory_budget)?;
        let problem = Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance)?;
        let exact = Exact::new(&problem)?;
        let alpha = exact.alpha(&hyper.residual(x, y))?;
        let factor = OnceLock::from(exact.into_cholesky());
        Ok(Self { hyper: hyper.clone(), x: x.to_owned(), y: y.to_owned(), alpha, factor })
    }

    /// Puts together a model whose α `[N, P]` is known, from a file say, without factorising.
    ///
    /// # Errors
    /// As [`fit`](Self::fit); [`GpError::ShapeMismatch`] for α of another shape than `y`.
    pub fn from_parts(
        hyper: Hyperparameters,
        x: Array2<f64>,
        y: Array2<f64>,
        alpha: Array2<f64>,
    ) -> Result<Self, GpError> {
        check_data(&hyper, &x, &y)?;
        let sides = [("rows", y.nrows(), alpha.nrows()), ("columns", y.ncols(), alpha.ncols())];
        if let Some((unit, expected, found)) = sides.into_iter().find(|side| side.1 != side.2) {
            return Err(GpError::ShapeMismatch { argument: "alpha", unit, expected, found });
        }
        check_finite(&alpha, "alpha")?;
        Ok(Self { hyper, x, y, alpha, factor: OnceLock::new() })
    }

    /// The hyperparameters.
    #[must_use]
    pub fn hyperparameters(&self) -> &Hyperparameters {
        &self.hyper
    }

    /// Training inputs `[N, D]`.
    #[must_use]
    pub fn x(&self) -> &Array2<f64> {
        &self.x
    }

    /// Training targets `[N, P]`, the mean not subtracted.
    #[must_use]
    pub fn y(&self) -> &Array2<f64> {
        &self.y
    }

    /// α = K⁻¹(y − m(X)) `[N, P]`.
    #[must_use]
    pub fn alpha(&self) -> &Array2<f64> {
        &self.alpha
    }

    /// y − m(X) `[N, P]`.
    #[must_use]
    pub fn residual(&self) -> Array2<f64> {
        self.hyper.residual(&self.x, &self.y)
    }

    /// The log marginal likelihood with how far rounding may have moved it.
    ///
    /// # Errors
    /// [`GpError::Bound`] when K cannot be factorised.
    pub fn lml(&self) -> Result<ExactLml, GpError> {
        let residual = self.residual();
        let (n, targets) = (residual.nrows() as f64, residual.ncols() as f64);
        let quad: f64 = residual.iter().zip(&self.alpha).map(|(r, a)| r * a).sum();
        let log_det = self.factor()?.log_det();
        let rounding = Rounding::new(&self.problem()?);
        let squares = self.alpha.iter().map(|a| a * a).sum();
        Ok(ExactLml {
            value: -0.5 * quad - 0.5 * targets * (log_det + n * (2.0 * PI).ln()),
            rounding_quad: 0.5 * rounding.quad(quad, squares),
            rounding_logdet: 0.5 * targets * rounding.log_det(log_det),
        })
    }

    /// The log marginal likelihood and its gradient, in the order of
    /// [`Hyperparameters::named_values`]; costs N³.
    ///
    /// # Errors
    /// [`GpError::Bound`] when K cannot be factorised.
    pub fn lml_gradient(&self) -> Result<(f64, HyperGradient), GpError> {
        lml_gradient(&self.hyper, &self.x, &self.y)
    }

    /// Leave-one-out predictions at the training rows, from one factorisation.
    ///
    /// Source: Rasmussen & Williams (2006), eq. 5.12.
    ///
    /// # Errors
    /// [`GpError::Bound`] when K cannot be factorised.
    pub fn leave_one_out(&self) -> Result<Prediction, GpError> {
        let problem = self.problem()?;
        let loo = Exact::new(&problem)?.leave_one_out(&self.residual())?;
        let mean = loo.mean + self.hyper.mean.value(&self.x).insert_axis(Axis(1));
        let noise = self.hyper.total_noise_variance();
        // Leaving a row out cannot leave less than the noise; a difference below is rounding.
        let var_latent = loo.var_y.mapv(|variance| (variance - noise).max(0.0));
        Ok(Prediction { mean, var_latent, var_y: loo.var_y })
    }

    /// The covariance problem at the training rows, for bounds.
    ///
    /// # Errors
    /// None for a model that could be built.
    pub fn problem(&self) -> Result<Problem<'_>, GpError> {
        Ok(Problem::new(self.hyper.kernel.as_ref(), &self.x, self.hyper.noise_variance)?)
    }

    fn factor(&self) -> Result<&Cholesky, GpError> {
        if let Some(factor) = self.factor.get() {
            return Ok(factor);
        }
        let cholesky = Exact::new(&self.problem()?)?.into_cholesky();
        Ok(self.factor.get_or_init(|| cholesky))
    }

    fn check_new(&self, x_new: &ArrayRef2<f64>) -> Result<(), GpError> {
        let (expected, found) = (self.x.ncols(), x_new.ncols());
        if expected != found {
            return Err(GpError::ShapeMismatch {
                argument: "x_new",
                unit: "columns",
                expected,
                found,
            });
        }
        if x_new.nrows() == 0 { Ok(()) } else { check_finite(x_new, "x_new") }
    }

    /// L⁻¹k(X, X*) `[N, T]`.
    fn whitened(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let cross = kernel_matrix(self.hyper.kernel.as_ref(), &self.x, x_new);
        Ok(self.factor()?.solve_lower_into(cross))
    }

    /// k** − ‖L⁻¹k*‖² for a few rows.
    fn chunk_variance(&self, x_new: &ArrayView2<f64>) -> Result<Array1<f64>, GpError> {
        let whitened = self.whitened(x_new)?;
        let explained = whitened.mapv_into(|value| value * value).sum_axis(Axis(0));
        // The difference of two nearly equal numbers can round below zero; the variance cannot.
        Ok((self.hyper.kernel.diag(x_new) - explained).mapv_into(|variance| variance.max(0.0)))
    }
}

impl Posterior for ExactGp {
    fn predict_mean(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.check_new(x_new)?;
        let centred = cross_product(self.hyper.kernel.as_ref(), x_new, &self.x, &self.alpha);
        Ok(centred + self.hyper.mean.value(x_new).insert_axis(Axis(1)))
    }

    fn predict(&self, x_new: &ArrayRef2<f64>) -> Result<Prediction, GpError> {
        let mean = self.predict_mean(x_new)?;
        let mut var_latent = Array1::zeros(x_new.nrows());
        for first in (0..x_new.nrows()).step_by(CHUNK) {
            let last = (first + CHUNK).min(x_new.nrows());
            let variance = self.chunk_variance(&x_new.slice(s![first..last, ..]))?;
            var_latent.slice_mut(s![first..last]).assign(&variance);
        }
        let var_y = &var_latent + self.hyper.total_noise_variance();
        Ok(Prediction { mean, var_latent, var_y })
    }

    fn covariance(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.check_new(x_new)?;
        let whitened = self.whitened(x_new)?;
        let prior = gram_matrix(self.hyper.kernel.as_ref(), x_new);
        Ok(prior - matmul_tn(&whitened, &whitened))
    }
}

/// Bytes that fitting `n` rows takes, training included.
#[must_use]
pub fn bytes_needed(n: usize) -> u64 {
    exact::bytes_needed(n, true)
}
