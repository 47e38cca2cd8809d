//! Nearest predecessors, by trees in few dimensions and exhaustively in many.

use super::kd_tree::{Candidate, KdTree, compare};
use super::maximin::TREE_DIMS;
use ndarray::{ArrayRef2, Axis};
use rayon::prelude::*;

/// Points in a leaf of a tree.
const LEAF: usize = 16;
/// Places that share the first tree; the next tree serves as many more, and so on.
const FIRST_TREE: usize = 64;

/// The `k` nearest rows that precede each row in `order`.
///
/// Entry `i` of the result belongs to row `i` of `embedded [N, E]`, nearest first; rows with fewer
/// than `k` predecessors get them all. Ties go to the smaller row number.
/// Cost: about O(N k log N) time for E up to 10, by trees over the first 64, 128, 256, … rows of the
/// order, so that at least half of what a tree holds may be chosen; O(N² E) above. In parallel;
/// O(N (k + E)) memory.
#[must_use]
pub fn nearest_predecessors(
    embedded: &ArrayRef2<f64>,
    order: &[usize],
    k: usize,
) -> Vec<Vec<usize>> {
    let limits: Vec<usize> = (0..order.len()).collect();
    let found = nearest_before(embedded, order, &limits, k);
    let mut parents = vec![Vec::new(); order.len()];
    for (&row, list) in order.iter().zip(found) {
        parents[row] = list.into_iter().map(|(_, row)| row).collect();
    }
    parents
}

/// For each place of the order, the `k` nearest rows among the first `limits[place] ≤ place`.
pub(crate) fn nearest_before(
    embedded: &ArrayRef2<f64>,
    order: &[usize],
    limits: &[usize],
    k: usize,
) -> Vec<Vec<Candidate>> {
    // In the given order: predecessors are then a prefix, and an index is a place.
    let points = embedded.select(Axis(0), order);
    if embedded.ncols() > TREE_DIMS {
        return exhaustively(&points, order, limits, k);
    }
    let mut found = Vec::with_capacity(order.len());
    let mut size = FIRST_TREE;
    while found.len() < order.len() {
        let prefix = points.slice(ndarray::s![..size.min(order.len()), ..]);
        let tree = KdTree::new(&prefix, LEAF);
        let search = |place: usize| {
            let eligible = |index: usize| (index < limits[place]).then(|| order[index]);
            let query: Vec<f64> = points.row(place).iter().copied().collect();
            tree.nearest(&query, k, &eligible)
        };
        let places = found.len()..prefix.nrows();
        found.par_extend(places.into_par_iter().with_min_len(64).map(search));
        size *= 2;
    }
    found
}

/// For each of `queries [T, E]`, the `k` nearest rows of `embedded [N, E]`.
pub(crate) fn nearest_rows(
    embedded: &ArrayRef2<f64>,
    queries: &ArrayRef2<f64>,
    k: usize,
) -> Vec<Vec<usize>> {
    let tree = KdTree::new(embedded, LEAF);
    let search = |index: usize| {
        let query: Vec<f64> = queries.row(index).iter().copied().collect();
        let found = tree.nearest(&query, k, &Some);
        found.into_iter().map(|(_, row)| row).collect()
    };
    (0..queries.nrows()).into_par_iter().with_min_len(64).map(search).collect()
}

fn exhaustively(
    points: &ArrayRef2<f64>,
    order: &[usize],
    limits: &[usize],
    k: usize,
) -> Vec<Vec<Candidate>> {
    let columns: Vec<Vec<f64>> = points.columns().into_iter().map(|c| c.to_vec()).collect();
    let nearest = |room: &mut Room, place: usize| {
        room.measure(&columns, place, limits[place]);
        room.nearest(order, k)
    };
    (0..order.len()).into_par_iter().map_init(Room::default, nearest).collect()
}

/// Room for one search, used again by the next: what is kept of each is k candidates long.
#[derive(Default)]
struct Room {
    squared: Vec<f64>,
    candidates: Vec<Candidate>,
}

impl Room {
    /// Squared distances of the point at `place` from the first `limit`.
    fn measure(&mut self, coordinates: &[Vec<f64>], place: usize, limit: usize) {
        self.squared.clear();
        self.squared.resize(limit, 0.0);
        for column in coordinates {
            let origin = column[place];
            for (total, value) in self.squared.iter_mut().zip(column) {
                *total += (value - origin).powi(2);
            }
        }
    }

    fn nearest(&mut self, order: &[usize], k: usize) -> Vec<Candidate> {
        self.candidates.clear();
        self.candidates.extend(self.squared.iter().copied().zip(order.iter().copied()));
        first_sorted(&mut self.candidates, k);
        self.candidates.clone()
    }
}

/// Keeps the `k` first candidates, sorted.
pub(crate) fn first_sorted(candidates: &mut Vec<Candidate>, k: usize) {
    if k == 0 {
        return candidates.clear();
    }
    if k < candidates.len() {
        candidates.select_nth_unstable_by(k - 1, compare);
        candidates.truncate(k);
    }
    candidates.sort_unstable_by(compare);
}

#[cfg(test)]
mod tests {
    use super::{exhaustively, nearest_before, nearest_predecessors};
    use ndarray::{Array2, Axis, array};

    #[test]
    fn takes_the_nearest_earlier_rows_and_breaks_ties_by_row() {
        let line = array![[0.0], [1.0], [2.0], [3.0]];
        let parents = nearest_predecessors(&line, &[3, 1, 2, 0], 2);
        assert_eq!(parents, [vec![1, 2], vec![3], vec![1, 3], vec![]]);
    }

    #[test]
    fn more_neighbours_than_rows_means_all_predecessors() {
        let line = array![[0.0], [1.0], [2.0]];
        assert_eq!(nearest_predecessors(&line, &[0, 1, 2], 9), [vec![], vec![0], vec![1, 0]]);
        assert_eq!(nearest_predecessors(&line, &[0, 1, 2], 0), vec![Vec::<usize>::new(); 3]);
    }

    /// What a search went through is not kept: over all rows that would be as large as K.
    #[test]
    fn lists_take_no_more_memory_than_their_neighbours() {
        let points = Array2::from_shape_fn((300, 12), |(i, j)| ((i * (j + 7)) % 101) as f64);
        let order: Vec<usize> = (0..300).collect();
        let found = nearest_before(&points, &order, &order, 5);
        assert!(found.iter().all(|list| list.len() <= 5 && list.capacity() <= 5));
    }

    #[test]
    fn trees_find_what_an_exhaustive_search_finds() {
        let coarse =
            Array2::from_shape_fn((400, 3), |(i, j)| (((i + j) * (5 * j + 3)) % 11) as f64);
        let order: Vec<usize> = (0..400).map(|i| (i * 171 + 5) % 400).collect();
        let limits: Vec<usize> = (0..400).map(|place| place - place % 10).collect();
        let points = coarse.select(Axis(0), &order);
        let all = exhaustively(&points, &order, &limits, 12);
        assert_eq!(nearest_before(&coarse, &order, &limits, 12), all);
    }
}
