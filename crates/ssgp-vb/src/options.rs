//! How a fit runs.

use serde::{Deserialize, Serialize};

use crate::SsgpError;
use crate::gaussian::Gaussian;
use crate::problem::Factors;

/// Which of the paper's algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// Algorithm 1: steps of length 1.
    Plain,
    /// Algorithm 2: the step adapts.
    #[default]
    Adaptive,
}

/// What Algorithm 2 does when the bound falls at a step of length 1 or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDecrease {
    /// Divides the step by ρ and tries again.
    #[default]
    Damp,
    /// Ends, as in the paper.
    Stop,
}

/// How one run goes.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `algorithm` | [`Algorithm::Adaptive`] | |
/// | `rho` | 1.5 | finite, above 1 |
/// | `tolerance` | 1e-6: the relative rise of the bound at which a run ends | finite, ≥ 0 |
/// | `max_cycles` | 500 | any |
/// | `on_decrease` | [`OnDecrease::Damp`] | |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FitOptions {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// ρ: what a step is multiplied by after a success.
    pub rho: f64,
    /// Of the bound, against its size.
    pub tolerance: f64,
    /// Failed attempts included.
    pub max_cycles: usize,
    /// Without effect on Algorithm 1.
    pub on_decrease: OnDecrease,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::default(),
            rho: 1.5,
            tolerance: 1e-6,
            max_cycles: 500,
            on_decrease: OnDecrease::default(),
        }
    }
}

impl FitOptions {
    pub(crate) fn check(&self) -> Result<(), SsgpError> {
        let wrong = |option, found, accepted| Err(SsgpError::Option { option, found, accepted });
        if !(self.rho.is_finite() && self.rho > 1.0) {
            return wrong("rho", self.rho, "a finite number above 1");
        }
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return wrong("tolerance", self.tolerance, "a finite number of at least 0");
        }
        Ok(())
    }
}

/// Where a run begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// q(λ) = N(`mean` · 1, `variance` · I); the other factors follow.
    Isotropic {
        /// Of every λ.
        mean: f64,
        /// Of every λ.
        variance: f64,
    },
    /// This q(λ); the other factors follow.
    Lambda(Gaussian),
    /// All factors, from an earlier run say.
    Factors(Box<Factors>),
}

impl Default for Start {
    /// The paper's: N(½ · 1, ½ I).
    fn default() -> Self {
        Self::Isotropic { mean: 0.5, variance: 0.5 }
    }
}
