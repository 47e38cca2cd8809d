//! The inducing points of an objective.

use std::borrow::Cow;

use ndarray::Array2;
use sparse_gp::{Selector, unflatten};

/// Which inducing points an objective uses.
#[derive(Debug, Clone)]
pub(crate) enum Points {
    /// The variables after the hyperparameters, row by row, are their coordinates.
    Free,
    /// These; variables after the hyperparameters stay where they are.
    Given(Array2<f64>),
    /// So many, chosen at the hyperparameters a round starts from.
    Chosen { selector: Selector, count: usize, seed: u64 },
}

impl Points {
    /// The inducing points `[M, d]`: given, `chosen` for this round, or where `u_z` has moved them.
    pub(crate) fn at<'p>(
        &'p self,
        chosen: Option<&'p Array2<f64>>,
        u_z: &[f64],
        d: usize,
    ) -> Cow<'p, Array2<f64>> {
        match (self, chosen) {
            (Points::Given(z), _) | (_, Some(z)) => Cow::Borrowed(z),
            _ => Cow::Owned(unflatten(u_z, d)),
        }
    }
}
