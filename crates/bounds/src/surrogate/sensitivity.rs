//! From a derivative in Q_ff, diag D and σ² to one in the hyperparameters and Z.

use std::ops::Range;

use super::NystromSystem;
use crate::{BoundError, Gradient, Problem};
use kernels::{contract_gradient, contract_gradients, contract_input_gradient};
use linalg_cg::{Shards, gram, matmul, matmul_nt};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis, s};

/// Data rows whose kernel weights exist at the same time, on one thread.
const SHARD: usize = 1024;
/// Data rows whose weighted V exists at the same time.
const WEIGHTED: usize = 4096;

/// Derivative of a function of the Nyström system, in whitened coordinates.
///
/// ```text
/// dF = tr(G dQ_ff) + Σ_i w_i d(K_ff)_ii + g dσ²,   S = V G [M, N],   H = V G Vᵀ [M, M]
/// S = A V − V diag(a) + R Pᵀ + T,   A [M, M],  a [N],  R [M, C],  P [N, C],  T [M, N]
/// ```
///
/// G is never formed, and S only for what has no such parts: kept beside H are A, a, R, P and,
/// of surrogates with sparse factors, T. With A' = Kuu⁻¹Kuf = L⁻ᵀV,
/// `dQ_ff = dKufᵀA' + A'ᵀdKuf − A'ᵀdKuu A'`, so the weight of dKuf is 2L⁻ᵀS, made a few data rows at
/// a time, and that of dKuu is −L⁻ᵀHL⁻¹.
#[derive(Debug)]
pub struct Sensitivity<'s> {
    system: &'s NystromSystem,
    by_v: Array2<f64>,
    by_row: Option<Array1<f64>>,
    low_rank: Vec<(Array2<f64>, Array2<f64>)>,
    dense: Option<Array2<f64>>,
    inner: Array2<f64>,
    diag: Array1<f64>,
    sigma2: f64,
}

/// L⁻ᵀ times what makes S, twice: the weights of dKuf a shard at a time.
struct Weights<'s> {
    system: &'s NystromSystem,
    by_v: Array2<f64>,
    by_row: Option<Array1<f64>>,
    low_rank: Vec<(Array2<f64>, Array2<f64>)>,
    dense: Option<Array2<f64>>,
}

impl<'s> Sensitivity<'s> {
    fn zero(system: &'s NystromSystem) -> Self {
        let square = || Array2::zeros((system.m(), system.m()));
        let (low_rank, diag) = (Vec::new(), Array1::zeros(system.n()));
        let (by_row, dense, inner) = (None, None, square());
        Self { system, by_v: square(), by_row, low_rank, dense, inner, diag, sigma2: 0.0 }
    }

    /// d log|Q|: G = Q⁻¹, hence S = VQ⁻¹ = B⁻¹V/σ² and H = S Vᵀ = I − B⁻¹;
    /// ∂/∂σ² = tr Q⁻¹ = (N − tr H)/σ².
    pub(crate) fn log_det_q(system: &'s NystromSystem) -> Self {
        let (n, sigma2) = (system.n(), system.sigma2());
        let inverse = system.b().inverse();
        let inner = Array2::eye(system.m()) - &inverse;
        let trace = (n as f64 - inner.diag().sum()) / sigma2;
        Self { by_v: inverse / sigma2, inner, sigma2: trace, ..Self::zero(system) }
    }

    /// d(rᵀ(Q + cI)⁻¹r) at fixed r and c: G = −ppᵀ with p = (Q + cI)⁻¹r.
    pub(crate) fn quad(system: &'s NystromSystem, p: &ArrayRef1<f64>) -> Self {
        let column = p.to_owned().insert_axis(Axis(1));
        let vp = matmul(system.v(), &column);
        let mut sensitivity = Self::zero(system);
        sensitivity.add_quad(column, vp);
        sensitivity
    }

