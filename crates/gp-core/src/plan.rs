//! What to train, from where, and how: shared by every model trained by gradient.

use crate::GpError;
use crate::hyperparameters::Hyperparameters;
use crate::objective::Objective;
use crate::observer::Observer;
use crate::prior::Prior;
use crate::space::{Floors, ParameterSpace};
use crate::start::{DEFAULT_STARTS, starts};
use crate::train::{TrainOptions, TrainState, Trained, train};

/// How a model's hyperparameters are trained.
///
/// | option | default |
/// | --- | --- |
/// | `floors` | 1e-6 for every positive parameter |
/// | `fixed` | none; names as in [`Hyperparameters::named_values`], or prefixes of them |
/// | `priors` | none; same names |
/// | `starts` | 5, see [`starts`] |
/// | `seed` | 0; draws the screening rows and the starts beyond the fixed ones |
/// | `options` | see [`TrainOptions`] |
/// | `resume` | none |
///
/// ```
/// use gp_core::{Prior, TrainingPlan};
///
/// let plan = TrainingPlan {
///     fixed: vec!["mean".to_owned()],
///     priors: vec![("noise_variance".to_owned(), Prior::Gamma { shape: 2.0, rate: 20.0 })],
///     starts: 3,
///     ..TrainingPlan::default()
/// };
/// assert_eq!(plan.options.lbfgs.max_iters, 2000);
/// ```
#[derive(Debug, Clone)]
pub struct TrainingPlan {
    /// Smallest values training can reach.
    pub floors: Floors,
    /// Parameters held at the template's values.
    pub fixed: Vec<String>,
    /// Priors by parameter name.
    pub priors: Vec<(String, Prior)>,
    /// How many starts to try.
    pub starts: usize,
    /// For all that is drawn at random.
    pub seed: u64,
    /// Limits and tolerances.
    pub options: TrainOptions,
    /// A state to go on from: of the same template, data and plan, limits apart.
    pub resume: Option<TrainState>,
}

impl Default for TrainingPlan {
    fn default() -> Self {
        Self {
            floors: Floors::default(),
            fixed: Vec::new(),
            priors: Vec::new(),
            starts: DEFAULT_STARTS,
            seed: 0,
            options: TrainOptions::default(),
            resume: None,
        }
    }
}

impl TrainingPlan {
    /// The space `template`'s free parameters span.
    ///
    /// # Errors
    /// [`GpError::UnknownParameter`] and [`GpError::BadPrior`] from `fixed` and `priors`.
    pub fn space(&self, template: &Hyperparameters) -> Result<ParameterSpace, GpError> {
        let mut space = ParameterSpace::new(template, self.floors);
        for name in &self.fixed {
            space.fix(name)?;
        }
        for (name, prior) in &self.priors {
            space.set_prior(name, *prior)?;
        }
        Ok(space)
    }

    /// Trains a model with `d` input columns, and returns the hyperparameters found.
    ///
    /// # Errors
    /// As [`train`], and [`GpError::BadParameter`] for a template at or below a floor.
    pub fn run(
        &self,
        template: &Hyperparameters,
        d: usize,
        screening: &mut dyn Objective,
        full: &mut dyn Objective,
        observer: &mut dyn Observer,
    ) -> Result<(Hyperparameters, Trained), GpError> {
        let space = self.space(template)?;
        let starts = starts(template, &space, d, self.starts, self.seed)?;
        let resume = self.resume.clone();
        let trained = train(screening, full, &starts, &self.options, resume, observer)?;
        Ok((space.unpack(&trained.u)?, trained))
    }
}
