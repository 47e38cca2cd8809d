//! What one evaluation of the bound is told beside data and parameters.

use bounds::{BoundError, LogDetBound, Part, SurrogateKind};
use gp_core::GpError;
use serde::{Deserialize, Serialize};
use sparse_gp::Jitter;

use crate::bound::Bound;
use crate::preconditioning::Preconditioning;

/// What predictive variances are conditioned on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum VarianceFrom {
    /// So many of the training points nearest to each new one: never below the exact posterior's,
    /// but for rounding, and near it with a hundred.
    Neighbours(usize),
    /// Inducing points, as in the paper: SGPR's, which where inducing points are few is many times
    /// the exact one between them, and below it at them.
    InducingPoints,
}

impl Default for VarianceFrom {
    fn default() -> Self {
        Self::Neighbours(128)
    }
}

/// In which precision conjugate gradients multiply their directions. Residuals, bounds, gradients and
/// predictions are in double precision, whatever this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchPrecision {
    /// Double: what is reported never gets worse when more steps are allowed.
    Double,
    /// Single while training, twice as fast or nearly so; double for the model that predicts and is
    /// certified.
    SingleInTraining,
    /// Single for that model too: with little noise, steps may lose what earlier ones have gained.
    Single,
}

impl SearchPrecision {
    /// That of the model that predicts and is certified.
    pub(crate) fn of_model(self) -> Self {
        if self == Self::SingleInTraining { Self::Double } else { self }
    }
}

/// How the bound is evaluated and its auxiliary vector found.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `bound` | `arithmetic-geometric`, the paper's | see [`Bound::names`] |
/// | `jitter` | [`Jitter::Relative`] of 1e-6 | ≥ 0 |
/// | `neighbours` | 30 | any; for bounds and preconditioners that condition on neighbours |
/// | `block` | 64 rows | ≥ 1; for bounds on blocks |
/// | `training_tolerance` | 1 nat | > 0 |
/// | `prediction_tolerance` | 1e-3 nats | > 0 |
/// | `cg_max_steps` | 1000 | any; 0 leaves v = 0 |
/// | `restart_every` | 40 | any; steps between true residuals, 0 for never |
/// | `preconditioning` | [`Preconditioning::Nystrom`] | |
/// | `search` | [`SearchPrecision::SingleInTraining`] | products along search directions only |
/// | `variance` | [`VarianceFrom::Neighbours`] of 128 | of predictions |
#[derive(Debug, Clone)]
pub struct CglbSettings {
    /// The upper bound on log|K|.
    pub bound: Bound,
    /// On the diagonal of Kuu.
    pub jitter: Jitter,
    /// Neighbours each row is conditioned on, where anything is.
    pub neighbours: usize,
    /// Rows of a block, at most, where the bound splits them.
    pub block: usize,
    /// Conjugate gradients stop in training once ½ rᵀQ⁻¹r is at most this, in nats per target, and at 0.003 of
    /// what a step of training gains if that is less.
    pub training_tolerance: f64,
    /// The same for the model that predicts and is certified.
    pub prediction_tolerance: f64,
    /// The most steps of one solve.
    pub cg_max_steps: usize,
    /// Steps between two computations of the true residual.
    pub restart_every: usize,
    /// What speeds conjugate gradients up.
    pub preconditioning: Preconditioning,
    /// In which precision directions are multiplied, where the kernel can.
    pub search: SearchPrecision,
    /// What predictive variances are conditioned on.
    pub variance: VarianceFrom,
}

impl Default for CglbSettings {
    fn default() -> Self {
        Self {
            bound: Bound::default(),
            jitter: Jitter::default(),
            neighbours: 30,
            block: 64,
            training_tolerance: 1.0,
            prediction_tolerance: 1e-3,
            cg_max_steps: 1000,
            restart_every: 40,
            preconditioning: Preconditioning::default(),
            search: SearchPrecision::SingleInTraining,
            variance: VarianceFrom::default(),
        }
    }
}

impl CglbSettings {
    /// Tolerances that are positive, a jitter that is not negative, blocks that hold something.
    pub(crate) fn check(&self) -> Result<(), GpError> {
        let (Jitter::Relative(jitter) | Jitter::Absolute(jitter)) = self.jitter;
        if !(jitter.is_finite() && jitter >= 0.0) {
            return Err(BoundError::InvalidJitter { value: jitter }.into());
        }
        if self.block == 0 {
            return Err(BoundError::EmptyBlock.into());
        }
        for value in [self.training_tolerance, self.prediction_tolerance] {
            if !(value.is_finite() && value > 0.0) {
                return Err(BoundError::InvalidTolerance { value }.into());
            }
        }
        Ok(())
    }

    /// The surrogates that the bound and the preconditioner are built on.
    pub(crate) fn surrogates(&self) -> Vec<SurrogateKind> {
        let of_bound = self.bound.parts().into_iter().filter_map(|part| match part {
            Part::Surrogate(kind) => Some(kind),
            _ => None,
        });
        let vecchia = self.preconditioning == Preconditioning::Vecchia;
        of_bound.chain(vecchia.then_some(SurrogateKind::Vecchia)).collect()
    }

    /// Whether orderings, neighbours or blocks are needed at all.
    pub(crate) fn uses_structures(&self) -> bool {
        let needs = self.bound.needs();
        needs.neighbours || needs.blocks || self.preconditioning == Preconditioning::Vecchia
    }
}