    /// Adds Σ_c d(r_cᵀ(Q + cI)⁻¹r_c) at fixed r, for p = (Q + cI)⁻¹R `[N, C]` and `vp` = V p.
    pub(crate) fn add_quad(&mut self, p: Array2<f64>, vp: Array2<f64>) {
        self.sigma2 -= p.iter().map(|value| value * value).sum::<f64>();
        self.inner -= &gram(&vp);
        self.low_rank.push((-vp, p));
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
        let by_v = matmul_nt(&(vectors * slopes), vectors);
        let inner = matmul_nt(&(vectors * &(slopes * lambda)), vectors);
        Self { by_v, inner, ..Self::zero(system) }
    }

    /// tr(G dQ_ff) by S = VG `[M, N]`.
    pub(crate) fn projected(system: &'s NystromSystem, projected: Array2<f64>) -> Self {
        let inner = matmul_nt(&projected, system.v());
        Self { inner, dense: Some(projected), ..Self::zero(system) }
    }

    /// G loses a symmetric 𝒲, given by `𝒲Vᵀ [N, M]`.
    pub(crate) fn subtract(&mut self, w_vt: &Array2<f64>) {
        self.inner -= &matmul(self.system.v(), w_vt);
        match &mut self.dense {
            Some(dense) => *dense -= &w_vt.t(),
            none => *none = Some(-&w_vt.t()),
        }
    }

    /// Adds Σ_i w_i dD_ii, D_ii = k(x_i, x_i) − (Q_ff)_ii: G gains −diag(w).
    ///
    /// The derivative is that of D itself: its entries are non-negative in exact arithmetic, so the
    /// clamp that removes their rounding error has no derivative of its own.
    pub(crate) fn add_residual_diag(&mut self, w: &ArrayRef1<f64>) {
        for rows in Shards::of_length(self.system.n(), WEIGHTED).iter() {
            let v = self.system.v().slice(s![.., rows.clone()]);
            self.inner -= &matmul_nt(&(&v * &w.slice(s![rows])), &v);
        }
        match &mut self.by_row {
            Some(by_row) => *by_row += &w.view(),
            none => *none = Some(w.to_owned()),
        }
        self.diag += &w.view();
    }

    /// Adds `weight · d tr D`: the same with one weight for all, for which VVᵀ is at hand.
    pub(crate) fn add_residual_trace(&mut self, weight: f64) {
        self.inner.scaled_add(-weight, self.system.vvt());
        self.by_v.diag_mut().mapv_inplace(|value| value - weight);
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

    /// The sensitivity of no function at all, to add to.
    pub(crate) fn none(system: &'s NystromSystem) -> Self {
        Self::zero(system)
    }

    /// That of `factor` times the function.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        self.by_v *= factor;
        self.inner *= factor;
        self.diag *= factor;
        self.sigma2 *= factor;
        if let Some(by_row) = &mut self.by_row {
            *by_row *= factor;
        }
        self.low_rank.iter_mut().for_each(|(left, _)| *left *= factor);
        self.dense.iter_mut().for_each(|dense| *dense *= factor);
        self
    }

    /// Contracts with the kernel's derivatives. Cost: O(N M (M + D)), memory O(M²) and a few rows.
    pub(crate) fn gradient(self, problem: &Problem<'_>) -> Result<Gradient, BoundError> {
        self.gradient_of(problem, true)
    }

    /// The same, with or without the part of Z.
    pub(crate) fn gradient_of(
        self,
        problem: &Problem<'_>,
        with_z: bool,
    ) -> Result<Gradient, BoundError> {
        let z = problem.inducing_points().ok_or(BoundError::NeedsInducingPoints)?;
        let (kernel, x) = (problem.kernel(), problem.x());
        let w_uu = self.inducing_weights(problem);
        let mut gradient = Gradient::zeros(problem);
        kernel.accumulate_gradient(z, z, &w_uu, &mut gradient.kernel);
        kernel.accumulate_diag_gradient(x, &self.diag, &mut gradient.kernel);
        gradient.add_sigma2(problem, self.sigma2);
        let (d_kernel, d_z) = self.weights().contract(problem, z, with_z);
        gradient.kernel.iter_mut().zip(d_kernel).for_each(|(sum, part)| *sum += part);
        if with_z {
            // Both arguments of k(z_i, z_j) move with z, and the weights are symmetric.
            let both = contract_input_gradient(kernel, z, z, &(&w_uu + &w_uu.t()));
            gradient.z = Some(d_z + both);
        }
        Ok(gradient)
    }

