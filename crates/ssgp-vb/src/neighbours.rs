//! Nearest training rows under a metric that each query brings.

use kdtree::KdTree;
use ndarray::{Array2, ArrayRef1};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::SsgpError;

/// Rows in a leaf of the tree.
const LEAF: usize = 16;

/// A tree over the rows of `x` `[N, D]`.
#[derive(Debug)]
pub(crate) struct Neighbours {
    tree: KdTree<f64, usize, Vec<f64>>,
}

impl Neighbours {
    /// Rows enter in shuffled order, since a sorted table would make a tree as deep as it is long.
    pub(crate) fn new(x: &Array2<f64>) -> Result<Self, SsgpError> {
        let mut order: Vec<usize> = (0..x.nrows()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(0));
        let mut tree = KdTree::with_capacity(x.ncols(), LEAF);
        for row in order {
            tree.add(x.row(row).to_vec(), row)?;
        }
        Ok(Self { tree })
    }

    /// The `k` nearest rows to `at`, nearest first; of rows equally far the smaller number.
    ///
    /// ```text
    /// d(x, x')² = Σ_j (w_j (x_j − x'_j))²
    /// ```
    pub(crate) fn nearest(
        &self,
        at: &ArrayRef1<f64>,
        weights: &[f64],
        k: usize,
    ) -> Result<Vec<usize>, SsgpError> {
        let at = at.to_vec();
        let distance = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).zip(weights).map(|((a, b), w)| ((a - b) * w).powi(2)).sum()
        };
        let mut found: Vec<(f64, usize)> = Vec::with_capacity(k + 1);
        for (distance, &row) in self.tree.iter_nearest(&at, &distance)? {
            // One more only as long as it ties with the last.
            if found.len() >= k && distance > found[k - 1].0 {
                break;
            }
            found.push((distance, row));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Ok(found.into_iter().take(k).map(|(_, row)| row).collect())
    }
}
