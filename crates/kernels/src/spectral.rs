//! Spectral densities: the laws from which random features draw their frequencies.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// The spectral law of a stationary covariance function with unit lengthscales and unit variance.
///
/// ```text
/// k(h) = E cos(sᵀh),   s ~ p   on ℝᴰ, angular frequencies
/// squared exponential   s ~ N(0, I)
/// Matérn ν              s ~ Student t with 2ν degrees of freedom, scale I:  s = z √(2ν/u),
///                       z ~ N(0, I),  u ~ χ²(2ν), one u for all columns
/// ```
///
/// A lengthscale ℓ divides its column's frequency. Units: one over the units of the inputs.
/// Source: Rasmussen & Williams (2006), eq. 4.15, written as the density of a t distribution.
///
/// ```
/// use kernels::Spectrum;
///
/// // In one column at the origin: 1/√(2π), and 1/π for the exponential covariance.
/// let at_zero = |law: Spectrum| law.log_density(&[0.0]).exp();
/// assert!((at_zero(Spectrum::SquaredExponential) - 0.398_942_280_4).abs() < 1e-9);
/// assert!((at_zero(Spectrum::Matern12) - 0.318_309_886_2).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Spectrum {
    /// Of [`SquaredExponential`](crate::SquaredExponential).
    #[default]
    #[serde(rename = "se")]
    SquaredExponential,
    /// Of [`Matern12`](crate::Matern12).
    Matern12,
    /// Of [`Matern32`](crate::Matern32).
    Matern32,
    /// Of [`Matern52`](crate::Matern52).
    Matern52,
}

impl Spectrum {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::SquaredExponential, Self::Matern12, Self::Matern32, Self::Matern52];

    /// Its kernel's name in parameter files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SquaredExponential => "se",
            Self::Matern12 => "matern12",
            Self::Matern32 => "matern32",
            Self::Matern52 => "matern52",
        }
    }

    /// 2ν, the degrees of freedom of the t distribution; `None` for the normal law.
    #[must_use]
    pub fn degrees_of_freedom(self) -> Option<u32> {
        match self {
            Self::SquaredExponential => None,
            Self::Matern12 => Some(1),
            Self::Matern32 => Some(3),
            Self::Matern52 => Some(5),
        }
    }

    /// √(2ν/u): what a draw from N(0, I) is multiplied by to become a frequency, `chi_square` u
    /// being a draw from χ²(2ν). 1 for the normal law, whatever u is.
    #[must_use]
    pub fn stretch(self, chi_square: f64) -> f64 {
        self.degrees_of_freedom().map_or(1.0, |freedom| (f64::from(freedom) / chi_square).sqrt())
    }

    /// log p(s) in as many dimensions as `s` has.
    ///
    /// ```text
    /// normal:  −½ (D log 2π + ‖s‖²)
    /// t:       log Γ(ν + D/2) − log Γ(ν) − (D/2) log(2νπ) − (ν + D/2) log(1 + ‖s‖²/2ν)
    /// ```
    #[must_use]
    pub fn log_density(self, s: &[f64]) -> f64 {
        let d = s.len() as f64;
        let square: f64 = s.iter().map(|value| value * value).sum();
        let Some(freedom) = self.degrees_of_freedom() else {
            return -0.5 * (d * (2.0 * PI).ln() + square);
        };
        let twice = f64::from(freedom);
        let ratio =
            ln_gamma_of_half(freedom as usize + s.len()) - ln_gamma_of_half(freedom as usize);
        ratio - 0.5 * d * (twice * PI).ln() - 0.5 * (twice + d) * (square / twice).ln_1p()
    }
}

/// log Γ(`twice`/2) from Γ(x + 1) = x Γ(x), Γ(½) = √π and Γ(1) = 1.
fn ln_gamma_of_half(twice: usize) -> f64 {
    let first = if twice % 2 == 1 { 0.5 * PI.ln() } else { 0.0 };
    let lowest = if twice % 2 == 1 { 1 } else { 2 };
    let factors = (lowest..twice).step_by(2).map(|k| (0.5 * k as f64).ln());
    first + factors.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kernel, Matern12, Matern32, Matern52, SquaredExponential, kernel_matrix};
    use ndarray::array;

    fn kernel(law: Spectrum) -> Box<dyn Kernel> {
        let one = || vec![1.0];
        match law {
            Spectrum::SquaredExponential => {
                Box::new(SquaredExponential::new(one(), 1.0).expect("unit kernel"))
            }
            Spectrum::Matern12 => Box::new(Matern12::new(one(), 1.0).expect("unit kernel")),
            Spectrum::Matern32 => Box::new(Matern32::new(one(), 1.0).expect("unit kernel")),
            Spectrum::Matern52 => Box::new(Matern52::new(one(), 1.0).expect("unit kernel")),
        }
    }

    /// ∫ p(s) cos(s h) ds by the midpoint rule under s = tan(πv/2), which takes the heavy tails in.
    fn transform(law: Spectrum, h: f64) -> f64 {
        let n = 400_000;
        let step = 2.0 / f64::from(n);
        let value = |i: i32| {
            let v = -1.0 + (f64::from(i) + 0.5) * step;
            let s = (0.5 * PI * v).tan();
            law.log_density(&[s]).exp() * (s * h).cos() * 0.5 * PI * (1.0 + s * s)
        };
        (0..n).map(value).sum::<f64>() * step
    }

    #[test]
    fn the_transform_of_each_law_is_its_kernel() {
        for law in Spectrum::ALL {
            for h in [0.0, 0.4, 1.3, 2.5] {
                let exact =
                    kernel_matrix(kernel(law).as_ref(), &array![[0.0]], &array![[h]])[[0, 0]];
                let found = transform(law, h);
                // The tails of the Cauchy law oscillate faster than any rule can follow.
                assert!((found - exact).abs() < 2e-4, "{}: {found} for {exact}", law.name());
            }
        }
    }

    #[test]
    fn gamma_of_halves() {
        for (twice, value) in [(1, PI.sqrt()), (2, 1.0), (3, 0.5 * PI.sqrt()), (8, 6.0)] {
            assert!((ln_gamma_of_half(twice).exp() - value).abs() < 1e-13, "{twice}");
        }
    }

    #[test]
    fn the_stretch_of_a_typical_draw_is_near_one() {
        assert!((Spectrum::Matern32.stretch(3.0) - 1.0).abs() < 1e-15);
        assert!((Spectrum::Matern52.stretch(1.25) - 2.0).abs() < 1e-15);
        assert!((Spectrum::SquaredExponential.stretch(1e-9) - 1.0).abs() < 1e-15);
    }
}
