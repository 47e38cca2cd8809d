//! Neighbours by the correlation that inducing points leave.

use super::kd_tree::Candidate;
use super::neighbours::{first_sorted, nearest_before};
use super::{VecchiaStructure, maximin_order};
use crate::Problem;
use linalg_cg::Shards;
use ndarray::{Array2, ArrayRef1};

/// Candidates by distance for each neighbour that is kept.
const CANDIDATES: usize = 4;
/// Rows per parallel task.
const ROWS_PER_TASK: usize = 256;

/// Maximin order; each row's parents are the `k` predecessors with the largest residual correlation
/// among its 4k nearest.
///
/// ```text
/// ρ_ij² = R_ij²/(R_ii R_jj),   R = K − VᵀV,   Vᵀ [N, M]
/// ```
///
/// Cost: that of the nearest predecessors and O(N k (M + D)).
/// Source: Gyger, Furrer & Sigrist (2024), "Vecchia-inducing-points full-scale approximations for
/// Gaussian processes" (the correlation-based choice; here among near candidates).
pub(crate) fn most_correlated(
    problem: &Problem<'_>,
    vt: &Array2<f64>,
    k: usize,
) -> VecchiaStructure {
    let embedded = problem.kernel().embed(problem.x());
    let order = maximin_order(&embedded);
    let limits: Vec<usize> = (0..order.len()).collect();
    let candidates = nearest_before(&embedded, &order, &limits, k.saturating_mul(CANDIDATES));
    let entries = problem.entries(Some(vt));
    let parts = Shards::of_length(order.len(), ROWS_PER_TASK).map(|places| {
        let choose = |place: usize| {
            let near = &candidates[place];
            if near.len() <= k {
                return near.iter().map(|(_, row)| *row).collect();
            }
            // One row of the residual covariance against all candidates.
            let rows: Vec<usize> = near.iter().map(|(_, row)| *row).collect();
            let (cross, own) = entries.cross(order[place], &rows);
            strongest(&cross, &own, &rows, k)
        };
        places.map(choose).collect::<Vec<Vec<usize>>>()
    });
    let in_order: Vec<Vec<usize>> = parts.into_iter().flatten().collect();
    let mut parents = vec![Vec::new(); order.len()];
    order.iter().zip(in_order).for_each(|(&row, list)| parents[row] = list);
    VecchiaStructure::one_by_one(&order, &parents)
}

/// The `k` rows with the largest R_ij²/R_jj.
fn strongest(cross: &ArrayRef1<f64>, own: &ArrayRef1<f64>, rows: &[usize], k: usize) -> Vec<usize> {
    let score = |index: usize| -cross[index] * cross[index] / own[index];
    let mut scored: Vec<Candidate> =
        rows.iter().enumerate().map(|(index, &row)| (score(index), row)).collect();
    first_sorted(&mut scored, k);
    scored.into_iter().map(|(_, row)| row).collect()
}
