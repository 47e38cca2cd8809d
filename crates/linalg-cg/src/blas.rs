//! The one door to OpenBLAS: safe, single-threaded calls on row-major views.
//!
//! OpenBLAS is held to one thread: inside rayon its own threads are many times slower, and two of
//! them do not round as one does. Parallelism is the caller's, over fixed blocks.
#![allow(unsafe_code)]

mod memory;

use std::ffi::{c_char, c_int};
use std::sync::Once;

use ndarray::{ArrayRef2, ArrayView2, ArrayViewMut1, ArrayViewMut2, CowArray, Ix2};
use openblas_src as _;

pub use memory::zeros;

const ROW_MAJOR: c_int = 101;
const NO_TRANS: c_int = 111;
const TRANS: c_int = 112;
const LOWER: c_int = 122;
const NON_UNIT: c_int = 131;
const LEFT: c_int = 141;
const RIGHT: c_int = 142;

// Signatures of cblas.h, LAPACK (LP64) and openblas_config.h.
#[rustfmt::skip]
unsafe extern "C" {
    fn openblas_set_num_threads(threads: c_int);
    fn cblas_dgemm(
        order: c_int, trans_a: c_int, trans_b: c_int, m: c_int, n: c_int, k: c_int,
        alpha: f64, a: *const f64, lda: c_int, b: *const f64, ldb: c_int,
        beta: f64, c: *mut f64, ldc: c_int,
    );
    fn cblas_dsyrk(
        order: c_int, uplo: c_int, trans: c_int, n: c_int, k: c_int,
        alpha: f64, a: *const f64, lda: c_int, beta: f64, c: *mut f64, ldc: c_int,
    );
    fn cblas_dtrsm(
        order: c_int, side: c_int, uplo: c_int, trans: c_int, diag: c_int, m: c_int, n: c_int,
        alpha: f64, a: *const f64, lda: c_int, b: *mut f64, ldb: c_int,
    );
    fn cblas_dtrsv(
        order: c_int, uplo: c_int, trans: c_int, diag: c_int, n: c_int,
        a: *const f64, lda: c_int, x: *mut f64, incx: c_int,
    );
    fn dpotrf_(
        uplo: *const c_char, n: *const c_int, a: *mut f64, lda: *const c_int, info: *mut c_int,
    );
    fn dsyevd_(
        jobz: *const c_char, uplo: *const c_char, n: *const c_int, a: *mut f64, lda: *const c_int,
        w: *mut f64, work: *mut f64, lwork: *const c_int, iwork: *mut c_int, liwork: *const c_int,
        info: *mut c_int,
    );
}

/// Which of `L X = B` and `Lᵀ X = B` is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Triangle {
    /// `L`.
    Lower,
    /// `Lᵀ`.
    LowerTransposed,
}

impl Triangle {
    fn code(self) -> c_int {
        match self {
            Self::Lower => NO_TRANS,
            Self::LowerTransposed => TRANS,
        }
    }
}

/// How BLAS is to read a matrix that it thinks row-major.
#[derive(Clone, Copy)]
struct Layout {
    trans: c_int,
    ld: c_int,
}

/// `a` itself when BLAS can read it, else a row-major copy.
pub(crate) fn readable(a: &ArrayRef2<f64>) -> CowArray<'_, f64, Ix2> {
    match layout(&a.view()) {
        Some(_) => CowArray::from(a.view()),
        None => CowArray::from(a.as_standard_layout().into_owned()),
    }
}

/// `C ← α A B + β C`; any of A, B may be a transposed view.
pub(crate) fn gemm(
    alpha: f64,
    a: &ArrayView2<'_, f64>,
    b: &ArrayView2<'_, f64>,
    beta: f64,
    c: &mut ArrayViewMut2<'_, f64>,
) {
    let (m, n, k) = (a.nrows(), b.ncols(), a.ncols());
    assert!(b.nrows() == k && c.dim() == (m, n), "gemm: shapes disagree");
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        return c.mapv_inplace(|value| beta * value);
    }
    let (layout_a, layout_b, ldc) = (must_read(a), must_read(b), row_stride(c));
    one_thread();
    // SAFETY: shapes agree (checked above); `must_read` and `row_stride` give leading dimensions
    // with which BLAS stays inside each view; `c` is borrowed mutably, so it overlaps neither.
    unsafe {
        cblas_dgemm(
            ROW_MAJOR,
            layout_a.trans,
            layout_b.trans,
            int(m),
            int(n),
            int(k),
            alpha,
            a.as_ptr(),
            layout_a.ld,
            b.as_ptr(),
            layout_b.ld,
            beta,
            c.as_mut_ptr(),
            ldc,
        );
    }
}

