//! Adam: steps along noisy gradients, with a state that can be put on disk.

use serde::{Deserialize, Serialize};

use crate::objective::{Evaluation, Objective};
use crate::{GpError, StopReason};

/// Halvings of a step that led to where the objective cannot be evaluated.
const MAX_RETREATS: usize = 20;

/// How Adam steps.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `steps` | 100 | any |
/// | `learning_rate` | 0.1 | > 0, in the unconstrained variables |
/// | `decay` | (0.9, 0.999) | in [0, 1): of the means of gradients and of their squares |
/// | `epsilon` | 1e-8 | > 0, added to the root of the latter |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdamOptions {
    /// Number of steps.
    pub steps: usize,
    /// Length of a step in each variable, about.
    pub learning_rate: f64,
    /// β₁, β₂.
    pub decay: (f64, f64),
    /// What keeps the quotient finite.
    pub epsilon: f64,
}

impl Default for AdamOptions {
    fn default() -> Self {
        Self { steps: 100, learning_rate: 0.1, decay: (0.9, 0.999), epsilon: 1e-8 }
    }
}

/// Where a run of Adam stands: all that the next step depends on.
///
/// ```text
/// m ← β₁ m + (1 − β₁) g,   s ← β₂ s + (1 − β₂) g²
/// u ← u + rate · (m/(1 − β₁ᵗ)) / (√(s/(1 − β₂ᵗ)) + ε)
/// ```
///
/// The objective is maximised. A point at which it is not finite is not accepted: the step that led
/// there is halved until it is, and its momentum forgotten. Source: Kingma & Ba (2015), "Adam: a method for stochastic
/// optimization", algorithm 1.
///
/// ```
/// use gp_core::{AdamOptions, AdamState, Evaluation, GpError, Objective};
///
/// struct Hill;
/// impl Objective for Hill {
///     fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
///         Ok(Evaluation { value: -u[0] * u[0], gradient: vec![-2.0 * u[0]] })
///     }
/// }
///
/// let mut adam = AdamState::start(vec![1.0]);
/// let options = AdamOptions { steps: 200, ..AdamOptions::default() };
/// while adam.step(&mut Hill, &options)?.is_none() {}
/// assert!(adam.u[0].abs() < 1e-2);
/// # Ok::<(), GpError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AdamState {
    /// The current point.
    pub u: Vec<f64>,
    /// The objective where the last step started; NaN before the first.
    #[serde(with = "finite_or_null")]
    pub value: f64,
    /// The largest component of its gradient there.
    pub gradient_norm: f64,
    /// Steps taken.
    pub steps: usize,
    /// Calls of the objective.
    pub evaluations: usize,
    mean: Vec<f64>,
    square: Vec<f64>,
    /// Where the last step started.
    before: Vec<f64>,
}

impl AdamState {
    /// Before the first step.
    #[must_use]
    pub fn start(u: Vec<f64>) -> Self {
        let zeros = vec![0.0; u.len()];
        let (mean, square, before) = (zeros.clone(), zeros, u.clone());
        Self { u, value: f64::NAN, mean, square, before, ..Self::default() }
    }

    /// Takes one step, or says why there is none to take.
    ///
    /// # Errors
    /// [`GpError::BadStart`] when the objective is not finite at the start, or anywhere near it;
    /// [`GpError::Interrupted`] from the objective.
    pub fn step(
        &mut self,
        objective: &mut dyn Objective,
        options: &AdamOptions,
    ) -> Result<Option<StopReason>, GpError> {
        if self.u.is_empty() {
            return Ok(Some(StopReason::NothingFree));
        }
        if self.steps >= options.steps {
            return Ok(Some(StopReason::MaxIterations));
        }
        let Evaluation { value, gradient } = self.evaluate(objective)?;
        self.value = value;
        self.gradient_norm = gradient.iter().fold(0.0, |largest, g| g.abs().max(largest));
        self.steps += 1;
        self.before.clone_from(&self.u);
        let (first, second) = options.decay;
        let power = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let unbias = [first, second].map(|decay| 1.0 - decay.powi(power));
        for (i, g) in gradient.into_iter().enumerate() {
            self.mean[i] = first * self.mean[i] + (1.0 - first) * g;
            self.square[i] = second * self.square[i] + (1.0 - second) * g * g;
            let (mean, square) = (self.mean[i] / unbias[0], self.square[i] / unbias[1]);
            self.u[i] += options.learning_rate * mean / (square.sqrt() + options.epsilon);
        }
        objective.accepted(&self.u)?;
        Ok(None)
    }

    /// The objective at u, drawn back towards the last good point where it is not finite.
    fn evaluate(&mut self, objective: &mut dyn Objective) -> Result<Evaluation, GpError> {
        let mut reason = "an infinite value or gradient".to_owned();
        for _ in 0..=MAX_RETREATS {
            self.evaluations += 1;
            match objective.evaluate(&self.u) {
                Ok(evaluation) if evaluation.is_finite() => return Ok(evaluation),
                Err(GpError::Interrupted) => return Err(GpError::Interrupted),
                Err(error) => reason = error.to_string(),
                Ok(_) => {}
            }
            if self.steps == 0 {
                break;
            }
            // What has carried it there would carry it there again.
            self.mean.fill(0.0);
            self.u.iter_mut().zip(&self.before).for_each(|(u, before)| *u = 0.5 * (*u + before));
        }
        Err(GpError::BadStart { reason })
    }
}

/// JSON has no NaN.
mod finite_or_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &f64, out: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(out)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// −(u − 1)², not to be evaluated beyond 1.2.
    struct Cliff;

    impl Objective for Cliff {
        fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
            let value = if u[0] > 1.2 { f64::NAN } else { -(u[0] - 1.0).powi(2) };
            Ok(Evaluation { value, gradient: vec![-2.0 * (u[0] - 1.0)] })
        }
    }

    fn climb(state: &mut AdamState, steps: usize) {
        let options = AdamOptions { steps, learning_rate: 0.5, ..AdamOptions::default() };
        while state.step(&mut Cliff, &options).expect("finite near the start").is_none() {}
    }

    #[test]
    fn points_that_cannot_be_evaluated_are_not_accepted() {
        let mut state = AdamState::start(vec![-1.0]);
        climb(&mut state, 60);
        assert!(state.value > -0.1 && state.evaluations > state.steps, "{state:?}");
        let bad = AdamState::start(vec![2.0]).step(&mut Cliff, &AdamOptions::default());
        assert!(matches!(bad, Err(GpError::BadStart { .. })));
    }

    #[test]
    fn a_state_from_json_goes_on_with_the_same_bits() {
        let (mut whole, mut first) = (AdamState::start(vec![-1.0]), AdamState::start(vec![-1.0]));
        climb(&mut whole, 17);
        climb(&mut first, 6);
        let json = serde_json::to_string(&first).expect("serialisable");
        let mut resumed: AdamState = serde_json::from_str(&json).expect("readable");
        climb(&mut resumed, 17);
        assert_eq!(resumed, whole);
        let json = serde_json::to_string(&AdamState::start(vec![0.0])).expect("serialisable");
        assert!(serde_json::from_str::<AdamState>(&json).expect("readable").value.is_nan());
    }
}
