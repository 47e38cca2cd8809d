//! Symmetric tridiagonal matrices of Lanczos, and the quadrature rules they stand for.

use crate::error::LinalgError;

/// Sweeps for one eigenvalue; more than thirty mean that something is not a number.
const MAX_SWEEPS: usize = 60;

/// The matrix T of M Lanczos steps of A from a vector z.
///
/// ```text
/// e₁ᵀ f(T) e₁ ≈ zᵀ f(A) z / zᵀz
/// ```
///
/// It is a Gauss rule for the spectral measure of A at z, exact for polynomials of degree 2M − 1.
/// Source: Golub & Meurant (1994), "Matrices, moments and quadrature"; Golub & Welsch (1969).
///
/// ```
/// let t = linalg_cg::Tridiagonal::new(vec![2.0, 2.0], vec![1.0, 0.0])?;
/// let rule = t.rule()?; // eigenvalues 1 and 3, half the weight each
/// assert!((rule.apply(f64::ln) - 0.5 * 3f64.ln()).abs() < 1e-15);
/// # Ok::<(), linalg_cg::LinalgError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tridiagonal {
    diagonal: Vec<f64>,
    /// Coupling of each step to the next; the last leaves T.
    coupling: Vec<f64>,
}

/// Nodes and weights of a quadrature rule; the weights sum to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadratureRule {
    /// Where the function is evaluated.
    pub nodes: Vec<f64>,
    /// What its values are multiplied by.
    pub weights: Vec<f64>,
}

impl QuadratureRule {
    /// `Σ w_i f(x_i)`.
    pub fn apply(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.nodes.iter().zip(&self.weights).map(|(&x, w)| w * f(x)).sum()
    }
}

impl Tridiagonal {
    /// T with this diagonal `[M]`; `coupling [M]` holds the off-diagonal and, last, the coupling to
    /// the step that was not taken.
    ///
    /// # Errors
    /// [`LinalgError::ShapeMismatch`] for other lengths.
    pub fn new(diagonal: Vec<f64>, coupling: Vec<f64>) -> Result<Self, LinalgError> {
        crate::check::size("coupling", "elements", diagonal.len(), coupling.len())?;
        Ok(Self { diagonal, coupling })
    }

    /// M.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.diagonal.len()
    }

    pub(crate) fn push(&mut self, diagonal: f64, coupling: f64) {
        self.diagonal.push(diagonal);
        self.coupling.push(coupling);
    }

    /// Sets the coupling of the last step to the next.
    pub(crate) fn couple(&mut self, coupling: f64) {
        if let Some(last) = self.coupling.last_mut() {
            *last = coupling;
        }
    }

    /// The Gauss rule: the eigenvalues of T, and the squares of the first components of its
    /// eigenvectors. For f = log it errs upwards, because even derivatives of log are negative.
    ///
    /// # Errors
    /// [`LinalgError::EigenNotConverged`] when T is not finite.
    pub fn rule(&self) -> Result<QuadratureRule, LinalgError> {
        let mut nodes = self.diagonal.clone();
        let mut off = self.coupling.clone();
        if let Some(last) = off.last_mut() {
            *last = 0.0;
        }
        let mut first = vec![0.0; nodes.len()];
        if let Some(component) = first.first_mut() {
            *component = 1.0;
        }
        if !diagonalise(&mut nodes, &mut off, &mut first) {
            return Err(LinalgError::EigenNotConverged { n: nodes.len() });
        }
        let weights = first.into_iter().map(|component| component * component).collect();
        Ok(QuadratureRule { nodes, weights })
    }

    /// The Gauss–Radau rule with one node at `node`, at or below the spectrum of A. For f = log it
    /// errs downwards: with [`rule`](Self::rule) it brackets zᵀ log(A) z / zᵀz.
    ///
    /// ```text
    /// t_{M+1,M+1} = node + β_M² e_Mᵀ(T − node I)⁻¹e_M
    /// ```
    ///
    /// Where rounding leaves T no longer above `node` the Krylov space is exhausted, and the rule is
    /// that of Gauss. Source: Golub & Meurant (1994), section 3.2.
    ///
    /// # Errors
    /// As [`rule`](Self::rule).
    pub fn radau_rule(&self, node: f64) -> Result<QuadratureRule, LinalgError> {
        let mut pivot = f64::INFINITY;
        let mut previous = 0.0;
        for (diagonal, coupling) in self.diagonal.iter().zip(&self.coupling) {
            pivot = diagonal - node - previous * previous / pivot;
            if pivot.is_nan() || pivot <= 0.0 {
                return self.rule();
            }
            previous = *coupling;
        }
        let mut extended = self.clone();
        extended.push(node + previous * previous / pivot, 0.0);
        extended.rule()
    }
}

/// QL with implicit shifts: eigenvalues into `d`, `z` times the eigenvectors into `z`. `e[i]` couples
/// i and i + 1. Returns whether it converged.
///
/// Source: Golub & Welsch (1969), "Calculation of Gauss quadrature rules"; Golub & Van Loan (2013),
/// section 8.3.
fn diagonalise(d: &mut [f64], e: &mut [f64], z: &mut [f64]) -> bool {
    for low in 0..d.len() {
        let mut sweeps = 0;
        loop {
            let high = split(d, e, low);
            if high == low {
                break;
            }
            sweeps += 1;
            if sweeps > MAX_SWEEPS {
                return false;
            }
            sweep(d, e, z, low, high);
        }
    }
    d.iter().all(|value| value.is_finite())
}

/// The end of the block that starts at `low`: the first coupling that is rounding.
fn split(d: &[f64], e: &[f64], low: usize) -> usize {
    let small = |i: &usize| e[*i].abs() <= f64::EPSILON * (d[*i].abs() + d[*i + 1].abs());
    (low..d.len() - 1).find(small).unwrap_or(d.len() - 1)
}

/// One sweep of rotations over the block `low..=high`.
fn sweep(d: &mut [f64], e: &mut [f64], z: &mut [f64], low: usize, high: usize) {
    let half = (d[low + 1] - d[low]) / (2.0 * e[low]);
    let shift = d[low] - e[low] / (half + half.hypot(1.0).copysign(half));
    let (mut g, mut sine, mut cosine, mut change) = (d[high] - shift, 1.0, 1.0, 0.0);
    for i in (low..high).rev() {
        let (f, b) = (sine * e[i], cosine * e[i]);
        let r = f.hypot(g);
        e[i + 1] = r;
        if r <= 0.0 {
            d[i + 1] -= change;
            e[high] = 0.0;
            return;
        }
        (sine, cosine) = (f / r, g / r);
        g = d[i + 1] - change;
        let turn = (d[i] - g) * sine + 2.0 * cosine * b;
        change = sine * turn;
        d[i + 1] = g + change;
        g = cosine * turn - b;
        (z[i], z[i + 1]) = (cosine * z[i] - sine * z[i + 1], sine * z[i] + cosine * z[i + 1]);
    }
    d[low] -= change;
    e[low] = g;
    e[high] = 0.0;
}