/// Lower triangle of `C ← α A Aᵀ + β C`; the strict upper triangle is not touched.
pub(crate) fn syrk(alpha: f64, a: &ArrayView2<'_, f64>, beta: f64, c: &mut ArrayViewMut2<'_, f64>) {
    let (n, k) = a.dim();
    assert!(c.dim() == (n, n), "syrk: shapes disagree");
    if n == 0 {
        return;
    }
    if k == 0 {
        return c.mapv_inplace(|value| beta * value);
    }
    let (layout_a, ldc) = (must_read(a), row_stride(c));
    one_thread();
    // SAFETY: as for `gemm`: `c` is n × n and mutably borrowed, `a` is n × k with its own layout.
    unsafe {
        cblas_dsyrk(
            ROW_MAJOR,
            LOWER,
            layout_a.trans,
            int(n),
            int(k),
            alpha,
            a.as_ptr(),
            layout_a.ld,
            beta,
            c.as_mut_ptr(),
            ldc,
        );
    }
}

/// `B ← L⁻¹ B` or `B ← L⁻ᵀ B`, reading the lower triangle of the row-major `l`.
pub(crate) fn trsm_left(
    triangle: Triangle,
    l: &ArrayView2<'_, f64>,
    b: &mut ArrayViewMut2<'_, f64>,
) {
    assert!(l.is_square() && l.nrows() == b.nrows(), "trsm: shapes disagree");
    trsm(LEFT, triangle, l, b);
}

/// `B ← B L⁻¹` or `B ← B L⁻ᵀ`, reading the lower triangle of the row-major `l`.
pub(crate) fn trsm_right(
    triangle: Triangle,
    l: &ArrayView2<'_, f64>,
    b: &mut ArrayViewMut2<'_, f64>,
) {
    assert!(l.is_square() && l.nrows() == b.ncols(), "trsm: shapes disagree");
    trsm(RIGHT, triangle, l, b);
}

fn trsm(side: c_int, triangle: Triangle, l: &ArrayView2<'_, f64>, b: &mut ArrayViewMut2<'_, f64>) {
    let (m, n) = b.dim();
    if m == 0 || n == 0 {
        return;
    }
    let (ld, ldb) = (row_major(l), row_stride(b));
    one_thread();
    // SAFETY: both callers check that `l` is square of the order BLAS expects for `side`; leading
    // dimensions are those of the views; `b` is mutably borrowed and does not overlap `l`.
    unsafe {
        cblas_dtrsm(
            ROW_MAJOR,
            side,
            LOWER,
            triangle.code(),
            NON_UNIT,
            int(m),
            int(n),
            1.0,
            l.as_ptr(),
            ld,
            b.as_mut_ptr(),
            ldb,
        );
    }
}

/// `x ← L⁻¹ x` or `x ← L⁻ᵀ x`, reading the lower triangle of the row-major `l`.
pub(crate) fn trsv(triangle: Triangle, l: &ArrayView2<'_, f64>, x: &mut ArrayViewMut1<'_, f64>) {
    let n = x.len();
    assert!(l.dim() == (n, n) && x.is_standard_layout(), "trsv: shapes disagree");
    if n == 0 {
        return;
    }
    let ld = row_major(l);
    one_thread();
    // SAFETY: `l` is n × n row-major with leading dimension `ld`; `x` holds n contiguous elements
    // and is mutably borrowed.
    unsafe {
        cblas_dtrsv(
            ROW_MAJOR,
            LOWER,
            triangle.code(),
            NON_UNIT,
            int(n),
            l.as_ptr(),
            ld,
            x.as_mut_ptr(),
            1,
        );
    }
}

