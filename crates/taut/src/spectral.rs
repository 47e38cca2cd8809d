//! Options and results that only models of spectral points have.

use serde::Serialize;

/// What only `ssgp-vb` has a use for.
///
/// | option | default |
/// | --- | --- |
/// | `points` | 50 spectral points; 10 with `local` |
/// | `draws` | 4 sets of them to try; with `local`, all are mixed |
/// | `starts` | starting means of every λ for each draw, see [`ssgp_vb::Starts::usual_means`] |
/// | `local` | none: one fit to all rows; K: a fit to the K rows near each query |
/// | `calibrate` | none; R: variances of local fits are scaled by the errors at R rows left out |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpectralOptions {
    /// M, there are twice as many features.
    pub points: Option<usize>,
    /// Sets of spectral points.
    pub draws: Option<usize>,
    /// Starts for each draw.
    pub starts: Option<usize>,
    /// Rows of a neighbourhood.
    pub local: Option<usize>,
    /// Rows that calibrate variances.
    pub calibrate: Option<usize>,
}

/// What a fitted model of spectral points has to say of itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpectralReport {
    /// M.
    pub points: usize,
    /// Sets of spectral points the predictions are mixed from.
    pub draws: usize,
    /// Rows of a neighbourhood, where fits are local.
    pub local: Option<usize>,
    /// What variances of local fits are multiplied by.
    pub variance_factor: Option<f64>,
    /// The posterior mean of each inverse lengthscale λ, for inputs brought to [−1, 1]: far from 0
    /// against its deviation where an input matters. None for local fits.
    pub lambda: Option<Vec<f64>>,
    /// Its posterior standard deviation.
    pub lambda_std: Option<Vec<f64>>,
}
