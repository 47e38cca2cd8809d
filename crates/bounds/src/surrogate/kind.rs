//! The surrogates by name.

use std::fmt;

/// Which surrogate covariance C stands in for K.
///
/// ```text
/// C = VᵀV + Λ,   Q = VᵀV + σ²I,   R = D + σ²I = K − VᵀV
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SurrogateKind {
    /// Λ = σ²I: C = Q, with C ⪯ K. Needs inducing points.
    Nystrom,
    /// Λ = diag(R), fully independent conditionals. Needs inducing points.
    Fitc,
    /// Λ = blockdiag(R), partially independent conditionals. Needs inducing points and blocks.
    Pitc,
    /// V = 0 and Λ the Vecchia approximation of K. Needs neighbours.
    Vecchia,
    /// Λ the Vecchia approximation of R: Vecchia with inducing points, full-scale. Needs both.
    Vif,
}

impl SurrogateKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Nystrom, Self::Fitc, Self::Pitc, Self::Vecchia, Self::Vif];

    /// The word for it in the names of bounds.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nystrom => "nystrom",
            Self::Fitc => "fitc",
            Self::Pitc => "pitc",
            Self::Vecchia => "vecchia",
            Self::Vif => "vif",
        }
    }

    /// Whether V comes from inducing points.
    #[must_use]
    pub fn needs_inducing_points(self) -> bool {
        self != Self::Vecchia
    }
}

impl SurrogateKind {
    /// Whether its sparse part conditions rows on neighbours.
    #[must_use]
    pub fn has_neighbours(self) -> bool {
        matches!(self, Self::Vecchia | Self::Vif)
    }
}

impl fmt::Display for SurrogateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
