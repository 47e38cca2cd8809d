//! Options of `taut fit --method iterative`.

use clap::{Args, ValueEnum};
use taut::{IterativeSettings, Optimizer, TraceEstimator, VarianceFrom};

use super::numbers::positive;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EstimatorChoice {
    /// Probes coloured by the preconditioner, whose own gradient is exact
    Hutchinson,
    /// Probes from the prior, warm starts, solves that end early
    Pathwise,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OptimizerChoice {
    /// L-BFGS and Adam on a subset of the rows, then Adam on all, with new probes each step
    Adam,
    /// L-BFGS on all rows, the probes held still
    Lbfgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VarianceChoice {
    /// A Krylov space built once; never below the exact variance
    Love,
    /// A solve for each row
    Solves,
}

/// What only the iterative method has a use for.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of --method iterative")]
pub(crate) struct IterativeArgs {
    /// Random vectors behind an estimate and its standard error [default: 16]
    #[arg(long, value_name = "T", value_parser = positive)]
    pub(crate) probes: Option<usize>,
    /// Pivots of the partial Cholesky preconditioner, which given alone chooses --preconditioner
    /// nystrom; 0 for none [default: 100]
    #[arg(long, value_name = "R")]
    pub(crate) preconditioner_rank: Option<usize>,
    /// How the gradient of the log-determinant is estimated [default: hutchinson]
    #[arg(long, value_enum)]
    pub(crate) estimator: Option<EstimatorChoice>,
    /// What training steps by [default: adam]
    #[arg(long, value_enum)]
    pub(crate) optimizer: Option<OptimizerChoice>,
    /// Rows of the first optimisers, drawn by the seed [default: 10000]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) pretrain_rows: Option<usize>,
    /// Steps of Adam on all rows [default: 30]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) adam_steps: Option<usize>,
    /// Where variances of predictions come from [default: love]
    #[arg(long, value_enum)]
    pub(crate) variance: Option<VarianceChoice>,
    /// Dimension of the space of --variance love [default: 200]
    #[arg(long, value_name = "R")]
    pub(crate) love_rank: Option<usize>,
}

impl IterativeArgs {
    pub(crate) fn settings(&self) -> IterativeSettings {
        IterativeSettings {
            probes: self.probes,
            preconditioner_rank: self.preconditioner_rank,
            estimator: self.estimator.map(|choice| match choice {
                EstimatorChoice::Hutchinson => TraceEstimator::Hutchinson,
                EstimatorChoice::Pathwise => TraceEstimator::Pathwise,
            }),
            optimizer: self.optimizer.map(|choice| match choice {
                OptimizerChoice::Adam => Optimizer::Adam,
                OptimizerChoice::Lbfgs => Optimizer::Lbfgs,
            }),
            pretrain_rows: self.pretrain_rows,
            adam_steps: self.adam_steps,
            variance: self.variance.map(|choice| match choice {
                VarianceChoice::Love => VarianceFrom::Love,
                VarianceChoice::Solves => VarianceFrom::Solves,
            }),
            love_rank: self.love_rank,
        }
    }
}
