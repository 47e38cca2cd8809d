//! Drawing spectral points.

use kernels::Spectrum;
use ndarray::Array2;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared as ChiSquaredLaw, ContinuousCDF, Normal};

/// How spectral points are spread over their law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Sampling {
    /// Independent draws, as in the paper.
    #[default]
    Random,
    /// A Kronecker sequence of the generalised golden ratio, shifted at random and mapped through
    /// the inverse distribution functions: more even than chance.
    QuasiRandom,
}

/// `m` spectral points `[M, D]` of unit scale, by `seed`.
///
/// ```text
/// s_r ~ N(0, I_D)   or the t law of a Matérn covariance, see kernels::Spectrum
/// ```
///
/// Source: Tan, Ong, Nott & Jasra (2016), section 2; Cranley & Patterson (1976) for the random shift.
///
/// ```
/// use kernels::Spectrum;
/// use ssgp_vb::{Sampling, draw_frequencies};
///
/// let s = draw_frequencies(Spectrum::Matern32, Sampling::Random, 10, 3, 1);
/// assert_eq!(s.dim(), (10, 3));
/// assert_eq!(s, draw_frequencies(Spectrum::Matern32, Sampling::Random, 10, 3, 1));
/// ```
#[must_use]
pub fn draw_frequencies(
    spectrum: Spectrum,
    sampling: Sampling,
    m: usize,
    d: usize,
    seed: u64,
) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    match sampling {
        Sampling::Random => random(spectrum, m, d, &mut rng),
        Sampling::QuasiRandom => quasi_random(spectrum, m, d, &mut rng),
    }
}

fn random(spectrum: Spectrum, m: usize, d: usize, rng: &mut impl Rng) -> Array2<f64> {
    let chi_square = spectrum.degrees_of_freedom().and_then(|k| ChiSquared::new(f64::from(k)).ok());
    let mut frequencies = Array2::zeros((m, d));
    for mut row in frequencies.outer_iter_mut() {
        row.mapv_inplace(|_: f64| StandardNormal.sample(rng));
        if let Some(law) = &chi_square {
            row *= spectrum.stretch(law.sample(rng));
        }
    }
    frequencies
}

fn quasi_random(spectrum: Spectrum, m: usize, d: usize, rng: &mut impl Rng) -> Array2<f64> {
    let radial = spectrum.degrees_of_freedom().and_then(|k| ChiSquaredLaw::new(f64::from(k)).ok());
    let columns = d + usize::from(radial.is_some());
    let steps = golden_steps(columns);
    let shifts: Vec<f64> = (0..columns).map(|_| rng.random::<f64>()).collect();
    let normal = Normal::standard();
    let uniform = |r: usize, j: usize| {
        let value = (shifts[j] + (r + 1) as f64 * steps[j]).fract();
        // The ends have no finite quantile.
        value.clamp(1e-12, 1.0 - 1e-12)
    };
    Array2::from_shape_fn((m, d), |(r, j)| {
        let stretch =
            radial.as_ref().map_or(1.0, |law| spectrum.stretch(law.inverse_cdf(uniform(r, d))));
        stretch * normal.inverse_cdf(uniform(r, j))
    })
}

/// 1/φ, 1/φ², …, with φ the root of φ^{D+1} = φ + 1 above 1.
fn golden_steps(d: usize) -> Vec<f64> {
    let root = (0..200).fold(2.0_f64, |phi, _| (1.0 + phi).powf(1.0 / (d as f64 + 1.0)));
    (1..=d).map(|power| root.powi(-(power as i32))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_steps_begin_with_the_golden_ratio() {
        assert!((golden_steps(1)[0] - 0.618_033_988_749_895).abs() < 1e-12);
        let plastic = 1.324_717_957_244_746_f64;
        assert!((golden_steps(2)[1] - plastic.powi(-2)).abs() < 1e-12);
    }

    /// E cos(s h) of each law, in the first column.
    #[test]
    fn draws_of_both_kinds_follow_their_law() {
        let exact = |spectrum: Spectrum, h: f64| {
            let r = |nu: f64| (2.0 * nu).sqrt() * h;
            match spectrum {
                Spectrum::Matern12 => (-r(0.5)).exp(),
                Spectrum::Matern32 => (1.0 + r(1.5)) * (-r(1.5)).exp(),
                Spectrum::Matern52 => (1.0 + r(2.5) + r(2.5).powi(2) / 3.0) * (-r(2.5)).exp(),
                _ => (-0.5 * h * h).exp(),
            }
        };
        for spectrum in Spectrum::ALL {
            for (sampling, slack) in [(Sampling::Random, 0.02), (Sampling::QuasiRandom, 0.004)] {
                let s = draw_frequencies(spectrum, sampling, 20_000, 2, 3);
                let mean = s.column(0).mapv(|s| (0.8 * s).cos()).mean().unwrap_or(f64::NAN);
                let error = (mean - exact(spectrum, 0.8)).abs();
                assert!(error < slack, "{} {sampling:?}: {error}", spectrum.name());
            }
        }
    }
}
