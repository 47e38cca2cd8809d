//! Kernels that depend on the scaled distance alone; one radial profile each.

use std::fmt::Debug;

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, ArrayView1};

use crate::kernel::{check_all_positive, check_count, check_per_column, check_positive};
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// Scaled differences are held below this, so that their squares stay finite.
const FAR: f64 = 1e150;

/// A function κ of the squared scaled distance r², with κ(0) = 1.
///
/// Implement this, and [`Stationary`] gives the kernel with all its gradients.
pub trait RadialProfile: Debug + Clone + Send + Sync + 'static {
    /// The kernel's name.
    const NAME: &'static str;

    /// κ(r²), for r² from 0 to +∞ included.
    fn value(&self, r2: f64) -> f64;

    /// −2 dκ/d(r²), for r² from 0 to +∞ included. Where it is infinite at 0 return 0: it is only
    /// used multiplied by differences that vanish faster.
    fn slope(&self, r2: f64) -> f64;

    /// The shape parameter, if there is one: its name and value.
    fn shape(&self) -> Option<(&'static str, f64)> {
        None
    }

    /// Sets the shape parameter; never called without one.
    fn set_shape(&mut self, value: f64) {
        let _ = value;
    }

    /// ∂κ/∂log(shape); never called without one.
    fn shape_derivative(&self, r2: f64) -> f64 {
        let _ = r2;
        0.0
    }

    /// The written form of the kernel with this profile.
    fn spec(&self, lengthscales: Vec<f64>, variance: f64) -> KernelSpec;
}

/// A stationary kernel with automatic relevance determination.
///
/// ```text
/// k(x, x') = s² κ(r²),   r² = Σ_d ((x_d − x'_d) / ℓ_d)²
/// ∂k/∂log ℓ_d = s² slope(r²) ((x_d − x'_d) / ℓ_d)²
/// ∂k/∂x_d = −s² slope(r²) (x_d − x'_d) / ℓ_d²
/// ```
///
/// Differences are taken before scaling: equal rows are at distance exactly 0, and an offset
/// common to all rows costs no digits.
#[derive(Debug, Clone)]
pub struct Stationary<P: RadialProfile> {
    lengthscales: Vec<f64>,
    variance: f64,
    profile: P,
}

impl<P: RadialProfile> Stationary<P> {
    /// A kernel with one lengthscale for all columns, or one for each.
    pub(crate) fn with_profile(
        lengthscales: Vec<f64>,
        variance: f64,
        profile: P,
    ) -> Result<Self, KernelError> {
        check_all_positive("lengthscales", &lengthscales)?;
        check_positive("variance", variance)?;
        if let Some((name, value)) = profile.shape() {
            check_positive(name, value)?;
        }
        Ok(Self { lengthscales, variance, profile })
    }

    /// ℓ, one for all columns or one for each, in the units of the inputs.
    #[must_use]
    pub fn lengthscales(&self) -> &[f64] {
        &self.lengthscales
    }

    /// s², in the units of the target squared.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.variance
    }

    fn inverse_lengthscales(&self, d: usize) -> Vec<f64> {
        let spread = |i: usize| self.lengthscales[if self.lengthscales.len() == 1 { 0 } else { i }];
        (0..d).map(|i| spread(i).recip()).collect()
    }
}

/// The columns of `x2`, each contiguous: the inner loops run along them.
fn by_column(x2: &ArrayRef2<f64>) -> Vec<Vec<f64>> {
    x2.columns().into_iter().map(|column| column.to_vec()).collect()
}

/// r² of one row against all rows of `x2`.
fn squared_distances(
    row: ArrayView1<'_, f64>,
    columns: &[Vec<f64>],
    inverse: &[f64],
    r2: &mut [f64],
) {
    r2.fill(0.0);
    for ((&here, column), &scale) in row.iter().zip(columns).zip(inverse) {
        for (r2, &there) in r2.iter_mut().zip(column) {
            let delta = (here - there) * scale;
            *r2 += delta * delta;
        }
    }
}

impl<P: RadialProfile> Kernel for Stationary<P> {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn spec(&self) -> KernelSpec {
        self.profile.spec(self.lengthscales.clone(), self.variance)
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }

