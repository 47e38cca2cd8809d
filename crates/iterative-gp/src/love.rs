//! Variances from a space built once.

use bounds::Problem;
use gp_core::GpError;
use kernels::{KernelOperator, kernel_matrix};
use linalg_cg::{Cholesky, Shards, krylov_basis, matmul_tn};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis, s};

use crate::options::ProbeKind;
use crate::probes::probes;

/// Test rows handled at a time.
const CHUNK: usize = 256;
/// Vectors of a block of the space: they share passes over the kernel matrix.
const BLOCK: usize = 8;
/// Seed of the starting block; the space does not depend on anything else that is random.
const SEED: u64 = 0x6c6f_7665;

/// A Krylov space Q of K and what K does on it.
///
/// ```text
/// QᵀKQ = CCᵀ,   G = C⁻¹(KQ)ᵀ [R, N],   c = C⁻¹Qᵀk*
/// k*ᵀK⁻¹k* ≥ ‖c‖² + hᵀS⁻¹h,   h = k_E − G_Eᵀc,   S = K_EE − G_EᵀG_E
/// ```
///
/// The form is that of K⁻¹ restricted to the space spanned by Q and the rows E where |h| is largest,
/// which are chosen for each input. Restricted it can only be too small: the variance is never below
/// the exact one, hence not negative, and never above the prior. Source: Pleiss et al. (2018),
/// "Constant-time predictive distributions for Gaussian processes", for the space alone; the
/// rows are the block inverse of K on the larger space.
#[derive(Debug)]
pub(crate) struct Love {
    /// Q `[N, R]`.
    q: Array2<f64>,
    factor: Cholesky,
    /// G `[R, N]`.
    g: Array2<f64>,
    neighbours: usize,
}

impl Love {
    pub(crate) fn new(
        problem: &Problem<'_>,
        operator: &KernelOperator<'_>,
        rank: usize,
        neighbours: usize,
    ) -> Result<Self, GpError> {
        let n = problem.n();
        let start = probes(ProbeKind::Gaussian, n, BLOCK.min(rank).max(1), SEED);
        // Once through K: what is left of the start is what k* is made of.
        let start = linalg_cg::LinearOperator::apply(operator, &start);
        let basis = krylov_basis(operator, &start, rank)?;
        let factor = Cholesky::factor(basis.projected())?;
        let g = factor.solve_lower(&basis.aq.t());
        // More rows than the space lacks would be in it in part, and S singular.
        let neighbours = neighbours.min(n - basis.q.ncols());
        Ok(Self { q: basis.q, factor, g, neighbours })
    }

    /// k** − the form above, for each row of `x_new`.
    pub(crate) fn variance(&self, problem: &Problem<'_>, x_new: &ArrayRef2<f64>) -> Array1<f64> {
        let chunks = Shards::of_length(x_new.nrows(), CHUNK)
            .map(|rows| self.chunk(problem, &x_new.slice(s![rows, ..])));
        chunks.into_iter().flatten().collect()
    }

    fn chunk(&self, problem: &Problem<'_>, x_new: &ArrayRef2<f64>) -> Array1<f64> {
        let cross = kernel_matrix(problem.kernel(), problem.x(), x_new);
        let c = self.coefficients(&cross);
        let known = c.mapv(|value| value * value).sum_axis(Axis(0));
        let left = &cross - &matmul_tn(&self.g, &c);
        let added = left.axis_iter(Axis(1)).map(|left| self.added(problem, &left));
        let known = known + added.collect::<Array1<f64>>();
        // In exact arithmetic the form lies between 0 and k**; beyond is rounding.
        (problem.kernel().diag(x_new) - known).mapv_into(|variance| variance.max(0.0))
    }

    fn coefficients(&self, cross: &ArrayRef2<f64>) -> Array2<f64> {
        self.factor.solve_lower(&matmul_tn(&self.q, cross))
    }

    /// hᵀS⁻¹h of the rows that are left most correlated.
    fn added(&self, problem: &Problem<'_>, left: &ArrayRef1<f64>) -> f64 {
        let rows = largest(left, self.neighbours);
        if rows.is_empty() {
            return 0.0;
        }
        let x = problem.x().select(Axis(0), &rows);
        let g = self.g.select(Axis(1), &rows);
        let mut schur = problem.kernel().block(&x, &x) - g.t().dot(&g);
        schur.diag_mut().mapv_inplace(|value| value + problem.sigma2());
        let h: Array1<f64> = rows.iter().map(|&row| left[row]).collect();
        // S is at least σ² on what E adds to the space; where that is next to nothing it is singular
        // to rounding, and what is then added to it only raises the variance.
        let scale = problem.largest_variance() + problem.sigma2();
        let factor = Cholesky::factor_with_jitter(&schur, 1e-13 * scale, 1e-6 * scale);
        factor.map_or(0.0, |factor| {
            factor.solve_lower_vec(&h).iter().map(|value| value * value).sum()
        })
    }

    /// k(X*, X*) − cᵀc: of the space alone, which is the same for all inputs.
    pub(crate) fn explained(&self, cross: &ArrayRef2<f64>) -> Array2<f64> {
        let c = self.coefficients(cross);
        linalg_cg::gram(&c.t())
    }
}

/// The indices of the `count` entries that are largest in size, in ascending order.
fn largest(values: &ArrayRef1<f64>, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let by_size =
        |a: &usize, b: &usize| values[*b].abs().total_cmp(&values[*a].abs()).then(a.cmp(b));
    if count == 0 {
        return Vec::new();
    }
    if count < order.len() {
        order.select_nth_unstable_by(count - 1, by_size);
        order.truncate(count);
    }
    order.sort_unstable();
    order
}
