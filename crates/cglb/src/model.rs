//! The model: auxiliary vectors on the training rows, and SGPR of what they leave.

use bounds::quad::residual;
use bounds::{Neighbourhood, NystromSystem, Problem};
use gp_core::{GpError, Hyperparameters, Posterior, Prediction, check_data, check_length};
use kernels::cross_product;
use linalg_cg::Preconditioner;
use ndarray::{Array2, ArrayRef2, Axis};
use sparse_gp::{Jitter, Sgpr, SgprParts, check_points};

use crate::auxiliary::{Solved, solve_until};
use crate::check::check_like_targets;
use crate::evidence::Evidence;
use crate::setting::{Structures, problem};
use crate::settings::{CglbSettings, VarianceFrom};
use crate::stats::CgStats;

/// All that a model consists of: what a file must hold.
#[derive(Debug, Clone)]
pub struct CglbParts {
    /// SGPR of the residual r: hyperparameters, Z, jitter, B and VQ⁻¹r. Its evidence is that of r.
    pub correction: SgprParts,
    /// Training inputs `[N, D]`.
    pub x: Array2<f64>,
    /// Training targets `[N, P]`, the mean not subtracted.
    pub y: Array2<f64>,
    /// Auxiliary vectors v ≈ K⁻¹(y − m(X)) `[N, P]`.
    pub v: Array2<f64>,
    /// r = y − m(X) − Kv `[N, P]`.
    pub residual: Array2<f64>,
    /// The bounds on the log marginal likelihood.
    pub evidence: Evidence,
    /// What predictive variances are conditioned on.
    pub variance: VarianceFrom,
}

/// Gaussian-process regression by the conjugate-gradient lower bound.
///
/// ```text
/// mean(x*) = m(x*) + k*ᵀv + ku*ᵀL⁻ᵀB⁻¹Vr/σ²,   r = y − m(X) − Kv
/// var(x*)  = k** − k*_Sᵀ(K_SS + σ²I)⁻¹k*_S,   S the training points nearest to x*
/// ```
///
/// The mean is exact if v solves the system or if Q = K, and SGPR's if v = 0. The variance is never
/// below the exact one; the paper's, SGPR's, can be had instead: [`VarianceFrom`].
/// Conditioning costs O(N M²) and a product with K for each step of conjugate gradients, a mean
/// O(N D), a variance O(k³) and a search. Source: Artemev, Burt & van der Wilk (2021), eq. 16, and
/// eq. 4 for SGPR's variance.
///
/// ```
/// use cglb::{Cglb, CglbSettings};
/// use gp_core::{Hyperparameters, Posterior};
/// use kernels::{Mean, SquaredExponential};
/// use ndarray::array;
///
/// let kernel = Box::new(SquaredExponential::new(vec![1.0], 1.0)?);
/// let hyper = Hyperparameters { kernel, noise_variance: 0.1, mean: Mean::Zero };
/// let (x, y) = (array![[0.0], [0.0], [1.0]], array![[1.0], [3.0], [2.0]]);
/// let model = Cglb::condition(&hyper, &array![[0.0]], &x, &y, &CglbSettings::default())?;
///
/// let evidence = model.evidence();
/// assert!(evidence.lower <= -14.213_083 && -14.213_084 <= evidence.upper);
/// assert!((model.predict_mean(&array![[0.5]])?[[0, 0]] - 2.100_937).abs() < 1e-2);
/// # Ok::<(), cglb::GpError>(())
/// ```
#[derive(Debug)]
pub struct Cglb {
    correction: Sgpr,
    x: Array2<f64>,
    y: Array2<f64>,
    v: Array2<f64>,
    residual: Array2<f64>,
    evidence: Evidence,
    variance: VarianceFrom,
}

impl Cglb {
    /// Conditions on `y` `[N, P]` at `x` `[N, D]` with inducing points `z` `[M, D]`, M = 0 allowed:
    /// conjugate gradients from v = 0 to the prediction tolerance.
    ///
    /// # Errors
    /// Data that are empty, not finite or of disagreeing shapes; parameters out of range; a Kuu
    /// that no jitter makes positive definite.
    pub fn condition(
        hyper: &Hyperparameters,
        z: &ArrayRef2<f64>,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        settings: &CglbSettings,
    ) -> Result<Self, GpError> {
        Self::condition_until(hyper, z, x, y, settings, &|| false)
    }

