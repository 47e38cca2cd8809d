//! From hyperparameters and points to the problem that bounds are about.

use std::sync::Arc;

use bounds::{Problem, SurrogateKind, VecchiaStructure};
use gp_core::{GpError, Hyperparameters};
use ndarray::ArrayRef2;
use sparse_gp::Jitter;

use crate::preconditioning::Preconditioning;
use crate::settings::CglbSettings;

/// Orderings, neighbours and blocks: what gradients and line searches hold fixed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Structures {
    /// Over K.
    neighbours: Option<Arc<VecchiaStructure>>,
    /// Over what inducing points leave of K.
    residual: Option<Arc<VecchiaStructure>>,
    blocks: Option<Arc<VecchiaStructure>>,
    /// Neighbours over K that a preconditioner may come to ask for, found only then.
    nearest: Option<usize>,
}

impl Structures {
    /// Without any that gradients depend on.
    pub(crate) fn none(settings: &CglbSettings) -> Self {
        let auto = settings.preconditioning == Preconditioning::Auto;
        Self { nearest: auto.then_some(settings.neighbours), ..Self::default() }
    }

    /// Neighbours over K at these parameters, unless there are some already.
    pub(crate) fn ensure_neighbours(
        &mut self,
        hyper: &Hyperparameters,
        x: &ArrayRef2<f64>,
        settings: &CglbSettings,
    ) {
        self.neighbours.get_or_insert_with(|| {
            Arc::new(VecchiaStructure::nearest(&hyper.kernel.embed(x), settings.neighbours))
        });
    }

    /// Those that the bound and the preconditioner use, chosen at these parameters and points.
    pub(crate) fn choose(
        hyper: &Hyperparameters,
        z: &ArrayRef2<f64>,
        x: &ArrayRef2<f64>,
        settings: &CglbSettings,
    ) -> Result<Self, GpError> {
        let problem = problem(hyper, z, x, &Self::default(), settings.jitter)?
            .with_neighbours(settings.neighbours)
            .with_blocks(settings.block)?;
        let used = settings.surrogates();
        let of = |kind| -> Result<Option<Arc<VecchiaStructure>>, GpError> {
            Ok(used.contains(&kind).then(|| problem.structure_of(kind)).transpose()?)
        };
        Ok(Self {
            neighbours: of(SurrogateKind::Vecchia)?,
            residual: of(SurrogateKind::Vif)?,
            blocks: of(SurrogateKind::Pitc)?,
            ..Self::none(settings)
        })
    }
}

/// The problem at these parameters, with these structures.
pub(crate) fn problem<'a>(
    hyper: &'a Hyperparameters,
    z: &'a ArrayRef2<f64>,
    x: &'a ArrayRef2<f64>,
    structures: &Structures,
    jitter: Jitter,
) -> Result<Problem<'a>, GpError> {
    let problem = Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance)?;
    let mut problem = match jitter {
        Jitter::Relative(factor) => problem.with_relative_jitter(z, factor)?,
        Jitter::Absolute(value) => problem.with_inducing_points(z, value)?,
    };
    if let Some(neighbours) = structures.nearest {
        problem = problem.with_neighbours(neighbours);
    }
    if let Some(neighbours) = &structures.neighbours {
        problem = problem.with_shared_structure(Arc::clone(neighbours))?;
    }
    if let Some(residual) = &structures.residual {
        problem = problem.with_residual_structure(Arc::clone(residual))?;
    }
    if let Some(blocks) = &structures.blocks {
        problem = problem.with_shared_blocks(Arc::clone(blocks))?;
    }
    Ok(problem)
}
