//! The seam for work over data rows: a fixed partition, partial results combined in its order.
//!
//! The partition depends on the number of rows alone, never on the number of threads, so a
//! reduction has the same bits however many threads run it. Row shards that live on other
//! machines would enter here and nowhere else.

use std::ops::Range;

use rayon::prelude::*;

/// Most shards of a partition: what bounds the memory of partial results.
const MAX_SHARDS: usize = 32;
/// Fewest rows worth a shard of their own.
const MIN_ROWS: usize = 256;

/// A partition of rows `0..n` into shards of equal length (the last may be shorter).
///
/// ```
/// use linalg_cg::Shards;
///
/// let lengths: Vec<usize> = Shards::of_length(10, 4).iter().map(|rows| rows.len()).collect();
/// assert_eq!(lengths, [4, 4, 2]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shards {
    n: usize,
    length: usize,
}

impl Shards {
    /// The partition for reductions over `n` rows: at most 32 shards of at least 256 rows.
    #[must_use]
    pub fn of_rows(n: usize) -> Self {
        Self::of_length(n, n.div_ceil(MAX_SHARDS).max(MIN_ROWS))
    }

    /// Shards of `length` rows each (a `length` of 0 counts as 1).
    #[must_use]
    pub fn of_length(n: usize, length: usize) -> Self {
        Self { n, length: length.max(1) }
    }

    /// The number of shards; 0 when there are no rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n.div_ceil(self.length)
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The rows of shard `index`.
    #[must_use]
    pub fn rows(&self, index: usize) -> Range<usize> {
        let start = index * self.length;
        start..(start + self.length).min(self.n)
    }

    /// The shards in order.
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        (0..self.len()).map(|index| self.rows(index))
    }

    /// `work` on every shard, in parallel; results in shard order.
    pub fn map<T: Send>(&self, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        (0..self.len())
            .into_par_iter()
            .with_max_len(1)
            .map(|index| work(self.rows(index)))
            .collect()
    }

    /// `work` on every shard, in parallel, the results combined from the first shard to the last.
    /// `None` when there are no rows.
    pub fn reduce<T: Send>(
        &self,
        work: impl Fn(Range<usize>) -> T + Sync,
        combine: impl FnMut(T, T) -> T,
    ) -> Option<T> {
        self.map(work).into_iter().reduce(combine)
    }
}

/// `work` on each shard of rows `0..n`, in parallel; results in row order.
///
/// ```
/// let lengths = linalg_cg::map_rows(600, |rows| rows.len());
/// assert_eq!(lengths, [256, 256, 88]);
/// ```
pub fn map_rows<T: Send>(n: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    Shards::of_rows(n).map(work)
}

/// `work` on each shard of rows `0..n`, in parallel, the partial results combined in row order:
/// the same bits for any number of threads. `None` when `n` is 0.
///
/// ```
/// let sum = linalg_cg::reduce_rows(1000, |rows| rows.sum::<usize>(), |a, b| a + b);
/// assert_eq!(sum, Some(499_500));
/// ```
pub fn reduce_rows<T: Send>(
    n: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
    combine: impl FnMut(T, T) -> T,
) -> Option<T> {
    Shards::of_rows(n).reduce(work, combine)
}
