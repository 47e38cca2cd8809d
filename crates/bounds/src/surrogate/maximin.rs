//! Maximin ordering: each next point is the one farthest from all before it.

use super::kd_tree::{KdTree, squared_distance};
use ndarray::ArrayRef2;
use rayon::prelude::*;

/// Points per parallel task; fixed, so the work never depends on the number of threads.
const CHUNK: usize = 4096;
/// Points in a leaf of the tree.
const LEAF: usize = 16;
/// Most coordinates for which a tree saves work; with more, nearly every box is near every point.
pub(crate) const TREE_DIMS: usize = 10;

/// Orders points so that each is as far as possible from its predecessors.
///
/// ```text
/// order[0] = argmin_i ‖e_i − mean(e)‖,   order[t] = argmax_i min_{s<t} ‖e_i − e_order[s]‖
/// ```
///
/// Ties go to the smaller row number; duplicates come last, in row order. `embedded` is `[N, E]`.
/// Cost: about O(N log N) time for E up to 10, where a tree leaves out the boxes that a new point
/// cannot be nearest to; O(N² E) above, by parallel passes. O(N E) memory. Both give the same order.
/// Source: Guinness (2018), "Permutation and grouping methods for sharpening Gaussian process
/// approximations".
#[must_use]
pub fn maximin_order(embedded: &ArrayRef2<f64>) -> Vec<usize> {
    if embedded.ncols() <= TREE_DIMS { by_tree(embedded) } else { by_passes(embedded) }
}

/// The order by a tree that knows the farthest point of every box.
fn by_tree(embedded: &ArrayRef2<f64>) -> Vec<usize> {
    let n = embedded.nrows();
    let tree = KdTree::new(embedded, LEAF);
    let coordinates: Vec<Vec<f64>> = embedded.columns().into_iter().map(|c| c.to_vec()).collect();
    let Some(first) = most_central(&coordinates, n) else { return Vec::new() };
    let mut place = vec![0; n];
    tree.indices().iter().enumerate().for_each(|(at, &index)| place[index] = at);
    let mut farthest = Farthest {
        distance: vec![f64::INFINITY; n],
        best: vec![(f64::INFINITY, 0); tree.nodes().len()],
        tree,
    };
    let (mut order, mut next) = (Vec::with_capacity(n), first);
    while order.len() < n {
        order.push(next);
        farthest.distance[place[next]] = -1.0;
        let point = farthest.tree.point(place[next]).to_vec();
        farthest.lower(0, place[next], &point);
        next = farthest.best[0].1;
    }
    order
}

/// Distances to the nearest placed point, and the largest of each node.
struct Farthest {
    tree: KdTree,
    /// In the order of the tree; −1 for placed points.
    distance: Vec<f64>,
    /// The largest distance below each node, and the smallest row that has it.
    best: Vec<(f64, usize)>,
}

impl Farthest {
    /// Lowers the distances below a node by the newly placed point.
    fn lower(&mut self, node: usize, placed: usize, point: &[f64]) {
        let range = self.tree.nodes()[node].range.clone();
        // A box that is farther than all its distances has none to lower.
        let nearer = self.tree.box_distance(node, point) < self.best[node].0;
        if !nearer && !range.contains(&placed) {
            return;
        }
        self.best[node] = match self.tree.nodes()[node].right {
            Some(right) => {
                self.lower(node + 1, placed, point);
                self.lower(right, placed, point);
                farther(self.best[node + 1], self.best[right])
            }
            None => range.fold((f64::NEG_INFINITY, usize::MAX), |best, place| {
                let new = squared_distance(self.tree.point(place), point);
                let distance = self.distance[place].min(new);
                self.distance[place] = distance;
                farther(best, (distance, self.tree.indices()[place]))
            }),
        };
    }
}

/// The larger distance, ties by the smaller row.
fn farther(a: (f64, usize), b: (f64, usize)) -> (f64, usize) {
    if b.0 > a.0 || (b.0 >= a.0 && b.1 < a.1) { b } else { a }
}

