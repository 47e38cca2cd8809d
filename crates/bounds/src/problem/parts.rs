//! What a problem builds once, and how.

use super::{Blocks, Problem};
use crate::surrogate::{
    NystromSystem, VecchiaFactors, VecchiaStructure, most_correlated, space_partition,
};
use crate::{BoundError, Moments, Surrogate, SurrogateKind};
use ndarray::Array2;
use std::sync::{Arc, OnceLock};

/// Where sparse factors take their ordering and neighbours from.
#[derive(Debug, Clone)]
pub(super) enum Neighbourhood {
    Absent,
    Nearest(usize),
    NearestBlocks { block: usize, k: usize },
    Given(Arc<VecchiaStructure>),
}

type Once<T> = OnceLock<Result<T, BoundError>>;

/// Built when first asked, then shared.
#[derive(Debug, Default)]
pub(super) struct Built {
    nystrom: Once<Arc<NystromSystem>>,
    surrogates: [Once<Surrogate>; SurrogateKind::ALL.len()],
    traces: [Once<f64>; SurrogateKind::ALL.len()],
    moments: [Once<Moments>; SurrogateKind::ALL.len()],
}

impl Built {
    pub(super) fn with_nystrom(system: NystromSystem) -> Self {
        Self { nystrom: OnceLock::from(Ok(Arc::new(system))), ..Self::default() }
    }

    /// The Nyström system alone; the surrogates that share it are dropped.
    pub(super) fn into_nystrom(self) -> Option<NystromSystem> {
        let Self { nystrom, surrogates, .. } = self;
        drop(surrogates);
        nystrom.into_inner().and_then(Result::ok).and_then(Arc::into_inner)
    }

    pub(super) fn nystrom(
        &self,
        build: impl FnOnce() -> Result<NystromSystem, BoundError>,
    ) -> Result<&Arc<NystromSystem>, BoundError> {
        shared(&self.nystrom, || build().map(Arc::new))
    }

    pub(super) fn surrogate(
        &self,
        kind: SurrogateKind,
        build: impl FnOnce() -> Result<Surrogate, BoundError>,
    ) -> Result<&Surrogate, BoundError> {
        shared(&self.surrogates[kind as usize], build)
    }

    pub(super) fn exact_trace(
        &self,
        kind: SurrogateKind,
        build: impl FnOnce() -> Result<f64, BoundError>,
    ) -> Result<f64, BoundError> {
        shared(&self.traces[kind as usize], build).copied()
    }

    pub(super) fn moments(
        &self,
        kind: SurrogateKind,
        build: impl FnOnce() -> Result<Moments, BoundError>,
    ) -> Result<Moments, BoundError> {
        shared(&self.moments[kind as usize], build).copied()
    }
}

fn shared<T>(
    cell: &Once<T>,
    build: impl FnOnce() -> Result<T, BoundError>,
) -> Result<&T, BoundError> {
    cell.get_or_init(build).as_ref().map_err(Clone::clone)
}

impl Problem<'_> {
    pub(super) fn build(&self, kind: SurrogateKind) -> Result<Surrogate, BoundError> {
        if kind == SurrogateKind::Vecchia {
            let factors = VecchiaFactors::of(&self.entries(None), self.structure()?);
            return Ok(Surrogate::sparse_only(kind, factors));
        }
        let system = Arc::clone(self.shared_nystrom()?);
        let sparse = match kind {
            SurrogateKind::Nystrom => VecchiaFactors::scaled_identity(self.n(), self.sigma2()),
            _ => {
                let vt = transposed(&system);
                let structure = self.low_rank_structure(kind, &vt)?;
                VecchiaFactors::of(&self.entries(Some(&vt)), structure)
            }
        };
        Surrogate::with_low_rank(kind, sparse, system)
    }

    pub(super) fn find_structure(
        &self,
        kind: SurrogateKind,
    ) -> Result<Arc<VecchiaStructure>, BoundError> {
        match kind {
            SurrogateKind::Vecchia => self.structure(),
            SurrogateKind::Vif => self.low_rank_structure(kind, &transposed(self.nystrom()?)),
            SurrogateKind::Pitc => self.blocks(),
            SurrogateKind::Nystrom | SurrogateKind::Fitc => {
                Ok(Arc::new(VecchiaStructure::independent(self.n())))
            }
        }
    }

    /// That of the sparse part beside `vt` = Vᵀ.
    fn low_rank_structure(
        &self,
        kind: SurrogateKind,
        vt: &Array2<f64>,
    ) -> Result<Arc<VecchiaStructure>, BoundError> {
        match kind {
            SurrogateKind::Vif => self.residual_structure(vt),
            _ => self.find_structure(kind),
        }
    }

    /// Ordering and parents over K.
    fn structure(&self) -> Result<Arc<VecchiaStructure>, BoundError> {
        let embedded = || self.kernel.embed(self.x);
        Ok(match &self.neighbourhood {
            Neighbourhood::Absent => return Err(BoundError::NeedsNeighbours),
            Neighbourhood::Given(structure) => Arc::clone(structure),
            Neighbourhood::Nearest(k) => Arc::new(VecchiaStructure::nearest(&embedded(), *k)),
            Neighbourhood::NearestBlocks { block, k } => {
                Arc::new(VecchiaStructure::nearest_blocks(&embedded(), *block, *k))
            }
        })
    }

    /// Ordering and parents over R = K − VᵀV: by residual correlation unless something was given.
    fn residual_structure(&self, vt: &Array2<f64>) -> Result<Arc<VecchiaStructure>, BoundError> {
        match (&self.residual, &self.neighbourhood) {
            (Some(structure), _) => Ok(Arc::clone(structure)),
            (None, Neighbourhood::Nearest(k)) => Ok(Arc::new(most_correlated(self, vt, *k))),
            _ => self.structure(),
        }
    }

    /// Blocks of rows.
    fn blocks(&self) -> Result<Arc<VecchiaStructure>, BoundError> {
        match &self.blocks {
            None => Err(BoundError::NeedsBlocks),
            Some(Blocks::Given(blocks)) => Ok(Arc::clone(blocks)),
            Some(Blocks::Size(size)) => {
                let blocks = space_partition(&self.kernel.embed(self.x), *size);
                Ok(Arc::new(VecchiaStructure::blocks(blocks)?))
            }
        }
    }
}

/// Vᵀ, row-major.
fn transposed(system: &NystromSystem) -> Array2<f64> {
    system.v().t().as_standard_layout().into_owned()
}
