//! How evidence is estimated, how a model is trained, and how it predicts.

use gp_core::{AdamOptions, Floors, GpError, LbfgsOptions, TrainOptions, TrainingPlan};
use linalg_cg::LinalgError;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// The surrogate covariance P ≈ K that preconditions, and whose determinant is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preconditioning {
    /// Partial Cholesky factorisation with greedy pivots; rank 0 is P = σ²I.
    PivotedCholesky {
        /// At most so many pivots; fewer where no more is to be gained.
        rank: usize,
    },
    /// The Nyström matrix of these points `[M, D]`.
    InducingPoints(Array2<f64>),
    /// Every row given its nearest predecessors.
    Vecchia {
        /// How many.
        neighbours: usize,
    },
    /// Pivots where what they leave of the covariance, tr(k(X, X) − Q), is at most that of the noise, Nσ²;
    /// Vecchia elsewhere. By values alone, and anew wherever parts are chosen anew: throughout L-BFGS it is
    /// what it was at its start.
    Auto {
        /// At most so many pivots.
        rank: usize,
        /// Neighbours of Vecchia.
        neighbours: usize,
    },
}

impl Default for Preconditioning {
    fn default() -> Self {
        Self::PivotedCholesky { rank: 100 }
    }
}

/// The law of the probe vectors z, E zzᵀ = I, before they are coloured by P.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeKind {
    /// ±1: what stands on the diagonal adds no variance.
    #[default]
    Rademacher,
    /// Standard normal.
    Gaussian,
}

/// How log|K| and its gradient are estimated.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `probes` | 16 | ≥ 2, for there to be a standard error |
/// | `kind` | [`ProbeKind::Rademacher`] | |
/// | `preconditioning` | pivoted Cholesky of rank 100 | |
/// | `tolerance` | 1e-6 | in (0, 1): √(rᵀP⁻¹r / wᵀP⁻¹w) at which a probe's solve ends |
/// | `nats` | 1e-6 | > 0: what the solve for y may leave; a model's estimate has its α |
/// | `max_steps` | 1000 | ≥ 1 steps of conjugate gradients |
/// | `cache_bytes` | 512 MiB | for tiles of K, kept where that pays |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimatorOptions {
    /// Number of probe vectors t.
    pub probes: usize,
    /// Their law.
    pub kind: ProbeKind,
    /// The surrogate.
    pub preconditioning: Preconditioning,
    /// Relative residual of the probes' solves, measured by P.
    pub tolerance: f64,
    /// Slack of the quadratic term, nats.
    pub nats: f64,
    /// Cap on steps.
    pub max_steps: usize,
    /// Memory for tiles of the kernel matrix.
    pub cache_bytes: u64,
}

impl Default for EstimatorOptions {
    fn default() -> Self {
        Self {
            probes: 16,
            kind: ProbeKind::default(),
            preconditioning: Preconditioning::default(),
            tolerance: 1e-6,
            nats: 1e-6,
            max_steps: 1000,
            cache_bytes: 512 << 20,
        }
    }
}

impl EstimatorOptions {
    /// What training takes: solves to 1 %, which a gradient that chance moves by more hardly notices.
    #[must_use]
    pub fn for_training() -> Self {
        Self { tolerance: 0.01, nats: 0.01, ..Self::default() }
    }

    pub(crate) fn check(&self) -> Result<(), GpError> {
        at_least("probes", self.probes, 2, "at least 2, for there to be a standard error")?;
        at_least("max_steps", self.max_steps, 1, "at least 1")?;
        inside("tolerance", self.tolerance, 1.0, "above 0 and below 1")?;
        inside("nats", self.nats, f64::INFINITY, "a finite number above 0")
    }
}

/// How the variance of a prediction is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variance {
    /// From a Krylov space of this dimension, built once (Pleiss et al. 2018), completed for each
    /// input by the rows that are left most correlated with it. Never below the exact variance.
    Love {
        /// Dimension R of the space.
        rank: usize,
        /// Rows that complete it for one input.
        neighbours: usize,
    },
    /// A solve for every input, to 1e-12 of the prior variance.
    Exact,
}

impl Default for Variance {
    fn default() -> Self {
        Self::Love { rank: 200, neighbours: 30 }
    }
}

/// How a model is conditioned and predicts.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `preconditioning` | pivoted Cholesky of rank 100 | |
/// | `variance` | LOVE of rank 200 with 30 neighbours | |
/// | `nats` | 1e-3 | > 0: what the solves for the mean and for draws may leave of their quadratic terms; the mean is then off by at most √(2 nats) prior standard deviations |
/// | `max_steps` | 2000 | steps of conjugate gradients |
/// | `features` | 2048 | ≥ 1 random features of a draw |
/// | `cache_bytes` | 512 MiB | for tiles of K, kept where that pays |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredictionOptions {
    /// The surrogate that preconditions.
    pub preconditioning: Preconditioning,
    /// LOVE or solves.
    pub variance: Variance,
    /// Slack of the quadratic term left by the solve for the mean, nats.
    pub nats: f64,
    /// Cap on steps.
    pub max_steps: usize,
    /// Random features that stand for the prior in a draw.
    pub features: usize,
    /// Memory for tiles of the kernel matrix.
    pub cache_bytes: u64,
}

