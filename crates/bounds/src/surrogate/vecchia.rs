//! A sparse inverse: each row conditioned on a few earlier ones.

use super::entries::Entries;
use super::{VecchiaStructure, by_columns};
use kernels::Kernel;
use linalg_cg::{Cholesky, Shards};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis, s};
use std::sync::Arc;

/// Rows per parallel task; fixed, so the bits never depend on the number of threads.
const ROWS_PER_TASK: usize = 32;

/// Regression of every row on its parents and the rows before it in its group.
///
/// ```text
/// u_i = (−b_i, 1),   b_i = A_NN⁻¹A_Ni,   ω_i = u_i A u_iᵀ,   t_i = u_i/√ω_i on the rows (N(i), i)
/// Λ⁻¹ = TᵀT,         log|Λ| = Σ_i log ω_i,                    tr(Λ⁻¹A) = N
/// ```
///
/// where A is K, or K − VᵀV. A group of b rows with p parents takes one factorisation of size p + b.
/// Cost: O(N k³) time, O(N k) memory.
/// Source: Vecchia (1988), "Estimation and model identification for continuous spatial processes".
#[derive(Debug, Clone)]
pub struct VecchiaFactors {
    structure: Arc<VecchiaStructure>,
    /// Where the rows of each group start among the coefficients, and the end.
    offsets: Vec<usize>,
    /// The rows of T of each group over its nodes, `[b, p + b]`.
    coefficients: Vec<f64>,
    /// Groups whose matrix did not factorise.
    fallen: Vec<bool>,
    log_det: f64,
}

/// One group's rows of T.
struct Conditional {
    rows: Array2<f64>,
    fell: bool,
}

impl VecchiaFactors {
    /// Conditions the rows of `x [N, D]`, K = k(X, X) + `sigma2`·I.
    #[must_use]
    pub fn new(
        kernel: &dyn Kernel,
        x: &ArrayRef2<f64>,
        sigma2: f64,
        structure: Arc<VecchiaStructure>,
    ) -> Self {
        Self::of(&Entries { kernel, x, sigma2, explained: None }, structure)
    }

    /// Conditions the rows of any covariance.
    pub(crate) fn of(entries: &Entries<'_>, structure: Arc<VecchiaStructure>) -> Self {
        let parts = Self::tasks(&structure).map(|groups| {
            groups.map(|group| condition(entries, &structure, group)).collect::<Vec<_>>()
        });
        let groups: Vec<Conditional> = parts.into_iter().flatten().collect();
        let mut offsets = vec![0];
        groups.iter().for_each(|g| offsets.push(offsets[offsets.len() - 1] + g.rows.len()));
        let fallen = groups.iter().map(|group| group.fell).collect();
        let coefficients = groups.into_iter().flat_map(|group| group.rows).collect();
        Self::finish(structure, offsets, coefficients, fallen)
    }

    /// T = σ⁻¹I.
    pub(crate) fn scaled_identity(n: usize, sigma2: f64) -> Self {
        let coefficients = vec![sigma2.sqrt().recip(); n];
        let structure = Arc::new(VecchiaStructure::independent(n));
        let mut factors = Self::finish(structure, (0..=n).collect(), coefficients, vec![false; n]);
        // Not as a sum of logarithms of rounded square roots.
        factors.log_det = n as f64 * sigma2.ln();
        factors
    }

    fn finish(
        structure: Arc<VecchiaStructure>,
        offsets: Vec<usize>,
        coefficients: Vec<f64>,
        fallen: Vec<bool>,
    ) -> Self {
        let mut factors = Self { structure, offsets, coefficients, fallen, log_det: 0.0 };
        factors.log_det = factors.omega().iter().map(|omega| omega.ln()).sum();
        factors
    }

    /// Groups per task, so that a task has about as many rows whatever the groups.
    pub(crate) fn tasks(structure: &VecchiaStructure) -> Shards {
        let groups = structure.n_groups();
        Shards::of_length(groups, ROWS_PER_TASK * groups / structure.n().max(1))
    }

    /// The ordering and parents; share it to keep them fixed while hyperparameters move.
    #[must_use]
    pub fn structure(&self) -> &Arc<VecchiaStructure> {
        &self.structure
    }

    /// Number of rows N.
    #[must_use]
    pub fn n(&self) -> usize {
        self.structure.n()
    }

    /// The conditional variances ω, `[N]`, in row order.
    #[must_use]
    pub fn omega(&self) -> Array1<f64> {
        let mut omega = Array1::zeros(self.n());
        for g in 0..self.structure.n_groups() {
            let (rows, parents) = (self.rows(g), self.structure.parents(g).len());
            for (j, &row) in self.structure.members(g).iter().enumerate() {
                omega[row] = rows[[j, parents + j]].powi(-2);
            }
        }
        omega
    }

    /// Number of groups whose matrix did not factorise: their rows are conditioned on nothing.
    #[must_use]
    pub fn fallbacks(&self) -> usize {
        self.fallen.iter().filter(|fell| **fell).count()
    }

