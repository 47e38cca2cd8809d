//! V = L⁻¹Kuf, a shard of data rows at a time: the seam through which all work on rows goes.

use std::borrow::Cow;
use std::ops::Range;

use kernels::{Kernel, kernel_matrix};
use linalg_cg::{Cholesky, Shards};
use ndarray::{Array2, ArrayRef2, s};

/// Rows of a shard: long enough for BLAS to run at its speed, and what a thread holds beside O(M²).
const SHARD: usize = 1024;
/// Most shards whose results wait to be combined.
const MAX_WAVE: usize = 16;
/// Most numbers in the M×M results that wait.
const WAVE_NUMBERS: usize = 1 << 22;

/// V = L⁻¹Kuf `[M, N]`, kept or formed anew whenever it is asked for.
#[derive(Debug)]
pub(crate) struct Whitened<'a> {
    kernel: &'a dyn Kernel,
    z: &'a ArrayRef2<f64>,
    x: &'a ArrayRef2<f64>,
    l: Cholesky,
    /// One matrix for each shard, or none at all.
    kept: Vec<Array2<f64>>,
}

impl<'a> Whitened<'a> {
    /// For `x [N, D]`, `z [M, D]` and the factor `l` of Kuu.
    pub(crate) fn new(
        kernel: &'a dyn Kernel,
        x: &'a ArrayRef2<f64>,
        z: &'a ArrayRef2<f64>,
        l: Cholesky,
        keep: bool,
    ) -> Self {
        let mut whitened = Self { kernel, z, x, l, kept: Vec::new() };
        if keep {
            whitened.kept = whitened.shards().map(|rows| whitened.form(rows));
        }
        whitened
    }

    pub(crate) fn kernel(&self) -> &'a dyn Kernel {
        self.kernel
    }

    pub(crate) fn z(&self) -> &'a ArrayRef2<f64> {
        self.z
    }

    pub(crate) fn x(&self) -> &'a ArrayRef2<f64> {
        self.x
    }

    /// The factor of Kuu + jitter·I.
    pub(crate) fn l(&self) -> &Cholesky {
        &self.l
    }

    pub(crate) fn into_l(self) -> Cholesky {
        self.l
    }

    /// `work` on each shard of rows and its columns of V, in parallel, the results combined in the
    /// order of the rows: the same bits for any number of threads. `None` without rows.
    pub(crate) fn reduce<T: Send>(
        &self,
        work: impl Fn(Range<usize>, &ArrayRef2<f64>) -> T + Sync,
        mut combine: impl FnMut(T, T) -> T,
    ) -> Option<T> {
        let shards = self.shards();
        let mut total = None;
        for wave in Shards::of_length(shards.len(), wave(self.z.nrows())).iter() {
            let first = wave.start;
            let parts = Shards::of_length(wave.len(), 1).map(|index| {
                let shard = first + index.start;
                work(shards.rows(shard), &self.columns(shard))
            });
            total = total.into_iter().chain(parts).reduce(&mut combine);
        }
        total
    }

    fn shards(&self) -> Shards {
        Shards::of_length(self.x.nrows(), SHARD)
    }

    fn columns(&self, shard: usize) -> Cow<'_, Array2<f64>> {
        match self.kept.get(shard) {
            Some(kept) => Cow::Borrowed(kept),
            None => Cow::Owned(self.form(self.shards().rows(shard))),
        }
    }

    fn form(&self, rows: Range<usize>) -> Array2<f64> {
        let k_uf = kernel_matrix(self.kernel, self.z, &self.x.slice(s![rows, ..]));
        self.l.solve_lower_into(k_uf)
    }
}

/// How many shards run before their results are combined: by M alone, never by the threads.
fn wave(m: usize) -> usize {
    (WAVE_NUMBERS / (m * m).max(1)).clamp(1, MAX_WAVE)
}
