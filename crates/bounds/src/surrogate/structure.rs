//! The sparsity pattern of a Vecchia surrogate.

use super::kd_tree::{Candidate, KdTree};
use super::neighbours::{first_sorted, nearest_before};
use super::{maximin_order, nearest_predecessors};
use crate::BoundError;
use ndarray::{Array2, ArrayRef2};
use std::collections::HashMap;

/// An ordering of the rows in groups and, for each group, the earlier rows it is conditioned on.
///
/// The rows of a group are conditioned jointly: each on the group's parents and on the group's rows
/// before it. Groups of one row are Vecchia's approximation, groups without parents a block diagonal.
/// Rows are named by their number in `x`. Memory: O(N + parents).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VecchiaStructure {
    /// All rows, group after group.
    order: Vec<usize>,
    /// Where each group starts in `order`, and the end.
    heads: Vec<usize>,
    /// Where each group's parents start, and the end.
    starts: Vec<usize>,
    parents: Vec<usize>,
    /// The place of each row in `order`.
    positions: Vec<usize>,
}

impl VecchiaStructure {
    /// Takes an ordering and the parents of each row, `parents[i]` being those of row `i`.
    ///
    /// # Errors
    /// When `order` is no permutation, or a parent does not precede its child or occurs twice.
    pub fn new(order: Vec<usize>, parents: Vec<Vec<usize>>) -> Result<Self, BoundError> {
        crate::check::length("parents", parents.len(), order.len())?;
        positions(&order)?;
        let in_order = order.iter().map(|&row| parents[row].clone()).collect();
        Self::in_groups(order.into_iter().map(|row| vec![row]).collect(), in_order)
    }

    /// Takes groups of rows in their order, and the parents of each group.
    ///
    /// # Errors
    /// When the groups are no partition of the rows, a group is empty, or a parent does not precede
    /// its group or occurs twice.
    pub fn in_groups(
        groups: Vec<Vec<usize>>,
        parents: Vec<Vec<usize>>,
    ) -> Result<Self, BoundError> {
        crate::check::length("parents", parents.len(), groups.len())?;
        let position = positions(&groups.concat())?;
        for (group, list) in groups.iter().zip(&parents) {
            let &head = group.first().ok_or(BoundError::EmptyBlock)?;
            check_parents(head, list, &position)?;
        }
        Ok(Self::assemble(&groups, &parents))
    }

    /// Independent blocks: groups without parents.
    ///
    /// # Errors
    /// When the blocks are no partition of the rows or a block is empty.
    pub fn blocks(blocks: Vec<Vec<usize>>) -> Result<Self, BoundError> {
        let none = vec![Vec::new(); blocks.len()];
        Self::in_groups(blocks, none)
    }

    /// Every row by itself, without parents.
    #[must_use]
    pub fn independent(n: usize) -> Self {
        let order: Vec<usize> = (0..n).collect();
        let (heads, starts) = ((0..=n).collect(), vec![0; n + 1]);
        Self { positions: order.clone(), order, heads, starts, parents: Vec::new() }
    }

    /// Maximin ordering and the `k` nearest predecessors, both in the coordinates `embedded [N, E]`.
    ///
    /// Cost: about O(N (log N + k)) for E up to 10, O(N² E) above. Ties go to the smaller row number,
    /// so the result is always the same.
    #[must_use]
    pub fn nearest(embedded: &ArrayRef2<f64>, k: usize) -> Self {
        let order = maximin_order(embedded);
        let parents = nearest_predecessors(embedded, &order, k);
        Self::one_by_one(&order, &parents)
    }

    /// Blocks of at most `block` neighbouring rows in maximin order of their centres, each
    /// conditioned on the `k` rows of earlier blocks that are nearest to one of its own.
    ///
    /// Fewer and larger factorisations: at equal cost a row is conditioned on more others than by
    /// [`nearest`](Self::nearest). Cost: as there.
    #[must_use]
    pub fn nearest_blocks(embedded: &ArrayRef2<f64>, block: usize, k: usize) -> Self {
        let blocks = space_partition(embedded, block);
        let centres = Array2::from_shape_fn((blocks.len(), embedded.ncols()), |(b, column)| {
            let sum: f64 = blocks[b].iter().map(|&row| embedded[[row, column]]).sum();
            sum / blocks[b].len() as f64
        });
        let order = maximin_order(&centres);
        let groups: Vec<Vec<usize>> = order.into_iter().map(|b| blocks[b].clone()).collect();
        let limits: Vec<usize> = limits(&groups);
        let mut found = nearest_before(embedded, &groups.concat(), &limits, k).into_iter();
        let parents: Vec<Vec<usize>> = groups
            .iter()
            .map(|group| nearest_to_any(found.by_ref().take(group.len()).flatten(), k))
            .collect();
        Self::assemble(&groups, &parents)
    }

