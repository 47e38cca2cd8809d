//! Rows of inputs, eight side by side.

use kernels::simd::{LANES, Pack};
use ndarray::{ArrayRef1, ArrayRef2};

/// Inputs `[N, D]` in groups of eight rows, one [`Pack`] for each group and column.
///
/// Rows that fill up the last group are zero, where every feature is constant: they add nothing to
/// a covariance, and what they add to a gradient is multiplied by the row, by zero.
#[derive(Debug, Clone)]
pub(crate) struct Points {
    pub(crate) n: usize,
    pub(crate) d: usize,
    packs: Vec<Pack>,
}

impl Points {
    pub(crate) fn new(x: &ArrayRef2<f64>) -> Self {
        let (n, d) = x.dim();
        let entry = |group: usize, j: usize| {
            Pack::from_fn(|lane| x.get([group * LANES + lane, j]).copied().unwrap_or(0.0))
        };
        let groups = 0..n.div_ceil(LANES);
        let packs = groups.flat_map(|group| (0..d).map(move |j| (group, j)));
        let packs = packs.map(|(group, j)| entry(group, j)).collect();
        Self { n, d, packs }
    }

    pub(crate) fn groups(&self) -> usize {
        self.n.div_ceil(LANES)
    }

    /// The columns of a group.
    pub(crate) fn group(&self, index: usize) -> &[Pack] {
        &self.packs[index * self.d..(index + 1) * self.d]
    }
}

/// Values `[N]`, eight to a pack, filled up with zeros.
pub(crate) fn pack_values(values: &ArrayRef1<f64>) -> Vec<Pack> {
    let value = |index: usize| values.get(index).copied().unwrap_or(0.0);
    let groups = 0..values.len().div_ceil(LANES);
    groups.map(|group| Pack::from_fn(|lane| value(group * LANES + lane))).collect()
}
