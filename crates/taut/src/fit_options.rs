//! How a table is fitted.

use cglb::{Bound, Preconditioning};
use gp_core::{GpError, Hyperparameters, MeanSpec, Params, TrainingPlan};
use kernels::KernelSpec;
use ndarray::ArrayRef2;
use sparse_gp::{InducingPoints, Selector};

use crate::auto::BEST;
use crate::{IterativeSettings, Method, Setting, SpectralOptions, Surrogates};

/// How a table is fitted.
///
/// | option | default |
/// | --- | --- |
/// | `method` | [`Method::Exact`] |
/// | `kernel` | Matérn-3/2 with one lengthscale per column |
/// | `mean` | a learned constant |
/// | `scale` | true: inputs and targets are standardised by the training rows |
/// | `params` | none: starting values, instead of `kernel` and `mean` |
/// | `train` | true; false conditions on the data at the starting values |
/// | `plan` | see [`TrainingPlan`]; its noise floor stands as it is, `taut fit` puts [`Method::noise_floor`] there |
/// | `surrogates` | see [`Surrogates`]: what the method, and bounds later, are built from; its neighbours stand as they are, `taut fit` puts [`Method::neighbours`] there |
/// | `selector` | greedy; given points are in the table's units |
/// | `train_inducing_points` | true: methods that can move them do |
/// | `bound` | the method's default; a name of [`bounds::log_det_catalogue`], or `best`: what the plan's time limit and memory allow |
/// | `preconditioning` | [`Preconditioning::Auto`]: what speeds conjugate gradients up |
/// | `cg_tolerance` | 1 nat while training (iterative: 0.01); the final solve goes to 1e-3, or this if less |
/// | `cg_max_steps` | 1000 steps of conjugate gradients a solve (iterative: 2000 in that for the mean); with CGLB 0 leaves v = 0 |
/// | `iterative` | see [`IterativeSettings`] |
/// | `spectral` | see [`SpectralOptions`] |
/// | `training_rows` | all; fewer, drawn by the plan's seed, train the hyperparameters alone |
/// | `memory_budget` | none: bytes for the matrices |
///
/// An option the method has no use for is refused, see [`check`](Self::check).
#[derive(Debug, Clone)]
pub struct FitOptions {
    /// The inference method.
    pub method: Method,
    /// Covariance function with its starting values, in standardised units.
    pub kernel: Option<KernelSpec>,
    /// Prior mean with its starting values, in standardised units.
    pub mean: Option<MeanSpec>,
    /// Whether to standardise.
    pub scale: bool,
    /// Starting values with their units.
    pub params: Option<Params>,
    /// Whether to train.
    pub train: bool,
    /// Starts, limits, fixed parameters, priors.
    pub plan: TrainingPlan,
    /// Sizes of the surrogates of the method and of later bounds.
    pub surrogates: Surrogates,
    /// How inducing points are chosen.
    pub selector: Option<Selector>,
    /// Whether inducing points may move.
    pub train_inducing_points: bool,
    /// The upper bound on the log-determinant that is trained.
    pub bound: Option<String>,
    /// What speeds conjugate gradients up, where it is not left to a cost model.
    pub preconditioning: Option<Preconditioning>,
    /// Where conjugate gradients stop in training, in nats.
    pub cg_tolerance: Option<f64>,
    /// Cap on the steps of a solve.
    pub cg_max_steps: Option<usize>,
    /// Options of the iterative method alone.
    pub iterative: IterativeSettings,
    /// What only `ssgp-vb` has a use for; of `plan` that takes seed, limits and `resume`, of `kernel`
    /// the type.
    pub spectral: SpectralOptions,
    /// Rows hyperparameters are trained on; all rows are conditioned on.
    pub training_rows: Option<usize>,
    /// Largest number of bytes of the matrices.
    pub memory_budget: Option<u64>,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            method: Method::Exact,
            kernel: None,
            mean: None,
            scale: true,
            params: None,
            train: true,
            plan: TrainingPlan::default(),
            surrogates: Surrogates::default(),
            selector: None,
            train_inducing_points: true,
            bound: None,
            preconditioning: None,
            cg_tolerance: None,
            cg_max_steps: None,
            iterative: IterativeSettings::default(),
            spectral: SpectralOptions::default(),
            training_rows: None,
            memory_budget: None,
        }
    }
}

impl FitOptions {
    /// The options given that not every method has a use for.
    #[must_use]
    pub fn given_settings(&self) -> Vec<Setting> {
        let selection = match self.selector {
            Some(Selector::Given(_)) => Some(Setting::InducingPoints),
            Some(_) => Some(Setting::Select),
            None => None,
        };
        let fixed = (!self.train_inducing_points).then_some(Setting::FixedPoints);
        let bound = self.bound.as_ref().map(|_| Setting::Bound);
        let tolerance = self.cg_tolerance.map(|_| Setting::CgTolerance);
        let steps = self.cg_max_steps.map(|_| Setting::CgMaxSteps);
        let preconditioner = self.preconditioning.map(|_| Setting::Preconditioner);
        let shared = [selection, fixed, bound, preconditioner, tolerance, steps].into_iter();
        let own = shared.chain(self.spectral_settings()).flatten();
        own.chain(self.iterative.given()).collect()
    }

    /// Refuses pivots for a preconditioner of the iterative method that has none.
    fn check_preconditioner(&self) -> Result<(), GpError> {
        let without = self.method == Method::Iterative
            && self.preconditioning == Some(Preconditioning::Vecchia);
        if without && self.iterative.preconditioner_rank.is_some() {
            return Err(GpError::UnusedOption {
                option: "preconditioner-rank",
                method: "iterative --preconditioner vecchia",
                used_by: "iterative --preconditioner nystrom".to_owned(),
            });
        }
        Ok(())
    }

    fn spectral_settings(&self) -> [Option<Setting>; 4] {
        let SpectralOptions { points, draws, local, calibrate, .. } = self.spectral;
        [
            points.map(|_| Setting::SpectralPoints),
            draws.map(|_| Setting::Draws),
            local.map(|_| Setting::Local),
            calibrate.map(|_| Setting::Calibrate),
        ]
    }

    /// How many starts training on rows of `d` inputs screens.
    #[must_use]
    pub fn n_starts(&self, d: usize) -> usize {
        self.method.n_starts(self, d)
    }

    /// Refuses what no data could make right.
    ///
    /// # Errors
    /// [`GpError::UnusedOption`] for an option the method has no use for, [`GpError::UnknownBound`],
    /// and as [`IterativeSettings::check`].
    pub fn check(&self) -> Result<(), GpError> {
        self.method.check_settings(&self.given_settings())?;
        self.iterative.check()?;
        self.check_preconditioner()?;
        match self.bound.as_deref() {
            None | Some(BEST) => Ok(()),
            Some(name) => Bound::named(name).map(drop),
        }
    }

    /// Inducing points for the rows `x` `[N, D]`, in the scale of the fit.
    pub(crate) fn choose_inducing_points(
        &self,
        hyper: &Hyperparameters,
        x: &ArrayRef2<f64>,
    ) -> Result<InducingPoints, GpError> {
        let selector = self.selector.clone().unwrap_or_default();
        selector.choose(hyper.kernel.as_ref(), x, self.surrogates.inducing, self.plan.seed)
    }
}
