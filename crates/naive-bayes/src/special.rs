//! Logarithms of factorials and their relatives.

use libm::lgamma;

/// log x! for x ≥ 0.
pub(crate) fn ln_factorial(x: f64) -> f64 {
    lgamma(x + 1.0)
}

/// log Γ(x) for x > 0.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    lgamma(x)
}

/// log Γ(a + k) − log Γ(a) for a > 0 and k ≥ 0, without the cancellation of the difference where a is large.
///
/// ```text
/// (a − ½) log(1 + k/a) + k log(a + k) − k + δ(a + k) − δ(a),   δ(x) = 1/12x − 1/360x³ + 1/1260x⁵ − 1/1680x⁷
/// ```
///
/// with a raised beyond 16 by Γ(a + 1) = a Γ(a). Source: Abramowitz & Stegun (1964), 6.1.40 and 6.1.15.
pub(crate) fn ln_rising(a: f64, k: f64) -> f64 {
    let mut steps = 0.0;
    let mut a = a;
    while a < 16.0 {
        steps += (k / a).ln_1p();
        a += 1.0;
    }
    let top = a + k;
    (a - 0.5) * (k / a).ln_1p() + k * top.ln() - k + (stirling(top) - stirling(a)) - steps
}

/// log B(a, b) = log Γ(a) + log Γ(b) − log Γ(a + b).
pub(crate) fn ln_beta(a: f64, b: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    lgamma(small) - ln_rising(large, small)
}

fn stirling(x: f64) -> f64 {
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        let slack = 1e-13 * expected.abs().max(1.0);
        assert!((found - expected).abs() <= slack, "{found} is not {expected}");
    }

    #[test]
    fn rising_factorials_are_those_of_the_gamma_function() {
        for a in [0.3, 1.0, 2.5, 7.0, 20.0] {
            for k in [0.0, 0.5, 1.0, 3.0, 40.0] {
                close(ln_rising(a, k), lgamma(a + k) - lgamma(a));
            }
        }
    }

    #[test]
    fn large_arguments_keep_their_digits() {
        close(ln_rising(1_826_214.0, 1.0), 1_826_214_f64.ln());
        close(ln_beta(1_826_214.0, 1.0), -(1_826_214_f64.ln()));
        close(ln_beta(2.0, 3.0), -(12_f64.ln()));
    }

    #[test]
    fn factorials() {
        close(ln_factorial(0.0), 0.0);
        close(ln_factorial(1.0), 0.0);
        close(ln_factorial(5.0), 120_f64.ln());
    }
}
