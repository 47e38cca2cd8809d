//! The low-rank part of a surrogate, in the coordinates that its sparse part whitens.

use super::{NystromSystem, VecchiaFactors};
use crate::BoundError;
use linalg_cg::{Cholesky, gram, matmul, matmul_tn, symmetric_eigen};
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use std::sync::{Arc, OnceLock};

/// `A = TVᵀ [N, M]` and M = I + AᵀA, factorised.
#[derive(Debug)]
pub(crate) struct LowRank {
    pub(crate) system: Arc<NystromSystem>,
    pub(crate) a: Array2<f64>,
    pub(crate) m: Cholesky,
    root: OnceLock<Result<Root, BoundError>>,
}

/// Square roots of I + AAᵀ by the eigenvectors U of AᵀA.
///
/// ```text
/// (I + AAᵀ)^(−½) = I − P diag(y) Pᵀ,   y = 1/(√(1+λ) (√(1+λ) + 1)),   P = AU
/// (I + AAᵀ)^(½)  = I + P diag(w) Pᵀ,   w = 1/(√(1+λ) + 1)
/// ```
///
/// Never by U diag(y) Uᵀ: where λ is nearly 0, y is ½, and A times such a matrix would be sums of large numbers
/// that cancel, for the columns of P that vanish do so by themselves.
#[derive(Debug)]
pub(crate) struct Root {
    /// U `[M, M]` and P `[N, M]`.
    pub(crate) vectors: Array2<f64>,
    pub(crate) turned: Array2<f64>,
    /// y and w `[M]`.
    pub(crate) inverse: Array1<f64>,
    direct: Array1<f64>,
}

impl LowRank {
    pub(crate) fn new(
        sparse: &VecchiaFactors,
        system: Arc<NystromSystem>,
    ) -> Result<Self, BoundError> {
        let a = sparse.apply(&system.v().t());
        let mut m = gram(&a.t());
        m.diag_mut().mapv_inplace(|value| value + 1.0);
        Ok(Self { m: Cholesky::factor(m)?, system, a, root: OnceLock::new() })
    }

    /// G = L_M⁻¹Aᵀ, `[M, N]`.
    pub(crate) fn whitened(&self) -> Array2<f64> {
        self.m.solve_lower(&self.a.t())
    }

    /// tr(H(Λ − σ²I)Hᵀ), H = GT, as ⟨G − σ²HTᵀ, G⟩.
    ///
    /// The difference is taken element by element, before anything is squared: where Λ is near σ²I
    /// it is small by itself, and no large traces are subtracted.
    pub(crate) fn excess(&self, sparse: &VecchiaFactors) -> f64 {
        let g = self.whitened().reversed_axes();
        let back = sparse.apply(&sparse.apply_transpose(&g));
        let sigma2 = self.system.sigma2();
        g.iter().zip(&back).map(|(g, back)| g * (g - sigma2 * back)).sum()
    }

    /// `M⁻¹AᵀY`, `[M, C]`.
    pub(crate) fn coefficients(&self, y: &ArrayRef2<f64>) -> Array2<f64> {
        self.m.solve(&matmul_tn(&self.a, y))
    }

    /// `A M⁻¹AᵀY`: what (I + AAᵀ)⁻¹ takes off Y, `[N, C]`.
    pub(crate) fn regressed(&self, y: &ArrayRef2<f64>) -> Array2<f64> {
        matmul(&self.a, &self.coefficients(y))
    }

    /// What (I + AAᵀ)^(−½) takes off Y.
    pub(crate) fn shrink(&self, y: &ArrayRef2<f64>) -> Result<Array2<f64>, BoundError> {
        let root = self.root()?;
        Ok(root.weighted(&root.inverse, y))
    }

    /// What (I + AAᵀ)^(½) adds to Y.
    pub(crate) fn stretch(&self, y: &ArrayRef2<f64>) -> Result<Array2<f64>, BoundError> {
        let root = self.root()?;
        Ok(root.weighted(&root.direct, y))
    }

    pub(crate) fn root(&self) -> Result<&Root, BoundError> {
        self.root.get_or_init(|| Root::new(&self.a)).as_ref().map_err(Clone::clone)
    }
}

impl Root {
    fn new(a: &Array2<f64>) -> Result<Self, BoundError> {
        let (lambda, vectors) = symmetric_eigen(&gram(&a.t()))?;
        // AᵀA ⪰ 0: a negative eigenvalue is rounding error.
        let root = lambda.mapv(|l| (1.0 + l.max(0.0)).sqrt());
        Ok(Self {
            turned: matmul(a, &vectors),
            vectors,
            inverse: root.mapv(|s| 1.0 / (s * (s + 1.0))),
            direct: root.mapv(|s| 1.0 / (s + 1.0)),
        })
    }

    /// P diag(w) Pᵀ Y.
    fn weighted(&self, w: &Array1<f64>, y: &ArrayRef2<f64>) -> Array2<f64> {
        let within = matmul_tn(&self.turned, y);
        matmul(&self.turned, &(within * w.view().insert_axis(Axis(1))))
    }
}
