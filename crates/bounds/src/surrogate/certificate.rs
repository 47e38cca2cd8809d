//! What a surrogate's certificates need of the whole of K, by tiles of its columns.

use super::low_rank::Root;
use super::{NystromSystem, Surrogate, SurrogateKind, VecchiaFactors, space_partition};
use crate::{BoundError, Problem};
use linalg_cg::{Preconditioner, Shards, matmul, matmul_nt, matmul_tn};
use ndarray::{Array2, ArrayRef2, Axis, s};

/// Rows of a tile: its memory is O(N · TILE) for each thread.
const TILE: usize = 64;
/// Columns of K that are formed at a time.
const STRIP: usize = 512;

/// Moments of the eigenvalues λ of C⁻¹K, which are those of S = FKFᵀ, C⁻¹ = FᵀF.
///
/// With Δ = C − K: S = I − FΔFᵀ, and K⁻¹ ⪯ P⁻¹ for P = Q, or σ²I without inducing points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Number of rows N.
    pub n: usize,
    /// tr(C⁻¹K) − N = Σ (λ − 1).
    pub trace_excess: f64,
    /// tr((C⁻¹K)²)/N − (tr(C⁻¹K)/N)², the variance of the eigenvalues.
    pub variance: f64,
    /// ‖S − I‖²_F = Σ (λ − 1)².
    pub squares: f64,
    /// tr(C⁻¹ΔP⁻¹Δ) ≥ Σ (λ − 1)²/λ.
    pub inverse_squares: f64,
    /// A certified lower bound on the smallest λ: `floor · C ⪯ K`.
    pub floor: f64,
}

impl Moments {
    /// κ = 2N − tr(C⁻¹K) + tr(C⁻¹ΔP⁻¹Δ) ≥ tr(CK⁻¹) = Σ 1/λ.
    #[must_use]
    pub fn dual_trace(&self) -> f64 {
        self.n as f64 - self.trace_excess + self.inverse_squares
    }
}

impl Surrogate {
    /// tr(C⁻¹K) − N exactly.
    ///
    /// ```text
    /// tr(C⁻¹K) = tr(Λ⁻¹R) − tr(H(R − Λ)Hᵀ),   H = L_M⁻¹VΛ⁻¹
    /// ```
    ///
    /// Nothing for Vecchia; otherwise all of R is formed, by tiles of rows. Cost: O(N² (M + D)) time,
    /// O(N M) memory.
    #[must_use]
    pub fn exact_trace(&self, problem: &Problem<'_>) -> f64 {
        let Some(low) = self.low_rank() else { return 0.0 };
        // ΛHᵀ = VᵀL_M⁻ᵀ. H is at most 1/σ; with M⁻¹ taken last rounding would be n·variance/σ² larger.
        let h = self.sparse().apply_transpose(&low.whitened().t());
        let local = low.m.solve_lower(low.system.v()).reversed_axes();
        let change = residual_product(problem, &low.system, &h) - local;
        self.left_out() - h.iter().zip(&change).map(|(h, change)| h * change).sum::<f64>()
    }

    /// tr(Λ⁻¹R) − N: zero but for Nyström, whose Λ leaves D out.
    pub(crate) fn left_out(&self) -> f64 {
        match (self.kind(), self.low_rank()) {
            (SurrogateKind::Nystrom, Some(low)) => {
                low.system.residual_trace() / low.system.sigma2()
            }
            _ => 0.0,
        }
    }

    /// All moments, by one pass over tiles of columns of K (two with inducing points).
    ///
    /// Cost: O(N² (M + k + D)) time, O(N (M + 64)) memory for each thread.
    ///
    /// # Errors
    /// When an eigenvalue iteration fails.
    pub fn moments(&self, problem: &Problem<'_>) -> Result<Moments, BoundError> {
        let pass = Pass::new(self, problem)?;
        let tiles = space_partition(&problem.kernel().embed(problem.x()), TILE);
        let parts = Shards::of_length(tiles.len(), 1).map(|index| pass.tile(&tiles[index.start]));
        let totals = parts.into_iter().reduce(Totals::plus).unwrap_or_default();
        let n = self.n() as f64;
        // FΔFᵀ has its diagonal in `diagonal`; S = I − FΔFᵀ.
        let mean = totals.diagonal.iter().sum::<f64>() / n;
        let on = |shift: f64| totals.diagonal.iter().map(|d| (d - shift).powi(2)).sum::<f64>();
        Ok(Moments {
            n: self.n(),
            trace_excess: -n * mean,
            variance: (totals.off_diagonal + on(mean)) / n,
            squares: totals.off_diagonal + on(0.0),
            inverse_squares: totals.dual,
            floor: self.floor(problem, &totals),
        })
    }

