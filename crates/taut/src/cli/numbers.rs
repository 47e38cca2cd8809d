//! Numbers on the command line and what is accepted of them.

use gp_core::metrics::normal_half_width;

/// A longer limit is as good as none.
const MAX_SECONDS: f64 = 1e9;

/// More threads than any machine has only cost time to start.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    up_to::<1024>(text)
}

/// Each draw is a column of the output.
pub(crate) fn draws(text: &str) -> Result<usize, String> {
    up_to::<100_000>(text)
}

/// Time that fits a duration.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    positive_real(text).map(|seconds| seconds.min(MAX_SECONDS))
}

/// A whole number from 1 to `MOST`, beyond which there is no use.
pub(crate) fn up_to<const MOST: usize>(text: &str) -> Result<usize, String> {
    match positive(text)? {
        number if number <= MOST => Ok(number),
        _ => Err(format!("at most {MOST} are accepted")),
    }
}

/// Neighbours: none, or up to 100 000.
pub(crate) fn neighbours(text: &str) -> Result<usize, String> {
    if text == "0" { Ok(0) } else { up_to::<100_000>(text) }
}

pub(crate) fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number of at least 1 is needed".to_owned()),
        Ok(number) => Ok(number),
    }
}

fn real(text: &str, accepts: impl Fn(f64) -> bool, range: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && accepts(number) => Ok(number),
        _ => Err(format!("a number {range} is needed")),
    }
}

pub(crate) fn positive_real(text: &str) -> Result<f64, String> {
    real(text, |number| number > 0.0, "greater than 0")
}

pub(crate) fn non_negative(text: &str) -> Result<f64, String> {
    real(text, |number| number >= 0.0, "of at least 0")
}

pub(crate) fn fraction(text: &str) -> Result<f64, String> {
    real(text, |number| number > 0.0 && number < 1.0, "strictly between 0 and 1")
}

/// A part of something, up to the whole.
pub(crate) fn unit(text: &str) -> Result<f64, String> {
    real(text, |number| number > 0.0 && number <= 1.0, "above 0 and up to 1")
}

/// Nearer to 1 than numbers can tell, an interval would be infinitely wide.
pub(crate) fn interval(text: &str) -> Result<f64, String> {
    match fraction(text)? {
        probability if normal_half_width(probability).is_finite() => Ok(probability),
        _ => Err("a number further from 1 is needed, such as 0.999999".to_owned()),
    }
}