    fn check_columns(&self, d: usize) -> Result<(), KernelError> {
        check_per_column("lengthscales", self.lengthscales.len(), d)
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters: Vec<_> =
            Parameter::numbered("lengthscales", &self.lengthscales).collect();
        parameters.push(Parameter::new("variance", self.variance));
        parameters.extend(self.profile.shape().map(|(name, value)| Parameter::new(name, value)));
        parameters
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), KernelError> {
        let d = self.lengthscales.len();
        let expected = d + 1 + usize::from(self.profile.shape().is_some());
        check_count(P::NAME, expected, values.len())?;
        let mut profile = self.profile.clone();
        if expected > d + 1 {
            profile.set_shape(values[d + 1]);
        }
        *self = Self::with_profile(values[..d].to_vec(), values[d], profile)?;
        Ok(())
    }

    fn block(&self, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
        let (columns, inverse) = (by_column(x2), self.inverse_lengthscales(x.ncols()));
        let mut r2 = vec![0.0; x2.nrows()];
        let mut block = Array2::zeros((x.nrows(), x2.nrows()));
        for (row, mut out) in x.outer_iter().zip(block.outer_iter_mut()) {
            squared_distances(row, &columns, &inverse, &mut r2);
            for (out, &r2) in out.iter_mut().zip(&r2) {
                *out = self.variance * self.profile.value(r2);
            }
        }
        block
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        Array1::from_elem(x.nrows(), self.variance)
    }

    fn accumulate_gradient(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad: &mut [f64],
    ) {
        let (columns, inverse) = (by_column(x2), self.inverse_lengthscales(x.ncols()));
        let shared = self.lengthscales.len() == 1;
        let n_lengthscales = self.lengthscales.len();
        let mut r2 = vec![0.0; x2.nrows()];
        let mut pull = vec![0.0; x2.nrows()];
        for (row, weights) in x.outer_iter().zip(weights.outer_iter()) {
            squared_distances(row, &columns, &inverse, &mut r2);
            let mut value = 0.0;
            for ((pull, &r2), &weight) in pull.iter_mut().zip(&r2).zip(weights) {
                value += weight * self.profile.value(r2);
                *pull = self.variance * weight * self.profile.slope(r2);
            }
            grad[n_lengthscales] += self.variance * value;
            if self.profile.shape().is_some() {
                let derivative =
                    |(&r2, &weight): (&f64, &f64)| weight * self.profile.shape_derivative(r2);
                let sum: f64 = r2.iter().zip(weights).map(derivative).sum();
                grad[n_lengthscales + 1] += self.variance * sum;
            }
            for (d, ((&here, column), &scale)) in row.iter().zip(&columns).zip(&inverse).enumerate()
            {
                let stretch = |(&there, &pull): (&f64, &f64)| {
                    let delta = ((here - there) * scale).clamp(-FAR, FAR);
                    pull * (delta * delta)
                };
                let sum: f64 = column.iter().zip(&pull).map(stretch).sum();
                grad[if shared { 0 } else { d }] += sum;
            }
        }
    }

    fn accumulate_diag_gradient(
        &self,
        _x: &ArrayRef2<f64>,
        weights: &ArrayRef1<f64>,
        grad: &mut [f64],
    ) {
        grad[self.lengthscales.len()] += self.variance * weights.iter().sum::<f64>();
    }

    fn accumulate_input_gradient(
        &self,
        x: &ArrayRef2<f64>,
        x2: &ArrayRef2<f64>,
        weights: &ArrayRef2<f64>,
        grad_x: &mut ArrayRef2<f64>,
    ) {
        let (columns, inverse) = (by_column(x2), self.inverse_lengthscales(x.ncols()));
        let mut r2 = vec![0.0; x2.nrows()];
        for ((row, weights), mut grad) in
            x.outer_iter().zip(weights.outer_iter()).zip(grad_x.outer_iter_mut())
        {
            squared_distances(row, &columns, &inverse, &mut r2);
            let pull: Vec<f64> = r2
                .iter()
                .zip(weights)
                .map(|(&r2, &weight)| self.variance * weight * self.profile.slope(r2))
                .collect();
            for (((grad, &here), column), &scale) in
                grad.iter_mut().zip(row).zip(&columns).zip(&inverse)
            {
                let towards = |(&there, &pull): (&f64, &f64)| {
                    pull * ((here - there) * scale).clamp(-FAR, FAR)
                };
                *grad -= scale * column.iter().zip(&pull).map(towards).sum::<f64>();
            }
        }
    }

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        x.to_owned() * &Array1::from(self.inverse_lengthscales(x.ncols()))
    }
}

/// Holds r² where exp(−r) is zero anyway, so that no polynomial times it overflows.
pub(crate) fn clamp_far(r2: f64) -> f64 {
    r2.min(1e6)
}