    pub(crate) fn one_by_one(order: &[usize], parents: &[Vec<usize>]) -> Self {
        let mut starts = vec![0];
        let mut all = Vec::with_capacity(parents.iter().map(Vec::len).sum());
        for &row in order {
            all.extend_from_slice(&parents[row]);
            starts.push(all.len());
        }
        let positions = inverse(order);
        let heads = (0..=order.len()).collect();
        Self { order: order.to_vec(), heads, starts, parents: all, positions }
    }

    fn assemble(groups: &[Vec<usize>], parents: &[Vec<usize>]) -> Self {
        let ends = |lists: &[Vec<usize>]| {
            let mut ends = vec![0];
            lists.iter().for_each(|list| ends.push(ends[ends.len() - 1] + list.len()));
            ends
        };
        let order = groups.concat();
        Self {
            positions: inverse(&order),
            order,
            heads: ends(groups),
            starts: ends(parents),
            parents: parents.concat(),
        }
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

    /// Number of groups; N when every row stands alone.
    #[must_use]
    pub fn n_groups(&self) -> usize {
        self.heads.len() - 1
    }

    /// The rows of group `g`, which are conditioned together.
    #[must_use]
    pub fn members(&self, g: usize) -> &[usize] {
        &self.order[self.heads[g]..self.heads[g + 1]]
    }

    /// The rows that group `g` is conditioned on.
    #[must_use]
    pub fn parents(&self, g: usize) -> &[usize] {
        &self.parents[self.starts[g]..self.starts[g + 1]]
    }

    /// Parents and members of group `g`, in this order.
    pub(crate) fn nodes(&self, g: usize) -> Vec<usize> {
        [self.parents(g), self.members(g)].concat()
    }

    /// The group of row `i`, and its place among the members.
    pub(crate) fn place(&self, i: usize) -> (usize, usize) {
        let at = self.positions[i];
        let g = self.heads.partition_point(|&head| head <= at) - 1;
        (g, at - self.heads[g])
    }

    /// Whether no group has parents: the surrogate is then block diagonal.
    pub(crate) fn is_block_diagonal(&self) -> bool {
        self.parents.is_empty()
    }
}

/// Neighbouring rows in blocks of `size / 2` to `size`: the leaves of a tree over `embedded [N, E]`.
#[must_use]
pub fn space_partition(embedded: &ArrayRef2<f64>, size: usize) -> Vec<Vec<usize>> {
    KdTree::new(embedded, size).leaves()
}

/// For every place, the place where its group starts.
fn limits(groups: &[Vec<usize>]) -> Vec<usize> {
    let mut limits = Vec::new();
    for group in groups {
        limits.resize(limits.len() + group.len(), limits.len());
    }
    limits
}

/// The `k` candidates with the smallest distance to any row of a group.
fn nearest_to_any(candidates: impl Iterator<Item = Candidate>, k: usize) -> Vec<usize> {
    let mut nearest: HashMap<usize, f64> = HashMap::new();
    for (distance, row) in candidates {
        let best = nearest.entry(row).or_insert(distance);
        *best = best.min(distance);
    }
    // The map's order is arbitrary; sorting by distance and row makes the result always the same.
    let mut found: Vec<Candidate> = nearest.into_iter().map(|(row, d)| (d, row)).collect();
    first_sorted(&mut found, k);
    found.into_iter().map(|(_, row)| row).collect()
}

/// The place of each row of a permutation.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &row)| places[row] = place);
    places
}

/// Position of each row in the ordering, which is checked to be a permutation.
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

/// The parents of the group that starts with row `head` come before it, each once.
fn check_parents(head: usize, list: &[usize], position: &[usize]) -> Result<(), BoundError> {
    for (index, &parent) in list.iter().enumerate() {
        let precedes = position.get(parent).is_some_and(|&place| place < position[head]);
        if !precedes || list[..index].contains(&parent) {
            return Err(BoundError::InvalidParent { row: head, parent });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::VecchiaStructure;
    use ndarray::Array2;

    #[test]
    fn blocks_are_conditioned_on_earlier_blocks_alone() {
        let points = Array2::from_shape_fn((100, 2), |(i, j)| ((i * (3 * j + 7)) % 31) as f64);
        let structure = VecchiaStructure::nearest_blocks(&points, 8, 12);
        let mut place = vec![0; 100];
        structure.order().iter().enumerate().for_each(|(at, &row)| place[row] = at);
        for g in 0..structure.n_groups() {
            let head = structure.heads[g];
            assert!(structure.parents(g).iter().all(|&parent| place[parent] < head));
            assert_eq!(structure.parents(g).len(), 12.min(head));
            assert!((1..=8).contains(&structure.members(g).len()));
        }
    }
}