    /// As [`condition`](Self::condition), given up once `stop` says `true`.
    ///
    /// # Errors
    /// As [`condition`](Self::condition); [`GpError::Interrupted`] if it was given up.
    pub fn condition_until(
        hyper: &Hyperparameters,
        z: &ArrayRef2<f64>,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        settings: &CglbSettings,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, GpError> {
        let tolerance = settings.prediction_tolerance;
        let solving = CglbSettings { search: settings.search.of_model(), ..settings.clone() };
        Self::at(hyper, z, x, y, settings, |problem, centred| {
            let solved = solve_until(problem, centred, None, tolerance, &solving, stop)?;
            let mut cg = CgStats::default();
            cg.count(solved.steps, solved.converged);
            Ok((solved, cg))
        })
    }

    /// The same with auxiliary vectors `v` `[N, P]` known already: any will do, and cost tightness
    /// only.
    ///
    /// # Errors
    /// As [`condition`](Self::condition); [`GpError::ShapeMismatch`] for `v` of another shape than
    /// `y`.
    pub fn with_auxiliary(
        hyper: &Hyperparameters,
        z: &ArrayRef2<f64>,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        v: &ArrayRef2<f64>,
        settings: &CglbSettings,
    ) -> Result<Self, GpError> {
        check_like_targets("v", v, y)?;
        Self::at(hyper, z, x, y, settings, |problem, centred| {
            let residual = residual(problem, centred, v);
            let (v, lowest, steps) = (v.to_owned(), None, 0);
            let solved = Solved {
                v,
                residual,
                lowest,
                steps,
                converged: true,
                preconditioning: settings.preconditioning,
            };
            Ok((solved, CgStats::default()))
        })
    }

    fn at(
        hyper: &Hyperparameters,
        z: &ArrayRef2<f64>,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        settings: &CglbSettings,
        find: impl FnOnce(&Problem<'_>, &Array2<f64>) -> Result<(Solved, CgStats), GpError>,
    ) -> Result<Self, GpError> {
        check_data(hyper, x, y)?;
        check_points(z, x.ncols())?;
        settings.check()?;
        let structures = Structures::choose(hyper, z, x, settings)?;
        let problem = problem(hyper, z, x, &structures, settings.jitter)?;
        let centred = hyper.residual(x, y);
        let (solved, cg) = find(&problem, &centred)?;
        let evidence = Evidence::new(&problem, &centred, &solved, &settings.bound, cg)?;
        let correction = correction(hyper, z, problem.nystrom()?, &solved.residual)?;
        let Solved { v, residual, .. } = solved;
        let (x, y) = (x.to_owned(), y.to_owned());
        let variance = settings.variance;
        Self::from_parts(CglbParts { correction, x, y, v, residual, evidence, variance })
    }

    /// Puts together a model from its parts, read from a file say; it predicts with the same bits.
    ///
    /// # Errors
    /// [`GpError::ShapeMismatch`] and [`GpError::NotFinite`] for parts that do not fit together;
    /// parameters out of range; matrices that are not positive definite.
    pub fn from_parts(parts: CglbParts) -> Result<Self, GpError> {
        let CglbParts { correction, x, y, v, residual, evidence, variance } = parts;
        check_data(&correction.hyper, &x, &y)?;
        check_points(&correction.z, x.ncols())?;
        check_like_targets("v", &v, &y)?;
        check_like_targets("residual", &residual, &y)?;
        check_length("coefficients", "columns", correction.coefficients.ncols(), y.ncols())?;
        let correction = Sgpr::from_parts(correction)?;
        Ok(Self { correction, x, y, v, residual, evidence, variance })
    }

    /// All that [`from_parts`](Self::from_parts) needs.
    #[must_use]
    pub fn parts(&self) -> CglbParts {
        CglbParts {
            correction: self.correction.parts().clone(),
            x: self.x.clone(),
            y: self.y.clone(),
            v: self.v.clone(),
            residual: self.residual.clone(),
            evidence: self.evidence.clone(),
            variance: self.variance,
        }
    }

    /// The hyperparameters.
    #[must_use]
    pub fn hyperparameters(&self) -> &Hyperparameters {
        self.correction.hyperparameters()
    }

    /// The inducing points `[M, D]`.
    #[must_use]
    pub fn inducing_points(&self) -> &Array2<f64> {
        self.correction.inducing_points()
    }

    /// What was added to the diagonal of Kuu, absolute.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        self.correction.jitter()
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

    /// y − m(X) `[N, P]`: what bounds are told as targets.
    #[must_use]
    pub fn centred(&self) -> Array2<f64> {
        self.hyperparameters().residual(&self.x, &self.y)
    }

    /// The auxiliary vectors v ≈ K⁻¹(y − m(X)) `[N, P]`.
    #[must_use]
    pub fn v(&self) -> &Array2<f64> {
        &self.v
    }

    /// r = y − m(X) − Kv `[N, P]`, from its definition.
    #[must_use]
    pub fn residual(&self) -> &Array2<f64> {
        &self.residual
    }

    /// The bounds on the log marginal likelihood of the training rows.
    #[must_use]
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// What predictive variances are conditioned on.
    #[must_use]
    pub fn variance_from(&self) -> VarianceFrom {
        self.variance
    }

    /// The same model with other predictive variances; nothing is solved again.
    #[must_use]
    pub fn with_variance_from(mut self, variance: VarianceFrom) -> Self {
        self.variance = variance;
        self
    }

    fn neighbourhood(&self, neighbours: usize) -> Neighbourhood<'_> {
        let hyper = self.hyperparameters();
        let sigma2 = hyper.total_noise_variance();
        Neighbourhood { kernel: hyper.kernel.as_ref(), x: &self.x, sigma2, neighbours }
    }

    /// The covariance problem at the training rows, with these inducing points and this jitter, for
    /// every bound of the `bounds` crate, at [`centred`](Self::centred) and [`v`](Self::v).
    ///
    /// # Errors
    /// None for a model that could be built.
    pub fn problem(&self) -> Result<Problem<'_>, GpError> {
        let jitter = Jitter::Absolute(self.jitter());
        let none = Structures::default();
        problem(self.hyperparameters(), self.inducing_points(), &self.x, &none, jitter)
    }

