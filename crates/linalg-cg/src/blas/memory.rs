//! Memory of large matrices: like the BLAS, a call to what is not Rust.

use ndarray::Array2;

/// Fewer bytes than this are not worth the system call.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

/// A matrix of zeros; a large one asks the system for large pages, where there are any, because
/// fetching fresh memory in pages of 4 KiB takes longer than filling it with kernel values.
///
/// ```
/// assert_eq!(linalg_cg::zeros(2, 1), ndarray::array![[0.0], [0.0]]);
/// ```
#[must_use]
pub fn zeros(rows: usize, columns: usize) -> Array2<f64> {
    #[cfg_attr(not(target_os = "linux"), allow(unused_mut))]
    let mut matrix = Array2::<f64>::zeros((rows, columns));
    #[cfg(target_os = "linux")]
    advise(matrix.as_mut_ptr().cast(), size_of::<f64>() * matrix.len());
    matrix
}

/// Asks for large pages within `bytes` from `start` on. The system may refuse; then nothing changes.
#[cfg(target_os = "linux")]
fn advise(start: *mut u8, bytes: usize) {
    const PAGE: usize = 4096;
    let skipped = start.align_offset(PAGE);
    if bytes < LARGE || skipped > bytes {
        return;
    }
    let whole = (bytes - skipped) / PAGE * PAGE;
    // SAFETY: the pages lie within one allocation of ours, and this advice leaves what they hold
    // as it is.
    unsafe { libc::madvise(start.wrapping_add(skipped).cast(), whole, libc::MADV_HUGEPAGE) };
}
