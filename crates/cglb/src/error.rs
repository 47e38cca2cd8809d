//! What can go wrong in this crate.

/// Why a model was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CglbError {
    /// The tolerance of conjugate gradients is not a positive number of nats.
    #[error(
        "`cg_tolerance` is {found} nats, accepted are finite values above 0: 1 is usual in training, 1e-3 in prediction"
    )]
    CgTolerance {
        /// The tolerance asked for, in nats.
        found: f64,
    },
}
