//! How good predictions are: confusion, scores, rankings, thresholds, calibration.

mod calibration;
mod confusion;
mod ranking;
mod recalibration;
mod scores;

pub use calibration::{Bin, Calibration};
pub use confusion::Confusion;
pub use ranking::{NoMisses, Outcome, PrecisionRecall, Ranking, RocPoint};
pub use recalibration::{Isotonic, Platt};
pub use scores::{binary_brier, brier, log_loss};
