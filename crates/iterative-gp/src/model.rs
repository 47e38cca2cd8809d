//! A Gaussian process conditioned by conjugate gradients.

use std::sync::OnceLock;

use bounds::{Bracket, Problem, lml_bracket};
use gp_core::{
    GpError, Hyperparameters, Posterior, Prediction, check_data, check_finite, check_length,
};
use kernels::{cross_product, gram_matrix, kernel_matrix};
use ndarray::{Array2, Array3, ArrayRef2, Axis};
use rand::Rng;

use crate::draws::FunctionDraws;
use crate::estimate::{Task, operator};
use crate::love::Love;
use crate::options::{EstimatorOptions, Preconditioning, PredictionOptions, Variance};
use crate::report::SolverReport;
use crate::solves::Solver;
use crate::surrogate::{Chosen, Surrogate};
use crate::value::LmlValue;

/// All that a model consists of: what a file must hold.
#[derive(Debug, Clone)]
pub struct IterativeParts {
    /// The hyperparameters.
    pub hyper: Hyperparameters,
    /// Training inputs `[N, D]`.
    pub x: Array2<f64>,
    /// Training targets `[N, P]`, the mean not subtracted.
    pub y: Array2<f64>,
    /// α ≈ K⁻¹(y − m(X)) `[N, P]`.
    pub alpha: Array2<f64>,
    /// How it predicts; an automatic preconditioner as what it came to.
    pub options: PredictionOptions,
    /// How the solve for α went.
    pub solver: SolverReport,
}

/// Gaussian-process regression by conjugate gradients: no inducing points, no N × N matrix.
///
/// ```text
/// α ≈ K⁻¹(y − m(X)),   mean(x*) = m(x*) + k*ᵀα,   var(x*) = k** − k*ᵀK⁻¹k*
/// ```
///
/// Source: Gardner et al. (2018); Wang et al. (2019), "Exact Gaussian processes on a million data
/// points"; variances see [`Variance`], draws see [`FunctionDraws`].
///
/// ```
/// use gp_core::{Hyperparameters, Posterior};
/// use iterative_gp::{IterativeGp, PredictionOptions};
/// use kernels::{Mean, SquaredExponential};
/// use ndarray::array;
///
/// let kernel = Box::new(SquaredExponential::new(vec![1.0], 1.0)?);
/// let hyper = Hyperparameters { kernel, noise_variance: 0.1, mean: Mean::Zero };
/// let options = PredictionOptions::default();
/// let gp = IterativeGp::condition(&hyper, &array![[0.0]], &array![[2.0]], &options)?;
///
/// let prediction = gp.predict(&array![[0.0]])?;
/// assert!((prediction.mean[[0, 0]] - 2.0 / 1.1).abs() < 1e-9);
/// assert!((prediction.var_latent[0] - 0.1 / 1.1).abs() < 1e-9);
/// # Ok::<(), gp_core::GpError>(())
/// ```
#[derive(Debug)]
pub struct IterativeGp {
    parts: IterativeParts,
    training: Option<SolverReport>,
    /// Chosen when first needed: the mean needs only α.
    chosen: OnceLock<Chosen>,
    love: OnceLock<Love>,
}

/// The estimate of a model's log marginal likelihood beside bounds that hold without chance.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The stochastic estimate.
    pub estimate: LmlValue,
    /// The deterministic bracket at the same hyperparameters.
    pub bracket: Bracket,
}

impl Comparison {
    /// How far the estimate lies above everything the LML can be, nats; 0 if it does not.
    #[must_use]
    pub fn over_estimate(&self) -> f64 {
        (self.estimate.value - self.bracket.upper).max(0.0)
    }

    /// How far it lies below everything the LML can be, nats; 0 if it does not.
    #[must_use]
    pub fn under_estimate(&self) -> f64 {
        (self.bracket.lower - self.estimate.value).max(0.0)
    }
}

impl IterativeGp {
    /// Conditions on `y` `[N, P]` at `x` `[N, D]`.
    ///
    /// A solve that ends at its cap is not an error: [`solver`](Self::solver) says what it left.
    ///
    /// # Errors
    /// Data that are empty, not finite or of disagreeing shapes; parameters and options out of range;
    /// a surrogate that cannot be built.
    pub fn condition(
        hyper: &Hyperparameters,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        options: &PredictionOptions,
    ) -> Result<Self, GpError> {
        Self::condition_until(hyper, x, y, options, &|| false)
    }

