//! The sparsity pattern of a Vecchia surrogate.

use crate::BoundError;
use crate::surrogate::{maximin_order, nearest_predecessors};
use ndarray::ArrayRef2;

/// An ordering of the rows and, for each row, the earlier rows it is conditioned on.
///
/// Rows are named by their number in `x`. Memory: O(N k).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VecchiaStructure {
    order: Vec<usize>,
    starts: Vec<usize>,
    parents: Vec<usize>,
}

impl VecchiaStructure {
    /// Takes an ordering and the parents of each row, `parents[i]` being those of row `i`.
    ///
    /// # Errors
    /// When `order` is no permutation, or a parent does not precede its child or occurs twice.
    pub fn new(order: Vec<usize>, parents: Vec<Vec<usize>>) -> Result<Self, BoundError> {
        crate::check::length("parents", parents.len(), order.len())?;
        let position = positions(&order)?;
        for (row, list) in parents.iter().enumerate() {
            check_parents(row, list, &position)?;
        }
        Ok(Self::assemble(order, &parents))
    }

    /// Maximin ordering and the `k` nearest predecessors, both in the coordinates `embedded [N, E]`.
    ///
    /// Cost: O(N² E) time. Ties go to the smaller row number, so the result is always the same.
    #[must_use]
    pub fn nearest(embedded: &ArrayRef2<f64>, k: usize) -> Self {
        let order = maximin_order(embedded);
        let parents = nearest_predecessors(embedded, &order, k);
        Self::assemble(order, &parents)
    }

    fn assemble(order: Vec<usize>, parents: &[Vec<usize>]) -> Self {
        let mut starts = vec![0];
        for list in parents {
            starts.push(starts[starts.len() - 1] + list.len());
        }
        Self { order, starts, parents: parents.concat() }
    }

    /// Number of rows N.
    #[must_use]
    pub fn n(&self) -> usize {
        self.order.len()
    }

    /// The ordering: `order[0]` comes first.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The rows that row `i` is conditioned on.
    #[must_use]
    pub fn parents(&self, i: usize) -> &[usize] {
        &self.parents[self.span(i)]
    }

    /// Where row `i`'s parents lie among the parents of all rows, in row order.
    pub(crate) fn span(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i]..self.starts[i + 1]
    }
}

/// Position of each row in the ordering.
fn positions(order: &[usize]) -> Result<Vec<usize>, BoundError> {
    let n = order.len();
    let mut position = vec![usize::MAX; n];
    for (place, &row) in order.iter().enumerate() {
        if row >= n || position[row] != usize::MAX {
            let times = order.iter().filter(|&&other| other == row).count();
            return Err(BoundError::InvalidOrder { row, times, n });
        }
        position[row] = place;
    }
    Ok(position)
}

fn check_parents(row: usize, list: &[usize], position: &[usize]) -> Result<(), BoundError> {
    for (index, &parent) in list.iter().enumerate() {
        let precedes = position.get(parent).is_some_and(|&place| place < position[row]);
        if !precedes || list[..index].contains(&parent) {
            return Err(BoundError::InvalidParent { row, parent });
        }
    }
    Ok(())
}
