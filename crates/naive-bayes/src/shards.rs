//! A fixed partition of rows: results do not depend on the number of threads.

use std::ops::Range;

use rayon::prelude::*;

/// Most shards of a partition: what bounds the memory of partial results.
const MAX_SHARDS: usize = 32;
/// Fewest rows worth a shard of their own.
const MIN_ROWS: usize = 2048;
/// Rows handled together, so that they stay in the cache between passes.
pub(crate) const BLOCK: usize = 128;

/// Rows of a shard when there are `n`.
pub(crate) fn rows_per_shard(n: usize) -> usize {
    n.div_ceil(MAX_SHARDS).max(MIN_ROWS).next_multiple_of(BLOCK)
}

/// `work` on every shard of rows `0..n`, in parallel; results in order.
pub(crate) fn map<T: Send>(n: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let length = rows_per_shard(n);
    let shard = |index: usize| index * length..((index + 1) * length).min(n);
    (0..n.div_ceil(length))
        .into_par_iter()
        .with_max_len(1)
        .map(|index| work(shard(index)))
        .collect()
}

/// The blocks of a shard.
pub(crate) fn blocks(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(BLOCK).map(move |start| start..(start + BLOCK).min(end))
}
