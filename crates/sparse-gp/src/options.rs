//! How SGPR is fitted.

use gp_core::TrainingPlan;

use crate::selection::Selector;
use crate::settings::SgprSettings;

/// How SGPR is fitted.
///
/// | option | default |
/// | --- | --- |
/// | `plan` | see [`TrainingPlan`]; its seed also draws what the selection draws |
/// | `inducing` | 512 inducing points; 0 is allowed; unused with [`Selector::Given`] |
/// | `selector` | [`Selector::Greedy`] |
/// | `train_inducing_points` | on: Z moves together with the hyperparameters |
/// | `settings` | see [`SgprSettings`] |
#[derive(Debug, Clone)]
pub struct SgprOptions {
    /// Starts, limits, fixed parameters, priors.
    pub plan: TrainingPlan,
    /// How many inducing points, M.
    pub inducing: usize,
    /// How they are chosen.
    pub selector: Selector,
    /// Whether they are trained.
    pub train_inducing_points: bool,
    /// Jitter and memory.
    pub settings: SgprSettings,
}

impl Default for SgprOptions {
    fn default() -> Self {
        Self {
            plan: TrainingPlan::default(),
            inducing: 512,
            selector: Selector::default(),
            train_inducing_points: true,
            settings: SgprSettings::default(),
        }
    }
}
