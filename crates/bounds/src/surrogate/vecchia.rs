//! The Vecchia surrogate: each point conditioned on a few earlier ones.

use super::VecchiaStructure;
use crate::{Gradient, Problem};
use kernels::Kernel;
use linalg_cg::{Cholesky, Shards};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};
use std::sync::Arc;

/// Rows per parallel task; fixed, so the bits never depend on the number of threads.
const ROWS_PER_TASK: usize = 32;

/// Regression of every point on its parents.
///
/// ```text
/// b_i = K_NN⁻¹ K_Ni,   u_i = (−b_i, 1) on the rows (N(i), i),   ω_i = u_i K u_iᵀ
/// C⁻¹ = Uᵀ Ω⁻¹ U,      log|C| = Σ_i log ω_i,                   tr(C⁻¹K) = N
/// ```
///
/// Cost: O(N k³) time, O(N k) memory.
/// Source: Vecchia (1988), "Estimation and model identification for continuous spatial processes".
#[derive(Debug, Clone)]
pub struct VecchiaFactors {
    structure: Arc<VecchiaStructure>,
    weights: Vec<f64>,
    omega: Array1<f64>,
    fallbacks: usize,
}

/// One row's regression.
struct Conditional {
    weights: Vec<f64>,
    omega: f64,
    fell_back: bool,
}

impl VecchiaFactors {
    /// Conditions every row of `x [N, D]` on its parents, K = k(X, X) + `sigma2`·I.
    #[must_use]
    pub fn new(
        kernel: &dyn Kernel,
        x: &ArrayRef2<f64>,
        sigma2: f64,
        structure: Arc<VecchiaStructure>,
    ) -> Self {
        let shards = Shards::of_length(structure.n(), ROWS_PER_TASK);
        let parts = shards.map(|rows| {
            let each = rows.map(|row| condition(kernel, x, sigma2, row, structure.parents(row)));
            each.collect::<Vec<_>>()
        });
        let rows: Vec<Conditional> = parts.into_iter().flatten().collect();
        let omega = rows.iter().map(|row| row.omega).collect();
        let fallbacks = rows.iter().filter(|row| row.fell_back).count();
        let weights = rows.into_iter().flat_map(|row| row.weights).collect();
        Self { structure, weights, omega, fallbacks }
    }

    /// The ordering and parents; share it to keep them fixed while hyperparameters move.
    #[must_use]
    pub fn structure(&self) -> &Arc<VecchiaStructure> {
        &self.structure
    }

    /// The regression weights b_i of row `i`, in the order of its parents.
    #[must_use]
    pub fn weights(&self, i: usize) -> &[f64] {
        &self.weights[self.structure.span(i)]
    }

    /// The conditional variances ω, `[N]`, in row order.
    #[must_use]
    pub fn omega(&self) -> &Array1<f64> {
        &self.omega
    }

    /// Number of rows whose K_NN did not factorise, and which are therefore conditioned on nothing.
    #[must_use]
    pub fn fallbacks(&self) -> usize {
        self.fallbacks
    }

    /// log|C| = Σ log ω_i, nats.
    #[must_use]
    pub fn log_det(&self) -> f64 {
        self.omega.iter().map(|omega| omega.ln()).sum()
    }

    /// Derivative of Σ log ω_i with the structure held fixed.
    ///
    /// ```text
    /// ∂ω_i = u_i ∂K u_iᵀ   exactly: u_i minimises u K uᵀ, so its own change does not enter
    /// ```
    pub(crate) fn log_det_gradient(&self, problem: &Problem<'_>) -> Gradient {
        let n_parameters = problem.kernel().parameters().len();
        let parts = Shards::of_length(self.structure.n(), ROWS_PER_TASK).map(|rows| {
            let (mut d_kernel, mut d_sigma2) = (vec![0.0; n_parameters], 0.0);
            rows.for_each(|row| d_sigma2 += self.add_row_gradient(problem, row, &mut d_kernel));
            (d_kernel, d_sigma2)
        });
        let mut gradient = Gradient::zeros(problem);
        let mut d_sigma2 = 0.0;
        for (d_kernel, part) in parts {
            gradient.kernel.iter_mut().zip(d_kernel).for_each(|(sum, value)| *sum += value);
            d_sigma2 += part;
        }
        gradient.add_sigma2(problem, d_sigma2);
        gradient
    }

