//! What can go wrong in this crate.

/// Why a model was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NaiveBayesError {
    /// The pseudo-count added to every category is negative or not finite.
    #[error("`alpha` is {found}, accepted are finite values of 0 or more: 1 is Laplace's rule")]
    Alpha {
        /// The pseudo-count asked for.
        found: f64,
    },
}