    /// a with aC ⪯ K, from K ⪰ Q ⪰ σ²I and C = Q + (Λ − σ²I), Λ − σ²I ⪯ δI: a = σ²/(σ² + δ).
    fn floor(&self, problem: &Problem<'_>, totals: &Totals) -> f64 {
        let sigma2 = problem.sigma2();
        if self.kind() == SurrogateKind::Nystrom {
            return 1.0;
        }
        let n = self.n() as f64;
        // λ_max is at most the trace, any norm, and μ + √((N − 1)(μ₂ − μ²)).
        let mean = totals.local_trace / n;
        let variance = (totals.local_squares / n - mean * mean).max(0.0);
        let largest = (mean + ((n - 1.0) * variance).sqrt())
            .min(totals.largest_column)
            .min(totals.local_trace);
        sigma2 / largest.max(sigma2)
    }
}

/// `R Wᵀ = (K − VᵀV) Wᵀ`, `w [N, M] → [N, M]`, R by tiles of rows: differences of entries before they
/// are summed.
fn residual_product(problem: &Problem<'_>, system: &NystromSystem, w: &Array2<f64>) -> Array2<f64> {
    let (kernel, x, v) = (problem.kernel(), problem.x(), system.v());
    let parts = Shards::of_length(problem.n(), TILE).map(|rows| {
        let columns = s![.., rows.clone()];
        let mut r = kernel.block(&x.slice(s![rows.clone(), ..]), x);
        r -= &matmul(&v.slice(columns).t(), v);
        for (at, row) in rows.enumerate() {
            r[[at, row]] = system.residual_diag()[row] + system.sigma2();
        }
        matmul(&r, w)
    });
    let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
    ndarray::concatenate(Axis(0), &views).unwrap_or_else(|_| Array2::zeros(w.dim()))
}

/// Sums over tiles.
#[derive(Debug, Default)]
struct Totals {
    /// Diagonal of FΔFᵀ, in tile order.
    diagonal: Vec<f64>,
    /// Squares off the diagonal.
    off_diagonal: f64,
    /// ‖P^(−½)ΔFᵀ‖²_F.
    dual: f64,
    /// tr Λ, ‖Λ‖²_F and the largest column sum of |Λ|.
    local_trace: f64,
    local_squares: f64,
    largest_column: f64,
}

impl Totals {
    fn plus(mut self, next: Self) -> Self {
        self.diagonal.extend(next.diagonal);
        self.off_diagonal += next.off_diagonal;
        self.dual += next.dual;
        self.local_trace += next.local_trace;
        self.local_squares += next.local_squares;
        self.largest_column = self.largest_column.max(next.largest_column);
        self
    }
}

/// What all tiles share.
struct Pass<'s, 'p, 'a> {
    surrogate: &'s Surrogate,
    problem: &'p Problem<'a>,
    /// P of the dual; σ²I when absent.
    dual: Option<&'p NystromSystem>,
    low: Option<LowPass<'s>>,
}

/// The low-rank parts of ΔFᵀ, in the coordinates of the root: P = AU, y its weights.
struct LowPass<'s> {
    root: &'s Root,
    /// VᵀU − ΔTᵀPy = VᵀU − VᵀUy + RTᵀPy, `[N, M]`: what P_Jᵀ is multiplied with in ΔFᵀ.
    corrected: Array2<f64>,
    /// P diag(y), `[N, M]`.
    weighted: Array2<f64>,
}

impl<'s, 'p, 'a> Pass<'s, 'p, 'a> {
    fn new(surrogate: &'s Surrogate, problem: &'p Problem<'a>) -> Result<Self, BoundError> {
        let dual = match problem.inducing_points() {
            Some(_) => Some(problem.nystrom()?),
            None => None,
        };
        let low = match surrogate.low_rank() {
            Some(low) => {
                let root = low.root()?;
                let weighted = &root.turned * &root.inverse;
                let vt = matmul_tn(low.system.v(), &root.vectors);
                let w = surrogate.sparse().apply_transpose(&weighted);
                let kept = &vt - &(&vt * &root.inverse);
                let corrected = kept + residual_product(problem, &low.system, &w);
                Some(LowPass { root, corrected, weighted })
            }
            None => None,
        };
        Ok(Self { surrogate, problem, dual, low })
    }

