//! Functions drawn from the posterior by pathwise conditioning.

use gp_core::{GpError, Hyperparameters, check_finite, check_length};
use kernels::{RandomFeatures, cross_product};
use linalg_cg::Shards;
use ndarray::{Array2, Array3, ArrayRef2, Axis, concatenate, s};

use crate::model::IterativeParts;
use crate::options::ProbeKind;
use crate::probes::{probes, seed_of_round};
use crate::solves::Solver;

/// Draws solved together.
const PANEL: usize = 32;

/// Functions drawn from a posterior, to be evaluated at any inputs.
///
/// ```text
/// f(x*) = m(x*) + φ(x*)ᵀa + k*ᵀ[α − K⁻¹(Φa + ε)],   φᵀa ~ GP(0, k),  ε ~ N(0, σ²I)
/// ```
///
/// Exact where Φ has as many features as the kernel has dimensions; with F features the prior part
/// errs as F^(−½), the data's part does not. Source: Wilson et al. (2020), "Efficiently sampling
/// functions from Gaussian process posteriors"; Lin et al. (2024).
#[derive(Debug, Clone)]
pub struct FunctionDraws {
    hyper: Hyperparameters,
    x: Array2<f64>,
    features: RandomFeatures,
    /// a, one column for each draw and target, targets of a draw side by side.
    weights: Array2<f64>,
    /// α − K⁻¹(Φa + ε) `[N, S P]`.
    coefficients: Array2<f64>,
    targets: usize,
}

impl FunctionDraws {
    pub(crate) fn draw(
        parts: &IterativeParts,
        solver: &Solver<'_, '_>,
        count: usize,
        seed: u64,
    ) -> Result<Self, GpError> {
        let targets = parts.y.ncols();
        let columns = count * targets;
        let prior = Prior::draw(&parts.hyper, &parts.x, parts.options.features, columns, seed)?;
        let rhs = prior.noisy(&parts.hyper, &parts.x);
        let mut coefficients = Array2::zeros(rhs.dim());
        for panel in Shards::of_length(columns, PANEL).iter() {
            let rhs = rhs.slice(s![.., panel.clone()]);
            let (solved, _, _) = solver.solve(&rhs, None, parts.options.nats)?;
            for (column, solved) in panel.zip(solved.columns()) {
                let alpha = parts.alpha.column(column % targets.max(1));
                coefficients.column_mut(column).assign(&(&alpha - &solved));
            }
        }
        let Prior { features, weights, .. } = prior;
        let (hyper, x) = (parts.hyper.clone(), parts.x.clone());
        Ok(Self { hyper, x, features, weights, coefficients, targets })
    }

    /// The draws at `x_new` `[T, D]`, `[S, T, P]`.
    ///
    /// # Errors
    /// [`GpError::ShapeMismatch`] for another number of columns, [`GpError::NotFinite`].
    pub fn evaluate(&self, x_new: &ArrayRef2<f64>) -> Result<Array3<f64>, GpError> {
        check_length("x_new", "columns", x_new.ncols(), self.x.ncols())?;
        if x_new.nrows() > 0 {
            check_finite(x_new, "x_new")?;
        }
        let kernel = self.hyper.kernel.as_ref();
        let data = cross_product(kernel, x_new, &self.x, &self.coefficients);
        let flat = self.features.combine(x_new, &self.weights) + data;
        let flat = flat + self.hyper.mean.value(x_new).insert_axis(Axis(1));
        let targets = self.targets;
        let count = flat.ncols() / targets.max(1);
        Ok(Array3::from_shape_fn((count, x_new.nrows(), targets), |(draw, row, target)| {
            flat[[row, draw * targets + target]]
        }))
    }
}

/// Draws from the prior: features, their weights, noise of unit variance.
pub(crate) struct Prior {
    pub(crate) features: RandomFeatures,
    pub(crate) weights: Array2<f64>,
    noise: Array2<f64>,
}

impl Prior {
    pub(crate) fn draw(
        hyper: &Hyperparameters,
        x: &ArrayRef2<f64>,
        features: usize,
        columns: usize,
        seed: u64,
    ) -> Result<Self, GpError> {
        let [one, two, three] = [1, 2, 3].map(|round| seed_of_round(seed, round));
        Ok(Self {
            features: RandomFeatures::draw(hyper.kernel.as_ref(), x.ncols(), features, one)?,
            weights: probes(ProbeKind::Gaussian, features, columns, two),
            noise: probes(ProbeKind::Gaussian, x.nrows(), columns, three),
        })
    }

    /// f(X) + ε `[N, C]`: covariance K.
    pub(crate) fn noisy(&self, hyper: &Hyperparameters, x: &ArrayRef2<f64>) -> Array2<f64> {
        let noise = &self.noise * hyper.total_noise_variance().sqrt();
        self.features.combine(x, &self.weights) + noise
    }
}

/// f(X) + ε for draws that share nothing, so that their scatter tells the error of their mean.
pub(crate) fn independent_draws(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    features: usize,
    count: usize,
    seed: u64,
) -> Result<Array2<f64>, GpError> {
    let mut draws = Array2::zeros((x.nrows(), 0));
    for draw in 0..count as u64 {
        let prior = Prior::draw(hyper, x, features, 1, seed_of_round(seed, draw))?;
        draws = concatenate![Axis(1), draws, prior.noisy(hyper, x)];
    }
    Ok(draws)
}
