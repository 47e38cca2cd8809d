//! Work that is sequential along the rows, in parallel over blocks of columns.

use ndarray::{Array2, ArrayRef2, Axis};
use rayon::prelude::*;

/// Columns of a block; fixed, so that the bits never depend on the number of threads.
const BLOCK: usize = 32;

/// `work` on blocks of columns of `x [N, C]`, put side by side again, `[N, C]`.
pub(crate) fn by_columns(
    x: &ArrayRef2<f64>,
    work: impl Fn(&Array2<f64>) -> Array2<f64> + Sync,
) -> Array2<f64> {
    if x.ncols() <= BLOCK {
        return work(&x.as_standard_layout().into_owned());
    }
    let blocks: Vec<_> = x.axis_chunks_iter(Axis(1), BLOCK).collect();
    let parts: Vec<Array2<f64>> = blocks
        .into_par_iter()
        .with_max_len(1)
        .map(|block| work(&block.as_standard_layout().into_owned()))
        .collect();
    let mut whole = Array2::zeros(x.dim());
    for (mut target, part) in whole.axis_chunks_iter_mut(Axis(1), BLOCK).zip(parts) {
        target.assign(&part);
    }
    whole
}
