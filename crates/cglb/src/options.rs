//! How a model is fitted.

use bounds::LogDetBound;
use gp_core::TrainingPlan;
use sparse_gp::Selector;

use crate::settings::CglbSettings;

/// How CGLB is fitted.
///
/// | option | default |
/// | --- | --- |
/// | `plan` | see [`TrainingPlan`]; its seed also draws what the selection draws |
/// | `inducing` | 512 inducing points; 0 is allowed; unused with [`Selector::Given`] |
/// | `selector` | [`Selector::Greedy`] |
/// | `train_inducing_points` | on: Z moves with the hyperparameters, where the bound depends on it |
/// | `settings` | see [`CglbSettings`] |
///
/// Points that are not trained (because the bound, such as `vecchia`, does not depend on them, or by
/// wish) are chosen anew between rounds of training, unless they are given.
#[derive(Debug, Clone)]
pub struct CglbOptions {
    /// Starts, limits, fixed parameters, priors.
    pub plan: TrainingPlan,
    /// How many inducing points, M.
    pub inducing: usize,
    /// How they are chosen.
    pub selector: Selector,
    /// Whether they are trained.
    pub train_inducing_points: bool,
    /// The bound, jitter, conjugate gradients.
    pub settings: CglbSettings,
}

impl Default for CglbOptions {
    fn default() -> Self {
        Self {
            plan: TrainingPlan::default(),
            inducing: 512,
            selector: Selector::default(),
            train_inducing_points: true,
            settings: CglbSettings::default(),
        }
    }
}

impl CglbOptions {
    /// Whether Z is among the variables of training.
    #[must_use]
    pub fn moves_inducing_points(&self) -> bool {
        self.train_inducing_points && self.settings.bound.needs().inducing_points
    }

    /// Whether Z is chosen anew at the hyperparameters that training ends with.
    pub(crate) fn chooses_at_the_end(&self) -> bool {
        !self.moves_inducing_points() && !matches!(self.selector, Selector::Given(_))
    }
}
