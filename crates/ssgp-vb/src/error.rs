//! What can go wrong in this crate.

/// Why a fit or a prediction was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SsgpError {
    /// A neighbourhood is too small to tell noise from signal, or larger than the training table.
    #[error(
        "`neighbours` is {found} rows, accepted are 2 to {n}, the number of training rows: choose a number in between"
    )]
    Neighbourhood {
        /// How many neighbours were asked for.
        found: usize,
        /// How many training rows there are.
        n: usize,
    },
    /// Too few rows: with one, the noise has no finite mean.
    #[error("`x` has {found} rows, at least 2 are needed to tell the noise from the signal")]
    TooFewRows {
        /// Rows given.
        found: usize,
    },
    /// A target without spread.
    #[error("all values of `y` are {value}: there is nothing to fit, predict that value instead")]
    ConstantTarget {
        /// The value.
        value: f64,
    },
    /// An option out of range.
    #[error("`{option}` is {found}, accepted is {accepted}")]
    Option {
        /// Its name.
        option: &'static str,
        /// The value given.
        found: f64,
        /// The range.
        accepted: &'static str,
    },
    /// A covariance that is none.
    #[error("`{argument}` is not a finite symmetric positive definite matrix: give a covariance")]
    NotCovariance {
        /// Name of the argument.
        argument: &'static str,
    },
    /// The lower bound has no finite value at a start.
    #[error(
        "the lower bound is {bound} at the start, lambda = {start}: scale the inputs to [-1, 1], or start with a smaller variance"
    )]
    BadStart {
        /// The bound found.
        bound: f64,
        /// The mean of the first λ at that start.
        start: f64,
    },
    /// The observer asked to stop before there was a result.
    #[error("interrupted")]
    Interrupted,
    /// Shapes and values that `gp-core` refuses.
    #[error(transparent)]
    Gp(#[from] gp_core::GpError),
    /// From the search for neighbours.
    #[error(transparent)]
    Tree(#[from] kdtree::ErrorKind),
    /// From `linalg-cg`.
    #[error(transparent)]
    Linalg(#[from] linalg_cg::LinalgError),
}

/// For the `Posterior` of `gp-core`: what has a counterpart there keeps its type.
impl From<SsgpError> for gp_core::GpError {
    fn from(error: SsgpError) -> Self {
        match error {
            SsgpError::Gp(error) => error,
            SsgpError::Linalg(error) => error.into(),
            SsgpError::Interrupted => Self::Interrupted,
            other => Self::BadStart { reason: other.to_string() },
        }
    }
}
