//! The integral that normalises the posteriors of σ and γ, and its moments.

use crate::SsgpError;

/// Weights below e⁻⁴² of the largest are nothing in double precision.
const NEGLIGIBLE: f64 = -42.0;
/// No integrand in range needs more nodes on one side; a guard against endless loops.
const MAX_NODES: usize = 200_000;

/// The scale-factor integral and moments of x = 1/σ under its normalised integrand.
///
/// ```text
/// H(p, q, r) = ∫₀^∞ x^{p+2} exp(−q x²) / (1 + r x²) dx
/// log H,  E[x²],  E[x⁻²],  E[log x],  E[log(r + x⁻²)]
/// ```
///
/// By the trapezoid rule in t = log x about the mode, in log space: relative errors of about 10⁻¹⁵
/// for p from −1 to 10⁶, q from 10⁻¹⁰ to 10⁶ and r from 10⁻⁸ to 10⁸, in 50 to 1000 exponentials.
/// Source: the normaliser of Tan, Ong, Nott & Jasra (2016), section 3; the evaluation is our own.
///
/// ```
/// use ssgp_vb::ScaleFactor;
///
/// // With r = 1: between the moments of the two gamma laws that the integrand lies between.
/// let factor = ScaleFactor::new(8.0, 3.0, 1.0)?;
/// assert!(4.5 / 3.0 <= factor.inverse_square && factor.inverse_square < 5.5 / 3.0);
/// # Ok::<(), ssgp_vb::SsgpError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaleFactor {
    /// log H, in nats.
    pub log_h: f64,
    /// `E[1/σ²] = E[x²]`.
    pub inverse_square: f64,
    /// `E[σ²] = E[x⁻²]`; infinite for p ≤ −1.
    pub square: f64,
    /// E[log σ] = −E[log x].
    pub log: f64,
    /// E[log(r + σ²)].
    pub log_sum: f64,
}

impl ScaleFactor {
    /// Evaluates the integral for `p > −3`, `q > 0`, `r > 0`.
    ///
    /// # Errors
    /// [`SsgpError::Option`] for arguments out of range.
    pub fn new(p: f64, q: f64, r: f64) -> Result<Self, SsgpError> {
        let integrand = Integrand::new(p, q, r)?;
        let mut sums = [0.0; 5];
        integrand.each_node(integrand.k > 2.0, |u, doubled, weight| {
            let inverse = (-2.0 * u).exp();
            let terms =
                [1.0, 1.0 + doubled, inverse, u, (r + inverse / integrand.square_mode).ln()];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
        });
        let [total, squares, inverses, logs, log_sums] = sums;
        let finite = integrand.k > 2.0;
        Ok(Self {
            log_h: integrand.log_value(total),
            inverse_square: integrand.square_mode * squares / total,
            square: if finite { inverses / (integrand.square_mode * total) } else { f64::INFINITY },
            log: -(integrand.mode + logs / total),
            log_sum: log_sums / total,
        })
    }

    /// log H and E[x²] alone, which is what a cycle of updates needs.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn brief(p: f64, q: f64, r: f64) -> Result<(f64, f64), SsgpError> {
        let integrand = Integrand::new(p, q, r)?;
        let (mut total, mut squares) = (0.0, 0.0);
        integrand.each_node(false, |_, doubled, weight| {
            total += weight;
            squares += weight * (1.0 + doubled);
        });
        Ok((integrand.log_value(total), integrand.square_mode * squares / total))
    }
}

/// exp(k t − q e^{2t})/(1 + r e^{2t}), k = p + 3, seen from its mode.
struct Integrand {
    k: f64,
    /// The mode in t, and e^{2t} there.
    mode: f64,
    square_mode: f64,
    /// q and r in units of the mode.
    q: f64,
    r: f64,
    step: f64,
}

impl Integrand {
    fn new(p: f64, q: f64, r: f64) -> Result<Self, SsgpError> {
        check("p", p, p > -3.0, "finite and above -3")?;
        check("q", q, q > 0.0, "finite and above 0")?;
        check("r", r, r > 0.0, "finite and above 0")?;
        let k = p + 3.0;
        let square_mode = square_mode(k, q, r);
        let (mode, q, r) = (0.5 * square_mode.ln(), q * square_mode, r * square_mode);
        let curvature = 4.0 * q + 4.0 * r / (1.0 + r).powi(2);
        let step = (0.4 / curvature.sqrt()).min(0.1);
        Ok(Self { k, mode, square_mode, q, r, step })
    }

    /// The log of the integrand at t* + u over that at t*; `doubled` is e^{2u} − 1.
    fn log_weight(&self, u: f64, doubled: f64) -> f64 {
        let share = self.r / (1.0 + self.r);
        // The first form loses all digits far to the left when r is large, the second near u = 0.
        let log_ratio = if u > -0.3 {
            (share * doubled).ln_1p()
        } else {
            (1.0 / (1.0 + self.r) + share * (2.0 * u).exp()).ln()
        };
        self.k * u - self.q * doubled - log_ratio
    }

    /// `visit(u, e^{2u} − 1, weight)` for every node that counts, from the mode to the right and
    /// then to the left; far enough for E[x⁻²] if `inverse`.
    fn each_node(&self, inverse: bool, mut visit: impl FnMut(f64, f64, f64)) {
        visit(0.0, 0.0, 1.0);
        for sign in [1.0, -1.0] {
            for j in 1..=MAX_NODES {
                let u = sign * j as f64 * self.step;
                let doubled = (2.0 * u).exp_m1();
                let log_weight = self.log_weight(u, doubled);
                let slowest = if inverse && sign < 0.0 { log_weight - 2.0 * u } else { log_weight };
                if slowest < NEGLIGIBLE {
                    break;
                }
                visit(u, doubled, log_weight.exp());
            }
        }
    }

    fn log_value(&self, total: f64) -> f64 {
        (self.step * total).ln() + self.k * self.mode - self.q - self.r.ln_1p()
    }
}

/// e^{2t} at the mode: the positive root y of 2 q r y² − b y − k = 0, without cancellation.
fn square_mode(k: f64, q: f64, r: f64) -> f64 {
    let b = k * r - 2.0 * q - 2.0 * r;
    let root = b.hypot((8.0 * q).sqrt() * r.sqrt() * k.sqrt());
    if b > 0.0 { (b + root) / (4.0 * q * r) } else { 2.0 * k / (root - b) }
}

fn check(
    option: &'static str,
    found: f64,
    holds: bool,
    accepted: &'static str,
) -> Result<(), SsgpError> {
    if holds && found.is_finite() {
        Ok(())
    } else {
        Err(SsgpError::Option { option, found, accepted })
    }
}