/// The order by one pass over all points for each point placed.
fn by_passes(embedded: &ArrayRef2<f64>) -> Vec<usize> {
    let n = embedded.nrows();
    // Coordinate-major: the update below then runs along contiguous memory.
    let coordinates: Vec<Vec<f64>> = embedded.columns().into_iter().map(|c| c.to_vec()).collect();
    let mut order = Vec::with_capacity(n);
    let mut distance = vec![f64::INFINITY; n];
    let Some(mut next) = most_central(&coordinates, n) else { return order };
    while order.len() < n {
        order.push(next);
        next = lower_and_take_farthest(&coordinates, next, &mut distance);
    }
    order
}

/// The point nearest the mean.
fn most_central(coordinates: &[Vec<f64>], n: usize) -> Option<usize> {
    let mut distance = vec![0.0; n];
    for column in coordinates {
        let mean = column.iter().sum::<f64>() / n as f64;
        add_squares(&mut distance, column, mean);
    }
    (0..n).min_by(|&a, &b| distance[a].total_cmp(&distance[b]))
}

/// Lowers every distance by the newly placed point; returns the farthest point left.
fn lower_and_take_farthest(coordinates: &[Vec<f64>], placed: usize, distance: &mut [f64]) -> usize {
    // A placed point is marked by −1, below every distance, so it is never taken again.
    distance[placed] = -1.0;
    let update =
        |(chunk, part): (usize, &mut [f64])| lower_chunk(coordinates, placed, chunk * CHUNK, part);
    let best: Vec<(f64, usize)> = if distance.len() <= CHUNK {
        distance.chunks_mut(CHUNK).enumerate().map(update).collect()
    } else {
        distance.par_chunks_mut(CHUNK).enumerate().map(update).collect()
    };
    best.into_iter().fold((-1.0, 0), |a, b| if b.0 > a.0 { b } else { a }).1
}

fn lower_chunk(
    coordinates: &[Vec<f64>],
    placed: usize,
    start: usize,
    part: &mut [f64],
) -> (f64, usize) {
    let mut squared = vec![0.0; part.len()];
    for column in coordinates {
        add_squares(&mut squared, &column[start..start + part.len()], column[placed]);
    }
    let mut best = (-1.0, start);
    for (offset, (current, new)) in part.iter_mut().zip(squared).enumerate() {
        *current = current.min(new);
        if *current > best.0 {
            best = (*current, start + offset);
        }
    }
    best
}

/// sum[i] += (column[i] − origin)².
fn add_squares(sum: &mut [f64], column: &[f64], origin: f64) {
    for (total, value) in sum.iter_mut().zip(column) {
        *total += (value - origin).powi(2);
    }
}

#[cfg(test)]
mod tests {
    use super::{by_passes, by_tree, maximin_order};
    use ndarray::{Array2, array};

    #[test]
    fn the_tree_and_the_passes_give_one_order() {
        let spread = |(i, j): (usize, usize)| ((i * (2 * j + 7)) as f64 * 0.754_877_666).fract();
        let coarse = |(i, j): (usize, usize)| ((i * (j + 3)) % 5) as f64;
        for d in 0..4 {
            for points in
                [Array2::from_shape_fn((500, d), spread), Array2::from_shape_fn((300, d), coarse)]
            {
                assert_eq!(by_tree(&points), by_passes(&points), "{d} coordinates");
            }
        }
    }

    #[test]
    fn starts_in_the_middle_and_then_takes_the_ends() {
        let line = array![[0.0], [1.0], [2.0], [3.0], [4.0]];
        assert_eq!(maximin_order(&line), [2, 0, 4, 1, 3]);
    }

    #[test]
    fn duplicates_come_last_in_row_order() {
        let points = array![[0.0], [0.0], [5.0], [5.0], [2.0]];
        assert_eq!(maximin_order(&points), [4, 2, 0, 1, 3]);
    }

    #[test]
    fn an_empty_set_has_an_empty_order() {
        assert!(maximin_order(&Array2::zeros((0, 3))).is_empty());
    }
}
