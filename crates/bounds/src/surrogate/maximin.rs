//! Maximin ordering: each next point is the one farthest from all before it.

use ndarray::ArrayRef2;
use rayon::prelude::*;

/// Points per parallel task; fixed, so the work never depends on the number of threads.
const CHUNK: usize = 4096;

/// Orders points so that each is as far as possible from its predecessors.
///
/// ```text
/// order[0] = argmin_i ‖e_i − mean(e)‖,   order[t] = argmax_i min_{s<t} ‖e_i − e_order[s]‖
/// ```
///
/// Ties go to the smaller row number; duplicates come last, in row order. `embedded` is `[N, E]`.
/// Cost: O(N² E) time, O(N E) memory.
/// Source: Guinness (2018), "Permutation and grouping methods for sharpening Gaussian process
/// approximations".
#[must_use]
pub fn maximin_order(embedded: &ArrayRef2<f64>) -> Vec<usize> {
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
    use super::maximin_order;
    use ndarray::{Array2, array};

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
