//! Derivatives through the sparse part of a surrogate.

use super::entries::Entries;
use super::{VecchiaFactors, by_columns};
use crate::{Gradient, Problem};
use linalg_cg::{Cholesky, matmul, matmul_nt, matmul_tn};
use ndarray::{Array2, ArrayRef2, Axis, s};

/// Z = ΛYΛ for a derivative tr(Y dΛ), by its product with T.
///
/// ```text
/// T Z = TΛ, or nothing, + Σ L Rᵀ,   L, R [N, ·]
/// ```
pub(crate) struct LowRankWeights {
    /// Whether TΛ, which stands for d log|Λ|, is part of it.
    pub(crate) log_det: bool,
    /// L and R of each term.
    pub(crate) terms: Vec<[Array2<f64>; 2]>,
}

/// The weights of a derivative on the entries of the covariance A that Λ approximates.
///
/// ```text
/// tr(Y dΛ) = ⟨𝒲, dA⟩,   𝒲 = Σ_g (T_gᵀE_g + E_gᵀT_g)   on the nodes of each group
/// ```
pub(crate) struct SparseWeights {
    /// E of each group, `[b, p + b]`.
    halves: Vec<Array2<f64>>,
}

/// What one task sums.
struct Part {
    kernel: Vec<f64>,
    trace: f64,
    halves: Vec<Array2<f64>>,
}

impl SparseWeights {
    /// The weights of d log|Λ|, or with `low` of tr(Y dΛ), and their part that acts on K and σ².
    ///
    /// Cost: O(N k² (k + D)), with inducing points another O(N k M); in parallel over the rows.
    pub(crate) fn new(
        problem: &Problem<'_>,
        factors: &VecchiaFactors,
        entries: &Entries<'_>,
        low: Option<&LowRankWeights>,
    ) -> (Self, Gradient) {
        let n_parameters = problem.kernel().parameters().len();
        let parts = VecchiaFactors::tasks(factors.structure()).map(|groups| {
            let mut part = Part { kernel: vec![0.0; n_parameters], trace: 0.0, halves: Vec::new() };
            groups.for_each(|g| part.add(problem, factors, g, half(factors, entries, low, g)));
            part
        });
        let mut gradient = Gradient::zeros(problem);
        let (mut halves, mut d_sigma2) = (Vec::new(), 0.0);
        for part in parts {
            gradient.kernel.iter_mut().zip(part.kernel).for_each(|(sum, value)| *sum += value);
            d_sigma2 += part.trace;
            halves.extend(part.halves);
        }
        gradient.add_sigma2(problem, d_sigma2);
        (Self { halves }, gradient)
    }

    /// `𝒲Vᵀ [N, M]`, from Vᵀ and A = TVᵀ.
    pub(crate) fn times(
        &self,
        factors: &VecchiaFactors,
        a: &Array2<f64>,
        vt: &Array2<f64>,
    ) -> Array2<f64> {
        // Σ_g T_gᵀ(E_gVᵀ) + E_gᵀA_g: transposed products along one pattern.
        let structure = factors.structure();
        let mut e_v = Array2::zeros(a.dim());
        for (g, half) in self.halves.iter().enumerate() {
            let product = matmul(half, &vt.select(Axis(0), &structure.nodes(g)));
            for (row, &member) in product.rows().into_iter().zip(structure.members(g)) {
                e_v.row_mut(member).assign(&row);
            }
        }
        factors.apply_transpose(&e_v) + by_columns(a, |a| self.transposed(factors, a))
    }

    /// `Σ_g E_gᵀA_g`.
    fn transposed(&self, factors: &VecchiaFactors, a: &ArrayRef2<f64>) -> Array2<f64> {
        let structure = factors.structure();
        let mut sum = Array2::zeros(a.dim());
        for (g, half) in self.halves.iter().enumerate() {
            let nodes = structure.nodes(g);
            for (row, &member) in half.rows().into_iter().zip(structure.members(g)) {
                for (&weight, &node) in row.iter().zip(&nodes) {
                    sum.row_mut(node).scaled_add(weight, &a.row(member));
                }
            }
        }
        sum
    }
}

impl Part {
    fn add(
        &mut self,
        problem: &Problem<'_>,
        factors: &VecchiaFactors,
        g: usize,
        half: Array2<f64>,
    ) {
        let points = problem.x().select(Axis(0), &factors.structure().nodes(g));
        let product = matmul_tn(&factors.rows(g), &half);
        let whole = &product + &product.t();
        problem.kernel().accumulate_gradient(&points, &points, &whole, &mut self.kernel);
        self.trace += whole.diag().sum();
        self.halves.push(half);
    }
}

/// E of one group.
///
/// ```text
/// tr(Y dΛ) = Σ_g tr(Tᵀ(TZTᵀ)T dA) + 2 tr((TZ)_N A_NN⁻¹ dA_N· Tᵀ)
/// E_g = ½ (TZTᵀ)T + ((TZ)_N A_NN⁻¹, 0)
/// ```
///
/// TΛ is the identity within a group and zero on its parents: the regression weights minimise ω, so
/// their change does not enter log|Λ|.
fn half(
    factors: &VecchiaFactors,
    entries: &Entries<'_>,
    low: Option<&LowRankWeights>,
    g: usize,
) -> Array2<f64> {
    let (structure, t) = (factors.structure(), factors.rows(g));
    let Some(low) = low else { return &t * 0.5 };
    let (members, nodes) = (structure.members(g), structure.nodes(g));
    let gather = |of: &Array2<f64>, rows: &[usize]| of.select(Axis(0), rows);
    let mut tz = Array2::zeros((members.len(), nodes.len()));
    for [left, right] in &low.terms {
        tz += &matmul_nt(&gather(left, members), &gather(right, &nodes));
    }
    let mut x = matmul_nt(&tz, &t);
    x = (&x + &x.t()) * 0.5;
    if low.log_det {
        x.diag_mut().mapv_inplace(|value| value + 1.0);
    }
    if factors.fell(g) {
        // Unconditioned rows: Λ is diagonal here.
        return matmul(&Array2::from_diag(&x.diag()), &t) * 0.5;
    }
    let mut half = matmul(&x, &t) * 0.5;
    let parents = structure.parents(g);
    // The joint block factorised, or the parents' block alone: no failure is left to come.
    if let (false, Ok(factor)) = (parents.is_empty(), Cholesky::factor(entries.block(parents))) {
        let change = factor.solve(&tz.slice(s![.., ..parents.len()]).t());
        half.slice_mut(s![.., ..parents.len()]).scaled_add(1.0, &change.t());
    }
    half
}
