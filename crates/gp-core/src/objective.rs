//! What training maximises.

use crate::GpError;

/// An objective's value and gradient at one point of the unconstrained space.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The objective, in nats; not finite where the model could not be evaluated.
    pub value: f64,
    /// ∂value/∂u, as long as `u`.
    pub gradient: Vec<f64>,
}

impl Evaluation {
    /// Whether the value and every component of the gradient are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.gradient.iter().all(|g| g.is_finite())
    }
}

/// A function of unconstrained variables to be *maximised*, with value and gradient in one call.
///
/// The two come together because they share their cost: a factorisation, a conjugate-gradient
/// solve. Variables are those of [`ParameterSpace`](crate::ParameterSpace), possibly followed by
/// others of the model's own (inducing points).
pub trait Objective {
    /// Value and gradient at `u`.
    ///
    /// A point where the model cannot be evaluated (a factorisation fails) is reported as an error
    /// or a value that is not finite; the line search then comes closer to where it stands.
    ///
    /// # Errors
    /// Whatever prevented the evaluation.
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError>;

    /// As [`evaluate`](Self::evaluate), for an objective that takes long: it asks `stop` in between,
    /// and gives up once that says `true`.
    ///
    /// # Errors
    /// [`GpError::Interrupted`] if it gave up; whatever prevented the evaluation.
    fn evaluate_until(
        &mut self,
        u: &[f64],
        stop: &dyn Fn() -> bool,
    ) -> Result<Evaluation, GpError> {
        let _ = stop;
        self.evaluate(u)
    }

    /// Told where a run starts, before its first evaluation: what was kept from another run (of
    /// another start, of an earlier round) is to be chosen anew. A resumed run is not told.
    ///
    /// # Errors
    /// Whatever prevents the run; the start then counts as one that cannot be evaluated.
    fn started(&mut self, u: &[f64]) -> Result<(), GpError> {
        let _ = u;
        Ok(())
    }

    /// Told of each accepted step, so that auxiliary variables held fixed in line searches can be
    /// refreshed. `true` means that the objective changed and is to be evaluated again at `u`.
    ///
    /// # Errors
    /// Whatever prevented the refresh.
    fn accepted(&mut self, u: &[f64]) -> Result<bool, GpError> {
        let _ = u;
        Ok(false)
    }

    /// Told that no better point was found from `u` on. `true` means that the objective is more
    /// accurate from now on: it is evaluated again at `u` and, unless that is lower than before, searched
    /// again. After some calls it has to be `false`.
    ///
    /// # Errors
    /// Whatever prevented the refinement.
    fn refine(&mut self, u: &[f64]) -> Result<bool, GpError> {
        let _ = u;
        Ok(false)
    }

    /// Auxiliary variables that a checkpoint must keep for a resumed run to repeat the same bits.
    fn auxiliary(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Restores what [`auxiliary`](Self::auxiliary) returned.
    fn restore_auxiliary(&mut self, auxiliary: &[f64]) {
        let _ = auxiliary;
    }
}