    /// As [`condition`](Self::condition), given up once `stop` says `true`.
    ///
    /// # Errors
    /// As [`condition`](Self::condition); [`GpError::Interrupted`] if it was given up.
    pub fn condition_until(
        hyper: &Hyperparameters,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        options: &PredictionOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, GpError> {
        check_data(hyper, x, y)?;
        options.check()?;
        if stop() {
            return Err(GpError::Interrupted);
        }
        let chosen = Chosen::at(hyper, x, &options.preconditioning);
        let r = hyper.residual(x, y);
        let (alpha, solver) = chosen.with(hyper, x, |problem, surrogate| {
            let operator = &operator(problem, options.cache_bytes);
            let solver = Solver { problem, surrogate, operator, options, stop };
            let (alpha, _, report) = solver.solve(&r, None, options.nats)?;
            Ok((alpha, report))
        })?;
        let (hyper, x, y) = (hyper.clone(), x.to_owned(), y.to_owned());
        let preconditioning = chosen.settled(&options.preconditioning);
        let options = PredictionOptions { preconditioning, ..options.clone() };
        let parts = IterativeParts { hyper, x, y, alpha, options, solver };
        Ok(Self { parts, training: None, chosen: OnceLock::from(chosen), love: OnceLock::new() })
    }

    /// Puts together a model from its parts, read from a file say; it predicts with the same bits.
    ///
    /// # Errors
    /// As [`condition`](Self::condition); [`GpError::ShapeMismatch`] for α of another shape than `y`.
    pub fn from_parts(parts: IterativeParts) -> Result<Self, GpError> {
        check_data(&parts.hyper, &parts.x, &parts.y)?;
        parts.options.check()?;
        check_length("alpha", "rows", parts.alpha.nrows(), parts.y.nrows())?;
        check_length("alpha", "columns", parts.alpha.ncols(), parts.y.ncols())?;
        check_finite(&parts.alpha, "alpha")?;
        Ok(Self { parts, training: None, chosen: OnceLock::new(), love: OnceLock::new() })
    }

    /// All that [`from_parts`](Self::from_parts) needs.
    #[must_use]
    pub fn parts(&self) -> &IterativeParts {
        &self.parts
    }

    /// The hyperparameters.
    #[must_use]
    pub fn hyperparameters(&self) -> &Hyperparameters {
        &self.parts.hyper
    }

    /// α `[N, P]`.
    #[must_use]
    pub fn alpha(&self) -> &Array2<f64> {
        &self.parts.alpha
    }

    /// How the solve for α went.
    #[must_use]
    pub fn solver(&self) -> &SolverReport {
        &self.parts.solver
    }

    /// The solves of training in this process, after [`fit`](Self::fit): all of them together, and
    /// the worst.
    #[must_use]
    pub fn training_solver(&self) -> Option<&SolverReport> {
        self.training.as_ref()
    }

    pub(crate) fn with_training(self, training: SolverReport) -> Self {
        Self { training: Some(training), ..self }
    }

    /// The same model, predicting otherwise; α stays.
    ///
    /// # Errors
    /// [`GpError::Linalg`] for options out of range.
    pub fn with_options(self, options: PredictionOptions) -> Result<Self, GpError> {
        Self::from_parts(IterativeParts { options, ..self.parts })
    }

    /// y − m(X) `[N, P]`.
    #[must_use]
    pub fn residual(&self) -> Array2<f64> {
        self.parts.hyper.residual(&self.parts.x, &self.parts.y)
    }

    /// The stochastic estimate of the log marginal likelihood of the training rows, its quadratic term
    /// from this model's α: [`EstimatorOptions::nats`] is of no concern.
    ///
    /// # Errors
    /// As [`lml_estimate`](crate::lml_estimate).
    pub fn estimate(&self, options: &EstimatorOptions, seed: u64) -> Result<LmlValue, GpError> {
        options.check()?;
        let IterativeParts { hyper, x, y, alpha, options: own, .. } = &self.parts;
        let estimate = |problem: &Problem<'_>, surrogate: &dyn Surrogate| {
            Task::new(hyper, problem, surrogate, options).value_at(y, alpha, seed)
        };
        if options.preconditioning == own.preconditioning {
            return self.chosen().with(hyper, x, estimate);
        }
        Chosen::at(hyper, x, &options.preconditioning).with(hyper, x, estimate)
    }

