//! Cholesky factorisation with reported jitter, and everything solved with it.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};

use crate::blas::Triangle;
use crate::check;
use crate::error::LinalgError;
use crate::factor::factor_in_place;
use crate::inverse::{inverse_from_lower_inverse, lower_inverse};
use crate::preconditioner::Preconditioner;
use crate::triangular::{solve_block, solve_in_place, solve_one};

/// Room for the rounding of `10 · 10 · …` when a jitter is compared with the largest allowed.
const JITTER_ROUNDING: f64 = 1.0 + 1e-9;

/// The factor of a symmetric positive definite matrix.
///
/// ```text
/// A + jitter · I = L Lᵀ,   L lower triangular with a positive diagonal
/// ```
///
/// Cost: n³/3 flops and one n × n array. The same bits for any number of threads.
/// Source: Golub & Van Loan (2013), §4.2 (blocked, right-looking).
///
/// ```
/// use linalg_cg::Cholesky;
/// use ndarray::array;
///
/// let factor = Cholesky::factor(array![[4.0, 2.0], [2.0, 5.0]])?;
/// assert_eq!(factor.lower(), &array![[2.0, 0.0], [1.0, 2.0]]);
/// assert!((factor.log_det() - 16f64.ln()).abs() < 1e-15);
/// # Ok::<(), linalg_cg::LinalgError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cholesky {
    lower: Array2<f64>,
    jitter: f64,
}

impl Cholesky {
    /// Factors `a [N, N]` in place, without jitter; only its lower triangle is read.
    ///
    /// # Errors
    /// [`LinalgError::NotSquare`]; [`LinalgError::NonFinite`] for a NaN or an infinity in `a` (or
    /// an overflow on the way); [`LinalgError::NotPositiveDefinite`] with the row of the failed
    /// pivot.
    pub fn factor(a: Array2<f64>) -> Result<Self, LinalgError> {
        factored(a, 0.0)
    }

    /// Factors `a [N, N]` with the first jitter of `0, first, 10 · first, … ≤ largest` that works;
    /// [`jitter`](Self::jitter) tells which. Jitter is absolute, added to the diagonal. With
    /// `largest = 0` none is tried.
    ///
    /// # Errors
    /// As [`factor`](Self::factor), where `NotPositiveDefinite` holds the last jitter tried;
    /// [`LinalgError::InvalidOption`] unless `largest` is finite and at least 0, and `first`
    /// finite and above 0 (when `largest` is).
    pub fn factor_with_jitter(
        a: &ArrayRef2<f64>,
        first: f64,
        largest: f64,
    ) -> Result<Self, LinalgError> {
        let mut outcome = factored(a.to_owned(), 0.0);
        for jitter in jitters(first, largest)? {
            if !matches!(outcome, Err(LinalgError::NotPositiveDefinite { .. })) {
                break;
            }
            let mut shifted = a.to_owned();
            shifted.diag_mut().mapv_inplace(|value| value + jitter);
            outcome = factored(shifted, jitter);
        }
        outcome
    }

    /// The factor `L [N, N]`, exactly zero above its diagonal.
    #[must_use]
    pub fn lower(&self) -> &Array2<f64> {
        &self.lower
    }

    /// What was added to the diagonal; 0 when nothing was.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// The order N.
    #[must_use]
    pub fn n(&self) -> usize {
        self.lower.nrows()
    }

    /// `log|A + jitter · I| = 2 Σ log Lᵢᵢ`, in nats.
    #[must_use]
    pub fn log_det(&self) -> f64 {
        2.0 * self.lower.diag().mapv(f64::ln).sum()
    }

    /// `A⁻¹ B`, `b [N, C] → [N, C]`.
    ///
    /// # Panics
    /// Like every solve of this type, when the rows of the right-hand side are not N.
    #[must_use]
    pub fn solve(&self, b: &ArrayRef2<f64>) -> Array2<f64> {
        self.solve_lower_transpose(&self.solve_lower(b))
    }

