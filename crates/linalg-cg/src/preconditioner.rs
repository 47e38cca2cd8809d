//! Symmetric positive definite matrices known by their solves.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};

use crate::check;
use crate::error::LinalgError;

/// A symmetric positive definite matrix P, `N × N`, that is cheap to invert.
pub trait Preconditioner: Sync {
    /// The order N.
    fn n(&self) -> usize;

    /// The solution `P⁻¹ R`, `r [N, C] → [N, C]`.
    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64>;

    /// The solution for one vector, `r [N] → [N]`.
    fn solve_vec(&self, r: &ArrayRef1<f64>) -> Array1<f64> {
        let block = r.to_owned().insert_axis(Axis(1));
        self.solve(&block).remove_axis(Axis(1))
    }

    /// The quadratic forms `r_cᵀ P⁻¹ r_c` of the columns, `r [N, C] → [C]`.
    ///
    /// An implementation that knows a form without cancellation overrides this one.
    fn quad(&self, r: &ArrayRef2<f64>) -> Array1<f64> {
        (self.solve(r) * r.view()).sum_axis(Axis(0))
    }

    /// The quadratic form of one vector, `r [N]`.
    fn quad_vec(&self, r: &ArrayRef1<f64>) -> f64 {
        self.quad(&r.view().insert_axis(Axis(1)))[0]
    }
}

/// The scaled identity `P = s I`; with `s = 1` no preconditioning at all.
///
/// ```
/// use linalg_cg::{Preconditioner, ScaledIdentity};
/// use ndarray::array;
///
/// let noise = ScaledIdentity::new(2, 0.5).expect("positive");
/// assert_eq!(noise.solve_vec(&array![1.0, 2.0]), array![2.0, 4.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaledIdentity {
    n: usize,
    scale: f64,
}

impl ScaledIdentity {
    /// `scale · I` of order `n`.
    ///
    /// # Errors
    /// [`LinalgError::NotPositive`] unless `scale` is finite and above 0.
    pub fn new(n: usize, scale: f64) -> Result<Self, LinalgError> {
        check::positive("scale", &ndarray::aview1(&[scale]))?;
        Ok(Self { n, scale })
    }

    /// The identity of order `n`.
    #[must_use]
    pub fn identity(n: usize) -> Self {
        Self { n, scale: 1.0 }
    }
}

impl Preconditioner for ScaledIdentity {
    fn n(&self) -> usize {
        self.n
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        r.mapv(|value| value / self.scale)
    }
}

/// A diagonal preconditioner, `P = diag(d)`; with `d = diag(A)` Jacobi's.
///
/// ```
/// use linalg_cg::{Diagonal, Preconditioner};
/// use ndarray::array;
///
/// let jacobi = Diagonal::new(array![2.0, 4.0]).expect("positive");
/// assert_eq!(jacobi.solve_vec(&array![1.0, 1.0]), array![0.5, 0.25]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Diagonal {
    diagonal: Array1<f64>,
}

impl Diagonal {
    /// `diag(diagonal)`, `diagonal [N]`.
    ///
    /// # Errors
    /// [`LinalgError::NotPositive`] unless every element is finite and above 0.
    pub fn new(diagonal: Array1<f64>) -> Result<Self, LinalgError> {
        check::positive("diagonal", &diagonal)?;
        Ok(Self { diagonal })
    }
}

impl Preconditioner for Diagonal {
    fn n(&self) -> usize {
        self.diagonal.len()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        r.to_owned() / self.diagonal.view().insert_axis(Axis(1))
    }
}
