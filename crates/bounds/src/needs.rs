//! What a bound is built on, and how its cost grows.

use crate::SurrogateKind;

/// The optional parts of a [`Problem`](crate::Problem) that a bound is built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Inducing points, [`with_inducing_points`](crate::Problem::with_inducing_points).
    pub inducing_points: bool,
    /// Neighbours, [`with_neighbours`](crate::Problem::with_neighbours).
    pub neighbours: bool,
    /// Blocks, [`with_blocks`](crate::Problem::with_blocks).
    pub blocks: bool,
}

impl Needs {
    /// Inducing points alone.
    pub const INDUCING_POINTS: Self =
        Self { inducing_points: true, neighbours: false, blocks: false };
    /// Neighbours alone.
    pub const NEIGHBOURS: Self = Self { inducing_points: false, neighbours: true, blocks: false };
    /// Inducing points and neighbours.
    pub const BOTH: Self = Self { inducing_points: true, neighbours: true, blocks: false };
    /// Inducing points and blocks.
    pub const BLOCKS: Self = Self { inducing_points: true, neighbours: false, blocks: true };
}

impl From<SurrogateKind> for Needs {
    fn from(kind: SurrogateKind) -> Self {
        match kind {
            SurrogateKind::Nystrom | SurrogateKind::Fitc => Self::INDUCING_POINTS,
            SurrogateKind::Pitc => Self::BLOCKS,
            SurrogateKind::Vecchia => Self::NEIGHBOURS,
            SurrogateKind::Vif => Self::BOTH,
        }
    }
}

/// How the cost of a bound grows with the number of rows N, by M inducing points, k neighbours and
/// blocks of b rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CostClass {
    /// O(N M²).
    InducingPoints,
    /// O(N k³).
    Neighbours,
    /// O(N b (M + b) + N M²).
    Blocks,
    /// O(N k² (k + M) + N M²).
    Both,
    /// A pass over the whole of K, O(N² (M + k)) time in O(N) memory: a certificate, not an objective.
    Quadratic,
}
