//! Draws from a Gaussian process.

use ndarray::{Array1, ArrayRef1, ArrayRef2, Axis};
use rand::Rng;

use super::{Generated, observe, standard_normal};
use crate::DataError;

/// Conditional variances below N · ε · (largest variance), times this, are rounding.
const ROUNDING: f64 = 8.0;

/// A draw of a Gaussian process with mean zero at the rows of `x` `[N, D]`, observed with Gaussian noise.
///
/// ```text
/// f = L z,  L Lᵀ = K,  K_ij = kernel(x_i, x_j),  z ~ N(0, I),   y = f + noise_std · e
/// ```
///
/// L is a Cholesky factor with complete pivoting, stopped where the variance that is left is rounding: a singular K, as of repeated rows,
/// needs no jitter. Memory N × rank, `kernel` is called about N · rank times.
///
/// # Errors
/// [`DataError::BadArgument`] unless `noise_std` is finite and at least 0; [`DataError::NotPositiveSemidefinite`] when `kernel` is found out
/// not to be a covariance.
///
/// ```
/// use datasets::generators::gp_draw;
/// use ndarray::array;
/// use rand::SeedableRng;
///
/// let x = array![[0.0], [0.1], [0.1]];
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let data = gp_draw(&x, |a, b| (-0.5 * (a[0] - b[0]).powi(2)).exp(), 0.0, &mut rng)?;
/// assert!((data.f[1] - data.f[2]).abs() < 1e-12);
/// # Ok::<(), datasets::DataError>(())
/// ```
pub fn gp_draw(
    x: &ArrayRef2<f64>,
    kernel: impl Fn(&ArrayRef1<f64>, &ArrayRef1<f64>) -> f64,
    noise_std: f64,
    rng: &mut impl Rng,
) -> Result<Generated, DataError> {
    let factor = pivoted_cholesky(x, kernel)?;
    let mut f = Array1::zeros(x.nrows());
    for column in factor {
        let z = standard_normal(rng);
        f.zip_mut_with(&column, |value, weight| *value += weight * z);
    }
    observe(x.to_owned(), f, noise_std, rng)
}

/// The columns of L, each `[N]`, largest pivot first.
fn pivoted_cholesky(
    x: &ArrayRef2<f64>,
    kernel: impl Fn(&ArrayRef1<f64>, &ArrayRef1<f64>) -> f64,
) -> Result<Vec<Array1<f64>>, DataError> {
    let n = x.nrows();
    let mut left: Array1<f64> = x.axis_iter(Axis(0)).map(|row| kernel(&row, &row)).collect();
    let scale = left.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let tolerance = ROUNDING * f64::EPSILON * n as f64 * scale;
    let mut columns: Vec<Array1<f64>> = Vec::new();
    loop {
        check_variances(&left, tolerance)?;
        let pivot = (0..n).fold(0, |best, row| if left[row] > left[best] { row } else { best });
        if columns.len() == n || left[pivot] <= tolerance {
            return Ok(columns);
        }
        let column = next_column(x, &kernel, &columns, pivot, left[pivot].sqrt());
        left.zip_mut_with(&column, |variance, weight| *variance -= weight * weight);
        left[pivot] = 0.0;
        columns.push(column);
    }
}

/// (K_·p − Σ_c L_·c L_pc) / √pivot.
fn next_column(
    x: &ArrayRef2<f64>,
    kernel: impl Fn(&ArrayRef1<f64>, &ArrayRef1<f64>) -> f64,
    columns: &[Array1<f64>],
    pivot: usize,
    root: f64,
) -> Array1<f64> {
    let at_pivot = x.row(pivot);
    let mut column: Array1<f64> = x.axis_iter(Axis(0)).map(|row| kernel(&row, &at_pivot)).collect();
    for earlier in columns {
        let weight = earlier[pivot];
        column.zip_mut_with(earlier, |value, other| *value -= weight * other);
    }
    column / root
}

fn check_variances(left: &Array1<f64>, tolerance: f64) -> Result<(), DataError> {
    // A row may be used up by earlier pivots down to rounding, hence the margin below zero.
    let wrong = left
        .iter()
        .enumerate()
        .find(|(_, variance)| !variance.is_finite() || **variance < -10.0 * tolerance);
    match wrong {
        None => Ok(()),
        Some((row, &variance)) => Err(DataError::NotPositiveSemidefinite { row, variance }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use ndarray::{Array2, ArrayRef1};

    use super::pivoted_cholesky;

    fn kernel(a: &ArrayRef1<f64>, b: &ArrayRef1<f64>) -> f64 {
        (-0.5 * (a[0] - b[0]).powi(2)).exp() + 0.3 * a[1] * b[1]
    }

    #[test]
    fn the_factor_gives_the_covariance_back() {
        let x = Array2::from_shape_fn((30, 2), |(row, column)| {
            ((row / 2 + 7 * column) as f64 * 0.37).sin() * 3.0
        });
        let columns = pivoted_cholesky(&x, kernel).unwrap();
        assert!(columns.len() <= 15, "rows come in pairs, rank {}", columns.len());
        for i in 0..30 {
            for j in 0..30 {
                let product: f64 = columns.iter().map(|column| column[i] * column[j]).sum();
                assert!((product - kernel(&x.row(i), &x.row(j))).abs() < 1e-12);
            }
        }
    }
}
