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

/// A number of bytes, in the largest unit that leaves a number of at least 1.
#[must_use]
pub fn bytes_text(bytes: u64) -> String {
    let number = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", number / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", number / 1e6),
        _ => format!("{:.1} GB", number / 1e9),
    }
}