    /// log|Λ| = Σ log ω_i, nats.
    #[must_use]
    pub fn log_det(&self) -> f64 {
        self.log_det
    }

    /// The rows of T of group `g` over its nodes, `[b, p + b]`.
    pub(crate) fn rows(&self, g: usize) -> ndarray::ArrayView2<'_, f64> {
        let span = self.offsets[g]..self.offsets[g + 1];
        let b = self.structure.members(g).len();
        let flat = ndarray::aview1(&self.coefficients[span]);
        let nodes = flat.len() / b;
        flat.into_shape_with_order((b, nodes)).unwrap_or_else(|_| unreachable!())
    }

    /// Row `i` of T as columns and values.
    pub(crate) fn row(&self, i: usize) -> Vec<(usize, f64)> {
        let (g, j) = self.structure.place(i);
        let row = self.rows(g);
        self.structure.nodes(g).into_iter().zip(row.row(j).iter().copied()).collect()
    }

    /// Whether group `g` is conditioned on nothing because its matrix did not factorise.
    pub(crate) fn fell(&self, g: usize) -> bool {
        self.fallen[g]
    }

    /// `T X`, `x [N, C]`; row i of T belongs to data row i. In parallel over the rows.
    pub(crate) fn apply(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        let x = x.as_standard_layout();
        let columns = x.ncols();
        let parts = Self::tasks(&self.structure).map(|groups| {
            let mut rows = Vec::new();
            for g in groups {
                let (nodes, coefficients) = (self.structure.nodes(g), self.rows(g));
                for row in coefficients.rows() {
                    let mut sum = Array1::zeros(columns);
                    add_rows(&mut sum, row.iter().zip(&nodes), &x.view());
                    rows.push(sum);
                }
            }
            rows
        });
        let mut product = Array2::zeros(x.dim());
        for (&row, values) in self.structure.order().iter().zip(parts.iter().flatten()) {
            product.row_mut(row).assign(values);
        }
        product
    }

    /// `Tᵀ X`, `x [N, C]`; in parallel over blocks of columns.
    pub(crate) fn apply_transpose(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        by_columns(x, |x| {
            let mut product = Array2::zeros(x.dim());
            for g in 0..self.structure.n_groups() {
                let (nodes, coefficients) = (self.structure.nodes(g), self.rows(g));
                for (&member, row) in self.structure.members(g).iter().zip(coefficients.rows()) {
                    scatter(&mut product, row.iter().zip(&nodes), &x.row(member));
                }
            }
            product
        })
    }

    /// `T⁻¹ X`, `x [N, C]`, by substitution along the order; in parallel over blocks of columns.
    pub(crate) fn solve(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        by_columns(x, |x| {
            let mut solution = x.to_owned();
            self.substitute(&mut solution, 0);
            solution
        })
    }

    /// [`solve`](Self::solve) in place and on this thread, where rows of groups before `first` are
    /// known to be zero.
    pub(crate) fn substitute(&self, x: &mut Array2<f64>, first: usize) {
        for g in first..self.structure.n_groups() {
            let parents = self.structure.parents(g).len();
            let (nodes, coefficients) = (self.structure.nodes(g), self.rows(g));
            for (j, row) in coefficients.rows().into_iter().enumerate() {
                let before = parents + j;
                let mut value = x.row(nodes[before]).to_owned();
                let negative = row.iter().map(|t| -t).take(before).collect::<Vec<_>>();
                add_rows(&mut value, negative.iter().zip(&nodes), &x.view());
                x.row_mut(nodes[before]).assign(&(value / row[before]));
            }
        }
    }

    /// `T⁻ᵀ X`, `x [N, C]`, against the order; in parallel over blocks of columns.
    pub(crate) fn solve_transpose(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        by_columns(x, |x| {
            let mut solution = x.to_owned();
            for g in (0..self.structure.n_groups()).rev() {
                let parents = self.structure.parents(g).len();
                let (nodes, coefficients) = (self.structure.nodes(g), self.rows(g));
                for (j, row) in coefficients.rows().into_iter().enumerate().rev() {
                    let before = parents + j;
                    let value = &solution.row(nodes[before]) / row[before];
                    solution.row_mut(nodes[before]).assign(&value);
                    let negative = row.iter().map(|t| -t).take(before).collect::<Vec<_>>();
                    scatter(&mut solution, negative.iter().zip(&nodes), &value);
                }
            }
            solution
        })
    }
}

/// sum += Σ t · x[row].
fn add_rows<'a>(
    sum: &mut Array1<f64>,
    terms: impl Iterator<Item = (&'a f64, &'a usize)>,
    x: &ArrayRef2<f64>,
) {
    for (&t, &row) in terms {
        sum.scaled_add(t, &x.row(row));
    }
}