    /// Adds u_i ∂K_ff u_iᵀ/ω_i; returns ∂/∂σ² = ‖u_i‖²/ω_i.
    fn add_row_gradient(&self, problem: &Problem<'_>, row: usize, d_kernel: &mut [f64]) -> f64 {
        let u = contrast(self.weights(row));
        let points = gather(problem.x(), row, self.structure.parents(row));
        let outer = outer(&u) / self.omega[row];
        problem.kernel().accumulate_gradient(&points, &points, &outer, d_kernel);
        squares(&u) / self.omega[row]
    }
}

/// Regresses one row on its parents.
fn condition(
    kernel: &dyn Kernel,
    x: &ArrayRef2<f64>,
    sigma2: f64,
    row: usize,
    parents: &[usize],
) -> Conditional {
    let points = gather(x, row, parents);
    let mut k = kernel.block(&points, &points);
    k.diag_mut().mapv_inplace(|value| value + sigma2);
    let weights = regression(&k);
    let fell_back = weights.is_none();
    let weights = weights.unwrap_or_else(|| vec![0.0; parents.len()]);
    let omega = conditional_variance(&k, &weights, sigma2);
    Conditional { weights, omega, fell_back }
}

/// b = K_NN⁻¹K_Ni for the last row of `k`; `None` when K_NN does not factorise.
///
/// Zero weights are the answer then: the row is conditioned on nothing, which any surrogate may do.
fn regression(k: &Array2<f64>) -> Option<Vec<f64>> {
    let last = k.nrows() - 1;
    if last == 0 {
        return Some(Vec::new());
    }
    let (head, tail) = k.view().split_at(Axis(0), last);
    let k_nn = head.slice(ndarray::s![.., ..last]).to_owned();
    let factor = Cholesky::factor(k_nn).ok()?;
    let weights = factor.solve_vec(&tail.row(0).slice(ndarray::s![..last]));
    weights.iter().all(|weight| weight.is_finite()).then(|| weights.to_vec())
}

/// ω = u K uᵀ, not below σ²‖u‖².
///
/// The quadratic form is an upper bound on the exact conditional variance for *any* weights, so an
/// error in the solve cannot break the bound; and K ⪰ σ²I makes σ²‖u‖² a lower bound on the form, so
/// the clamp only removes rounding error, which at σ² ≪ k(x, x) could make the form negative.
fn conditional_variance(k: &Array2<f64>, weights: &[f64], sigma2: f64) -> f64 {
    let u = contrast(weights);
    let form: f64 = k.rows().into_iter().zip(&u).map(|(row, u_i)| u_i * inner(&row, &u)).sum();
    form.max(sigma2 * squares(&u))
}

/// u = (−b, 1).
fn contrast(weights: &[f64]) -> Array1<f64> {
    weights.iter().map(|weight| -weight).chain(std::iter::once(1.0)).collect()
}

/// The parents' rows of `x`, then the row itself, `[k + 1, D]`.
fn gather(x: &ArrayRef2<f64>, row: usize, parents: &[usize]) -> Array2<f64> {
    let mut indices = parents.to_vec();
    indices.push(row);
    x.select(Axis(0), &indices)
}

fn outer(u: &Array1<f64>) -> Array2<f64> {
    Array2::from_shape_fn((u.len(), u.len()), |(i, j)| u[i] * u[j])
}

fn inner(a: &ArrayRef1<f64>, b: &ArrayRef1<f64>) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn squares(u: &Array1<f64>) -> f64 {
    inner(u, u)
}

#[cfg(test)]
mod tests {
    use super::conditional_variance;
    use ndarray::array;

    #[test]
    fn the_clamp_acts_when_rounding_makes_the_form_negative() {
        // Two equal points without noise in the stored matrix: the form is exactly 0, below its floor.
        let k = array![[1.0, 1.0], [1.0, 1.0]];
        assert!((conditional_variance(&k, &[1.0], 1e-20) - 2e-20).abs() < 1e-35);
    }

    #[test]
    fn without_parents_the_variance_is_the_prior_one() {
        assert!((conditional_variance(&array![[1.5]], &[], 0.5) - 1.5).abs() < 1e-15);
    }
}
