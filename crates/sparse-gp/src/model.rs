//! SGPR, conditioned on its training rows and then independent of them.

use bounds::Problem;
use bounds::surrogate::factor_inducing;
use gp_core::{
    GpError, Hyperparameters, Posterior, Prediction, check_data, check_finite, check_length,
};
use kernels::{cross_product, gram_matrix, kernel_matrix};
use linalg_cg::{Cholesky, Shards, gram};
use ndarray::{Array1, Array2, ArrayRef2, Axis, s};

use crate::check::{check_jitter, check_points};
use crate::collapsed::{Collapsed, column_squares};
use crate::evidence::Evidence;
use crate::gradient::ElboGradient;
use crate::settings::SgprSettings;

/// Test rows handled at a time, so that memory is bounded by this many columns of M.
const CHUNK: usize = 1024;

/// All that a model consists of: what a file must hold. No training row is needed.
#[derive(Debug, Clone)]
pub struct SgprParts {
    /// The hyperparameters.
    pub hyper: Hyperparameters,
    /// The inducing points `[M, D]`.
    pub z: Array2<f64>,
    /// What stands on the diagonal of Kuu beside k, absolute.
    pub jitter: f64,
    /// B = I + VVᵀ/σ² `[M, M]`.
    pub b: Array2<f64>,
    /// C = B⁻¹V(y − m(X))/σ² `[M, P]`.
    pub coefficients: Array2<f64>,
    /// The bounds on the log marginal likelihood of the training rows.
    pub evidence: Evidence,
}

/// Sparse variational Gaussian-process regression.
///
/// ```text
/// Kuu + jitter·I = LLᵀ,  V = L⁻¹Kuf,  B = I + VVᵀ/σ²,  C = B⁻¹V(y − m(X))/σ²
/// mean(x*) = m(x*) + ku*ᵀL⁻ᵀC
/// var(x*)  = k** − ‖L⁻¹ku*‖² + ku*ᵀL⁻ᵀB⁻¹L⁻¹ku*
/// ```
///
/// Conditioning costs O(N M²), a prediction O(M²). Source: Titsias (2009), eq. 6, with the optimal
/// q(u) of its section 3.1; written as in Artemev, Burt & van der Wilk (2021), eq. 4.
///
/// ```
/// use gp_core::{Hyperparameters, Posterior};
/// use kernels::{Mean, SquaredExponential};
/// use ndarray::array;
/// use sparse_gp::{Sgpr, SgprSettings};
///
/// let kernel = Box::new(SquaredExponential::new(vec![0.2], 1.0)?);
/// let hyper = Hyperparameters { kernel, noise_variance: 0.1, mean: Mean::Zero };
/// let (x, y) = (array![[0.0], [1.0]], array![[1.0], [0.5]]);
/// let sgpr = Sgpr::condition(&hyper, &array![[0.3], [0.9]], &x, &y, &SgprSettings::default())?;
///
/// assert!((sgpr.evidence().elbo() - -9.143_77).abs() < 1e-4);
/// assert!(sgpr.evidence().elbo() < sgpr.evidence().upper_bound());
/// assert!(sgpr.predict(&x)?.var_latent.iter().all(|variance| *variance >= 0.0));
/// # Ok::<(), sparse_gp::GpError>(())
/// ```
#[derive(Debug)]
pub struct Sgpr {
    parts: SgprParts,
    l: Cholesky,
    b: Cholesky,
    /// L⁻ᵀC `[M, P]`.
    weights: Array2<f64>,
}

impl Sgpr {
    /// Conditions on `y` `[N, P]` at `x` `[N, D]` with inducing points `z` `[M, D]`; M = 0 is
    /// allowed and gives the prior as posterior.
    ///
    /// # Errors
    /// Data that are empty, not finite or of disagreeing shapes; parameters out of range; a Kuu
    /// that no jitter makes positive definite.
    pub fn condition(
        hyper: &Hyperparameters,
        z: &ArrayRef2<f64>,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        settings: &SgprSettings,
    ) -> Result<Self, GpError> {
        check_all(hyper, z, x, y, settings)?;
        let collapsed = Collapsed::new(hyper, z, x, y, settings)?;
        let evidence = collapsed.evidence()?;
        let Collapsed { jitter, whitened, inner, .. } = collapsed;
        let (hyper, z) = (hyper.clone(), z.to_owned());
        let (b, coefficients) = (inner.matrix, inner.coefficients);
        let parts = SgprParts { hyper, z, jitter, b, coefficients, evidence };
        Ok(Self::assemble(parts, whitened.into_l(), inner.factor))
    }

    /// Puts together a model from its parts, read from a file say; it predicts with the same bits.
    ///
    /// # Errors
    /// [`GpError::ShapeMismatch`] and [`GpError::NotFinite`] for parts that do not fit together;
    /// parameters out of range; matrices that are not positive definite.
    pub fn from_parts(parts: SgprParts) -> Result<Self, GpError> {
        let (m, d) = parts.z.dim();
        parts.hyper.check(d)?;
        check_points(&parts.z, d)?;
        check_jitter(parts.jitter)?;
        check_length("b", "rows", parts.b.nrows(), m)?;
        check_length("b", "columns", parts.b.ncols(), m)?;
        check_length("coefficients", "rows", parts.coefficients.nrows(), m)?;
        let targets = parts.evidence.quad.len();
        check_length("coefficients", "columns", parts.coefficients.ncols(), targets)?;
        if m > 0 {
            check_finite(&parts.coefficients, "coefficients")?;
        }
        let k_uu = gram_matrix(parts.hyper.kernel.as_ref(), &parts.z);
        let (l, _) = factor_inducing(&k_uu, parts.jitter)?;
        let b = Cholesky::factor(parts.b.clone())?;
        Ok(Self::assemble(parts, l, b))
    }

