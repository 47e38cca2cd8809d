//! From a derivative in Q_ff, diag D and σ² to one in the hyperparameters and Z.

use super::NystromSystem;
use crate::{BoundError, Gradient, Problem};
use kernels::{contract_gradients, contract_input_gradient};
use linalg_cg::{gram, matmul, matmul_nt};
use ndarray::{Array1, Array2, ArrayRef1, Axis};

/// Derivative of a function of the Nyström system, in whitened coordinates.
///
/// ```text
/// dF = tr(G dQ_ff) + Σ_i w_i d(K_ff)_ii + g dσ²,   S = V G [M, N],   H = V G Vᵀ [M, M]
/// ```
///
/// Only S and H are kept, never the n×n matrix G. With A = Kuu⁻¹Kuf = L⁻ᵀV,
/// `dQ_ff = dKufᵀA + AᵀdKuf − AᵀdKuu A`, so the weight of dKuf is 2L⁻ᵀS and that of dKuu is
/// −L⁻ᵀHL⁻¹.
pub(crate) struct Sensitivity<'s> {
    system: &'s NystromSystem,
    projected: Array2<f64>,
    inner: Array2<f64>,
    diag: Array1<f64>,
    sigma2: f64,
}

impl<'s> Sensitivity<'s> {
    /// d log|Q|: G = Q⁻¹, hence S = VQ⁻¹ = B⁻¹V/σ² and H = S Vᵀ = I − B⁻¹;
    /// ∂/∂σ² = tr Q⁻¹ = (N − tr H)/σ².
    pub(crate) fn log_det_q(system: &'s NystromSystem) -> Self {
        let (n, sigma2) = (system.n(), system.sigma2());
        let projected = system.b().solve(system.v()) / sigma2;
        let inner = Array2::eye(system.m()) - system.b().inverse();
        let trace = (n as f64 - inner.diag().sum()) / sigma2;
        Self { system, projected, inner, diag: Array1::zeros(n), sigma2: trace }
    }

    /// d(rᵀ(Q + cI)⁻¹r) at fixed r and c: G = −ppᵀ with p = (Q + cI)⁻¹r.
    pub(crate) fn quad(system: &'s NystromSystem, p: &ArrayRef1<f64>) -> Self {
        let column = p.to_owned().insert_axis(Axis(1));
        let vp = matmul(system.v(), &column);
        let projected = -matmul_nt(&vp, &column);
        let sigma2 = -p.iter().map(|value| value * value).sum::<f64>();
        Self { system, projected, inner: -gram(&vp), diag: Array1::zeros(p.len()), sigma2 }
    }

    /// d(Σ_i f(ℓ_i)) over the eigenvalues ℓ = σ² + λ of Q with λ > 0, where VVᵀ = U diag(λ) Uᵀ:
    /// G = Σ_j f'_j u_j u_jᵀ, u_j = VᵀU_j/√λ_j, hence S = U diag(f') UᵀV and
    /// H = U diag(f'λ) Uᵀ, with no division by λ. The effect of σ² is left to the caller.
    pub(crate) fn spectral(
        system: &'s NystromSystem,
        vectors: &Array2<f64>,
        lambda: &Array1<f64>,
        slopes: &Array1<f64>,
    ) -> Self {
        let middle = matmul_nt(&(vectors * slopes), vectors);
        let inner = matmul_nt(&(vectors * &(slopes * lambda)), vectors);
        let projected = matmul(&middle, system.v());
        Self { system, projected, inner, diag: Array1::zeros(system.n()), sigma2: 0.0 }
    }

    /// tr(G dQ_ff) by S = VG `[M, N]`.
    pub(crate) fn projected(system: &'s NystromSystem, projected: Array2<f64>) -> Self {
        let inner = matmul_nt(&projected, system.v());
        Self { system, inner, diag: Array1::zeros(system.n()), sigma2: 0.0, projected }
    }

    /// G loses a symmetric 𝒲, given by `𝒲Vᵀ [N, M]`.
    pub(crate) fn subtract(&mut self, w_vt: &Array2<f64>) {
        self.inner -= &matmul(self.system.v(), w_vt);
        self.projected -= &w_vt.t();
    }

    /// Adds Σ_i w_i dD_ii, D_ii = k(x_i, x_i) − (Q_ff)_ii: G gains −diag(w).
    ///
    /// The derivative is that of D itself: its entries are non-negative in exact arithmetic, so the
    /// clamp that removes their rounding error has no derivative of its own.
    pub(crate) fn add_residual_diag(&mut self, w: &ArrayRef1<f64>) {
        let weighted = self.system.v() * &w.view();
        self.inner -= &matmul_nt(&weighted, self.system.v());
        self.projected -= &weighted;
        *self.diag += w;
    }

    /// Adds `weight · d tr D`: the same with one weight for all, for which VVᵀ is at hand.
    pub(crate) fn add_residual_trace(&mut self, weight: f64) {
        self.inner.scaled_add(-weight, self.system.vvt());
        self.projected.scaled_add(-weight, self.system.v());
        self.add_prior_trace(weight);
    }

    /// Adds `weight · d tr K_ff`.
    pub(crate) fn add_prior_trace(&mut self, weight: f64) {
        self.diag += weight;
    }

    /// Adds `d_sigma2 · dσ²`.
    pub(crate) fn add_sigma2(&mut self, d_sigma2: f64) {
        self.sigma2 += d_sigma2;
    }

    /// Contracts with the kernel's derivatives. Cost: O(N M (M + D)), memory O(N M).
    pub(crate) fn gradient(self, problem: &Problem<'_>) -> Result<Gradient, BoundError> {
        let z = problem.inducing_points().ok_or(BoundError::NeedsInducingPoints)?;
        let l = self.system.k_uu();
        let w_uf = l.solve_lower_transpose(&self.projected) * 2.0;
        // −L⁻ᵀ H L⁻¹ = −L⁻ᵀ (L⁻ᵀ H)ᵀ, H being symmetric.
        let half = l.solve_lower_transpose(&self.inner);
        let w_uu = -l.solve_lower_transpose(&half.t());

        let (kernel, x) = (problem.kernel(), problem.x());
        let mut gradient = Gradient::zeros(problem);
        let (in_parameters, in_z) = contract_gradients(kernel, z, x, &w_uf);
        gradient.kernel = in_parameters;
        kernel.accumulate_gradient(z, z, &w_uu, &mut gradient.kernel);
        kernel.accumulate_diag_gradient(x, &self.diag, &mut gradient.kernel);
        gradient.add_sigma2(problem, self.sigma2);
        // Both arguments of k(z_i, z_j) move with z, and the weights are symmetric.
        let both = contract_input_gradient(kernel, z, z, &(&w_uu + &w_uu.t()));
        gradient.z = Some(in_z + both);
        Ok(gradient)
    }
}
