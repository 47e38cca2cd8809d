//! Periodic covariance: sample paths repeat themselves exactly.

use std::f64::consts::PI;

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, ArrayView1};

use crate::kernel::{check_all_positive, check_count, check_per_column, check_positive};
use crate::{Kernel, KernelError, KernelSpec, Parameter};

/// Phases and scaled sines are held below this, so that sines exist and squares stay finite.
const FAR: f64 = 1e150;

/// Periodic covariance: sample paths repeat themselves exactly.
///
/// ```text
/// k(x, x') = s² exp(−2 Σ_d sin²(π (x_d − x'_d) / p) / ℓ_d²)
/// ```
///
/// Units: p as `x`, ℓ without, s² as `y` squared. scikit-learn's convention; GPflow's ℓ is twice
/// this one, GPyTorch's λ its square. Source: Rasmussen & Williams (2006), eq. 4.31.
#[derive(Debug, Clone)]
pub struct Periodic {
    lengthscales: Vec<f64>,
    variance: f64,
    period: f64,
}

impl Periodic {
    /// One lengthscale for all columns, or one for each; s²; p.
    ///
    /// # Errors
    /// [`KernelError`] for values that are not positive and finite, or no lengthscale.
    pub fn new(lengthscales: Vec<f64>, variance: f64, period: f64) -> Result<Self, KernelError> {
        check_all_positive("lengthscales", &lengthscales)?;
        check_positive("variance", variance)?;
        check_positive("period", period)?;
        Ok(Self { lengthscales, variance, period })
    }

    fn lengthscale(&self, d: usize) -> f64 {
        self.lengthscales[if self.lengthscales.len() == 1 { 0 } else { d }]
    }

    /// The phase π(x − x')/p of one column, and (sin(phase)/ℓ)².
    fn phase(&self, d: usize, here: f64, there: f64) -> (f64, f64) {
        let phase = (PI * ((here - there) / self.period)).clamp(-FAR, FAR);
        (phase, (phase.sin() / self.lengthscale(d)).clamp(-FAR, FAR).powi(2))
    }

    fn pair(&self, x: ArrayView1<'_, f64>, x2: ArrayView1<'_, f64>) -> f64 {
        let exponent: f64 =
            x.iter().zip(x2).enumerate().map(|(d, (&a, &b))| self.phase(d, a, b).1).sum();
        self.variance * (-2.0 * exponent).exp()
    }

    /// sin(2·phase)/ℓ²: the derivative of (sin(phase)/ℓ)² in the phase.
    fn swing(&self, d: usize, phase: f64) -> f64 {
        let lengthscale = self.lengthscale(d);
        ((2.0 * phase).sin() / lengthscale / lengthscale).clamp(-FAR, FAR)
    }
}

impl Kernel for Periodic {
    fn name(&self) -> &'static str {
        "periodic"
    }

    fn spec(&self) -> KernelSpec {
        KernelSpec::Periodic {
            lengthscales: self.lengthscales.clone(),
            variance: self.variance,
            period: self.period,
            active_dims: None,
        }
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
        parameters.push(Parameter::new("period", self.period));
        parameters
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), KernelError> {
        let d = self.lengthscales.len();
        check_count("periodic", d + 2, values.len())?;
        *self = Self::new(values[..d].to_vec(), values[d], values[d + 1])?;
        Ok(())
    }

    fn block(&self, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>) -> Array2<f64> {
        let shape = (x.nrows(), x2.nrows());
        Array2::from_shape_fn(shape, |(i, j)| self.pair(x.row(i), x2.row(j)))
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
        let n_lengthscales = self.lengthscales.len();
        for ((i, j), &weight) in weights.indexed_iter() {
            let pull = weight * self.pair(x.row(i), x2.row(j));
            grad[n_lengthscales] += pull;
            for (d, (&a, &b)) in x.row(i).iter().zip(x2.row(j)).enumerate() {
                let (phase, squared) = self.phase(d, a, b);
                grad[if n_lengthscales == 1 { 0 } else { d }] += pull * 4.0 * squared;
                grad[n_lengthscales + 1] += pull * 2.0 * phase * self.swing(d, phase);
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
        for ((i, j), &weight) in weights.indexed_iter() {
            let pull = weight * self.pair(x.row(i), x2.row(j));
            for (d, (&a, &b)) in x.row(i).iter().zip(x2.row(j)).enumerate() {
                let (phase, _) = self.phase(d, a, b);
                grad_x[[i, d]] -= pull * 2.0 * self.swing(d, phase) * PI / self.period;
            }
        }
    }

    /// Each column becomes a point on a circle of radius 1/ℓ: half the squared distance there is
    /// the exponent.
    fn embed(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        let d = x.ncols();
        Array2::from_shape_fn((x.nrows(), 2 * d), |(i, column)| {
            let angle = 2.0 * PI * (x[[i, column % d]] / self.period);
            let coordinate = if column < d { angle.cos() } else { angle.sin() };
            coordinate / self.lengthscale(column % d)
        })
    }
}
