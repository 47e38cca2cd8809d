//! How good predictions are.
//!
//! Scores of no rows, or of arrays whose lengths disagree, are NaN.
//!
//! ```
//! use gp_core::metrics;
//! use ndarray::array;
//!
//! let (y, mean, var_y) = (array![1.0, 3.0], array![1.0, 1.0], array![1.0, 1.0]);
//! assert_eq!(metrics::rmse(&y, &mean), 2f64.sqrt());
//! assert_eq!(metrics::coverage(&y, &mean, &var_y, 0.95), 0.5);
//! ```

use ndarray::ArrayRef1;
use statrs::distribution::{ContinuousCDF, Normal};

/// Root of the mean squared error, in the units of `y`.
#[must_use]
pub fn rmse(y: &ArrayRef1<f64>, mean: &ArrayRef1<f64>) -> f64 {
    average(same(y, mean), y.iter().zip(mean).map(|(y, m)| (y - m).powi(2))).sqrt()
}

/// Negative log predictive density: the mean over rows of the *marginal* densities, in nats.
///
/// ```text
/// −(1/T) Σ_t log N(y_t; mean_t, var_t)
/// ```
///
/// `var_y` includes the noise. Dividing the target by s lowers it by log s.
#[must_use]
pub fn nlpd(y: &ArrayRef1<f64>, mean: &ArrayRef1<f64>, var_y: &ArrayRef1<f64>) -> f64 {
    let log_2pi = (2.0 * std::f64::consts::PI).ln();
    let rows = y.iter().zip(mean).zip(var_y);
    average(
        same(y, mean) && same(y, var_y),
        rows.map(|((y, m), v)| 0.5 * (log_2pi + v.ln() + (y - m).powi(2) / v)),
    )
}

/// The share of rows inside the central interval of probability `level`.
#[must_use]
pub fn coverage(
    y: &ArrayRef1<f64>,
    mean: &ArrayRef1<f64>,
    var_y: &ArrayRef1<f64>,
    level: f64,
) -> f64 {
    let half_width = normal_half_width(level);
    let rows = y.iter().zip(mean).zip(var_y);
    average(
        same(y, mean) && same(y, var_y),
        rows.map(|((y, m), v)| f64::from((y - m).abs() <= half_width * v.sqrt())),
    )
}

/// How many standard deviations the central interval of probability `level` reaches to each side:
/// 1.96 for 0.95. `level` lies strictly between 0 and 1; others give NaN.
#[must_use]
pub fn normal_half_width(level: f64) -> f64 {
    if level > 0.0 && level < 1.0 {
        Normal::standard().inverse_cdf(0.5 + 0.5 * level)
    } else {
        f64::NAN
    }
}

fn same(a: &ArrayRef1<f64>, b: &ArrayRef1<f64>) -> bool {
    a.len() == b.len()
}

/// NaN unless every row has its value.
fn average(complete: bool, values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if complete { sum / count } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn known_values() {
        let (y, mean, var) = (array![1.0, 3.0], array![1.0, 1.0], array![1.0, 4.0]);
        assert!((rmse(&y, &mean) - 2f64.sqrt()).abs() < 1e-15);
        // ½(log 2π + 0 + 0) and ½(log 2π + log 4 + 1), averaged.
        let expected = 0.5 * (2.0 * std::f64::consts::PI).ln() + 0.25 * (4f64.ln() + 1.0);
        assert!((nlpd(&y, &mean, &var) - expected).abs() < 1e-15);
        assert!((coverage(&y, &mean, &array![1.0, 1.0], 0.95) - 0.5).abs() < 1e-15);
        assert!((normal_half_width(0.95) - 1.959_963_984_540_054).abs() < 1e-9);
        assert!(normal_half_width(1.0).is_nan());
    }

    #[test]
    fn nlpd_moves_by_the_log_of_the_scale() {
        let (y, mean, var) = (array![1.0, -0.4], array![0.7, 0.2], array![0.3, 0.9]);
        let s: f64 = 50.0;
        let scaled = nlpd(&(&y * s), &(&mean * s), &(&var * s * s));
        assert!((scaled - nlpd(&y, &mean, &var) - s.ln()).abs() < 1e-12);
    }
}
