//! How well conjugate gradients are to solve as training goes on.

/// Nats that a target may leave, of those the last step gained. The gradient is that of v held: where Q is
/// far below K, a small part of the gain is much of the gradient, and line searches fail.
const OF_GAIN: f64 = 0.003;
/// The least that is asked for, of the training tolerance.
const FINEST: f64 = 1e-4;
/// By how much a search that failed is repeated more accurately.
const REFINED: f64 = 0.01;

/// Nats that conjugate gradients may leave of each target, and what that rests on.
#[derive(Debug, Clone)]
pub(crate) struct Accuracy {
    /// The training tolerance, which is never exceeded.
    most: f64,
    tolerance: f64,
    /// The least that is asked for: what a capped solve has left is not asked for again.
    finest: f64,
    /// The objective where the run stands.
    here: Option<f64>,
    /// Whether the next evaluation is where the run stands.
    stands: bool,
}

impl Accuracy {
    /// At the start of a run.
    pub(crate) fn new(most: f64) -> Self {
        Self { most, tolerance: most, finest: FINEST * most, here: None, stands: true }
    }

    pub(crate) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The next round starts as accurately as the last one ended.
    pub(crate) fn start_round(&mut self) {
        (self.here, self.stands) = (None, true);
    }

    /// Notes an evaluation; whether it was where the run stands.
    pub(crate) fn evaluated(&mut self, objective: f64) -> bool {
        let stands = std::mem::take(&mut self.stands);
        if stands {
            self.here = objective.is_finite().then_some(objective);
        }
        stands
    }

    /// The evaluation that was to come has failed.
    pub(crate) fn failed(&mut self) {
        self.stands = false;
    }

    /// Whether the next evaluation is where the run stands.
    pub(crate) fn stands(&self) -> bool {
        self.stands
    }

    /// Whether this is more than where the run stands; so is anything where that is unknown.
    pub(crate) fn gains(&self, objective: f64) -> bool {
        self.here.is_none_or(|here| objective > here)
    }

    /// A solve where the run stands has hit its cap and left so many nats.
    pub(crate) fn capped(&mut self, slack: f64) {
        self.finest = slack.clamp(self.finest, self.most);
    }

    /// The run stands at a point of this objective, if it is known.
    pub(crate) fn stepped(&mut self, objective: Option<f64>) {
        if let (Some(now), Some(before)) = (objective, self.here) {
            self.tolerance = (OF_GAIN * (now - before)).clamp(self.finest, self.most);
        }
        self.here = objective;
    }

    /// Asks for more; whether more can be had.
    pub(crate) fn refine(&mut self) -> bool {
        let can = self.tolerance > self.finest;
        self.tolerance = (REFINED * self.tolerance).max(self.finest);
        can
    }

    /// The point where the run stands is to be evaluated again.
    pub(crate) fn expect_here(&mut self) {
        self.stands = true;
    }

    /// What a checkpoint keeps; no evaluation is awaited then.
    pub(crate) fn numbers(&self) -> [f64; 4] {
        let any = f64::from(u8::from(self.here.is_some()));
        [self.tolerance, self.finest, any, self.here.unwrap_or(0.0)]
    }

    pub(crate) fn restore(&mut self, [tolerance, finest, any, here]: [f64; 4]) {
        (self.tolerance, self.finest) = (tolerance.min(self.most), finest.min(self.most));
        (self.here, self.stands) = ((any > 0.0).then_some(here), false);
    }
}

#[cfg(test)]
mod tests {
    use super::Accuracy;

    #[test]
    fn gains_ask_for_accuracy_within_limits() {
        let mut accuracy = Accuracy::new(1.0);
        accuracy.evaluated(-100.0);
        for (objective, tolerance) in [(900.0, 1.0), (910.0, 0.03), (910.001, 1e-4)] {
            accuracy.evaluated(objective - 5.0);
            accuracy.stepped(Some(objective));
            assert!((accuracy.tolerance() - tolerance).abs() < 1e-12, "{objective}");
        }
        assert!(!accuracy.refine(), "there is nothing finer");
        accuracy.capped(0.02);
        accuracy.stepped(Some(910.002));
        assert!((accuracy.tolerance() - 0.02).abs() < 1e-12);
        let mut other = Accuracy::new(1.0);
        other.restore(accuracy.numbers());
        assert_eq!(other.numbers().map(f64::to_bits), accuracy.numbers().map(f64::to_bits));
    }
}
