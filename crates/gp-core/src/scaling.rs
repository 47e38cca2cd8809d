//! Standardisation of inputs and targets, and its undoing.

use ndarray::{Array2, ArrayRef1, ArrayRef2, Axis};
use serde::{Deserialize, Serialize};

use crate::GpError;

/// A column whose standard deviation is below this part of its largest magnitude is constant.
const CONSTANT_BELOW: f64 = 1e-10;
/// Scales whose squares leave room for a variance on either side.
const SQUARABLE: std::ops::RangeInclusive<f64> = 1e-150..=1e150;

/// Shifts and scales each column to mean 0 and population standard deviation 1.
///
/// ```text
/// x̃ = (x − mean) / scale
/// ```
///
/// A constant column is shifted and divided by 1, and listed in [`constant`](Self::constant).
/// Source: Artemev, Burt & van der Wilk (2021), section 4 (normalisation by the training rows).
///
/// ```
/// use gp_core::Standardiser;
/// use ndarray::array;
///
/// let train = array![[1.0, 7.0], [5.0, 7.0]];
/// let scaling = Standardiser::fit(&train, "x")?;
/// assert_eq!(scaling.constant(), [1]);
/// let scaled = scaling.apply(&array![[7.0, 8.0]])?;
/// assert_eq!(scaled, array![[2.0, 1.0]]);
/// assert_eq!(scaling.undo(&scaled)?, array![[7.0, 8.0]]);
/// # Ok::<(), gp_core::GpError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Standardiser {
    mean: Vec<f64>,
    scale: Vec<f64>,
    constant: Vec<usize>,
}

/// A [`Standardiser`] as a file has it, which anything may have written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    mean: Vec<f64>,
    scale: Vec<f64>,
    constant: Vec<usize>,
}

impl TryFrom<Written> for Standardiser {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { mean, scale, constant } = written;
        let wrong = |value: &&f64| !(value.is_finite() && **value > 0.0);
        if let Some(value) = scale.iter().find(wrong) {
            return Err(format!("a scale is {value:e}, not finite and greater than 0"));
        }
        if mean.len() != scale.len() || mean.iter().any(|value| !value.is_finite()) {
            return Err("a scaling needs one finite mean for each scale".to_owned());
        }
        Ok(Self { mean, scale, constant })
    }
}

impl Standardiser {
    /// Measures the columns of `x` `[N, D]`.
    ///
    /// # Errors
    /// [`GpError::NoRows`] for N = 0, [`GpError::NotFinite`] for NaN or infinity in `x`,
    /// [`GpError::TooLarge`] where the spread overflows.
    pub fn fit(x: &ArrayRef2<f64>, argument: &'static str) -> Result<Self, GpError> {
        check_finite(x, argument)?;
        let n = x.nrows() as f64;
        let (mut mean, mut scale, mut constant) = (Vec::new(), Vec::new(), Vec::new());
        for (column, values) in x.columns().into_iter().enumerate() {
            let centre = values.iter().map(|v| v / n).sum::<f64>();
            let spread = spread(&values, centre);
            let largest = values.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()));
            if !spread.is_finite() {
                return Err(GpError::TooLarge { argument, column });
            }
            let is_constant = spread <= CONSTANT_BELOW * largest;
            if is_constant {
                constant.push(column);
            }
            // The mean of equal values may round; the value itself makes the column exactly zero.
            mean.push(if is_constant { values[0] } else { centre });
            scale.push(if is_constant { 1.0 } else { spread });
        }
        Ok(Self { mean, scale, constant })
    }

    /// Leaves `d` columns as they are.
    #[must_use]
    pub fn identity(d: usize) -> Self {
        Self { mean: vec![0.0; d], scale: vec![1.0; d], constant: Vec::new() }
    }

    /// The shift of each column.
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The divisor of each column, in the column's units.
    #[must_use]
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Refuses scales whose square, the unit of a variance, is beyond what numbers can hold.
    ///
    /// # Errors
    /// [`GpError::SpreadNotSquarable`], with the first such column.
    pub fn check_squares(&self, argument: &'static str) -> Result<(), GpError> {
        let wrong = |(_, scale): &(usize, &f64)| !SQUARABLE.contains(*scale);
        match self.scale.iter().enumerate().find(wrong) {
            Some((column, &scale)) => Err(GpError::SpreadNotSquarable { argument, column, scale }),
            None => Ok(()),
        }
    }

    /// Columns found constant.
    #[must_use]
    pub fn constant(&self) -> &[usize] {
        &self.constant
    }

    /// Number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.mean.len()
    }

    /// x̃ of new rows `[T, D]`.
    ///
    /// # Errors
    /// [`GpError::ShapeMismatch`] for another number of columns.
    pub fn apply(&self, x: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.map(x, |value, mean, scale| (value - mean) / scale)
    }

    /// Back to the column's own units.
    ///
    /// # Errors
    /// [`GpError::ShapeMismatch`] for another number of columns.
    pub fn undo(&self, x: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.map(x, |value, mean, scale| value * scale + mean)
    }

    fn map(
        &self,
        x: &ArrayRef2<f64>,
        f: impl Fn(f64, f64, f64) -> f64,
    ) -> Result<Array2<f64>, GpError> {
        if x.ncols() != self.n_columns() {
            return Err(GpError::ShapeMismatch {
                argument: "x",
                unit: "columns",
                expected: self.n_columns(),
                found: x.ncols(),
            });
        }
        let mut mapped = x.to_owned();
        for (mut column, (mean, scale)) in
            mapped.columns_mut().into_iter().zip(self.mean.iter().zip(&self.scale))
        {
            column.mapv_inplace(|value| f(value, *mean, *scale));
        }
        Ok(mapped)
    }
}

/// Population standard deviation around `centre`; not finite where a deviation overflows.
///
/// Deviations are squared in units of the largest: neither 1e200 nor 1e-200 is out of reach.
fn spread(values: &ArrayRef1<f64>, centre: f64) -> f64 {
    let unit = values.iter().fold(0.0_f64, |largest, v| largest.max((v - centre).abs()));
    if unit > 0.0 {
        let squares = values.iter().map(|v| ((v - centre) / unit).powi(2)).sum::<f64>();
        unit * (squares / values.len() as f64).sqrt()
    } else {
        0.0
    }
}

/// Refuses empty arrays, and NaN or infinities by the first cell that has one.
///
/// # Errors
/// [`GpError::NoRows`], [`GpError::NotFinite`].
pub fn check_finite(x: &ArrayRef2<f64>, argument: &'static str) -> Result<(), GpError> {
    if x.is_empty() {
        return Err(GpError::NoRows { argument });
    }
    let bad = |(_, value): &((usize, usize), &f64)| !value.is_finite();
    let Some(((row, column), &value)) = x.indexed_iter().find(bad) else { return Ok(()) };
    let count = x.axis_iter(Axis(0)).flatten().filter(|value| !value.is_finite()).count();
    Err(GpError::NotFinite { argument, value, row, column, count })
}
