//! What can go wrong in this crate.

/// Why a model was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IterativeGpError {
    /// The relative residual at which conjugate gradients stop is not between 0 and 1.
    #[error("`cg_tolerance` is {found}, accepted are values above 0 and below 1: 0.01 is usual")]
    CgTolerance {
        /// The relative residual asked for.
        found: f64,
    },
}
