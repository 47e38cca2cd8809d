//! What can go wrong in this crate.

/// Why a model was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SsgpError {
    /// A neighbourhood is empty or larger than the training table.
    #[error(
        "`neighbourhood` is {found} rows, accepted are 1 to {n}, the number of training rows: choose a number in between"
    )]
    Neighbourhood {
        /// How many neighbours were asked for.
        found: usize,
        /// How many training rows there are.
        n: usize,
    },
}
