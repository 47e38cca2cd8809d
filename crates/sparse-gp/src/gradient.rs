//! The collapsed bound's gradient in the hyperparameters and the inducing points.

use std::f64::consts::PI;
use std::ops::Range;

use gp_core::HyperGradient;
use kernels::{contract_gradients, contract_input_gradient, contract_symmetric_gradient};
use linalg_cg::{gram, matmul};
use ndarray::{Array1, Array2, ArrayRef2, Axis, s};

use crate::collapsed::{Collapsed, column_squares, quad, residual, unexplained};

/// The bound with its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct ElboGradient {
    /// The bound, nats, summed over targets.
    pub value: f64,
    /// In the hyperparameters.
    pub hyper: HyperGradient,
    /// In the inducing points, `[M, D]`.
    pub z: Array2<f64>,
}

/// Weights of dKuf, of which those of a shard are `by_v · V + by_p · pᵀ`, p = Q⁻¹R.
struct Weights {
    by_v: Array2<f64>,
    by_p: Array2<f64>,
}

impl Weights {
    /// Weights `[M, S]` of the kernel between Z and a shard's rows.
    fn of_shard(&self, v: &ArrayRef2<f64>, p: &Array2<f64>) -> Array2<f64> {
        let mut weights = matmul(&self.by_v, v);
        // There are few targets: adding row by row saves a second matrix of this size.
        for (p, by_p) in p.columns().into_iter().zip(self.by_p.columns()) {
            let p = p.to_owned();
            for (mut row, scale) in weights.rows_mut().into_iter().zip(by_p) {
                row.scaled_add(*scale, &p);
            }
        }
        weights
    }
}

/// What is summed over data rows.
struct Sums {
    kernel: Vec<f64>,
    mean: Vec<f64>,
    z: Array2<f64>,
    /// ‖R − VᵀC‖² for each target.
    left: Array1<f64>,
}

impl Collapsed<'_> {
    /// Value and gradient, in one more pass over the rows.
    ///
    /// ```text
    /// F = −½ Σ_p [rᵀQ⁻¹r + log|Q| + tr(D)/σ² + N log 2π]
    /// dF = tr(Wufᵀ dKuf) + tr(Wuu dKuu) − P/(2σ²) Σ_i dk(x_i, x_i) + g dσ² + Σ_p pᵀdm
    /// Wuf = L⁻ᵀ[P(I − B⁻¹)V/σ² + C pᵀ],   p = Q⁻¹R = (R − VᵀC)/σ²
    /// Wuu = ½L⁻ᵀ[P(I − B⁻¹ − VVᵀ/σ²) − CCᵀ]L⁻¹
    /// g   = −½[P(N − tr(I − B⁻¹) − tr(D)/σ²)/σ² − ‖p‖²]
    /// ```
    pub(crate) fn gradient(&self) -> ElboGradient {
        let targets = self.y.ncols() as f64;
        // I − B⁻¹, of which Q⁻¹ = σ⁻²(I − ...) is made.
        let shrinkage = Array2::eye(self.vvt.nrows()) - self.inner.factor.inverse();
        let l = self.whitened.l();
        let weights = Weights {
            by_v: l.solve_lower_transpose(&shrinkage) * (targets / self.sigma2),
            by_p: l.solve_lower_transpose(&self.inner.coefficients),
        };
        let mut sums = self.sum_over_rows(&weights);
        self.add_inducing(&shrinkage, &mut sums);
        let squares = sums.left.sum() / self.sigma2.powi(2);
        let scaled_trace = self.residual_trace / self.sigma2;
        let freedom = self.y.nrows() as f64 - shrinkage.diag().sum() - scaled_trace;
        let d_sigma2 = -0.5 * (targets * freedom / self.sigma2 - squares);
        self.hyper.kernel.accumulate_white_gradient(d_sigma2, &mut sums.kernel);
        let hyper = HyperGradient {
            log_kernel: sums.kernel,
            log_noise_variance: self.hyper.noise_variance * d_sigma2,
            mean: sums.mean,
        };
        ElboGradient { value: self.value(&sums.left), hyper, z: sums.z }
    }

    fn value(&self, left: &Array1<f64>) -> f64 {
        let n = self.y.nrows() as f64;
        let log_det = self.log_det_q() + self.residual_trace / self.sigma2;
        let quads = quad(left, &self.inner, self.sigma2);
        quads.iter().map(|quad| -0.5 * (quad + log_det + n * (2.0 * PI).ln())).sum()
    }

    fn sum_over_rows(&self, weights: &Weights) -> Sums {
        let add = |mut a: Sums, b: Sums| {
            a.kernel.iter_mut().zip(b.kernel).for_each(|(sum, part)| *sum += part);
            a.mean.iter_mut().zip(b.mean).for_each(|(sum, part)| *sum += part);
            Sums { z: a.z + b.z, left: a.left + b.left, ..a }
        };
        let none = || Sums {
            kernel: vec![0.0; self.hyper.kernel.parameters().len()],
            mean: vec![0.0; self.hyper.mean.parameters().len()],
            z: Array2::zeros(self.whitened.z().dim()),
            left: Array1::zeros(self.y.ncols()),
        };
        self.whitened.reduce(|rows, v| self.shard(rows, v, weights), add).unwrap_or_else(none)
    }

    /// One shard's part.
    fn shard(&self, rows: Range<usize>, v: &ArrayRef2<f64>, weights: &Weights) -> Sums {
        let (kernel, z) = (self.whitened.kernel(), self.whitened.z());
        let x = self.whitened.x().slice(s![rows.clone(), ..]);
        let r = residual(self.hyper, self.whitened.x(), self.y, rows);
        let left = unexplained(&r, v, &self.inner);
        let p = &left / self.sigma2;
        let w_uf = weights.of_shard(v, &p);
        let (mut gradient, z) = contract_gradients(kernel, z, &x, &w_uf);
        let prior = -0.5 * self.y.ncols() as f64 / self.sigma2;
        kernel.accumulate_diag_gradient(&x, &Array1::from_elem(x.nrows(), prior), &mut gradient);
        let mut mean = vec![0.0; self.hyper.mean.parameters().len()];
        self.hyper.mean.accumulate_gradient(&x, &p.sum_axis(Axis(1)), &mut mean);
        Sums { kernel: gradient, mean, z, left: column_squares(&left) }
    }

    /// The part of dKuu.
    fn add_inducing(&self, shrinkage: &Array2<f64>, sums: &mut Sums) {
        let (kernel, z, l) = (self.whitened.kernel(), self.whitened.z(), self.whitened.l());
        let explained = shrinkage - &(&self.vvt / self.sigma2);
        let inner = explained * self.y.ncols() as f64 - gram(&self.inner.coefficients);
        // L⁻ᵀHL⁻¹ = L⁻ᵀ(L⁻ᵀH)ᵀ, H being symmetric.
        let half = l.solve_lower_transpose(&inner);
        let mut w_uu = l.solve_lower_transpose(&half.t()) * 0.5;
        // A jitter in proportion to the mean of k(z, z) moves with each of its terms.
        let share = self.relative_jitter * w_uu.diag().sum() / z.nrows().max(1) as f64;
        w_uu.diag_mut().mapv_inplace(|weight| weight + share);
        let parts = contract_symmetric_gradient(kernel, z, &w_uu);
        sums.kernel.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        // Both arguments of k(z_i, z_j) move with z.
        sums.z += &contract_input_gradient(kernel, z, z, &(&w_uu + &w_uu.t()));
    }
}
