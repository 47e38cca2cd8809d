//! Numbers for people.

/// From here on digits before the point say nothing.
const LARGE: f64 = 1e15;

/// `value` with so many decimals; in exponent form beyond 10¹⁵, and never a negative zero.
///
/// ```
/// use taut::fixed;
///
/// assert_eq!(fixed(1.5, 2), "1.50");
/// assert_eq!(fixed(-1e-9, 4), "0.0000");
/// assert_eq!(fixed(-2.5e300, 1), "-2.5e300");
/// ```
#[must_use]
pub fn fixed(value: f64, decimals: usize) -> String {
    if value.abs() >= LARGE {
        return format!("{value:.decimals$e}");
    }
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if !rest.contains(|digit: char| ('1'..='9').contains(&digit)) => rest.to_owned(),
        _ => text,
    }
}
