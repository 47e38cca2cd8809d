//! The Nyström surrogate Q = Kufᵀ Kuu⁻¹ Kuf + σ²I and the residual D = K_ff − Q_ff.

use super::woodbury::Woodbury;
use crate::BoundError;
use kernels::{Kernel, kernel_matrix};
use linalg_cg::{Cholesky, LinalgError, Preconditioner, gram, matmul, matmul_tn};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};

/// How often a jitter that does not suffice is multiplied by ten before giving up.
const ESCALATIONS: usize = 16;
/// First jitter, relative to the largest k(z, z), when none was asked for and one is needed.
const FIRST_RELATIVE_JITTER: f64 = 1e-14;

/// What every bound on inducing points reads; it does not depend on y.
///
/// ```text
/// Kuu + jitter·I = L Lᵀ,   V = L⁻¹ Kuf  [M, N],   Q = VᵀV + σ²I
/// B = I + VVᵀ/σ²  [M, M],  log|Q| = log|B| + N log σ²,   D = K_ff − VᵀV ⪰ 0
/// ```
///
/// Cost: O(N M²) time, O(N M) memory. As a [`Preconditioner`] it solves with Q, which satisfies
/// Q ⪯ K and may therefore also measure the slack left in a quadratic bound.
/// Source: Titsias (2009), "Variational learning of inducing variables in sparse Gaussian
/// processes"; Artemev, Burt & van der Wilk (2021), section 2.
#[derive(Debug, Clone)]
pub struct NystromSystem {
    sigma2: f64,
    k_uu: Cholesky,
    jitter: f64,
    v: Array2<f64>,
    vvt: Array2<f64>,
    b: Cholesky,
    residual_diag: Array1<f64>,
}

impl NystromSystem {
    /// Builds the system for `x [N, D]`, `z [M, D]` and an absolute `jitter` on Kuu.
    ///
    /// A jitter that leaves Kuu indefinite is multiplied by ten until Kuu factorises;
    /// [`jitter`](Self::jitter) says what was used.
    ///
    /// # Errors
    /// When no jitter up to 10¹⁶ times the one asked for makes Kuu positive definite.
    pub fn new(
        kernel: &dyn Kernel,
        x: &ArrayRef2<f64>,
        z: &ArrayRef2<f64>,
        sigma2: f64,
        jitter: f64,
    ) -> Result<Self, BoundError> {
        let (k_uu, jitter) = factor_inducing(&kernel.block(z, z), jitter)?;
        let v = k_uu.solve_lower_into(kernel_matrix(kernel, z, x));
        // D is positive semidefinite in exact arithmetic; only rounding makes a diagonal entry
        // negative, so the clamp moves it towards the truth and keeps the bounds finite.
        let residual_diag = (kernel.diag(x) - column_squares(&v)).mapv(|d| d.max(0.0));
        let vvt = gram(&v);
        let b = factor_inner(&vvt, sigma2)?;
        Ok(Self { sigma2, k_uu, jitter, v, vvt, b, residual_diag })
    }

    /// Number of data rows N.
    #[must_use]
    pub fn n(&self) -> usize {
        self.v.ncols()
    }

    /// Number of inducing points M.
    #[must_use]
    pub fn m(&self) -> usize {
        self.v.nrows()
    }

    /// σ², the noise and white variance together.
    #[must_use]
    pub fn sigma2(&self) -> f64 {
        self.sigma2
    }

    /// The jitter that stands on the diagonal of Kuu, absolute.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// The factor of Kuu + jitter·I.
    #[must_use]
    pub fn k_uu(&self) -> &Cholesky {
        &self.k_uu
    }

    /// V = L⁻¹ Kuf, `[M, N]`.
    #[must_use]
    pub fn v(&self) -> &Array2<f64> {
        &self.v
    }

    /// V Vᵀ, `[M, M]`.
    #[must_use]
    pub fn vvt(&self) -> &Array2<f64> {
        &self.vvt
    }

    /// The factor of B = I + VVᵀ/σ².
    #[must_use]
    pub fn b(&self) -> &Cholesky {
        &self.b
    }

    /// log|Q|, nats.
    #[must_use]
    pub fn log_det_q(&self) -> f64 {
        self.b.log_det() + self.n() as f64 * self.sigma2.ln()
    }

    /// The diagonal of D, each entry at least 0, `[N]`.
    #[must_use]
    pub fn residual_diag(&self) -> &Array1<f64> {
        &self.residual_diag
    }

    /// tr D.
    #[must_use]
    pub fn residual_trace(&self) -> f64 {
        self.residual_diag.sum()
    }

    /// `rᵀ Q⁻¹ r` in the stable form ‖r − Vᵀc‖²/σ² + ‖c‖², `r [N]`.
    ///
    /// # Panics
    /// When `r` has another length than the data, which the bounds check first.
    #[must_use]
    pub fn quad_vec(&self, r: &ArrayRef1<f64>) -> f64 {
        self.woodbury().quad_vec(r)
    }

    /// `C = B⁻¹ V R / σ² = V Q⁻¹ R`, `[M, C]`.
    ///
    /// # Panics
    /// When `r` has another number of rows than the data.
    #[must_use]
    pub fn coefficients(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        self.woodbury().coefficients(r)
    }