/// target[row] += t · value.
fn scatter<'a>(
    target: &mut Array2<f64>,
    terms: impl Iterator<Item = (&'a f64, &'a usize)>,
    value: &ArrayRef1<f64>,
) {
    for (&t, &row) in terms {
        target.row_mut(row).scaled_add(t, value);
    }
}

/// Conditions one group.
fn condition(entries: &Entries<'_>, structure: &VecchiaStructure, group: usize) -> Conditional {
    let (parents, members) = (structure.parents(group).len(), structure.members(group).len());
    let block = entries.block(&structure.nodes(group));
    let solved = joint_rows(&block, parents)
        .or_else(|| (members == 1).then(|| single_row(&block)).flatten());
    let fell = solved.is_none();
    let mut rows = solved.unwrap_or_else(|| unconditioned(parents, members));
    for row in rows.rows_mut() {
        normalise(row, &block, entries.sigma2);
    }
    Conditional { rows, fell }
}

/// The last rows of the inverse factor of `block`, those beyond its parents; `None` when it does not
/// factorise.
fn joint_rows(block: &Array2<f64>, parents: usize) -> Option<Array2<f64>> {
    let (n, members) = (block.nrows(), block.nrows() - parents);
    let factor = Cholesky::factor(block.clone()).ok()?;
    let mut last = Array2::zeros((n, members));
    last.slice_mut(s![parents.., ..]).diag_mut().fill(1.0);
    let rows =
        factor.solve_lower_transpose(&last).reversed_axes().as_standard_layout().into_owned();
    rows.iter().all(|t| t.is_finite()).then_some(rows)
}

/// u = (−b, 1) for the last row of `block`, where only the block of its parents factorises.
fn single_row(block: &Array2<f64>) -> Option<Array2<f64>> {
    let last = block.nrows() - 1;
    if last == 0 {
        return None;
    }
    let factor = Cholesky::factor(block.slice(s![..last, ..last]).to_owned()).ok()?;
    let weights = factor.solve_vec(&block.slice(s![last, ..last]));
    let u: Array1<f64> = weights.iter().map(|w| -w).chain(std::iter::once(1.0)).collect();
    u.iter().all(|value| value.is_finite()).then(|| u.insert_axis(Axis(0)))
}

/// Rows that are conditioned on nothing: any surrogate may do that.
fn unconditioned(parents: usize, members: usize) -> Array2<f64> {
    let mut rows = Array2::zeros((members, parents + members));
    rows.slice_mut(s![.., parents..]).diag_mut().fill(1.0);
    rows
}

/// Scales a row to t A tᵀ ≤ 1, with equality but for rounding.
///
/// With *any* weights ω = u A uᵀ is at least the exact conditional variance, so an error in the solve
/// cannot break a bound; and A ⪰ σ²I makes σ²‖u‖² a lower bound on the form, so the clamp only removes
/// rounding error, which at σ² ≪ k(x, x) could make the form negative.
fn normalise(mut row: ndarray::ArrayViewMut1<'_, f64>, block: &Array2<f64>, sigma2: f64) {
    let inner = |a: &ArrayRef1<f64>, b: &ArrayRef1<f64>| -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    };
    let form: f64 = block.rows().into_iter().zip(&row).map(|(a, t)| t * inner(&a, &row)).sum();
    let scale = form.max(sigma2 * inner(&row, &row)).sqrt().recip();
    row.mapv_inplace(|t| t * scale);
}

#[cfg(test)]
mod tests {
    use super::{VecchiaFactors, VecchiaStructure, normalise};
    use kernels::Matern32;
    use ndarray::{Array2, array};
    use std::sync::Arc;

    #[test]
    fn the_clamp_acts_when_rounding_makes_the_form_negative() {
        // Two equal points without noise in the stored matrix: the form is exactly 0, below its floor.
        let mut row = array![-1.0, 1.0];
        normalise(row.view_mut(), &array![[1.0, 1.0], [1.0, 1.0]], 1e-20);
        assert!((row[1].powi(-2) - 2e-20).abs() < 1e-33);
    }

    #[test]
    fn products_and_solves_undo_each_other() {
        let x = Array2::from_shape_fn((60, 2), |(i, j)| ((i * (7 * j + 3)) as f64 * 0.37).sin());
        let kernel = Matern32::new(vec![0.5], 1.3).expect("positive");
        let v = Array2::from_shape_fn((60, 40), |(i, j)| ((3 * i + 5 * j) as f64).cos());
        for structure in
            [VecchiaStructure::nearest(&x, 6), VecchiaStructure::nearest_blocks(&x, 7, 10)]
        {
            let factors = VecchiaFactors::new(&kernel, &x, 0.1, Arc::new(structure));
            let difference = |a: Array2<f64>| (a - &v).iter().fold(0.0, |m: f64, d| m.max(d.abs()));
            assert!(difference(factors.solve(&factors.apply(&v))) < 1e-12);
            let transposed = factors.solve_transpose(&factors.apply_transpose(&v));
            assert!(difference(transposed) < 1e-12);
        }
    }
}
