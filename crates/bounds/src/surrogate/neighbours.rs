//! Nearest predecessors by exhaustive search.

use ndarray::ArrayRef2;
use rayon::prelude::*;

/// A candidate: squared distance, then row number, which settles ties.
type Candidate = (f64, usize);

/// The `k` nearest rows that precede each row in `order`.
///
/// Entry `i` of the result belongs to row `i` of `embedded [N, E]`, nearest first; rows with fewer
/// than `k` predecessors get them all. Ties go to the smaller row number.
/// Cost: O(N² E) time, in parallel; O(N k) memory.
#[must_use]
pub fn nearest_predecessors(
    embedded: &ArrayRef2<f64>,
    order: &[usize],
    k: usize,
) -> Vec<Vec<usize>> {
    // Coordinate-major in the given order: predecessors are then a contiguous prefix.
    let columns = embedded.columns();
    let coordinates: Vec<Vec<f64>> =
        columns.into_iter().map(|column| order.iter().map(|&row| column[row]).collect()).collect();
    let found: Vec<Vec<usize>> = (0..order.len())
        .into_par_iter()
        .map(|place| nearest_before(&coordinates, order, place, k))
        .collect();
    let mut parents = vec![Vec::new(); order.len()];
    for (&row, list) in order.iter().zip(found) {
        parents[row] = list;
    }
    parents
}

fn nearest_before(coordinates: &[Vec<f64>], order: &[usize], place: usize, k: usize) -> Vec<usize> {
    let mut squared = vec![0.0; place];
    for column in coordinates {
        let origin = column[place];
        for (total, value) in squared.iter_mut().zip(column) {
            *total += (value - origin).powi(2);
        }
    }
    let mut candidates: Vec<Candidate> = squared.into_iter().zip(order.iter().copied()).collect();
    if k < candidates.len() {
        if k == 0 {
            return Vec::new();
        }
        candidates.select_nth_unstable_by(k - 1, compare);
        candidates.truncate(k);
    }
    candidates.sort_unstable_by(compare);
    candidates.into_iter().map(|(_, row)| row).collect()
}

fn compare(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::nearest_predecessors;
    use ndarray::array;

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
}