    /// Q + `shift`·I, factorised. Cost: O(M³).
    ///
    /// # Errors
    /// When the inner matrix overflows.
    pub fn shifted(&self, shift: f64) -> Result<ShiftedNystrom<'_>, BoundError> {
        let shift = self.sigma2 + shift;
        Ok(ShiftedNystrom { v: &self.v, shift, b: factor_inner(&self.vvt, shift)? })
    }

    /// `VᵀV X = Q_ff X`, `x [N, C] → [N, C]`.
    ///
    /// # Panics
    /// When `x` has another number of rows than the data.
    #[must_use]
    pub fn explained(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        matmul_tn(&self.v, &matmul(&self.v, x))
    }

    /// L⁻¹k(Z, X*), `[M, T]`: what V is for other inputs `x_new [T, D]`.
    #[must_use]
    pub fn project(
        &self,
        kernel: &dyn Kernel,
        z: &ArrayRef2<f64>,
        x_new: &ArrayRef2<f64>,
    ) -> Array2<f64> {
        self.k_uu.solve_lower(&kernel_matrix(kernel, z, x_new))
    }

    /// q*ᵀQ⁻¹q* = aᵀ(I − B⁻¹)a for each column a of `a [M, T]`, q* = Vᵀa: the variance that the
    /// inducing points explain, k** − that of SGPR.
    ///
    /// # Panics
    /// When `a` has another number of rows than there are inducing points.
    #[must_use]
    pub fn explained_forms(&self, a: &ArrayRef2<f64>) -> Array1<f64> {
        let squares = |a: &Array2<f64>| a.mapv(|value| value * value).sum_axis(Axis(0));
        let left = squares(&self.b.solve_lower(a));
        (squares(&a.to_owned()) - left).mapv(|value| value.max(0.0))
    }

    fn woodbury(&self) -> Woodbury<'_> {
        Woodbury { v: &self.v, shift: self.sigma2, b: &self.b }
    }
}

impl Preconditioner for NystromSystem {
    fn n(&self) -> usize {
        self.v.ncols()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        self.woodbury().solve(r)
    }

    fn quad(&self, r: &ArrayRef2<f64>) -> Array1<f64> {
        self.woodbury().quad(r)
    }
}

/// VᵀV + sI for another s than the noise.
#[derive(Debug, Clone)]
pub struct ShiftedNystrom<'a> {
    v: &'a Array2<f64>,
    shift: f64,
    b: Cholesky,
}

impl ShiftedNystrom<'_> {
    /// `(VᵀV + sI)⁻¹ r`, `[N]`.
    #[must_use]
    pub fn solve_vec(&self, r: &ArrayRef1<f64>) -> Array1<f64> {
        self.woodbury().solve_vec(r)
    }

    /// `rᵀ(VᵀV + sI)⁻¹ r` in the stable form.
    #[must_use]
    pub fn quad_vec(&self, r: &ArrayRef1<f64>) -> f64 {
        self.woodbury().quad_vec(r)
    }

    fn woodbury(&self) -> Woodbury<'_> {
        Woodbury { v: self.v, shift: self.shift, b: &self.b }
    }
}

/// Factorises Kuu `[M, M]` with the absolute `jitter` asked for, or ten, a hundred, … times it, and
/// says what was used: the one rule for every model on inducing points.
///
/// # Errors
/// When no jitter up to 10¹⁶ times the one asked for makes Kuu positive definite, or Kuu is not
/// finite.
pub fn factor_inducing(k_uu: &Array2<f64>, jitter: f64) -> Result<(Cholesky, f64), BoundError> {
    let n = k_uu.nrows();
    let first = if jitter > 0.0 { jitter } else { FIRST_RELATIVE_JITTER * variance_scale(k_uu) };
    let mut tried = jitter;
    for escalation in 0..=ESCALATIONS {
        let mut candidate = k_uu.clone();
        candidate.diag_mut().mapv_inplace(|value| value + tried);
        match Cholesky::factor(candidate) {
            Ok(factor) => return Ok((factor, tried)),
            Err(LinalgError::NotPositiveDefinite { .. }) => {}
            Err(other) => return Err(other.into()),
        }
        if escalation < ESCALATIONS {
            tried = if tried > 0.0 { 10.0 * tried } else { first };
        }
    }
    Err(BoundError::NotPositiveDefinite {
        matrix: "covariance of the inducing points",
        n,
        jitter: tried,
    })
}

/// The largest k(z, z), or 1 for a kernel that is zero there (white noise alone).
fn variance_scale(a: &Array2<f64>) -> f64 {
    let largest = a.diag().fold(0.0, |largest: f64, &value| largest.max(value));
    if largest > 0.0 { largest } else { 1.0 }
}

/// Factorises B = I + VVᵀ/s.
fn factor_inner(vvt: &Array2<f64>, shift: f64) -> Result<Cholesky, BoundError> {
    let mut b = vvt / shift;
    b.diag_mut().mapv_inplace(|value| 1.0 + value);
    Ok(Cholesky::factor(b)?)
}

/// Σ_j v_ji² for each column i.
fn column_squares(v: &Array2<f64>) -> Array1<f64> {
    let mut sum = Array1::zeros(v.ncols());
    for row in v.rows() {
        sum.zip_mut_with(&row, |total, value| *total += value * value);
    }
    sum
}