    /// How far the posterior mean may be from the exact Gaussian process's, `[T, P]`.
    ///
    /// ```text
    /// |mean − exact mean| ≤ (√k** + √(k** − var)) √(rᵀQ⁻¹r)
    /// ```
    ///
    /// In exact arithmetic. Source: both means are linear in r, with Cauchy–Schwarz in K⁻¹ and Q⁻¹
    /// and Q ⪯ K.
    ///
    /// # Errors
    /// As [`Posterior::predict`].
    pub fn mean_error_bound(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let variance = self.correction.predict(x_new)?.var_latent;
        let prior = self.hyperparameters().kernel.diag(x_new);
        // SGPR's variance is at most the prior's; a difference below zero is rounding.
        let explained = (&prior - &variance).mapv_into(|part| part.max(0.0).sqrt());
        let factor = prior.mapv_into(f64::sqrt) + explained;
        let norms = self.evidence.slack.iter().map(|slack| (2.0 * slack.max(0.0)).sqrt());
        let norms = norms.collect::<ndarray::Array1<f64>>();
        Ok(factor.insert_axis(Axis(1)) * &norms.insert_axis(Axis(0)))
    }
}

/// SGPR of the residual, from the Nyström system that is there already.
fn correction(
    hyper: &Hyperparameters,
    z: &ArrayRef2<f64>,
    system: &NystromSystem,
    residual: &Array2<f64>,
) -> Result<SgprParts, GpError> {
    let mut b = system.vvt() / system.sigma2();
    b.diag_mut().mapv_inplace(|value| 1.0 + value);
    let shifted = system.shifted(system.residual_trace())?;
    let quad_lower = residual.columns().into_iter().map(|r| shifted.quad_vec(&r)).collect();
    let evidence = sparse_gp::Evidence {
        n: system.n(),
        sigma2: system.sigma2(),
        log_det_q: system.log_det_q(),
        residual_trace: system.residual_trace(),
        quad: system.quad(residual).to_vec(),
        quad_lower,
    };
    let coefficients = system.coefficients(residual);
    let (hyper, z, jitter) = (hyper.clone(), z.to_owned(), system.jitter());
    Ok(SgprParts { hyper, z, jitter, b, coefficients, evidence })
}

impl Posterior for Cglb {
    fn predict_mean(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let correction = self.correction.predict_mean(x_new)?;
        let kernel = self.hyperparameters().kernel.as_ref();
        Ok(correction + cross_product(kernel, x_new, &self.x, &self.v))
    }

    fn predict(&self, x_new: &ArrayRef2<f64>) -> Result<Prediction, GpError> {
        let mean = self.predict_mean(x_new)?;
        let VarianceFrom::Neighbours(neighbours) = self.variance else {
            return Ok(Prediction { mean, ..self.correction.predict(x_new)? });
        };
        let var_latent = self.neighbourhood(neighbours).variance(x_new)?;
        let var_y = &var_latent + self.hyperparameters().total_noise_variance();
        Ok(Prediction { mean, var_latent, var_y })
    }

    fn covariance(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        match self.variance {
            VarianceFrom::Neighbours(neighbours) => {
                Ok(self.neighbourhood(neighbours).covariance(x_new)?)
            }
            VarianceFrom::InducingPoints => self.correction.covariance(x_new),
        }
    }
}
