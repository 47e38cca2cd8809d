//! The collapsed bound as a training objective.

use gp_core::{Evaluation, GpError, Objective, ParameterSpace};
use ndarray::{Array2, ArrayRef2};

use crate::collapsed::Collapsed;
use crate::settings::SgprSettings;

/// Which inducing points an objective uses.
pub(crate) enum Points {
    /// The variables after the hyperparameters, row by row, are their coordinates.
    Free,
    /// These; variables after the hyperparameters stay where they are.
    Fixed(Array2<f64>),
}

/// The bound in the variables `u = [hyperparameters | Z]`.
pub(crate) struct SgprObjective<'a> {
    pub(crate) x: &'a ArrayRef2<f64>,
    pub(crate) y: &'a ArrayRef2<f64>,
    pub(crate) space: &'a ParameterSpace,
    pub(crate) points: Points,
    pub(crate) settings: SgprSettings,
}

impl Objective for SgprObjective<'_> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        let (u_hyper, u_z) = u.split_at(self.space.len());
        let hyper = self.space.unpack(u_hyper)?;
        let moved;
        let z = match &self.points {
            Points::Free => {
                moved = unflatten(u_z, self.x.ncols());
                &moved
            }
            Points::Fixed(z) => z,
        };
        let elbo = Collapsed::new(&hyper, z, self.x, self.y, &self.settings)?.gradient();
        let mut evaluation = self.space.evaluation(u_hyper, elbo.value, &elbo.hyper);
        match &self.points {
            Points::Free => evaluation.gradient.extend(&elbo.z),
            Points::Fixed(_) => evaluation.gradient.resize(u.len(), 0.0),
        }
        Ok(evaluation)
    }
}

/// Inducing points `[M, D]` from the variables of a training run that moves them: their `d`
/// coordinates, row by row.
#[must_use]
pub fn unflatten(u: &[f64], d: usize) -> Array2<f64> {
    Array2::from_shape_fn((u.len() / d.max(1), d), |(i, j)| u[i * d + j])
}