/// Cholesky of one block in place: the lower triangle of the row-major `a` becomes L.
///
/// `Err(row)` names the first pivot that is not positive. A NaN passes unseen: check the diagonal.
pub(crate) fn potrf(a: &mut ArrayViewMut2<'_, f64>) -> Result<(), usize> {
    assert!(a.is_square(), "potrf: not square");
    if a.is_empty() {
        return Ok(());
    }
    let (n, lda, mut info) = (int(a.nrows()), row_stride(a), 0);
    one_thread();
    // LAPACK reads columns: its upper triangle is the lower one of a row-major matrix.
    let uplo = b'U' as c_char;
    // SAFETY: `a` is n × n with leading dimension `lda` and mutably borrowed; the scalars outlive
    // the call.
    unsafe { dpotrf_(&uplo, &n, a.as_mut_ptr(), &lda, &mut info) };
    assert!(info >= 0, "potrf: LAPACK refused argument {}", -info);
    if info == 0 { Ok(()) } else { Err(info as usize - 1) }
}

/// Eigenvalues, ascending, of the symmetric row-major `a`, whose lower triangle is read. With
/// `vectors`, `a` becomes the eigenvectors, one a row; else its content is lost.
///
/// `None` when the iteration does not converge.
pub(crate) fn syevd(a: &mut ArrayViewMut2<'_, f64>, vectors: bool) -> Option<Vec<f64>> {
    assert!(a.is_square(), "syevd: not square");
    let order = a.nrows();
    if order == 0 {
        return Some(Vec::new());
    }
    let mut values = vec![0.0; order];
    let mut work =
        vec![0.0; if vectors { 1 + 6 * order + 2 * order * order } else { 2 * order + 1 }];
    let mut indices: Vec<c_int> = vec![0; if vectors { 3 + 5 * order } else { 1 }];
    let (n, lda, mut info) = (int(order), row_stride(a), 0);
    let (n_work, n_indices) = (int(work.len()), int(indices.len()));
    let (job, uplo) = (if vectors { b'V' } else { b'N' } as c_char, b'U' as c_char);
    one_thread();
    // SAFETY: `a` is n × n with leading dimension `lda` and mutably borrowed; `values` and the two
    // workspaces have the lengths LAPACK's documentation asks for, and are told truly.
    unsafe {
        dsyevd_(
            &job,
            &uplo,
            &n,
            a.as_mut_ptr(),
            &lda,
            values.as_mut_ptr(),
            work.as_mut_ptr(),
            &n_work,
            indices.as_mut_ptr(),
            &n_indices,
            &mut info,
        );
    }
    assert!(info >= 0, "syevd: LAPACK refused argument {}", -info);
    (info == 0).then_some(values)
}

/// Holds OpenBLAS to one thread; every entry of this crate to it passes here first.
fn one_thread() {
    static ONCE: Once = Once::new();
    // SAFETY: sets a counter inside OpenBLAS; `Once` keeps two threads from doing it at a time.
    ONCE.call_once(|| unsafe { openblas_set_num_threads(1) });
}

fn layout(a: &ArrayView2<'_, f64>) -> Option<Layout> {
    let (rows, columns) = a.dim();
    let &[row_step, column_step] = a.strides() else { return None };
    // The stride of an axis of length one is never followed, whatever it says.
    let unit = |length: usize, step: isize| length <= 1 || step == 1;
    let leading = |length: usize, step: isize, across: usize| {
        let step = if length <= 1 { across.max(1) as isize } else { step };
        (step >= across.max(1) as isize).then(|| int(step as usize))
    };
    if unit(columns, column_step)
        && let Some(ld) = leading(rows, row_step, columns)
    {
        return Some(Layout { trans: NO_TRANS, ld });
    }
    if unit(rows, row_step) {
        return leading(columns, column_step, rows).map(|ld| Layout { trans: TRANS, ld });
    }
    None
}

fn must_read(a: &ArrayView2<'_, f64>) -> Layout {
    layout(a).expect("operand passed through `readable`")
}

fn row_major(a: &ArrayView2<'_, f64>) -> c_int {
    let layout = must_read(a);
    assert!(layout.trans == NO_TRANS, "operand is row-major");
    layout.ld
}

fn row_stride(a: &ArrayViewMut2<'_, f64>) -> c_int {
    row_major(&a.view())
}

fn int(size: usize) -> c_int {
    c_int::try_from(size).expect("a dimension fits BLAS's 32-bit integers")
}