    /// The columns J of ΔFᵀ, and what is summed of them and of FΔFᵀ.
    fn tile(&self, rows: &[usize]) -> Totals {
        let factors = self.surrogate.sparse();
        let unit = unit_columns(factors.n(), rows);
        // T⁻¹E_J = ΛT_Jᵀ and, once more, the columns J of Λ itself.
        let inverse = factors.solve(&unit);
        let local = self.local_columns(factors, &unit);
        // ΔT_Jᵀ = T⁻¹E_J − KT_Jᵀ, plus VᵀA_Jᵀ and the correction of (I + AAᵀ)^(−½).
        let mut delta = inverse - self.k_times_rows(factors, rows).t();
        if let Some(pass) = &self.low {
            delta += &matmul_nt(&pass.corrected, &pass.root.turned.select(Axis(0), rows));
        }
        let dual = match self.dual {
            Some(system) => system.quad(&delta).sum(),
            None => delta.iter().map(|d| d * d).sum::<f64>() / self.problem.sigma2(),
        };
        let mut turned = factors.apply(&delta);
        if let Some(pass) = &self.low {
            turned -= &matmul(&pass.weighted, &matmul_tn(&pass.root.turned, &turned));
        }
        summarise(rows, &turned, dual, &local)
    }

    /// The columns J of Λ; nothing for Nyström, where they are not needed.
    fn local_columns(&self, factors: &VecchiaFactors, unit: &Array2<f64>) -> Array2<f64> {
        if self.surrogate.kind() == SurrogateKind::Nystrom {
            return Array2::zeros((factors.n(), 0));
        }
        factors.solve(&factors.solve_transpose(unit))
    }

    /// `T_J K`, `[J, N]`: rows of T times K, of which only the rows that T_J touches are formed.
    fn k_times_rows(&self, factors: &VecchiaFactors, rows: &[usize]) -> Array2<f64> {
        let (problem, n) = (self.problem, factors.n());
        let sparse = SparseRows::new(factors, rows);
        let touched = problem.x().select(Axis(0), &sparse.nodes);
        let mut product = Array2::zeros((rows.len(), n));
        for columns in Shards::of_length(n, STRIP).iter() {
            let span = s![.., columns.clone()];
            let k = problem.kernel().block(&touched, &problem.x().slice(s![columns, ..]));
            sparse.multiply(&k, &mut product.slice_mut(span));
        }
        for (j, terms) in sparse.terms.iter().enumerate() {
            for &(node, t) in terms {
                product[[j, sparse.nodes[node]]] += t * problem.sigma2();
            }
        }
        product
    }
}

/// Some rows of T over the nodes they touch.
struct SparseRows {
    nodes: Vec<usize>,
    /// For each row, places among `nodes` and coefficients.
    terms: Vec<Vec<(usize, f64)>>,
}

impl SparseRows {
    fn new(factors: &VecchiaFactors, rows: &[usize]) -> Self {
        let each: Vec<Vec<(usize, f64)>> = rows.iter().map(|&row| factors.row(row)).collect();
        let mut nodes: Vec<usize> = each.iter().flatten().map(|term| term.0).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let place = |node: usize| nodes.partition_point(|&other| other < node);
        let terms =
            each.into_iter().map(|row| row.into_iter().map(|(n, t)| (place(n), t)).collect());
        Self { terms: terms.collect(), nodes }
    }

    /// product += these rows times `k [nodes, C]`.
    fn multiply(&self, k: &Array2<f64>, product: &mut ArrayRef2<f64>) {
        for (terms, mut target) in self.terms.iter().zip(product.rows_mut()) {
            for &(node, t) in terms {
                target.scaled_add(t, &k.row(node));
            }
        }
    }
}

/// The columns J of the identity, `[N, J]`.
fn unit_columns(n: usize, rows: &[usize]) -> Array2<f64> {
    let mut unit = Array2::zeros((n, rows.len()));
    rows.iter().enumerate().for_each(|(j, &row)| unit[[row, j]] = 1.0);
    unit
}

fn summarise(rows: &[usize], turned: &Array2<f64>, dual: f64, local: &Array2<f64>) -> Totals {
    let diagonal: Vec<f64> = rows.iter().enumerate().map(|(j, &row)| turned[[row, j]]).collect();
    let mut off_diagonal = 0.0;
    for (i, row) in turned.rows().into_iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            if rows[j] != i {
                off_diagonal += value * value;
            }
        }
    }
    let mut totals = Totals { diagonal, off_diagonal, dual, ..Totals::default() };
    for (j, column) in local.columns().into_iter().enumerate() {
        totals.local_trace += column[rows[j]];
        totals.local_squares += column.iter().map(|value| value * value).sum::<f64>();
        let sum = column.iter().map(|value| value.abs()).sum::<f64>();
        totals.largest_column = totals.largest_column.max(sum);
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::unit_columns;
    use ndarray::array;

    #[test]
    fn unit_columns_pick_rows() {
        assert_eq!(unit_columns(3, &[2, 0]), array![[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]);
    }
}
