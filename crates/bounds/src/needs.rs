//! What a bound is built on, and how its cost grows.

use crate::SurrogateKind;

/// Something a [`Problem`](crate::Problem) computes once for all bounds that read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// [`Problem::nystrom`](crate::Problem::nystrom).
    Nystrom,
    /// [`Problem::surrogate`](crate::Problem::surrogate).
    Surrogate(SurrogateKind),
    /// [`Problem::exact_trace`](crate::Problem::exact_trace).
    Trace(SurrogateKind),
    /// [`Problem::moments`](crate::Problem::moments).
    Moments(SurrogateKind),
}

impl Part {
    /// A surrogate, with the Nyström system where it has a low-rank part.
    pub(crate) fn of_surrogate(kind: SurrogateKind) -> Vec<Self> {
        let system = kind.needs_inducing_points().then_some(Self::Nystrom);
        system.into_iter().chain([Self::Surrogate(kind)]).collect()
    }
}

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
    pub(crate) fn of(parts: &[Part]) -> Self {
        let has = |kind| parts.contains(&Part::Surrogate(kind));
        Self {
            inducing_points: parts.contains(&Part::Nystrom),
            neighbours: has(SurrogateKind::Vecchia) || has(SurrogateKind::Vif),
            blocks: has(SurrogateKind::Pitc),
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

impl CostClass {
    pub(crate) fn of(parts: &[Part]) -> Self {
        let of = |part: &Part| match part {
            Part::Trace(_) | Part::Moments(_) => Self::Quadratic,
            Part::Surrogate(SurrogateKind::Vif) => Self::Both,
            Part::Surrogate(SurrogateKind::Pitc) => Self::Blocks,
            Part::Surrogate(SurrogateKind::Vecchia) => Self::Neighbours,
            Part::Surrogate(SurrogateKind::Nystrom | SurrogateKind::Fitc) | Part::Nystrom => {
                Self::InducingPoints
            }
        };
        parts.iter().map(of).max().unwrap_or(Self::InducingPoints)
    }
}