    /// `A⁻¹ b`, `b [N] → [N]`.
    #[must_use]
    pub fn solve_vec(&self, b: &ArrayRef1<f64>) -> Array1<f64> {
        self.solve_lower_transpose_vec(&self.solve_lower_vec(b))
    }

    /// `L⁻¹ B`, `b [N, C] → [N, C]`.
    #[must_use]
    pub fn solve_lower(&self, b: &ArrayRef2<f64>) -> Array2<f64> {
        solve_block(Triangle::Lower, &self.lower, b)
    }

    /// `L⁻¹ B` in the memory of `b [N, C]`, where that is row-major.
    #[must_use]
    pub fn solve_lower_into(&self, b: Array2<f64>) -> Array2<f64> {
        if b.is_standard_layout() {
            solve_in_place(Triangle::Lower, &self.lower, b)
        } else {
            self.solve_lower(&b)
        }
    }

    /// `L⁻¹ b`, `b [N] → [N]`.
    #[must_use]
    pub fn solve_lower_vec(&self, b: &ArrayRef1<f64>) -> Array1<f64> {
        solve_one(Triangle::Lower, &self.lower, b)
    }

    /// `L⁻ᵀ B`, `b [N, C] → [N, C]`.
    #[must_use]
    pub fn solve_lower_transpose(&self, b: &ArrayRef2<f64>) -> Array2<f64> {
        solve_block(Triangle::LowerTransposed, &self.lower, b)
    }

    /// `L⁻ᵀ b`, `b [N] → [N]`.
    #[must_use]
    pub fn solve_lower_transpose_vec(&self, b: &ArrayRef1<f64>) -> Array1<f64> {
        solve_one(Triangle::LowerTransposed, &self.lower, b)
    }

    /// `A⁻¹ [N, N]`, symmetric to the bit. Cost: 2n³/3 flops and two n × n arrays.
    #[must_use]
    pub fn inverse(&self) -> Array2<f64> {
        inverse_from_lower_inverse(&self.inverse_lower())
    }

    /// `L⁻¹ [N, N]`, exactly zero above its diagonal. Cost: n³/3 flops.
    #[must_use]
    pub fn inverse_lower(&self) -> Array2<f64> {
        lower_inverse(&self.lower)
    }
}

/// The exact solve as a preconditioner: conjugate gradients then take one step.
impl Preconditioner for Cholesky {
    fn n(&self) -> usize {
        self.n()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        self.solve(r)
    }

    /// `‖L⁻¹ r‖²`, which cannot be negative.
    fn quad(&self, r: &ArrayRef2<f64>) -> Array1<f64> {
        self.solve_lower(r).mapv(|value| value * value).sum_axis(Axis(0))
    }
}

fn factored(a: Array2<f64>, jitter: f64) -> Result<Cholesky, LinalgError> {
    check::square("a", &a)?;
    let mut lower = if a.is_standard_layout() { a } else { a.as_standard_layout().into_owned() };
    factor_in_place(&mut lower.view_mut(), jitter)?;
    Ok(Cholesky { lower, jitter })
}

/// `first, 10 · first, … ≤ largest`.
fn jitters(first: f64, largest: f64) -> Result<impl Iterator<Item = f64>, LinalgError> {
    if !(largest.is_finite() && largest >= 0.0) {
        let accepted = "a finite number of at least 0";
        return Err(LinalgError::InvalidOption { option: "largest", found: largest, accepted });
    }
    if largest > 0.0 && !(first.is_finite() && first > 0.0) {
        let accepted = "a finite number above 0";
        return Err(LinalgError::InvalidOption { option: "first", found: first, accepted });
    }
    let largest_rounded = largest * JITTER_ROUNDING;
    let ladder = std::iter::successors(Some(first), |jitter| Some(10.0 * jitter));
    Ok(ladder.take_while(move |jitter| *jitter > 0.0 && *jitter <= largest_rounded))
}
