//! What can go wrong when a bound is evaluated.

use kernels::KernelError;
use linalg_cg::LinalgError;
use thiserror::Error;

/// Errors of this crate; every message names the argument and what would be accepted.
///
/// Jitter that had to be raised and conjugate gradients that stopped early are not errors: they are
/// reported as data ([`NystromSystem::jitter`](crate::NystromSystem::jitter),
/// the reports of [`solve_auxiliary`](crate::solve_auxiliary)): every bound stays valid with them.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BoundError {
    /// The bound is built on inducing points and the problem has none.
    #[error(
        "`inducing_points` are absent and this bound is built on them; give an [M, D] array with `Problem::with_inducing_points`"
    )]
    NeedsInducingPoints,
    /// The bound is built on nearest neighbours and the problem has none.
    #[error(
        "`neighbours` are absent and this bound is built on them; give a number with `Problem::with_neighbours`"
    )]
    NeedsNeighbours,
    /// The bound is built on blocks of rows and the problem has none.
    #[error(
        "`blocks` are absent and this bound is built on them; give a size with `Problem::with_blocks`"
    )]
    NeedsBlocks,
    /// A block of rows without rows.
    #[error("a block has no rows; give blocks of at least one row")]
    EmptyBlock,
    /// Blocks that are conditioned on each other.
    #[error(
        "`blocks` have parents, and must be independent; make them with `VecchiaStructure::blocks`"
    )]
    BlocksWithParents,
    /// The problem has no data rows.
    #[error("`x` has no rows; at least one is needed")]
    NoData,
    /// σ² = noise variance + white variance must be finite and positive.
    #[error(
        "the noise variance plus the white kernel's variance is {value}, accepted are finite numbers > 0; the bounds divide by it, so give a small noise such as 1e-8 times the kernel's variance"
    )]
    InvalidNoiseVariance {
        /// The sum found.
        value: f64,
    },
    /// The jitter must be finite and not negative.
    #[error(
        "`jitter` is {value} and is added to the diagonal of k(Z, Z); give a finite number >= 0"
    )]
    InvalidJitter {
        /// The jitter found.
        value: f64,
    },
    /// The stopping tolerance of conjugate gradients must be finite and positive.
    #[error("`tolerance_nats` is {value}; give a finite number > 0")]
    InvalidTolerance {
        /// The tolerance found.
        value: f64,
    },
    /// An argument's length disagrees with the data.
    #[error("`{argument}` has length {found}, expected {expected}; give as many as that")]
    ShapeMismatch {
        /// Name of the argument.
        argument: &'static str,
        /// The length the other arguments call for.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// An argument holds NaN or an infinity.
    #[error(
        "`{argument}` is {value} at row {row}, column {column}; remove or replace it, only finite numbers are accepted"
    )]
    NotFinite {
        /// Name of the argument.
        argument: &'static str,
        /// First bad row, counted from 0.
        row: usize,
        /// Its first bad column, counted from 0.
        column: usize,
        /// The value found there.
        value: f64,
    },
    /// A matrix that must be positive definite is not, numerically.
    #[error(
        "the {matrix} of size {n} is not positive definite with {jitter} added to its diagonal; raise the noise variance or the jitter, or remove near-duplicate rows"
    )]
    NotPositiveDefinite {
        /// Which matrix, in words.
        matrix: &'static str,
        /// Its number of rows.
        n: usize,
        /// The largest diagonal addition tried.
        jitter: f64,
    },
    /// An ordering that is not a permutation of the rows.
    #[error("`order` names row {row} {times} times; name each of the {n} rows once")]
    InvalidOrder {
        /// The offending row.
        row: usize,
        /// How often it occurs.
        times: usize,
        /// Number of data rows.
        n: usize,
    },
    /// A neighbour that does not come earlier in the ordering.
    #[error(
        "`parents` of row {row} name row {parent}, which does not precede it in `order` or is named twice; name earlier rows, each once"
    )]
    InvalidParent {
        /// The conditioned row.
        row: usize,
        /// The offending neighbour.
        parent: usize,
    },
    /// A bound that gives neither a sensitivity nor a gradient.
    #[error("the bound `{bound}` has no gradient; evaluate it, or train with another")]
    NoGradient {
        /// Its name.
        bound: &'static str,
    },
    /// The bound's value overflowed.
    #[error(
        "the bound is not a finite number at these hyperparameters; use others, or leave it out"
    )]
    NotRepresentable,
    /// The kernel refused the inputs.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The linear algebra refused its arguments.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
}
