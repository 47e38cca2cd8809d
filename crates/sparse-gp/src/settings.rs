//! How the inducing points' covariance is kept invertible, and what is kept in memory.

use gp_core::GpError;
use serde::{Deserialize, Serialize};

use crate::check::check_jitter;

/// What is added to the diagonal of Kuu, and to nothing else: it can only lower Q, so that every
/// bound stays a bound.
///
/// Where it does not suffice it is raised tenfold until Kuu factorises; the model says what was
/// used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Jitter {
    /// This multiple of the mean of k(z, z) over the inducing points; gradients know of it.
    Relative(f64),
    /// This number, in the units of the kernel's variance.
    Absolute(f64),
}

impl Default for Jitter {
    /// 10⁻⁶ of the variance.
    fn default() -> Self {
        Self::Relative(1e-6)
    }
}

impl Jitter {
    /// The absolute jitter where the mean of k(z, z) is `mean_variance`.
    #[must_use]
    pub fn absolute(self, mean_variance: f64) -> f64 {
        match self {
            Self::Relative(factor) => factor * mean_variance,
            Self::Absolute(value) => value,
        }
    }
}

/// What one evaluation of the collapsed bound is told beside data and parameters.
///
/// | option | default |
/// | --- | --- |
/// | `jitter` | [`Jitter::Relative`] of 1e-6 |
/// | `low_memory` | off: V `[M, N]` is kept; on: it is formed twice, a shard of rows at a time |
///
/// Both ways give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SgprSettings {
    /// On the diagonal of Kuu.
    pub jitter: Jitter,
    /// Whether to keep memory at O(M²) and a few shards of rows.
    pub low_memory: bool,
}

impl SgprSettings {
    /// A jitter that is finite and not negative.
    pub(crate) fn check(&self) -> Result<(), GpError> {
        match self.jitter {
            Jitter::Relative(value) | Jitter::Absolute(value) => check_jitter(value),
        }
    }
}
