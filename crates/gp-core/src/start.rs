//! Where training starts from.
//!
//! The paper starts every lengthscale, the variance and the noise variance at 1. In many
//! dimensions that is far from the data's own scale, and training can fall into an optimum where
//! the noise runs to its floor; so a few starts are tried, and the best is carried on.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::GpError;
use crate::hyperparameters::Hyperparameters;
use crate::space::ParameterSpace;
use crate::train::Start;

/// How many starts are tried when nothing else is asked for.
pub const DEFAULT_STARTS: usize = 5;

/// `count` starts for a model with `d` input columns: `template` itself first, then lengthscales
/// times √d and times 0.3 √d, with the noise variance as it is and at a tenth; beyond these,
/// factors drawn log-uniformly from [0.1, 3]√d and [10⁻³, 1] by `seed`. Repetitions are left out, and
/// variations at or below a floor.
///
/// # Errors
/// [`GpError::BadParameter`] when `template` lies at or below a floor.
pub fn starts(
    template: &Hyperparameters,
    space: &ParameterSpace,
    d: usize,
    count: usize,
    seed: u64,
) -> Result<Vec<Start>, GpError> {
    let root_d = (d.max(1) as f64).sqrt();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let fixed =
        [(1.0, 1.0), (root_d, 0.1), (1.0, 0.1), (0.3 * root_d, 0.1), (root_d, 1.0)].into_iter();
    let drawn = std::iter::repeat_with(|| {
        let lengthscale = root_d * log_uniform(&mut rng, 0.1, 3.0);
        (lengthscale, log_uniform(&mut rng, 1e-3, 1.0))
    });
    let mut starts: Vec<Start> = Vec::new();
    // Twice the count leaves room for repetitions among the fixed ones, and ends the search when
    // everything that would differ is held fixed.
    for factors in fixed.chain(drawn).take(2 * count.max(1) + 5) {
        if starts.len() == count.max(1) {
            break;
        }
        let start = match start(template, space, factors) {
            // The template is where it was put; a variation of it may fall below a floor.
            Err(_) if !starts.is_empty() => continue,
            other => other?,
        };
        if starts.iter().all(|other| other.u != start.u) {
            starts.push(start);
        }
    }
    Ok(starts)
}

fn start(
    template: &Hyperparameters,
    space: &ParameterSpace,
    (lengthscale, noise): (f64, f64),
) -> Result<Start, GpError> {
    let scaled = |(name, value): (String, f64)| {
        if name.contains("lengthscales") {
            value * lengthscale
        } else if name == "noise_variance" {
            value * noise
        } else {
            value
        }
    };
    let values: Vec<f64> = template.named_values().into_iter().map(scaled).collect();
    let u = space.pack(&template.with_values(&values)?)?;
    Ok(Start { name: format!("lengthscales x {lengthscale:.3}, noise variance x {noise:.3}"), u })
}

fn log_uniform(rng: &mut ChaCha8Rng, low: f64, high: f64) -> f64 {
    (low.ln() + rng.random::<f64>() * (high / low).ln()).exp()
}
