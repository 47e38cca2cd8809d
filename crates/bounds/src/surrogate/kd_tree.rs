//! A tree over points for range and nearest searches; deterministic, exact in any dimension.

use ndarray::ArrayRef2;
use std::ops::Range;

/// A candidate: squared distance, then a label that settles ties.
pub(crate) type Candidate = (f64, usize);

/// Boxes of points, halved at the median of their widest coordinate.
///
/// Distances are sums of squares in the order of the coordinates, as an exhaustive search computes
/// them, and rounding is monotone: the distance to a box is never above that to a point in it, in
/// float64 too. So a search gives the very candidates of an exhaustive one.
/// Cost: O(N log N) time, O(N E) memory.
/// Source: Friedman, Bentley & Finkel (1977), "An algorithm for finding best matches in logarithmic
/// expected time".
#[derive(Debug)]
pub(crate) struct KdTree {
    dims: usize,
    /// Points in the order of the leaves, `[N, E]`.
    coordinates: Vec<f64>,
    /// Index of each of them among the points given.
    indices: Vec<usize>,
    nodes: Vec<Node>,
    /// Low and high corner of each node's box, `[nodes, 2, E]`.
    boxes: Vec<f64>,
}

/// The points `range` of the tree; a leaf has no `right` child, the left one is the next node.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) range: Range<usize>,
    pub(crate) right: Option<usize>,
}

impl KdTree {
    /// Over the rows of `points [N, E]`, with leaves of at most `leaf` ≥ 1 points.
    pub(crate) fn new(points: &ArrayRef2<f64>, leaf: usize) -> Self {
        let (n, dims) = points.dim();
        let mut tree = Self {
            dims,
            coordinates: Vec::with_capacity(n * dims),
            indices: (0..n).collect(),
            nodes: Vec::new(),
            boxes: Vec::new(),
        };
        let mut indices = std::mem::take(&mut tree.indices);
        if n > 0 {
            tree.split(points, &mut indices, 0, leaf.max(1));
        }
        for &index in &indices {
            tree.coordinates.extend(points.row(index));
        }
        tree.indices = indices;
        tree
    }

    /// Adds the node of `indices`, which start at `start`, and all below it.
    fn split(&mut self, points: &ArrayRef2<f64>, indices: &mut [usize], start: usize, leaf: usize) {
        let node = self.nodes.len();
        self.nodes.push(Node { range: start..start + indices.len(), right: None });
        let widest = self.push_box(points, indices);
        if indices.len() <= leaf {
            return;
        }
        let middle = indices.len() / 2;
        if let Some(axis) = widest {
            let key = |&index: &usize| (points[[index, axis]], index);
            indices.select_nth_unstable_by(middle, |a, b| {
                let ((x, i), (y, j)) = (key(a), key(b));
                x.total_cmp(&y).then(i.cmp(&j))
            });
        }
        let (left, right) = indices.split_at_mut(middle);
        self.split(points, left, start, leaf);
        self.nodes[node].right = Some(self.nodes.len());
        self.split(points, right, start + middle, leaf);
    }

    /// Adds the box of some points; returns its widest axis, `None` without coordinates.
    fn push_box(&mut self, points: &ArrayRef2<f64>, indices: &[usize]) -> Option<usize> {
        let mut low = vec![f64::INFINITY; self.dims];
        let mut high = vec![f64::NEG_INFINITY; self.dims];
        for &index in indices {
            for (axis, &value) in points.row(index).iter().enumerate() {
                low[axis] = low[axis].min(value);
                high[axis] = high[axis].max(value);
            }
        }
        let width = |axis: usize| high[axis] - low[axis];
        let widest = (0..self.dims).reduce(|a, b| if width(b) > width(a) { b } else { a });
        self.boxes.extend(low);
        self.boxes.extend(high);
        widest
    }

    /// The nodes, parents before children; the first is the root.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The index, among the points given, of each point of the tree.
    pub(crate) fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// Point `place` of the tree, `[E]`.
    pub(crate) fn point(&self, place: usize) -> &[f64] {
        &self.coordinates[place * self.dims..][..self.dims]
    }

