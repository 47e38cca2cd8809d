//! The auxiliary vectors of the points that a run may come back to.
//!
//! A line search may end on a trial that was not its last, or find nothing and leave the run where
//! it stood. Going on with the v of some other point would then lose what was solved for already.

use gp_core::Evaluation;
use ndarray::Array2;

/// Auxiliary vectors of where the run stands, and of the best trial since.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    standing: Option<Array2<f64>>,
    best: Option<Trial>,
}

#[derive(Debug)]
struct Trial {
    u: Vec<f64>,
    objective: f64,
    v: Array2<f64>,
}

impl Kept {
    /// The run stands at a point with this v.
    pub(crate) fn stands(&mut self, v: Option<&Array2<f64>>) {
        (self.standing, self.best) = (v.cloned(), None);
    }

    /// A point was evaluated that gains on where the run stands.
    pub(crate) fn tried(&mut self, u: &[f64], evaluation: &Evaluation, v: &Array2<f64>) {
        let objective = evaluation.value;
        let better = self.best.as_ref().is_none_or(|best| objective > best.objective);
        if better && evaluation.is_finite() {
            self.best = Some(Trial { u: u.to_vec(), objective, v: v.clone() });
        }
    }

    /// Objective and v of the best trial, if that was at `u`.
    pub(crate) fn take_best(&mut self, u: &[f64]) -> Option<(f64, Array2<f64>)> {
        self.best.take().filter(|best| best.u == u).map(|best| (best.objective, best.v))
    }

    /// The v of where the run stands.
    pub(crate) fn standing(&self) -> Option<&Array2<f64>> {
        self.standing.as_ref()
    }

    /// The v to start from at another point: of the best there is. The last trial's may be that of a step
    /// far too long, from which conjugate gradients do not come back.
    pub(crate) fn nearest(&self) -> Option<&Array2<f64>> {
        self.best.as_ref().map(|best| &best.v).or(self.standing())
    }
}

#[cfg(test)]
mod tests {
    use gp_core::Evaluation;
    use ndarray::array;

    use super::Kept;

    #[test]
    fn the_best_trial_is_found_again_and_no_other() {
        let at = |value: f64| Evaluation { value, gradient: vec![0.0] };
        let mut kept = Kept::default();
        kept.stands(Some(&array![[0.0]]));
        for (u, objective) in [(3.0, f64::NAN), (1.0, -3.0), (2.0, -1.0), (4.0, -2.0)] {
            kept.tried(&[u], &at(objective), &array![[u]]);
        }
        assert_eq!(kept.nearest(), Some(&array![[2.0]]));
        assert_eq!(kept.take_best(&[2.0]), Some((-1.0, array![[2.0]])));
        kept.tried(&[4.0], &at(-2.0), &array![[4.0]]);
        assert_eq!(kept.take_best(&[2.0]), None);
        assert_eq!(kept.nearest(), Some(&array![[0.0]]));
    }
}
