//! The collapsed bound at one point: everything that prediction and gradient share.

use bounds::surrogate::factor_inducing;
use gp_core::{GpError, Hyperparameters};
use kernels::gram_matrix;
use linalg_cg::{Cholesky, gram, matmul, matmul_tn};
use ndarray::{Array1, Array2, ArrayRef2, s};

use crate::evidence::Evidence;
use crate::settings::{Jitter, SgprSettings};
use crate::whitened::Whitened;

/// What is summed over data rows before anything can be solved.
struct Sums {
    /// V Vᵀ `[M, M]`.
    vvt: Array2<f64>,
    /// V R `[M, P]`.
    vr: Array2<f64>,
    /// tr D.
    residual_trace: f64,
}

/// SGPR at given hyperparameters and inducing points.
///
/// ```text
/// Kuu + jitter·I = LLᵀ,  V = L⁻¹Kuf,  B = I + VVᵀ/σ²,  C = B⁻¹VR/σ² = VQ⁻¹R,  R = y − m(X)
/// ```
pub(crate) struct Collapsed<'a> {
    pub(crate) hyper: &'a Hyperparameters,
    pub(crate) y: &'a ArrayRef2<f64>,
    pub(crate) whitened: Whitened<'a>,
    /// The absolute jitter used.
    pub(crate) jitter: f64,
    /// The jitter used as a multiple of the mean of k(z, z), where it moves with the kernel.
    pub(crate) relative_jitter: f64,
    pub(crate) sigma2: f64,
    pub(crate) vvt: Array2<f64>,
    vr: Array2<f64>,
    pub(crate) residual_trace: f64,
    pub(crate) inner: Inner,
}

/// B = I + VVᵀ/s and the coefficients C `[M, P]` solved with it.
pub(crate) struct Inner {
    pub(crate) matrix: Array2<f64>,
    pub(crate) factor: Cholesky,
    pub(crate) coefficients: Array2<f64>,
}

impl Inner {
    fn new(vvt: &Array2<f64>, vr: &Array2<f64>, shift: f64) -> Result<Self, GpError> {
        let mut matrix = vvt / shift;
        matrix.diag_mut().mapv_inplace(|value| 1.0 + value);
        let factor = Cholesky::factor(matrix.clone())?;
        let coefficients = factor.solve(vr) / shift;
        Ok(Self { matrix, factor, coefficients })
    }
}

impl<'a> Collapsed<'a> {
    /// One pass over the rows; O(N M²).
    pub(crate) fn new(
        hyper: &'a Hyperparameters,
        z: &'a ArrayRef2<f64>,
        x: &'a ArrayRef2<f64>,
        y: &'a ArrayRef2<f64>,
        settings: &SgprSettings,
    ) -> Result<Self, GpError> {
        let kernel = hyper.kernel.as_ref();
        let k_uu = gram_matrix(kernel, z);
        let mean_variance = k_uu.diag().sum() / z.nrows().max(1) as f64;
        let (l, jitter) = factor_inducing(&k_uu, settings.jitter.absolute(mean_variance))?;
        let relative_jitter = match settings.jitter {
            Jitter::Relative(_) if mean_variance > 0.0 => jitter / mean_variance,
            _ => 0.0,
        };
        let whitened = Whitened::new(kernel, x, z, l, !settings.low_memory);
        let Sums { vvt, vr, residual_trace } = sums(hyper, y, &whitened);
        let sigma2 = hyper.total_noise_variance();
        let inner = Inner::new(&vvt, &vr, sigma2)?;
        Ok(Self {
            hyper,
            y,
            whitened,
            jitter,
            relative_jitter,
            sigma2,
            vvt,
            vr,
            residual_trace,
            inner,
        })
    }

    /// Both bounds, in one more pass over the rows.
    pub(crate) fn evidence(&self) -> Result<Evidence, GpError> {
        let shift = self.sigma2 + self.residual_trace;
        let shifted = Inner::new(&self.vvt, &self.vr, shift)?;
        let squares = self.whitened.reduce(
            |rows, v| {
                let r = residual(self.hyper, self.whitened.x(), self.y, rows);
                let left = |inner: &Inner| column_squares(&unexplained(&r, v, inner));
                (left(&self.inner), left(&shifted))
            },
            |(a, b), (more_a, more_b)| (a + more_a, b + more_b),
        );
        let none = || Array1::zeros(self.y.ncols());
        let (left, left_shifted) = squares.unwrap_or_else(|| (none(), none()));
        Ok(Evidence {
            n: self.y.nrows(),
            sigma2: self.sigma2,
            log_det_q: self.log_det_q(),
            residual_trace: self.residual_trace,
            quad: quad(&left, &self.inner, self.sigma2).to_vec(),
            quad_lower: quad(&left_shifted, &shifted, shift).to_vec(),
        })
    }

    /// log|Q| = log|B| + N log σ².
    pub(crate) fn log_det_q(&self) -> f64 {
        self.inner.factor.log_det() + self.y.nrows() as f64 * self.sigma2.ln()
    }
}

fn sums(hyper: &Hyperparameters, y: &ArrayRef2<f64>, whitened: &Whitened<'_>) -> Sums {
    let (m, targets) = (whitened.z().nrows(), y.ncols());
    let work = |rows: std::ops::Range<usize>, v: &ArrayRef2<f64>| {
        let x = whitened.x().slice(s![rows.clone(), ..]);
        // D is positive semidefinite in exact arithmetic; only rounding makes a diagonal entry
        // negative, so the clamp moves it towards the truth.
        let left = (whitened.kernel().diag(&x) - column_squares(v)).mapv_into(|d| d.max(0.0));
        let vr = matmul(v, &residual(hyper, whitened.x(), y, rows));
        Sums { vvt: gram(v), vr, residual_trace: left.sum() }
    };
    let add = |a: Sums, b: Sums| Sums {
        vvt: a.vvt + b.vvt,
        vr: a.vr + b.vr,
        residual_trace: a.residual_trace + b.residual_trace,
    };
    let none = || Sums {
        vvt: Array2::zeros((m, m)),
        vr: Array2::zeros((m, targets)),
        residual_trace: 0.0,
    };
    whitened.reduce(work, add).unwrap_or_else(none)
}

/// y − m(X) of some rows, `[S, P]`.
pub(crate) fn residual(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    rows: std::ops::Range<usize>,
) -> Array2<f64> {
    hyper.residual(&x.slice(s![rows.clone(), ..]), &y.slice(s![rows, ..]))
}

/// R − VᵀC of some rows, `[S, P]`: what the inducing points leave of the targets.
pub(crate) fn unexplained(r: &Array2<f64>, v: &ArrayRef2<f64>, inner: &Inner) -> Array2<f64> {
    r - &matmul_tn(v, &inner.coefficients)
}

/// rᵀ(VᵀV + sI)⁻¹r for each target from ‖r − Vᵀc‖².
///
/// ```text
/// ‖r − Vᵀc‖²/s + ‖c‖²
/// ```
///
/// is the minimum over c of itself, so rounding in c can only raise it; the difference
/// rᵀr/s − ‖·‖² would lose every digit at small s.
pub(crate) fn quad(left: &Array1<f64>, inner: &Inner, shift: f64) -> Array1<f64> {
    left / shift + column_squares(&inner.coefficients)
}

/// Σ_i a_ij² for each column j.
pub(crate) fn column_squares(a: &ArrayRef2<f64>) -> Array1<f64> {
    let mut sum = Array1::zeros(a.ncols());
    for row in a.rows() {
        sum.zip_mut_with(&row, |total, value| *total += value * value);
    }
    sum
}