    /// The points of each leaf, by index.
    pub(crate) fn leaves(&self) -> Vec<Vec<usize>> {
        let leaves = self.nodes.iter().filter(|node| node.right.is_none());
        leaves.map(|node| self.indices[node.range.clone()].to_vec()).collect()
    }

    /// Squared distance of `query` from the box of a node; 0 within it.
    pub(crate) fn box_distance(&self, node: usize, query: &[f64]) -> f64 {
        let corners = &self.boxes[node * 2 * self.dims..][..2 * self.dims];
        let (low, high) = corners.split_at(self.dims);
        let mut sum = 0.0;
        for ((&value, &low), &high) in query.iter().zip(low).zip(high) {
            let outside = (low - value).max(value - high).max(0.0);
            sum += outside * outside;
        }
        sum
    }

    /// The `k` nearest points to `query` among those that `label` names, nearest first; equal
    /// distances by label.
    pub(crate) fn nearest(
        &self,
        query: &[f64],
        k: usize,
        label: &impl Fn(usize) -> Option<usize>,
    ) -> Vec<Candidate> {
        let mut found = Vec::with_capacity(k + 1);
        if k > 0 && !self.nodes.is_empty() {
            self.search(0, 0.0, query, k, label, &mut found);
        }
        found
    }

    fn search(
        &self,
        node: usize,
        distance: f64,
        query: &[f64],
        k: usize,
        label: &impl Fn(usize) -> Option<usize>,
        found: &mut Vec<Candidate>,
    ) {
        // Equal distances go on: a smaller label may still come.
        if found.len() == k && distance > found[k - 1].0 {
            return;
        }
        let Node { range, right } = &self.nodes[node];
        let Some(right) = *right else {
            for place in range.clone() {
                if let Some(label) = label(self.indices[place]) {
                    keep(found, k, (squared_distance(self.point(place), query), label));
                }
            }
            return;
        };
        let children = [node + 1, right].map(|child| (self.box_distance(child, query), child));
        let [first, second] =
            if children[1].0 < children[0].0 { [children[1], children[0]] } else { children };
        self.search(first.1, first.0, query, k, label, found);
        self.search(second.1, second.0, query, k, label, found);
    }
}

/// Σ (a − b)², summed in order.
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += (a - b) * (a - b);
    }
    sum
}

/// Keeps the `k` first candidates, sorted.
fn keep(found: &mut Vec<Candidate>, k: usize, new: Candidate) {
    if found.len() == k && compare(&new, &found[k - 1]).is_ge() {
        return;
    }
    let at = found.partition_point(|old| compare(old, &new).is_lt());
    found.insert(at, new);
    found.truncate(k);
}

/// By distance, then by label.
pub(crate) fn compare(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::{Candidate, KdTree, compare, squared_distance};
    use ndarray::Array2;

    fn grid() -> Array2<f64> {
        // Many equal distances and some duplicates.
        Array2::from_shape_fn((200, 3), |(i, j)| ((i * (j + 3)) % 7) as f64)
    }

    #[test]
    fn finds_what_an_exhaustive_search_finds() {
        let points = grid();
        let tree = KdTree::new(&points, 4);
        let odd = |index: usize| (index % 2 == 1).then_some(index);
        for query in 0..200 {
            let query = points.row(query).to_vec();
            let mut all: Vec<Candidate> = (0..200)
                .filter(|index| index % 2 == 1)
                .map(|index| (squared_distance(&points.row(index).to_vec(), &query), index))
                .collect();
            all.sort_by(compare);
            all.truncate(9);
            assert_eq!(tree.nearest(&query, 9, &odd), all);
        }
    }

    #[test]
    fn leaves_are_a_partition() {
        let tree = KdTree::new(&grid(), 16);
        let mut rows = tree.leaves().concat();
        assert!(tree.leaves().iter().all(|leaf| (8..=16).contains(&leaf.len())));
        rows.sort_unstable();
        assert_eq!(rows, (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_to_find_is_found() {
        let empty = KdTree::new(&Array2::zeros((0, 2)), 4);
        assert!(empty.nearest(&[0.0, 0.0], 3, &Some).is_empty());
        let flat = KdTree::new(&Array2::zeros((5, 0)), 2);
        assert_eq!(flat.nearest(&[], 2, &Some), [(0.0, 0), (0.0, 1)]);
    }
}
