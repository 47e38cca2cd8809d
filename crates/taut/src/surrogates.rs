//! What the bounds of a model are built from.

use serde::{Deserialize, Serialize};

/// Sizes of the surrogates behind the bounds, kept with a model.
///
/// | option | default |
/// | --- | --- |
/// | `inducing` | 512, cut to the number of training rows |
/// | `neighbours` | 30 |
/// | `jitter` | 1e-6 of the kernel's largest variance, on Kuu only |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surrogates {
    /// M, inducing points of the Nyström surrogate.
    pub inducing: usize,
    /// k, neighbours of the Vecchia surrogate.
    pub neighbours: usize,
    /// Jitter on Kuu relative to the kernel's largest variance.
    pub jitter: f64,
}

impl Default for Surrogates {
    fn default() -> Self {
        Self { inducing: 512, neighbours: 30, jitter: 1e-6 }
    }
}
