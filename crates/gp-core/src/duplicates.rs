//! Rows with equal inputs, and whether the noise explains how their targets differ.

use std::collections::HashMap;

use ndarray::{ArrayRef1, ArrayRef2};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::GpError;

/// Groups of at least two rows with equal inputs, each group and the groups in order of rows.
#[must_use]
pub fn duplicate_groups(x: &ArrayRef2<f64>) -> Vec<Vec<usize>> {
    let mut groups: HashMap<Vec<u64>, Vec<usize>> = HashMap::new();
    for (index, row) in x.outer_iter().enumerate() {
        // Adding zero turns −0 into +0, which the kernel cannot tell apart.
        let key = row.iter().map(|value| (value + 0.0).to_bits()).collect();
        groups.entry(key).or_default().push(index);
    }
    let mut repeated: Vec<_> = groups.into_values().filter(|group| group.len() > 1).collect();
    repeated.sort_unstable();
    repeated
}

/// Repeated inputs whose targets differ by more than the noise explains.
#[derive(Debug, Clone, PartialEq)]
pub struct Disagreement {
    /// Zero-based rows of the most extreme pair.
    pub rows: (usize, usize),
    /// Pooled variance of the target within groups of equal inputs.
    pub within_variance: f64,
    /// Rows that repeat an input.
    pub rows_repeated: usize,
}

/// Tests the targets of repeated inputs against `noise_variance`.
///
/// Within groups of equal inputs the scatter Σ (y − group mean)² / σ² follows χ² with one degree of
/// freedom fewer than rows per group; a scatter that chance reaches less than once in a million
/// times is reported.
///
/// ```
/// use gp_core::disagreement;
/// use ndarray::array;
///
/// let (x, y) = (array![[0.0], [0.0], [1.0]], array![1.0, 3.0, 2.0]);
/// assert!(disagreement(&x, &y, 0.5).is_none());
/// assert_eq!(disagreement(&x, &y, 1e-10).map(|found| found.rows), Some((0, 1)));
/// ```
#[must_use]
pub fn disagreement(
    x: &ArrayRef2<f64>,
    y: &ArrayRef1<f64>,
    noise_variance: f64,
) -> Option<Disagreement> {
    let groups = duplicate_groups(x);
    let freedom: usize = groups.iter().map(|group| group.len() - 1).sum();
    let law = ChiSquared::new(freedom as f64).ok()?;
    let scatter: f64 = groups.iter().map(|group| scatter(y, group)).sum();
    // Without this, no scatter at no noise would be 0/0.
    if scatter <= 0.0 || law.sf(scatter / noise_variance) >= 1e-6 {
        return None;
    }
    let rows = groups
        .iter()
        .map(|group| extremes(y, group))
        .max_by(|a, b| (y[a.1] - y[a.0]).total_cmp(&(y[b.1] - y[b.0])))?;
    let within_variance = scatter / freedom as f64;
    Some(Disagreement { rows, within_variance, rows_repeated: groups.iter().map(Vec::len).sum() })
}

/// Refuses equal inputs when there is no noise to explain them.
///
/// # Errors
/// [`GpError::DuplicateRowsWithoutNoise`], with one-based rows.
pub fn refuse_duplicates_without_noise(
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    noise_variance: f64,
) -> Result<(), GpError> {
    if noise_variance > 0.0 {
        return Ok(());
    }
    let groups = duplicate_groups(x);
    let Some(group) = groups.first() else { return Ok(()) };
    let differs = |&&row: &&usize| y.row(row) != y.row(group[0]);
    let (second, relation) = match group.iter().find(differs) {
        Some(&row) => (row, "but different targets"),
        None => (group[1], "and equal targets"),
    };
    Err(GpError::DuplicateRowsWithoutNoise { first: group[0] + 1, second: second + 1, relation })
}

fn scatter(y: &ArrayRef1<f64>, group: &[usize]) -> f64 {
    let mean = group.iter().map(|&row| y[row]).sum::<f64>() / group.len() as f64;
    group.iter().map(|&row| (y[row] - mean).powi(2)).sum()
}

/// The rows of the smallest and the largest target.
fn extremes(y: &ArrayRef1<f64>, group: &[usize]) -> (usize, usize) {
    let least = group.iter().fold(group[0], |best, &row| if y[row] < y[best] { row } else { best });
    let most = group.iter().fold(group[0], |best, &row| if y[row] > y[best] { row } else { best });
    (least, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn groups_are_found_in_order_and_signed_zeros_are_equal() {
        let x = array![[1.0], [0.0], [1.0], [2.0], [-0.0]];
        assert_eq!(duplicate_groups(&x), vec![vec![0, 2], vec![1, 4]]);
    }

    #[test]
    fn disagreement_depends_on_the_noise() {
        let (x, y) = (array![[0.0], [0.0], [1.0]], array![1.0, 3.0, 2.0]);
        let found = disagreement(&x, &y, 1e-10).expect("2 apart at noise 1e-5");
        assert_eq!(found.rows, (0, 1));
        assert!((found.within_variance - 2.0).abs() < 1e-15);
        assert!(disagreement(&x, &y, 0.5).is_none());
        assert!(disagreement(&array![[0.0], [1.0]], &array![0.0, 1.0], 1e-10).is_none());
    }

    #[test]
    fn zero_noise_names_the_rows() {
        let x = array![[0.0], [5.0], [0.0]];
        let error = refuse_duplicates_without_noise(&x, &array![[1.0], [0.0], [3.0]], 0.0)
            .expect_err("no solution");
        assert!(error.to_string().starts_with("rows 1 and 3 have equal inputs but different"));
        let same = refuse_duplicates_without_noise(&x, &array![[1.0], [0.0], [1.0]], 0.0);
        assert!(same.expect_err("singular").to_string().contains("and equal targets"));
    }
}
