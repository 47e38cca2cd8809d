//! Options that only the iterative method has a use for.

use gp_core::GpError;
use linalg_cg::LinalgError;

use crate::Setting;

/// How the gradient of the log-determinant is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TraceEstimator {
    /// Probes coloured by the preconditioner, whose own part is exact.
    #[default]
    Hutchinson,
    /// Probes from the prior, solves that start from the last and end early.
    Pathwise,
}

/// What training steps by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Optimizer {
    /// L-BFGS and Adam on a subset of the rows, then Adam on all.
    #[default]
    Adam,
    /// L-BFGS on all rows, the probes held still.
    Lbfgs,
}

/// Where the variance of a prediction comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum VarianceFrom {
    /// A Krylov space built once.
    #[default]
    Love,
    /// A solve for each row.
    Solves,
}

/// Options of the iterative method; `None` is the default.
///
/// | option | default |
/// | --- | --- |
/// | `probes` | 16 random vectors, at least 2 |
/// | `preconditioner_rank` | 100 pivots of the partial Cholesky factorisation; given without a choice of preconditioner, they are it, and 0 is σ² |
/// | `estimator` | [`TraceEstimator::Hutchinson`] |
/// | `optimizer` | [`Optimizer::Adam`] |
/// | `pretrain_rows` | 10 000 rows of the first optimisers, drawn by the seed |
/// | `adam_steps` | 30 steps of 0.1 on all rows |
/// | `variance` | [`VarianceFrom::Love`] |
/// | `love_rank` | 200, the dimension of its space |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IterativeSettings {
    /// Random vectors of an estimate.
    pub probes: Option<usize>,
    /// Pivots of the preconditioner.
    pub preconditioner_rank: Option<usize>,
    /// Where gradients come from.
    pub estimator: Option<TraceEstimator>,
    /// Which optimiser sees all rows.
    pub optimizer: Option<Optimizer>,
    /// Rows of the subset.
    pub pretrain_rows: Option<usize>,
    /// Steps of Adam on all rows.
    pub adam_steps: Option<usize>,
    /// Where variances come from.
    pub variance: Option<VarianceFrom>,
    /// Dimension of LOVE's space.
    pub love_rank: Option<usize>,
}

impl IterativeSettings {
    /// The options given.
    #[must_use]
    pub fn given(&self) -> Vec<Setting> {
        let given = [
            (self.probes.is_some(), Setting::Probes),
            (self.preconditioner_rank.is_some(), Setting::PreconditionerRank),
            (self.estimator.is_some(), Setting::Estimator),
            (self.optimizer.is_some(), Setting::Optimizer),
            (self.pretrain_rows.is_some(), Setting::PretrainRows),
            (self.adam_steps.is_some(), Setting::AdamSteps),
            (self.variance.is_some(), Setting::Variance),
            (self.love_rank.is_some(), Setting::LoveRank),
        ];
        given.into_iter().filter_map(|(is, setting)| is.then_some(setting)).collect()
    }

    /// Refuses numbers out of range, and options another of them leaves without effect.
    ///
    /// # Errors
    /// [`GpError::Linalg`] and [`GpError::UnusedOption`].
    pub fn check(&self) -> Result<(), GpError> {
        at_least("probes", self.probes, 2, "at least 2, for there to be a standard error")?;
        at_least("pretrain-rows", self.pretrain_rows, 1, "at least 1")?;
        at_least("adam-steps", self.adam_steps, 1, "at least 1")?;
        if self.variance == Some(VarianceFrom::Solves) && self.love_rank.is_some() {
            return Err(unused("love-rank", "iterative --variance solves", "--variance love"));
        }
        if self.optimizer != Some(Optimizer::Lbfgs) {
            return Ok(());
        }
        let of_adam = [
            ("pretrain-rows", self.pretrain_rows.is_some()),
            ("adam-steps", self.adam_steps.is_some()),
            // A pathwise gradient has no value for a line search.
            ("estimator pathwise", self.estimator == Some(TraceEstimator::Pathwise)),
        ];
        match of_adam.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                Err(unused(option, "iterative --optimizer lbfgs", "--optimizer adam"))
            }
            None => Ok(()),
        }
    }
}

fn unused(option: &'static str, method: &'static str, instead: &str) -> GpError {
    GpError::UnusedOption { option, method, used_by: format!("iterative {instead}") }
}

/// Refuses a number below `least`.
pub(crate) fn at_least(
    option: &'static str,
    found: Option<usize>,
    least: usize,
    accepted: &'static str,
) -> Result<(), GpError> {
    match found {
        Some(found) if found < least => {
            Err(LinalgError::InvalidOption { option, found: found as f64, accepted }.into())
        }
        _ => Ok(()),
    }
}
