//! The surrogate covariance: low rank plus sparse inverse.

use super::low_rank::LowRank;
use super::{NystromSystem, SurrogateKind, VecchiaFactors};
use crate::BoundError;
use linalg_cg::Preconditioner;
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use std::sync::Arc;

/// A covariance C near K with a cheap determinant, solve and trace.
///
/// ```text
/// C = VᵀV + Λ,   Λ⁻¹ = TᵀT,   A = TVᵀ [N, M],   M = I + AᵀA [M, M]
/// log|C| = log|Λ| + log|M|,   C⁻¹ = Tᵀ(I + AAᵀ)⁻¹T = FᵀF
/// ```
///
/// Every surrogate of [`SurrogateKind`] has this form, T being sparse and triangular in the order of
/// its structure. The same object bounds log|K| ([`trace_bound`](Self::trace_bound),
/// [`exact_trace`](Self::exact_trace), [`moments`](Self::moments)), preconditions conjugate gradients
/// (as a [`Preconditioner`]) and whitens vectors ([`whiten`](Self::whiten)).
/// Memory: O(N (M + k)). Source: `docs/src/math/surrogates.md`.
#[derive(Debug)]
pub struct Surrogate {
    kind: SurrogateKind,
    sparse: VecchiaFactors,
    low_rank: Option<LowRank>,
}

impl Surrogate {
    /// Of Λ alone.
    pub(crate) fn sparse_only(kind: SurrogateKind, sparse: VecchiaFactors) -> Self {
        Self { kind, sparse, low_rank: None }
    }

    /// Of Λ and the low-rank part of a Nyström system.
    pub(crate) fn with_low_rank(
        kind: SurrogateKind,
        sparse: VecchiaFactors,
        system: Arc<NystromSystem>,
    ) -> Result<Self, BoundError> {
        let low_rank = Some(LowRank::new(&sparse, system)?);
        Ok(Self { kind, sparse, low_rank })
    }

    /// Which surrogate it is.
    #[must_use]
    pub fn kind(&self) -> SurrogateKind {
        self.kind
    }

    /// T, of Λ⁻¹ = TᵀT.
    #[must_use]
    pub fn sparse(&self) -> &VecchiaFactors {
        &self.sparse
    }

    /// The low-rank part.
    pub(crate) fn low_rank(&self) -> Option<&LowRank> {
        self.low_rank.as_ref()
    }

    /// log|C|, nats.
    #[must_use]
    pub fn log_det(&self) -> f64 {
        let inner = self.low_rank.as_ref().map_or(0.0, |low| low.m.log_det());
        self.sparse.log_det() + inner
    }

    /// A cheap upper bound on tr(C⁻¹K) − N.
    ///
    /// ```text
    /// tr(C⁻¹K) − N ≤ tr(Λ⁻¹R) − N + tr(H(Λ − σ²I)Hᵀ),   H = L_M⁻¹VΛ⁻¹
    /// ```
    ///
    /// with equality to 0 for Vecchia. Cost: O(N M (M + k)).
    #[must_use]
    pub fn trace_bound(&self) -> f64 {
        let Some(low) = &self.low_rank else { return 0.0 };
        // For Nyström Λ = σ²I, and tr(Λ⁻¹R) − N is all there is.
        let excess = match self.kind {
            SurrogateKind::Nystrom => self.left_out(),
            _ => low.excess(&self.sparse),
        };
        excess.max(0.0)
    }

    /// The product `C X`, `x [N, C] → [N, C]`.
    #[must_use]
    pub fn apply(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        let local = self.sparse.solve(&self.sparse.solve_transpose(x));
        match &self.low_rank {
            Some(low) => local + low.system.explained(x),
            None => local,
        }
    }

    /// `F X` with C⁻¹ = FᵀF, F = (I + AAᵀ)^(−½) T: the columns of `x [N, C]` whitened.
    ///
    /// # Errors
    /// When the eigenvalues of the inner matrix do not converge.
    pub fn whiten(&self, x: &ArrayRef2<f64>) -> Result<Array2<f64>, BoundError> {
        let y = self.sparse.apply(x);
        match &self.low_rank {
            Some(low) => Ok(&y - &low.shrink(&y)?),
            None => Ok(y),
        }
    }

    /// `Fᵀ X`, so that `whiten_transpose(whiten(x)) = C⁻¹ x`.
    ///
    /// # Errors
    /// As [`whiten`](Self::whiten).
    pub fn whiten_transpose(&self, x: &ArrayRef2<f64>) -> Result<Array2<f64>, BoundError> {
        match &self.low_rank {
            Some(low) => Ok(self.sparse.apply_transpose(&(x - &*low.shrink(x)?))),
            None => Ok(self.sparse.apply_transpose(x)),
        }
    }

    /// `F⁻¹ X`: standard normal columns become draws with covariance C.
    ///
    /// # Errors
    /// As [`whiten`](Self::whiten).
    pub fn colour(&self, x: &ArrayRef2<f64>) -> Result<Array2<f64>, BoundError> {
        match &self.low_rank {
            Some(low) => Ok(self.sparse.solve(&(x + &*low.stretch(x)?))),
            None => Ok(self.sparse.solve(x)),
        }
    }
}

impl Preconditioner for Surrogate {
    fn n(&self) -> usize {
        self.sparse.n()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        let y = self.sparse.apply(r);
        match &self.low_rank {
            Some(low) => self.sparse.apply_transpose(&(&y - &low.regressed(&y))),
            None => self.sparse.apply_transpose(&y),
        }
    }

    /// ‖Tr − Ac‖² + ‖c‖² with c = M⁻¹AᵀTr: sums of squares.
    fn quad(&self, r: &ArrayRef2<f64>) -> Array1<f64> {
        let y = self.sparse.apply(r);
        let squares =
            |a: Array2<f64>| -> Array1<f64> { a.mapv(|value| value * value).sum_axis(Axis(0)) };
        match &self.low_rank {
            Some(low) => {
                let c = low.coefficients(&y);
                squares(&y - &linalg_cg::matmul(&low.a, &c)) + squares(c)
            }
            None => squares(y),
        }
    }
}
