use std::{f64::consts::PI, ops::Range};

use ndarray::ArrayRef1;

use super::TestFunction;
use crate::DataError;

/// Forward kinematics of a planar arm of eight links: how far its hand is from a point.
///
/// ```text
/// φ_j = θ₁ + … + θ_j,   hand = Σ_j l_j (cos φ_j, sin φ_j),   f(θ) = ‖hand − target‖,   θ ∈ [−a, a]⁸
/// ```
///
/// Angles are in radians, each relative to the link before it; lengths in the unit of the answer.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `link_lengths` | ⅛ each, so that the reach is 1 | finite, `> 0` |
/// | `target` | (0.1, 0.1) | finite |
/// | `max_angle` (a) | π/2 | finite, `> 0` |
///
/// It stands for the family of kin8nm and kin40k, whose task is the distance of the end-effector of an 8-link all-revolute robot arm from a
/// target (Delve, University of Toronto). The simulator's own lengths, target and angles could not be looked up: the values here are ours, and
/// the numbers are not those of its files. A smaller `max_angle` makes the function more nearly linear.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotArm {
    link_lengths: [f64; 8],
    target: [f64; 2],
    max_angle: f64,
}

impl RobotArm {
    /// An arm with the given links, point and range of angles.
    ///
    /// # Errors
    /// [`DataError::BadArgument`] when a value is out of the table's range.
    pub fn new(
        link_lengths: [f64; 8],
        target: [f64; 2],
        max_angle: f64,
    ) -> Result<Self, DataError> {
        let positive = |value: &f64| value.is_finite() && *value > 0.0;
        if let Some(&found) = link_lengths.iter().find(|length| !positive(length)) {
            return Err(DataError::BadArgument {
                argument: "link_lengths",
                found,
                accepted: "finite and above 0",
            });
        }
        if let Some(&found) = target.iter().find(|coordinate| !coordinate.is_finite()) {
            return Err(DataError::BadArgument {
                argument: "target",
                found,
                accepted: "finite numbers",
            });
        }
        if !positive(&max_angle) {
            return Err(DataError::BadArgument {
                argument: "max_angle",
                found: max_angle,
                accepted: "finite and above 0",
            });
        }
        Ok(Self { link_lengths, target, max_angle })
    }

    /// Where the hand is, [x, y].
    fn hand(&self, angles: &ArrayRef1<f64>) -> [f64; 2] {
        let (mut direction, mut hand) = (0.0_f64, [0.0; 2]);
        for (angle, length) in angles.iter().zip(&self.link_lengths) {
            direction += angle;
            hand[0] += length * direction.cos();
            hand[1] += length * direction.sin();
        }
        hand
    }
}

impl Default for RobotArm {
    fn default() -> Self {
        Self { link_lengths: [0.125; 8], target: [0.1, 0.1], max_angle: PI / 2.0 }
    }
}

impl TestFunction for RobotArm {
    fn name(&self) -> &'static str {
        "robot-arm"
    }

    fn ranges(&self) -> Vec<Range<f64>> {
        vec![-self.max_angle..self.max_angle; 8]
    }

    fn value(&self, x: &ArrayRef1<f64>) -> f64 {
        let hand = self.hand(x);
        (hand[0] - self.target[0]).hypot(hand[1] - self.target[1])
    }
}
