//! From hyperparameters and points to the problem that bounds are about.

use std::sync::Arc;

use bounds::{Problem, VecchiaStructure};
use gp_core::{GpError, Hyperparameters};
use ndarray::{Array2, ArrayRef2, Axis};
use sparse_gp::Jitter;

use crate::settings::CglbSettings;

/// The problem at these parameters, with an ordering where one is given.
pub(crate) fn problem<'a>(
    hyper: &'a Hyperparameters,
    z: &'a ArrayRef2<f64>,
    x: &'a ArrayRef2<f64>,
    structure: Option<&Arc<VecchiaStructure>>,
    jitter: Jitter,
) -> Result<Problem<'a>, GpError> {
    let problem = Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance)?;
    let problem = match jitter {
        Jitter::Relative(factor) => problem.with_relative_jitter(z, factor)?,
        Jitter::Absolute(value) => problem.with_inducing_points(z, value)?,
    };
    Ok(match structure {
        Some(structure) => problem.with_shared_structure(Arc::clone(structure))?,
        None => problem,
    })
}

/// Ordering and neighbours at the current lengthscales, if anything conditions on neighbours.
pub(crate) fn structure(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    settings: &CglbSettings,
) -> Option<Arc<VecchiaStructure>> {
    settings
        .uses_neighbours()
        .then(|| Arc::new(VecchiaStructure::nearest(&hyper.kernel.embed(x), settings.neighbours)))
}

/// y − m(X), `[N, P]`.
pub(crate) fn centred(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
) -> Array2<f64> {
    y.to_owned() - hyper.mean.value(x).insert_axis(Axis(1))
}
