//! An orthonormal basis of a block Krylov space.

use ndarray::{Array1, Array2, ArrayRef2, Axis, concatenate, s};

use crate::check;
use crate::error::LinalgError;
use crate::operator::LinearOperator;
use crate::product::{gram, matmul, matmul_tn};

/// A direction shorter than this, relative to what it was before orthogonalisation, is rounding.
const DEPENDENT: f64 = 1e-10;

/// An orthonormal basis Q of a space that A nearly leaves in place, and A on it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KrylovBasis {
    /// Q, `[N, R]`, QᵀQ = I.
    pub q: Array2<f64>,
    /// A Q, `[N, R]`.
    pub aq: Array2<f64>,
}

impl KrylovBasis {
    /// QᵀAQ, `[R, R]`, symmetric to the bit.
    #[must_use]
    pub fn projected(&self) -> Array2<f64> {
        let product = matmul_tn(&self.q, &self.aq);
        (&product + &product.t()) * 0.5
    }
}

/// Block Lanczos with full reorthogonalisation from `start [N, B]`: span{S, AS, A²S, …} up to `rank`
/// directions.
///
/// Fewer come back where the space is exhausted. Cost: `rank` products in blocks of B, N rank² flops;
/// memory 2 N rank. The same bits for any number of threads if A has that property.
/// Source: Golub & Underwood (1977), "The block Lanczos method for computing eigenvalues".
///
/// # Errors
/// [`LinalgError::ShapeMismatch`], [`LinalgError::NonFinite`] for `start`, or where A returns a number
/// that is not finite.
///
/// ```
/// use linalg_cg::{DenseOperator, krylov_basis};
/// use ndarray::{Array2, array};
///
/// let a = DenseOperator::new(Array2::from_diag(&array![3.0, 2.0, 1.0]))?;
/// let basis = krylov_basis(&a, &Array2::ones((3, 1)), 2)?;
/// assert_eq!(basis.q.dim(), (3, 2));
/// assert!((basis.projected()[[0, 0]] - 2.0).abs() < 1e-14);
/// # Ok::<(), linalg_cg::LinalgError>(())
/// ```
pub fn krylov_basis(
    op: &dyn LinearOperator,
    start: &ArrayRef2<f64>,
    rank: usize,
) -> Result<KrylovBasis, LinalgError> {
    check::size("start", "rows", op.n(), start.nrows())?;
    let rank = rank.min(op.n());
    let mut basis = KrylovBasis { q: Array2::zeros((op.n(), 0)), aq: Array2::zeros((op.n(), 0)) };
    let mut next = start.to_owned();
    while basis.q.ncols() < rank {
        check::finite("start", &next)?;
        let block = orthonormal(&basis.q, next, rank - basis.q.ncols());
        if block.ncols() == 0 {
            break;
        }
        let product = op.apply(&block);
        basis.q = side_by_side(&basis.q, &block);
        basis.aq = side_by_side(&basis.aq, &product);
        next = product;
    }
    Ok(basis)
}

/// At most `count` orthonormal directions that `block` adds to the span of `q`.
fn orthonormal(q: &Array2<f64>, mut block: Array2<f64>, count: usize) -> Array2<f64> {
    let before: Array1<f64> = block.axis_iter(Axis(1)).map(|b| b.dot(&b).sqrt()).collect();
    for _ in 0..2 {
        block = &block - &matmul(q, &matmul_tn(q, &block));
    }
    let mut found = Array2::zeros((block.nrows(), 0));
    for (mut column, before) in block.axis_iter_mut(Axis(1)).zip(before) {
        if found.ncols() == count {
            break;
        }
        let mut direction = column.to_owned();
        for _ in 0..2 {
            let along = found.t().dot(&direction);
            direction = direction - found.dot(&along);
        }
        let length = direction.dot(&direction).sqrt();
        if length > DEPENDENT * before {
            column.assign(&(direction / length));
            found = side_by_side(&found, &column.view().insert_axis(Axis(1)));
        }
    }
    polish(q, found)
}

/// What normalising a short direction has brought back of `q`, taken out once more.
fn polish(q: &Array2<f64>, found: Array2<f64>) -> Array2<f64> {
    if found.ncols() == 0 {
        return found;
    }
    let clean = &found - &matmul(q, &matmul_tn(q, &found));
    let lengths = gram(&clean.t()).diag().mapv(f64::sqrt);
    clean / &lengths
}

fn side_by_side(a: &ArrayRef2<f64>, b: &ArrayRef2<f64>) -> Array2<f64> {
    let (a, b) = (a.view(), b.view());
    let joined = concatenate(Axis(1), &[a, b]);
    joined.unwrap_or_else(|_| b.slice(s![.., ..0]).to_owned())
}
