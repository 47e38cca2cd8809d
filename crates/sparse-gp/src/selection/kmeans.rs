//! Inducing points at the centres of clusters of inputs.

use linalg_cg::{map_rows, reduce_rows};
use ndarray::{Array1, Array2, ArrayRef2, ArrayView1, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rounds of Lloyd's algorithm: centres only start training, so the last digits do not matter.
const MAX_ROUNDS: usize = 30;

/// Centres `[M, D]` of k-means on the rows of `x` `[N, D]`, as they are: standardise them first.
///
/// Starts by k-means++, drawn by `seed`, then at most 30 rounds of Lloyd's algorithm. Gives fewer
/// centres than `m` when fewer rows are distinct. The same bits for any number of threads. Costs
/// O(N M D) a round. Source: Arthur & Vassilvitskii (2007), section 2.2; Lloyd (1982).
///
/// ```
/// let x = ndarray::array![[0.0], [0.2], [5.0], [5.2]];
/// let mut centres = sparse_gp::k_means(&x, 2, 0).into_raw_vec_and_offset().0;
/// centres.sort_by(f64::total_cmp);
/// assert!((centres[0] - 0.1).abs() < 1e-12 && (centres[1] - 5.1).abs() < 1e-12);
/// ```
#[must_use]
pub fn k_means(x: &ArrayRef2<f64>, m: usize, seed: u64) -> Array2<f64> {
    let mut centres = x.select(Axis(0), &seeds(x, m, seed));
    if centres.is_empty() {
        return centres;
    }
    let mut nearest = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let next = assign(x, &centres);
        if next == nearest {
            break;
        }
        nearest = next;
        centres = means(x, &nearest, &centres);
    }
    centres
}

/// Rows to start from: each with a chance in proportion to its squared distance to those before.
fn seeds(x: &ArrayRef2<f64>, m: usize, seed: u64) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut chosen = Vec::new();
    if m == 0 || x.nrows() == 0 {
        return chosen;
    }
    chosen.push(rng.random_range(0..x.nrows()));
    let mut distances = Array1::from_elem(x.nrows(), f64::INFINITY);
    while chosen.len() < m.min(x.nrows()) {
        update(&mut distances, x, chosen[chosen.len() - 1]);
        let draw = rng.random::<f64>() * distances.sum();
        match row_at(&distances, draw) {
            Some(row) => chosen.push(row),
            None => break,
        }
    }
    chosen
}

/// Lowers each distance to that from row `pivot`.
fn update(distances: &mut Array1<f64>, x: &ArrayRef2<f64>, pivot: usize) {
    let from = x.row(pivot);
    let new = map_rows(x.nrows(), |rows| {
        rows.map(|row| squared_distance(&x.row(row), &from)).collect::<Vec<_>>()
    });
    distances.iter_mut().zip(new.into_iter().flatten()).for_each(|(d, new)| *d = d.min(new));
}

/// The row where the running sum of distances passes `draw`; `None` when all distances are 0.
fn row_at(distances: &Array1<f64>, draw: f64) -> Option<usize> {
    let (mut sum, mut last) = (0.0, None);
    for (row, &distance) in distances.iter().enumerate().filter(|(_, distance)| **distance > 0.0) {
        sum += distance;
        last = Some(row);
        if sum > draw {
            break;
        }
    }
    last
}

/// The nearest centre of each row; the first of equals.
fn assign(x: &ArrayRef2<f64>, centres: &Array2<f64>) -> Vec<usize> {
    let nearest = |row: usize| {
        let point = x.row(row);
        let (mut best, mut least) = (0, f64::INFINITY);
        for (index, centre) in centres.outer_iter().enumerate() {
            let distance = squared_distance(&point, &centre);
            if distance < least {
                (best, least) = (index, distance);
            }
        }
        best
    };
    map_rows(x.nrows(), |rows| rows.map(nearest).collect::<Vec<_>>()).concat()
}

/// The mean of each centre's rows; a centre that has lost all its rows stays.
fn means(x: &ArrayRef2<f64>, nearest: &[usize], centres: &Array2<f64>) -> Array2<f64> {
    let work = |rows: std::ops::Range<usize>| {
        let mut sums = (Array2::<f64>::zeros(centres.dim()), vec![0.0_f64; centres.nrows()]);
        for row in rows {
            let centre = nearest[row];
            sums.0.row_mut(centre).zip_mut_with(&x.row(row), |sum, value| *sum += value);
            sums.1[centre] += 1.0;
        }
        sums
    };
    let add = |(sums, counts): (Array2<f64>, Vec<f64>),
               (more, more_counts): (Array2<f64>, Vec<f64>)| {
        (sums + more, counts.iter().zip(&more_counts).map(|(a, b)| a + b).collect())
    };
    let mut moved = centres.clone();
    let Some((sums, counts)) = reduce_rows(x.nrows(), work, add) else { return moved };
    for ((mut centre, sum), &count) in moved.outer_iter_mut().zip(sums.outer_iter()).zip(&counts) {
        if count > 0.0 {
            centre.assign(&(&sum / count));
        }
    }
    moved
}

fn squared_distance(a: &ArrayView1<'_, f64>, b: &ArrayView1<'_, f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
