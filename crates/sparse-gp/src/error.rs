//! What can go wrong in this crate.

/// Why a model was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SparseGpError {
    /// The number of inducing points is zero or above the number of training rows.
    #[error(
        "`inducing_points` has {found} rows, accepted are 1 to {n}, the number of training rows: choose a number in between"
    )]
    InducingPoints {
        /// How many inducing points were asked for.
        found: usize,
        /// How many training rows there are.
        n: usize,
    },
}
