//! How neighbourhoods are fitted.

use serde::{Deserialize, Serialize};

use crate::SsgpError;
use crate::component::Weighting;
use crate::options::FitOptions;
use crate::prior::Priors;
use crate::starts::{SpectralPoints, Starts};

/// What a neighbourhood's inputs are centred on before its fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Their mean.
    #[default]
    Mean,
    /// The query. There every feature is constant, and the prediction knows no uncertainty of λ.
    Query,
    /// Nothing.
    Unmoved,
}

/// How neighbourhoods are fitted.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `neighbours` | 60 | 2 to N |
/// | `spectral` | 4 draws of 10 points | |
/// | `starts` | 3 for each draw, all 4 draws kept | |
/// | `fit` | Algorithm 2 to a relative rise of 1e-6 | |
/// | `priors` | see [`Priors`] | |
/// | `scale` | on: inputs to [−1, 1] by the whole table | |
/// | `rescale` | off; on: each neighbourhood to [−1, 1] again | |
/// | `origin` | [`Origin::Mean`] | |
/// | `weighting` | [`Weighting::Equal`]; matters when `starts.keep` is above 1 | |
/// | `warm_start` | off; on: stage 2 starts at the q(λ) of stage 1 | |
///
/// The paper fits one draw from one start, [`paper`](Self::paper). Its variances are too small where
/// a neighbourhood has more than one explanation; the mixture over draws is what widens them there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalOptions {
    /// Training rows of a neighbourhood, k.
    pub neighbours: usize,
    /// The spectral points, the same for all queries.
    pub spectral: SpectralPoints,
    /// Where fits begin.
    pub starts: Starts,
    /// How a fit goes.
    pub fit: FitOptions,
    /// On λ, σ, γ.
    pub priors: Priors,
    /// Whether inputs are scaled by the whole table.
    pub scale: bool,
    /// Whether inputs are scaled by each neighbourhood.
    pub rescale: bool,
    /// What inputs are centred on.
    pub origin: Origin,
    /// How the draws kept are mixed.
    pub weighting: Weighting,
    /// Where stage 2 starts.
    pub warm_start: bool,
}

impl Default for LocalOptions {
    fn default() -> Self {
        Self {
            neighbours: 60,
            spectral: SpectralPoints { points: 10, ..SpectralPoints::default() },
            starts: Starts { keep: 4, ..Starts::default() },
            fit: FitOptions::default(),
            priors: Priors::default(),
            scale: true,
            rescale: false,
            origin: Origin::default(),
            weighting: Weighting::Equal,
            warm_start: false,
        }
    }
}

impl LocalOptions {
    /// One draw of `points` spectral points from the start μ = ½, Σ = ½ I, as in the paper.
    #[must_use]
    pub fn paper(neighbours: usize, points: usize) -> Self {
        Self {
            neighbours,
            spectral: SpectralPoints { points, draws: 1, ..SpectralPoints::default() },
            starts: Starts::paper(),
            ..Self::default()
        }
    }

    /// Refuses what cannot be used for N rows of D columns.
    pub(crate) fn check(&self, (n, d): (usize, usize)) -> Result<(), SsgpError> {
        self.fit.check()?;
        self.priors.prepare(d)?;
        let found = self.neighbours;
        if (2..=n).contains(&found) { Ok(()) } else { Err(SsgpError::Neighbourhood { found, n }) }
    }
}
