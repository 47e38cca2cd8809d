//! A line search for the strong Wolfe conditions that survives points where the model breaks down.
//!
//! ```text
//! f(t) ≤ f(0) + c₁ t f'(0)      and      |f'(t)| ≤ c₂ |f'(0)|
//! ```
//!
//! Source: Nocedal & Wright (2006), algorithms 3.5 and 3.6. A trial that is not finite counts as
//! infinitely high: it can end a bracket, never be accepted.

use crate::GpError;

const SUFFICIENT_DECREASE: f64 = 1e-4;
const CURVATURE: f64 = 0.9;
/// How far the step may grow from one trial to the next while no bracket is known.
const GROWTH: f64 = 4.0;

/// One point on the search line, with what was computed there.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    pub(crate) step: f64,
    pub(crate) value: f64,
    /// Derivative along the line; NaN where the point could not be evaluated.
    pub(crate) slope: f64,
    /// Full gradient; empty where the point could not be evaluated.
    pub(crate) gradient: Vec<f64>,
}

impl Trial {
    fn is_finite(&self) -> bool {
        self.value.is_finite() && self.slope.is_finite()
    }
}

/// Minimises along a line from `start` (step 0), trying `first_step` first.
///
/// `evaluate` gives the trial at a step. Returns the accepted trial, or `None` when
/// `max_evaluations` were spent without a point that decreases the value sufficiently.
pub(crate) fn strong_wolfe(
    start: &Trial,
    first_step: f64,
    max_evaluations: usize,
    evaluate: &mut dyn FnMut(f64) -> Result<Trial, GpError>,
) -> Result<Option<Trial>, GpError> {
    let mut search = Search { start, remaining: max_evaluations, best: None, evaluate };
    let outcome = search.bracket(first_step)?;
    // Out of trials: any sufficient decrease is still progress.
    Ok(outcome.or(search.best))
}

struct Search<'a> {
    start: &'a Trial,
    remaining: usize,
    best: Option<Trial>,
    evaluate: &'a mut dyn FnMut(f64) -> Result<Trial, GpError>,
}

impl Search<'_> {
    fn bracket(&mut self, first_step: f64) -> Result<Option<Trial>, GpError> {
        let mut previous = self.start.clone();
        let mut step = first_step;
        while let Some(trial) = self.try_step(step)? {
            if self.too_high(&trial) || (previous.step > 0.0 && trial.value >= previous.value) {
                return self.zoom(previous, trial);
            }
            if self.flat_enough(&trial) {
                return Ok(Some(trial));
            }
            if trial.slope >= 0.0 {
                return self.zoom(trial, previous);
            }
            step = interpolate(&previous, &trial)
                .filter(|t| *t > 1.1 * trial.step)
                .unwrap_or(2.0 * trial.step)
                .min(GROWTH * trial.step);
            previous = trial;
        }
        Ok(None)
    }

    /// Shrinks the interval between `low` (the best point so far) and `high`.
    fn zoom(&mut self, mut low: Trial, mut high: Trial) -> Result<Option<Trial>, GpError> {
        loop {
            let width = high.step - low.step;
            if width.abs() <= f64::EPSILON * low.step.abs().max(high.step.abs()) {
                return Ok(None);
            }
            let Some(trial) = self.try_step(inside(&low, &high))? else { return Ok(None) };
            if self.too_high(&trial) || trial.value >= low.value {
                high = trial;
                continue;
            }
            if self.flat_enough(&trial) {
                return Ok(Some(trial));
            }
            if trial.slope * width >= 0.0 {
                high = low;
            }
            low = trial;
        }
    }

    fn try_step(&mut self, step: f64) -> Result<Option<Trial>, GpError> {
        if self.remaining == 0 {
            return Ok(None);
        }
        self.remaining -= 1;
        let trial = (self.evaluate)(step)?;
        let improves = self.best.as_ref().is_none_or(|best| trial.value < best.value);
        if improves && !self.too_high(&trial) {
            self.best = Some(trial.clone());
        }
        Ok(Some(trial))
    }

    fn too_high(&self, trial: &Trial) -> bool {
        let ceiling = self.start.value + SUFFICIENT_DECREASE * trial.step * self.start.slope;
        !trial.is_finite() || trial.value > ceiling
    }

    fn flat_enough(&self, trial: &Trial) -> bool {
        trial.slope.abs() <= CURVATURE * self.start.slope.abs()
    }
}

/// A step inside the bracket: the cubic's minimiser kept away from both ends, or the middle; a
/// tenth of the way when the far end could not be evaluated.
fn inside(low: &Trial, high: &Trial) -> f64 {
    let width = high.step - low.step;
    if !high.is_finite() {
        return low.step + 0.1 * width;
    }
    let (near, far) = (low.step + 0.1 * width, high.step - 0.1 * width);
    let (least, most) = (near.min(far), near.max(far));
    interpolate(low, high).map_or(low.step + 0.5 * width, |step| step.clamp(least, most))
}

/// Minimiser of the cubic through two values and slopes. Source: Nocedal & Wright, eq. 3.59.
fn interpolate(a: &Trial, b: &Trial) -> Option<f64> {
    let d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.step - b.step);
    let discriminant = d1 * d1 - a.slope * b.slope;
    let d2 = discriminant.sqrt().copysign(b.step - a.step);
    let fraction = (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2);
    let step = b.step - (b.step - a.step) * fraction;
    step.is_finite().then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(step: f64, value: f64, slope: f64) -> Trial {
        Trial { step, value, slope, gradient: vec![slope] }
    }

    fn search(f: impl Fn(f64) -> (f64, f64), first: f64) -> Option<Trial> {
        let (value, slope) = f(0.0);
        let mut evaluate = |t: f64| {
            let (value, slope) = f(t);
            Ok(trial(t, value, slope))
        };
        strong_wolfe(&trial(0.0, value, slope), first, 30, &mut evaluate).expect("no error inside")
    }

    #[test]
    fn finds_the_valley_from_too_short_and_too_long_steps() {
        for first in [1e-3, 0.1, 1.0, 10.0, 1e4] {
            let found = search(|t| ((t - 2.0).powi(2), 2.0 * (t - 2.0)), first);
            let found = found.expect("a parabola has a Wolfe point");
            assert!(found.slope.abs() <= 0.9 * 4.0 && found.value < 4.0, "{found:?}");
        }
    }

    #[test]
    fn backs_away_from_values_that_are_not_finite() {
        let wall = |t: f64| if t < 0.5 { (-t, -1.0) } else { (f64::NAN, f64::NAN) };
        let found = search(wall, 8.0).expect("half the line decreases");
        assert!(found.value < 0.0 && found.step < 0.5);
    }

    #[test]
    fn an_infinitely_good_value_is_not_accepted() {
        let pit = |t: f64| if t < 0.5 { (-t, -1.0) } else { (f64::NEG_INFINITY, -1.0) };
        let found = search(pit, 8.0).expect("half the line decreases");
        assert!(found.value.is_finite());
    }

    #[test]
    fn gives_up_on_a_line_that_only_rises() {
        // The slope promised a decrease that the values do not keep.
        assert!(search(|t| (t, -1.0), 1.0).is_none());
    }
}
