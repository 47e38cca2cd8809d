//! Kernels that depend on the scaled distance alone; one radial profile each.

mod gradients;
mod single;
mod tile;

use std::fmt::Debug;

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use self::single::PreparedStationary;
use self::tile::Prepared;
use crate::kernel::{check_all_positive, check_count, check_per_column, check_positive};
use crate::points::Inputs;
use crate::prepared::PreparedKernel;
#[cfg(doc)]
use crate::simd::Task;
use crate::simd::Vector;
use crate::single::PreparedSingle;
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// 2²¹: exponents of two within it stay within range in single precision too.
pub(crate) const FAR: f64 = 2_097_152.0;

/// A function κ of the squared scaled distance q, with κ(0) = 1.
///
/// ```text
/// q = scale² Σ_d ((x_d − x'_d) / ℓ_d)²
/// ```
///
/// The scale is the profile's own: chosen so that its value takes the fewest operations, such as
/// powers of two in place of e. Implement this, and [`Stationary`] gives the kernel with all its
/// gradients and products.
pub trait RadialProfile: Debug + Clone + Send + Sync + 'static {
    /// The kernel's name.
    const NAME: &'static str;

    /// What distances are multiplied by.
    fn scale(&self) -> f64;

    /// Squared scaled distances are held below this, where κ has vanished or hardly moves: at most
    /// 2²¹ where q or √q is an exponent, so that exponents stay within range.
    const FAR: f64 = FAR;

    /// κ(q) and −2 dκ/dq, for q from 0 to [`FAR`](Self::FAR) included. Where the slope is infinite
    /// at 0 any finite number does: it is only used multiplied by differences that vanish faster.
    ///
    /// Must be `#[inline(always)]`: see [`Task`].
    fn value_and_slope<V: Vector>(&self, q: V) -> (V, V);

    /// s² κ(q), for profiles where the factor comes free. Exactly s² at 0.
    #[inline(always)]
    fn scaled_value<V: Vector>(&self, q: V, variance: V) -> V {
        self.value_and_slope(q).0.mul(variance)
    }

    /// The shape parameter, if there is one: its name and value.
    fn shape(&self) -> Option<(&'static str, f64)> {
        None
    }

    /// Sets the shape parameter; never called without one.
    fn set_shape(&mut self, value: f64) {
        let _ = value;
    }

    /// ∂κ/∂log(shape) at a fixed distance; never called without a shape.
    #[inline(always)]
    fn shape_derivative<V: Vector>(&self, q: V) -> V {
        let _ = q;
        V::splat(0.0)
    }

    /// The written form of the kernel with this profile.
    fn spec(&self, lengthscales: Vec<f64>, variance: f64) -> KernelSpec;
}

/// A stationary kernel with automatic relevance determination.
///
/// ```text
/// k(x, x') = s² κ(q),   q = Σ_d δ_d²,   δ_d = scale (x_d − x'_d) / ℓ_d
/// ∂k/∂log ℓ_d = −2 s² κ'(q) δ_d²
/// ∂k/∂x_d = 2 s² κ'(q) δ_d scale / ℓ_d
/// ```
///
/// Distances are sums of squared differences: equal rows are at distance exactly 0, and an offset
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

    /// 1/ℓ of each of `d` columns.
    fn inverse_lengthscales(&self, d: usize) -> Vec<f64> {
        let spread = |i: usize| self.lengthscales[if self.lengthscales.len() == 1 { 0 } else { i }];
        (0..d).map(|i| spread(i).recip()).collect()
    }

    /// What differences in each of `d` columns are multiplied by.
    fn scales(&self, d: usize) -> Vec<f64> {
        let scale = self.profile.scale();
        let scaled = |inverse: f64| (inverse * scale).min(f64::MAX);
        self.inverse_lengthscales(d).into_iter().map(scaled).collect()
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

    fn prepare(&self, inputs: &Inputs<'_>) -> Box<dyn PreparedKernel> {
        Box::new(Prepared::new(self, inputs))
    }

    fn prepare_single(&self, inputs: &Inputs<'_>) -> Option<Box<dyn PreparedSingle>> {
        let prepared = PreparedStationary::new(self, inputs)?;
        Some(Box::new(prepared))
    }

    fn diag(&self, x: &ArrayRef2<f64>) -> Array1<f64> {
        Array1::from_elem(x.nrows(), self.variance)
    }

    fn accumulate_diag_gradient(
        &self,
        _x: &ArrayRef2<f64>,
        weights: &ArrayRef1<f64>,
        grad: &mut [f64],
    ) {
        grad[self.lengthscales.len()] += self.variance * weights.iter().sum::<f64>();
    }

    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        x.to_owned() * &Array1::from(self.inverse_lengthscales(x.ncols()))
    }
}
