//! The bound with its gradient at given auxiliary vectors.

use bounds::quad::residual;
use bounds::{LowerGradient, LowerPoint, Problem};
use gp_core::{GpError, HyperGradient, Hyperparameters, check_data};
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use sparse_gp::check_points;

use crate::auxiliary::solve;
use crate::check::check_like_targets;
use crate::setting::{Structures, problem};
use crate::settings::CglbSettings;
use crate::stats::CgStats;

/// The bound with its derivatives, v held fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct CglbGradient {
    /// The bound, nats, summed over targets.
    pub value: f64,
    /// In the hyperparameters.
    pub hyper: HyperGradient,
    /// In the inducing points, `[M, D]`.
    pub z: Option<Array2<f64>>,
    /// ½ rᵀQ⁻¹r of each target: at most so many nats could a better v gain.
    pub slack: Array1<f64>,
}

impl CglbGradient {
    /// Adds the mean's parameters to a gradient in y − m(X).
    pub(crate) fn new(lower: LowerGradient, hyper: &Hyperparameters, x: &ArrayRef2<f64>) -> Self {
        let LowerGradient { value, hyper: gradient, y, slack } = lower;
        let mut mean = vec![0.0; hyper.mean.parameters().len()];
        hyper.mean.accumulate_gradient(x, &-y.sum_axis(Axis(1)), &mut mean);
        let z = gradient.z.clone();
        Self { value, hyper: HyperGradient::new(gradient, mean), z, slack }
    }
}

/// The conjugate-gradient lower bound of `y` `[N, P]` at `x` `[N, D]` for any inducing points `z`
/// `[M, D]` and any auxiliary `v` `[N, P]`, with its gradient at that v held fixed.
///
/// ```text
/// F = −½ Σ_p [v_pᵀKv_p + 2r_pᵀv_p + r_pᵀQ⁻¹r_p + (upper bound on log|K|) + N log 2π],  r = y − m(X) − Kv
/// ```
///
/// v = 0 gives SGPR's quadratic term. Neighbours, where the bound has them, are those at these very
/// hyperparameters. Cost: one product with K, one pass over its derivatives, O(N M²). Source: Artemev,
/// Burt & van der Wilk (2021), eq. 15.
///
/// # Errors
/// Data that are empty, not finite or of disagreeing shapes; parameters out of range; a Kuu that no
/// jitter makes positive definite.
pub fn cglb_gradient(
    hyper: &Hyperparameters,
    z: &ArrayRef2<f64>,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
    settings: &CglbSettings,
) -> Result<CglbGradient, GpError> {
    check_like_targets("v", v, y)?;
    at(hyper, z, x, y, settings, |problem, y| Ok((v.to_owned(), residual(problem, y, v))))
}

/// The same at the v that conjugate gradients find from zero to the training tolerance: the first
/// evaluation of a training run. Also says what they took.
///
/// # Errors
/// As [`cglb_gradient`].
pub fn cold_start(
    hyper: &Hyperparameters,
    z: &ArrayRef2<f64>,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    settings: &CglbSettings,
) -> Result<(CglbGradient, CgStats), GpError> {
    let mut stats = CgStats::default();
    let gradient = at(hyper, z, x, y, settings, |problem, y| {
        let solved = solve(problem, y, None, settings.training_tolerance, settings)?;
        stats.count(solved.steps, solved.converged);
        Ok((solved.v, solved.residual))
    })?;
    Ok((gradient, stats))
}

fn at(
    hyper: &Hyperparameters,
    z: &ArrayRef2<f64>,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    settings: &CglbSettings,
    find: impl FnOnce(&Problem<'_>, &Array2<f64>) -> Result<(Array2<f64>, Array2<f64>), GpError>,
) -> Result<CglbGradient, GpError> {
    check_data(hyper, x, y)?;
    check_points(z, x.ncols())?;
    settings.check()?;
    let structures = Structures::choose(hyper, z, x, settings)?;
    let problem = problem(hyper, z, x, &structures, settings.jitter)?;
    let y = hyper.residual(x, y);
    let (v, residual) = find(&problem, &y)?;
    let point = LowerPoint { y: &y, v: &v, residual: &residual };
    let lower = point.gradient(&problem, &settings.bound, true)?;
    Ok(CglbGradient::new(lower, hyper, x))
}