    fn assemble(parts: SgprParts, l: Cholesky, b: Cholesky) -> Self {
        let weights = l.solve_lower_transpose(&parts.coefficients);
        Self { parts, l, b, weights }
    }

    /// All that [`from_parts`](Self::from_parts) needs.
    #[must_use]
    pub fn parts(&self) -> &SgprParts {
        &self.parts
    }

    /// The hyperparameters.
    #[must_use]
    pub fn hyperparameters(&self) -> &Hyperparameters {
        &self.parts.hyper
    }

    /// The inducing points `[M, D]`.
    #[must_use]
    pub fn inducing_points(&self) -> &Array2<f64> {
        &self.parts.z
    }

    /// What was added to the diagonal of Kuu, absolute.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        self.parts.jitter
    }

    /// The bounds on the log marginal likelihood of the training rows.
    #[must_use]
    pub fn evidence(&self) -> &Evidence {
        &self.parts.evidence
    }

    /// The covariance problem at the training rows `x`, with these inducing points and this
    /// jitter, for every bound of the `bounds` crate.
    ///
    /// # Errors
    /// [`GpError::Bound`] for rows that do not fit the model.
    pub fn problem<'a>(&'a self, x: &'a ArrayRef2<f64>) -> Result<Problem<'a>, GpError> {
        let SgprParts { hyper, z, jitter, .. } = &self.parts;
        let problem = Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance)?;
        Ok(problem.with_inducing_points(z, *jitter)?)
    }

    fn check_new(&self, x_new: &ArrayRef2<f64>) -> Result<(), GpError> {
        check_length("x_new", "columns", x_new.ncols(), self.parts.z.ncols())?;
        if x_new.nrows() == 0 { Ok(()) } else { check_finite(x_new, "x_new") }
    }

    /// L⁻¹k(Z, X*) `[M, T]`.
    fn whitened(&self, x_new: &ArrayRef2<f64>) -> Array2<f64> {
        let kernel = self.parts.hyper.kernel.as_ref();
        self.l.solve_lower(&kernel_matrix(kernel, &self.parts.z, x_new))
    }

    fn chunk_variance(&self, x_new: &ArrayRef2<f64>) -> Array1<f64> {
        let whitened = self.whitened(x_new);
        let prior = self.parts.hyper.kernel.diag(x_new);
        // The inducing points explain no more than there is; a difference below zero is rounding.
        let left = (prior - column_squares(&whitened)).mapv_into(|variance| variance.max(0.0));
        left + column_squares(&self.b.solve_lower(&whitened))
    }
}

/// The ELBO of `y` `[N, P]` at `x` `[N, D]` with its gradient in every hyperparameter and in `z`
/// `[M, D]`, from one pass to the bound and one to the gradient.
///
/// Costs 4 N M² flops on BLAS-3 and three times the kernel matrix between Z and X. Source: Titsias
/// (2009), eq. 9.
///
/// # Errors
/// As [`Sgpr::condition`].
pub fn elbo_gradient(
    hyper: &Hyperparameters,
    z: &ArrayRef2<f64>,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    settings: &SgprSettings,
) -> Result<ElboGradient, GpError> {
    check_all(hyper, z, x, y, settings)?;
    Ok(Collapsed::new(hyper, z, x, y, settings)?.gradient())
}

fn check_all(
    hyper: &Hyperparameters,
    z: &ArrayRef2<f64>,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    settings: &SgprSettings,
) -> Result<(), GpError> {
    check_data(hyper, x, y)?;
    check_points(z, x.ncols())?;
    settings.check()
}

impl Posterior for Sgpr {
    fn predict_mean(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.check_new(x_new)?;
        let SgprParts { hyper, z, .. } = &self.parts;
        let centred = cross_product(hyper.kernel.as_ref(), x_new, z, &self.weights);
        Ok(centred + hyper.mean.value(x_new).insert_axis(Axis(1)))
    }

    fn predict(&self, x_new: &ArrayRef2<f64>) -> Result<Prediction, GpError> {
        let mean = self.predict_mean(x_new)?;
        let chunks = Shards::of_length(x_new.nrows(), CHUNK)
            .map(|rows| self.chunk_variance(&x_new.slice(s![rows, ..])));
        let var_latent: Array1<f64> = chunks.into_iter().flatten().collect();
        let var_y = &var_latent + self.parts.hyper.total_noise_variance();
        Ok(Prediction { mean, var_latent, var_y })
    }

    fn covariance(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.check_new(x_new)?;
        let whitened = self.whitened(x_new);
        let prior = gram_matrix(self.parts.hyper.kernel.as_ref(), x_new);
        let known = self.b.solve_lower(&whitened);
        Ok(prior - gram(&whitened.t()) + gram(&known.t()))
    }
}
