//! Data made from a seed: test functions with known answers, and draws from a Gaussian process.
//!
//! A new function is one file here and its lines in this one: `mod`, `pub use` and [`catalogue`].

mod draw;
mod friedman1;
mod friedman2;
mod friedman3;
mod robot_arm;
mod sinc;
mod step;

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayRef1};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::{DataError, random::uniform};
pub use draw::gp_draw;
pub use friedman1::Friedman1;
pub use friedman2::Friedman2;
pub use friedman3::Friedman3;
pub use robot_arm::RobotArm;
pub use sinc::Sinc;
pub use step::Step;

/// A known function on a box.
pub trait TestFunction {
    /// Kebab-case name.
    fn name(&self) -> &'static str;

    /// The range of each of the D inputs.
    fn ranges(&self) -> Vec<Range<f64>>;

    /// The value at `x` `[D]`, without noise.
    ///
    /// # Panics
    /// May panic when `x` is shorter than [`ranges`](Self::ranges).
    fn value(&self, x: &ArrayRef1<f64>) -> f64;
}

/// Inputs, what is observed there, and the truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// Inputs, `[N, D]`.
    pub x: Array2<f64>,
    /// Observed values, `f` plus noise, `[N]`.
    pub y: Array1<f64>,
    /// Values without noise, `[N]`.
    pub f: Array1<f64>,
}

/// Every function here, with its default settings.
#[must_use]
pub fn catalogue() -> Vec<Box<dyn TestFunction>> {
    vec![
        Box::new(Friedman1::default()),
        Box::new(Friedman2),
        Box::new(Friedman3),
        Box::new(RobotArm::default()),
        Box::new(Sinc),
        Box::new(Step),
    ]
}

/// `n` observations at inputs uniform on the function's box, with Gaussian noise of standard deviation `noise_std`.
///
/// # Errors
/// [`DataError::BadArgument`] unless `noise_std` is finite and at least 0.
///
/// ```
/// use datasets::generators::{Friedman1, sample};
/// use rand::SeedableRng;
///
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let data = sample(&Friedman1::default(), 100, 1.0, &mut rng)?;
/// assert_eq!(data.x.dim(), (100, 10));
/// # Ok::<(), datasets::DataError>(())
/// ```
pub fn sample(
    function: &dyn TestFunction,
    n: usize,
    noise_std: f64,
    rng: &mut impl Rng,
) -> Result<Generated, DataError> {
    let ranges = function.ranges();
    // Row by row, so that the first rows do not depend on how many follow.
    let mut x = Array2::zeros((n, ranges.len()));
    for mut row in x.rows_mut() {
        row.iter_mut()
            .zip(&ranges)
            .for_each(|(cell, range)| *cell = uniform(rng, range.start, range.end));
    }
    let f = x.rows().into_iter().map(|row| function.value(&row)).collect();
    observe(x, f, noise_std, rng)
}

/// Adds noise to known values.
fn observe(
    x: Array2<f64>,
    f: Array1<f64>,
    noise_std: f64,
    rng: &mut impl Rng,
) -> Result<Generated, DataError> {
    if !(noise_std.is_finite() && noise_std >= 0.0) {
        let accepted = "a finite number, at least 0";
        return Err(DataError::BadArgument { argument: "noise_std", found: noise_std, accepted });
    }
    let y = f.mapv(|value| value + noise_std * standard_normal(rng));
    Ok(Generated { x, y, f })
}

fn standard_normal(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}