    /// The best of all bounds of the `bounds` crate, with `inducing` greedy inducing points and
    /// `neighbours` for each row, at this model's α.
    ///
    /// # Errors
    /// [`GpError::Bound`] where a bound's parts cannot be built.
    pub fn bracket(&self, inducing: usize, neighbours: usize) -> Result<Bracket, GpError> {
        let IterativeParts { hyper, x, alpha, .. } = &self.parts;
        let pivots = Preconditioning::PivotedCholesky { rank: inducing };
        let Chosen::Points(z) = Chosen::at(hyper, x, &pivots) else {
            return Err(bounds::BoundError::NeedsInducingPoints.into());
        };
        let problem = Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance)?;
        let problem = problem.with_inducing_points(&z, 0.0)?.with_neighbours(neighbours);
        Ok(lml_bracket(&problem, &self.residual(), alpha)?)
    }

    /// Estimate and bracket side by side, so that an over-estimate shows.
    ///
    /// # Errors
    /// As [`estimate`](Self::estimate) and [`bracket`](Self::bracket).
    pub fn compare(
        &self,
        options: &EstimatorOptions,
        seed: u64,
        inducing: usize,
        neighbours: usize,
    ) -> Result<Comparison, GpError> {
        let estimate = self.estimate(options, seed)?;
        Ok(Comparison { estimate, bracket: self.bracket(inducing, neighbours)? })
    }

    /// `count` functions drawn from the posterior, to be evaluated anywhere.
    ///
    /// # Errors
    /// As [`condition`](Self::condition).
    pub fn draw_functions(&self, count: usize, seed: u64) -> Result<FunctionDraws, GpError> {
        self.with_solver(|solver| FunctionDraws::draw(&self.parts, solver, count, seed))
    }

    pub(crate) fn with_solver<T>(
        &self,
        work: impl FnOnce(&Solver<'_, '_>) -> Result<T, GpError>,
    ) -> Result<T, GpError> {
        let IterativeParts { hyper, x, options, .. } = &self.parts;
        self.chosen().with(hyper, x, |problem, surrogate| {
            let operator = &operator(problem, options.cache_bytes);
            work(&Solver { problem, surrogate, operator, options, stop: &|| false })
        })
    }

    fn chosen(&self) -> &Chosen {
        let IterativeParts { hyper, x, options, .. } = &self.parts;
        self.chosen.get_or_init(|| Chosen::at(hyper, x, &options.preconditioning))
    }

    fn problem(&self) -> Result<Problem<'_>, GpError> {
        let IterativeParts { hyper, x, .. } = &self.parts;
        Ok(Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance)?)
    }

    fn love(&self, problem: &Problem<'_>, rank: usize, rows: usize) -> Result<&Love, GpError> {
        if let Some(love) = self.love.get() {
            return Ok(love);
        }
        let operator = operator(problem, self.parts.options.cache_bytes);
        let love = Love::new(problem, &operator, rank, rows)?;
        Ok(self.love.get_or_init(|| love))
    }

    fn check_new(&self, x_new: &ArrayRef2<f64>) -> Result<(), GpError> {
        check_length("x_new", "columns", x_new.ncols(), self.parts.x.ncols())?;
        if x_new.nrows() == 0 { Ok(()) } else { check_finite(x_new, "x_new") }
    }
}

impl Posterior for IterativeGp {
    fn predict_mean(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.check_new(x_new)?;
        let IterativeParts { hyper, x, alpha, .. } = &self.parts;
        let centred = cross_product(hyper.kernel.as_ref(), x_new, x, alpha);
        Ok(centred + hyper.mean.value(x_new).insert_axis(Axis(1)))
    }

    fn predict(&self, x_new: &ArrayRef2<f64>) -> Result<Prediction, GpError> {
        let mean = self.predict_mean(x_new)?;
        let var_latent = match self.parts.options.variance {
            Variance::Love { rank, neighbours } => {
                let problem = self.problem()?;
                self.love(&problem, rank, neighbours)?.variance(&problem, x_new)
            }
            Variance::Exact => self.with_solver(|solver| solver.variance(x_new))?,
        };
        let var_y = &var_latent + self.parts.hyper.total_noise_variance();
        Ok(Prediction { mean, var_latent, var_y })
    }

    /// With [`Variance::Love`] that of the space alone, so that it is one covariance for all inputs:
    /// its diagonal may lie above the marginal variances, which the neighbours bring down.
    fn covariance(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.check_new(x_new)?;
        let kernel = self.parts.hyper.kernel.as_ref();
        let cross = kernel_matrix(kernel, &self.parts.x, x_new);
        let explained = match self.parts.options.variance {
            Variance::Love { rank, neighbours } => {
                let problem = self.problem()?;
                self.love(&problem, rank, neighbours)?.explained(&cross)
            }
            Variance::Exact => self.with_solver(|solver| solver.explained(&cross))?,
        };
        Ok(gram_matrix(kernel, x_new) - explained)
    }

    /// By pathwise conditioning: see [`FunctionDraws`]. Costs no T³.
    fn sample(
        &self,
        x_new: &ArrayRef2<f64>,
        count: usize,
        rng: &mut dyn Rng,
    ) -> Result<Array3<f64>, GpError> {
        self.check_new(x_new)?;
        self.draw_functions(count, rng.next_u64())?.evaluate(x_new)
    }
}