impl Default for PredictionOptions {
    fn default() -> Self {
        Self {
            preconditioning: Preconditioning::default(),
            variance: Variance::default(),
            nats: 1e-3,
            max_steps: 2000,
            features: 2048,
            cache_bytes: 512 << 20,
        }
    }
}

impl PredictionOptions {
    pub(crate) fn check(&self) -> Result<(), GpError> {
        at_least("features", self.features, 1, "at least 1")?;
        inside("nats", self.nats, f64::INFINITY, "a finite number above 0")
    }
}

/// How the gradient of log|K| is estimated in training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GradientEstimator {
    /// Probes coloured by the surrogate, whose own gradient is exact: the noise vanishes as P → K.
    #[default]
    Hutchinson,
    /// Probes drawn from the prior through random features, fixed throughout, so that each solve
    /// starts from the last and may end early (Lin et al. 2024). With Adam only.
    Pathwise {
        /// Random features of each probe.
        features: usize,
        /// Steps after which a solve is ended.
        max_steps: usize,
    },
}

/// How the optimisers follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// L-BFGS, then Adam, on a random subset; then Adam on all rows. The last has as many steps as
    /// [`IterativeOptions::adam`] says. Source: Wang et al.
    /// (2019), as Artemev et al. (2021) describe it in their experiments.
    Staged {
        /// Rows of the subset; all of them where there are no more.
        rows: usize,
        /// Steps of L-BFGS.
        lbfgs_steps: usize,
        /// Steps of Adam.
        adam_steps: usize,
    },
    /// L-BFGS on all rows, the probes the same throughout.
    Lbfgs,
}

impl Default for Schedule {
    fn default() -> Self {
        Self::Staged { rows: 10_000, lbfgs_steps: 10, adam_steps: 10 }
    }
}

/// How a model is fitted.
///
/// | option | default |
/// | --- | --- |
/// | `plan` | see [`TrainingPlan`]; the noise floor is 1e-4 here |
/// | `schedule` | [`Schedule::Staged`] as Wang et al. (2019) |
/// | `adam` | 30 steps of 0.1 on all rows |
/// | `gradient` | [`GradientEstimator::Hutchinson`] |
/// | `training` | [`EstimatorOptions::for_training`] |
/// | `prediction` | see [`PredictionOptions`] |
#[derive(Debug, Clone)]
pub struct IterativeOptions {
    /// Starts, limits, floors, fixed parameters, priors.
    pub plan: TrainingPlan,
    /// Which optimiser when.
    pub schedule: Schedule,
    /// The last optimiser of the staged schedule.
    pub adam: AdamOptions,
    /// Where gradients come from.
    pub gradient: GradientEstimator,
    /// The estimate that is maximised.
    pub training: EstimatorOptions,
    /// The fitted model.
    pub prediction: PredictionOptions,
}

impl Default for IterativeOptions {
    fn default() -> Self {
        Self {
            plan: TrainingPlan {
                floors: Floors { noise_variance: 1e-4, ..Floors::default() },
                ..TrainingPlan::default()
            },
            schedule: Schedule::default(),
            adam: AdamOptions { steps: 30, ..AdamOptions::default() },
            gradient: GradientEstimator::default(),
            training: EstimatorOptions::for_training(),
            prediction: PredictionOptions::default(),
        }
    }
}

impl IterativeOptions {
    pub(crate) fn check(&self) -> Result<(), GpError> {
        self.training.check()?;
        self.prediction.check()?;
        inside("learning_rate", self.adam.learning_rate, f64::INFINITY, "above 0 and finite")?;
        if let Schedule::Staged { rows, .. } = self.schedule {
            at_least("rows", rows, 1, "at least 1")?;
        }
        if let GradientEstimator::Pathwise { features, max_steps } = self.gradient {
            at_least("features", features, 1, "at least 1")?;
            at_least("max_steps", max_steps, 1, "at least 1")?;
            if self.schedule == Schedule::Lbfgs {
                let accepted = "the staged schedule with it: a pathwise gradient has no value for a line search";
                return Err(refuse("features", features as f64, accepted));
            }
        }
        Ok(())
    }

    /// The limits of the first optimiser.
    pub(crate) fn train_options(&self) -> TrainOptions {
        let mut options = self.plan.options;
        if let Schedule::Staged { lbfgs_steps, .. } = self.schedule {
            let max_iters = lbfgs_steps.min(options.lbfgs.max_iters);
            options.lbfgs = LbfgsOptions { max_iters, ..options.lbfgs };
        }
        options
    }
}

fn refuse(option: &'static str, found: f64, accepted: &'static str) -> GpError {
    LinalgError::InvalidOption { option, found, accepted }.into()
}

fn at_least(
    option: &'static str,
    found: usize,
    least: usize,
    accepted: &'static str,
) -> Result<(), GpError> {
    if found >= least { Ok(()) } else { Err(refuse(option, found as f64, accepted)) }
}

fn inside(
    option: &'static str,
    found: f64,
    end: f64,
    accepted: &'static str,
) -> Result<(), GpError> {
    if found > 0.0 && found < end { Ok(()) } else { Err(refuse(option, found, accepted)) }
}