    /// Weights of dKuu, `[M, M]`.
    fn inducing_weights(&self, problem: &Problem<'_>) -> Array2<f64> {
        let l = self.system.k_uu();
        // −L⁻ᵀ H L⁻¹ = −L⁻ᵀ (L⁻ᵀ H)ᵀ, H being symmetric.
        let half = l.solve_lower_transpose(&self.inner);
        let mut w_uu = -l.solve_lower_transpose(&half.t());
        // A jitter in proportion to the mean of k(z, z) moves with each of its terms.
        let m = self.system.m().max(1) as f64;
        let share = problem.relative_jitter(self.system) * w_uu.diag().sum() / m;
        w_uu.diag_mut().mapv_inplace(|weight| weight + share);
        w_uu
    }

    fn weights(self) -> Weights<'s> {
        let twice = |a: &Array2<f64>| self.system.k_uu().solve_lower_transpose(a) * 2.0;
        let by_v = twice(&self.by_v);
        let low_rank = self.low_rank.into_iter().map(|(left, p)| (twice(&left), p)).collect();
        Weights { system: self.system, by_v, by_row: self.by_row, low_rank, dense: self.dense }
    }
}

impl Weights<'_> {
    /// Sums over shards of data rows, in their order: kernel parameters, and Z if asked for.
    fn contract(
        &self,
        problem: &Problem<'_>,
        z: &ArrayRef2<f64>,
        with_z: bool,
    ) -> (Vec<f64>, Array2<f64>) {
        let kernel = problem.kernel();
        let work = |rows: Range<usize>| {
            let x = problem.x().slice(s![rows.clone(), ..]);
            let weights = self.of_rows(rows);
            if with_z {
                let (d_kernel, d_z) = contract_gradients(kernel, z, &x, &weights);
                (d_kernel, Some(d_z))
            } else {
                (contract_gradient(kernel, z, &x, &weights), None)
            }
        };
        let mut sums = (vec![0.0; kernel.parameters().len()], Array2::zeros(z.dim()));
        for (d_kernel, d_z) in Shards::of_length(self.system.n(), SHARD).map(work) {
            sums.0.iter_mut().zip(d_kernel).for_each(|(sum, part)| *sum += part);
            sums.1.zip_mut_with(&d_z.unwrap_or_else(|| Array2::zeros(z.dim())), |a, b| *a += b);
        }
        sums
    }

    /// 2L⁻ᵀS of some data rows, `[M, S]`.
    fn of_rows(&self, rows: Range<usize>) -> Array2<f64> {
        let v = self.system.v().slice(s![.., rows.clone()]);
        let mut weights = matmul(&self.by_v, &v);
        if let Some(by_row) = &self.by_row {
            let weighted = &v * &by_row.slice(s![rows.clone()]);
            weights.scaled_add(-2.0, &self.system.k_uu().solve_lower_transpose(&weighted));
        }
        for (left, p) in &self.low_rank {
            add_outer(&mut weights, left, &p.slice(s![rows.clone(), ..]));
        }
        if let Some(dense) = &self.dense {
            let dense = dense.slice(s![.., rows]);
            weights.scaled_add(2.0, &self.system.k_uu().solve_lower_transpose(&dense));
        }
        weights
    }
}

/// Adds `left · rightᵀ`, row by row: there are few columns, and no second matrix of this size.
fn add_outer(sum: &mut Array2<f64>, left: &Array2<f64>, right: &ArrayRef2<f64>) {
    for (left, right) in left.columns().into_iter().zip(right.columns()) {
        let right = right.to_owned();
        for (mut row, scale) in sum.rows_mut().into_iter().zip(left) {
            row.scaled_add(*scale, &right);
        }
    }
}
