//! The posterior of new points from the training points nearest to them.

use std::collections::HashSet;

use kernels::{Kernel, gram_matrix, kernel_matrix};
use linalg_cg::{Cholesky, Shards, gram};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};

use crate::surrogate::{Entries, nearest_rows};
use crate::{BoundError, check};

/// New points per parallel task.
const POINTS_PER_TASK: usize = 64;
/// Training points that a joint covariance conditions on, where each new point has one: beyond it
/// their factorisation would take longer than that of the result.
const JOINT: usize = 4096;

/// Training points to condition new ones on, nearest first.
///
/// What is left of the prior given fewer observations is at least what is left given all: every
/// variance and covariance here is above the exact posterior's, but for rounding, and equal to it when
/// `neighbours` is N.
#[derive(Debug, Clone, Copy)]
pub struct Neighbourhood<'a> {
    /// The kernel.
    pub kernel: &'a dyn Kernel,
    /// Training inputs `[N, D]`.
    pub x: &'a ArrayRef2<f64>,
    /// σ², white kernels included.
    pub sigma2: f64,
    /// Nearest training points of each new point.
    pub neighbours: usize,
}

impl Neighbourhood<'_> {
    /// Variances of the latent function at `x_new [T, D]`, `[T]`.
    ///
    /// ```text
    /// var(x*) ≤ k** − k*_Sᵀ (K_SS + σ²I)⁻¹ k*_S,   S the nearest training points
    /// ```
    ///
    /// In exact arithmetic. A block that does not factorise leaves the prior variance.
    /// Cost: O(T k³), and a tree search.
    ///
    /// # Errors
    /// For inputs that are not finite or have other columns than `x`.
    pub fn variance(&self, x_new: &ArrayRef2<f64>) -> Result<Array1<f64>, BoundError> {
        self.check(x_new)?;
        let prior = self.kernel.diag(x_new);
        if self.neighbours == 0 {
            return Ok(prior);
        }
        let nearest = self.nearest(x_new);
        let entries = self.entries();
        let parts = Shards::of_length(x_new.nrows(), POINTS_PER_TASK).map(|points| {
            let variance = |at: usize| {
                let points = self.x.select(Axis(0), &nearest[at]);
                let one = x_new.row(at).insert_axis(Axis(0));
                let cross = self.kernel.block(&one, &points).remove_axis(Axis(0));
                Cholesky::factor(entries.block(&nearest[at])).map_or(prior[at], |factor| {
                    let half = factor.solve_lower_vec(&cross);
                    (prior[at] - squares(&half)).clamp(0.0, prior[at])
                })
            };
            points.map(variance).collect::<Vec<f64>>()
        });
        Ok(parts.into_iter().flatten().collect())
    }

    /// The joint covariance of the latent function at `x_new [T, D]`, `[T, T]`: all conditioned on the
    /// same training points, the nearest of each in turn until they are 4096.
    ///
    /// ```text
    /// K** − K*_S (K_SS + σ²I)⁻¹ K_S*,   S the union of the nearest
    /// ```
    ///
    /// Its diagonal is at most [`variance`](Self::variance) where S holds all neighbours.
    /// Cost: O(|S|³ + T |S|² + T² |S|).
    ///
    /// # Errors
    /// As [`variance`](Self::variance), and when K_SS does not factorise.
    pub fn covariance(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, BoundError> {
        self.check(x_new)?;
        let prior = gram_matrix(self.kernel, x_new);
        let rows = union(&self.nearest(x_new), JOINT);
        if rows.is_empty() {
            return Ok(prior);
        }
        let mut block = gram_matrix(self.kernel, &self.x.select(Axis(0), &rows));
        block.diag_mut().mapv_inplace(|value| value + self.sigma2);
        let factor = Cholesky::factor(block)?;
        let cross = kernel_matrix(self.kernel, &self.x.select(Axis(0), &rows), x_new);
        Ok(prior - gram(&factor.solve_lower_into(cross).t()))
    }

    fn nearest(&self, x_new: &ArrayRef2<f64>) -> Vec<Vec<usize>> {
        let (here, there) = (self.kernel.embed(self.x), self.kernel.embed(x_new));
        nearest_rows(&here, &there, self.neighbours)
    }

    fn entries(&self) -> Entries<'_> {
        Entries { kernel: self.kernel, x: self.x, sigma2: self.sigma2, explained: None }
    }

    fn check(&self, x_new: &ArrayRef2<f64>) -> Result<(), BoundError> {
        check::length("columns of x_new", x_new.ncols(), self.x.ncols())?;
        check::finite("x_new", x_new)
    }
}

/// The nearest row of each list, then the second of each, until there are `most`; in ascending order.
fn union(nearest: &[Vec<usize>], most: usize) -> Vec<usize> {
    let mut rows = HashSet::new();
    for rank in 0..nearest.first().map_or(0, Vec::len) {
        for list in nearest {
            if rows.len() >= most && rank > 0 {
                break;
            }
            rows.insert(list[rank]);
        }
    }
    let mut rows: Vec<usize> = rows.into_iter().collect();
    rows.sort_unstable();
    rows
}

fn squares(vector: &ArrayRef1<f64>) -> f64 {
    vector.iter().map(|value| value * value).sum()
}

#[cfg(test)]
mod tests {
    use super::union;

    #[test]
    fn a_union_takes_the_nearest_of_each_first() {
        let nearest = [vec![5, 1, 2], vec![3, 5, 4]];
        assert_eq!(union(&nearest, 100), [1, 2, 3, 4, 5]);
        assert_eq!(union(&nearest, 3), [1, 3, 5]);
        assert_eq!(union(&nearest, 1), [3, 5]);
        assert!(union(&[], 3).is_empty());
    }
}
