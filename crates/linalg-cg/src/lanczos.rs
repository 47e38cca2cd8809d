//! Conjugate gradients that also hand out the Lanczos matrices of their columns.

mod basis;
mod column;

use std::ops::ControlFlow;

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};

use self::column::Column;
use crate::cg::StopReason;
use crate::check;
use crate::error::LinalgError;
use crate::operator::LinearOperator;
use crate::preconditioner::Preconditioner;
use crate::tridiagonal::Tridiagonal;

pub use basis::{KrylovBasis, krylov_basis};

/// How long the columns of [`cg_lanczos`] run.
///
/// | option | default |
/// | --- | --- |
/// | `max_steps` | 1000 |
/// | `reorthogonalise_bytes` | 64 MiB: residuals are kept, and new ones made orthogonal to them, where that takes no more |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LanczosOptions {
    /// The most steps.
    pub max_steps: usize,
    /// Memory for full reorthogonalisation, `16 N C max_steps` bytes; 0 for none.
    pub reorthogonalise_bytes: usize,
}

impl Default for LanczosOptions {
    fn default() -> Self {
        Self { max_steps: 1000, reorthogonalise_bytes: 64 << 20 }
    }
}

/// How one column of [`cg_lanczos`] went; residuals are true ones.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LanczosReport {
    /// Steps taken.
    pub steps: usize,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// `‖b − A v‖ / ‖b‖`; the residual's norm itself where b = 0.
    pub relative_residual: f64,
    /// `rᵀM⁻¹r`.
    pub residual_quad: f64,
    /// `bᵀM⁻¹b`.
    pub rhs_quad: f64,
}

impl LanczosReport {
    /// Whether the tolerance was reached.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.stop_reason == StopReason::Converged
    }
}

/// What [`cg_lanczos`] leaves.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LanczosSolution {
    /// `V ≈ A⁻¹B`, `[N, C]`.
    pub v: Array2<f64>,
    /// `B − A V`, computed from its definition, `[N, C]`.
    pub residual: Array2<f64>,
    /// The Lanczos matrix of `M^(−½) A M^(−½)` at `M^(−½) b` of each column.
    pub tridiagonals: Vec<Tridiagonal>,
    /// How each column went.
    pub reports: Vec<LanczosReport>,
    /// Products of the operator with one vector.
    pub n_products: usize,
}

/// Solves `A V = B` and keeps the coefficients of each column as its Lanczos matrix.
///
/// ```text
/// α_i = r_iᵀz_i / p_iᵀAp_i,   β_i = r_{i+1}ᵀz_{i+1} / r_iᵀz_i,   z = M⁻¹r
/// T_ii = 1/α_i + β_{i−1}/α_{i−1},   T_{i,i+1} = √β_i / α_i
/// ```
///
/// Column c ends when `rᵀM⁻¹r ≤ tolerances[c]`. Unlike [`cg_block`](crate::cg_block) it starts at
/// zero and never restarts, since that would break the sequence. Without reorthogonalisation
/// eigenvalues of T repeat, which lengthens the run but does not harm the quadrature. The same bits
/// for any number of threads if A and M have that property.
///
/// Source: Golub & Van Loan (2013), section 11.3; Gardner et al. (2018), "GPyTorch: blackbox
/// matrix–matrix Gaussian process inference with GPU acceleration", algorithm 2 and appendix A.
///
/// # Errors
/// [`LinalgError::ShapeMismatch`], [`LinalgError::NonFinite`]; [`LinalgError::InvalidOption`] for a
/// tolerance that is negative or not finite.
///
/// ```
/// use linalg_cg::{DenseOperator, LanczosOptions, ScaledIdentity, cg_lanczos};
/// use ndarray::array;
///
/// let a = DenseOperator::new(array![[2.0, 1.0], [1.0, 2.0]])?;
/// let (b, plain) = (array![[1.0], [0.0]], ScaledIdentity::identity(2));
/// let run = cg_lanczos(&a, &b, &plain, &array![1e-24], &LanczosOptions::default())?;
/// assert!((&run.v - &array![[2.0 / 3.0], [-1.0 / 3.0]]).iter().all(|error| error.abs() < 1e-12));
/// let log = run.tridiagonals[0].rule()?.apply(f64::ln); // of eigenvalues 1 and 3
/// assert!((log - 0.5 * 3f64.ln()).abs() < 1e-12);
/// # Ok::<(), linalg_cg::LinalgError>(())
/// ```
pub fn cg_lanczos(
    op: &dyn LinearOperator,
    rhs: &ArrayRef2<f64>,
    preconditioner: &dyn Preconditioner,
    tolerances: &ArrayRef1<f64>,
    options: &LanczosOptions,
) -> Result<LanczosSolution, LinalgError> {
    cg_lanczos_watched(op, rhs, preconditioner, tolerances, options, &|_| ControlFlow::Continue(()))
}

/// As [`cg_lanczos`], asking `watch` before every step with the number of those taken; where it says
/// `Break` the columns still running end as [`StopReason::Interrupted`].
///
/// # Errors
/// As [`cg_lanczos`].
pub fn cg_lanczos_watched(
    op: &dyn LinearOperator,
    rhs: &ArrayRef2<f64>,
    preconditioner: &dyn Preconditioner,
    tolerances: &ArrayRef1<f64>,
    options: &LanczosOptions,
    watch: &dyn Fn(usize) -> ControlFlow<()>,
) -> Result<LanczosSolution, LinalgError> {
    check::size("rhs", "rows", op.n(), rhs.nrows())?;
    check::size("preconditioner", "rows", op.n(), preconditioner.n())?;
    check::size("tolerances", "elements", rhs.ncols(), tolerances.len())?;
    check::finite("rhs", rhs)?;
    if let Some(&found) = tolerances.iter().find(|value| !(value.is_finite() && **value >= 0.0)) {
        let accepted = "a finite number of at least 0";
        return Err(LinalgError::InvalidOption { option: "tolerance", found, accepted });
    }
    Ok(run(op, rhs, preconditioner, tolerances, options, watch))
}

fn run(
    op: &dyn LinearOperator,
    rhs: &ArrayRef2<f64>,
    preconditioner: &dyn Preconditioner,
    tolerances: &ArrayRef1<f64>,
    options: &LanczosOptions,
    watch: &dyn Fn(usize) -> ControlFlow<()>,
) -> LanczosSolution {
    let (n, c) = rhs.dim();
    let bytes =
        16usize.saturating_mul(n).saturating_mul(c).saturating_mul(options.max_steps.min(n));
    let keep = bytes <= options.reorthogonalise_bytes;
    let z = preconditioner.solve(rhs);
    let start = rhs.axis_iter(Axis(1)).zip(z.axis_iter(Axis(1))).zip(tolerances);
    let mut columns: Vec<Column> = start
        .map(|((r, z), &tolerance)| Column::new(r.to_owned(), z.to_owned(), tolerance, keep))
        .collect();
    let (mut n_steps, mut n_products) = (0, 0);
    loop {
        let active: Vec<usize> =
            (0..c).filter(|&index| columns[index].goes_on(options.max_steps)).collect();
        if active.is_empty() {
            break;
        }
        if watch(n_steps).is_break() {
            active.iter().for_each(|&index| columns[index].interrupt());
            break;
        }
        n_steps += 1;
        n_products += active.len();
        let products = op.apply(&gather(&columns, &active, n, |column| &column.direction));
        for (&index, product) in active.iter().zip(products.axis_iter(Axis(1))) {
            columns[index].advance(&product);
        }
        let z = preconditioner.solve(&gather(&columns, &active, n, |column| &column.r));
        for (&index, z) in active.iter().zip(z.axis_iter(Axis(1))) {
            columns[index].turn(z.to_owned());
        }
    }
    finish(op, rhs, preconditioner, columns, n_products + c)
}

/// Computes the true residuals.
fn finish(
    op: &dyn LinearOperator,
    rhs: &ArrayRef2<f64>,
    preconditioner: &dyn Preconditioner,
    columns: Vec<Column>,
    n_products: usize,
) -> LanczosSolution {
    let everything: Vec<usize> = (0..columns.len()).collect();
    let v = gather(&columns, &everything, rhs.nrows(), |column| &column.v);
    let residual = rhs.to_owned() - op.apply(&v);
    let quads = preconditioner.quad(&residual);
    let norms = squares(&residual).mapv(f64::sqrt) / squares(rhs).mapv(positive_root);
    let reports = columns.iter().zip(quads).zip(norms);
    let reports = reports.map(|((column, quad), norm)| column.report(quad, norm)).collect();
    let tridiagonals = columns.into_iter().map(|column| column.tridiagonal).collect();
    LanczosSolution { v, residual, tridiagonals, reports, n_products }
}

fn squares(a: &ArrayRef2<f64>) -> Array1<f64> {
    a.axis_iter(Axis(1)).map(|column| column.dot(&column)).collect()
}

fn positive_root(square: f64) -> f64 {
    if square > 0.0 { square.sqrt() } else { 1.0 }
}

/// One vector of each of `which` columns, side by side.
fn gather(
    columns: &[Column],
    which: &[usize],
    n: usize,
    vector: impl Fn(&Column) -> &Array1<f64>,
) -> Array2<f64> {
    let mut block = Array2::zeros((n, which.len()));
    for (mut target, &index) in block.axis_iter_mut(Axis(1)).zip(which) {
        target.assign(vector(&columns[index]));
    }
    block
}
