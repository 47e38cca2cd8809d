//! How far a prediction may be from the exact posterior.

mod means;
mod rounding;
mod variances;

use self::means::{Interval, Means};
use self::variances::Variances;
use crate::{BoundError, Problem, SurrogateKind, check};
use linalg_cg::CgOptions;
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, s};

/// Test points that are solved for together.
const BLOCK: usize = 32;

/// How posterior variances are certified.
///
/// | option | default |
/// | --- | --- |
/// | `tolerance` | 1e-3: width of the two-sided bound at which a solve stops, as a share of the largest k(x, x) of training |
/// | `neighbours` | 30: training points of the cheap upper end |
/// | `preconditioner` | none: Q with inducing points, σ²I without; any surrogate that the problem has may take fewer steps |
/// | `cg` | [`CgOptions::default`] |
#[derive(Debug, Clone)]
pub struct VarianceOptions {
    /// Width of the two-sided bound at which a solve stops, as a share of the largest k(x, x) of the
    /// training points.
    pub tolerance: f64,
    /// Nearest training points that the cheap upper end conditions on.
    pub neighbours: usize,
    /// What speeds the solves up; the width is measured with Q or σ²I in any case.
    pub preconditioner: Option<SurrogateKind>,
    /// Options of the solves; with 0 iterations only the cheap bounds are left.
    pub cg: CgOptions,
}

impl Default for VarianceOptions {
    fn default() -> Self {
        Self { tolerance: 1e-3, neighbours: 30, preconditioner: None, cg: CgOptions::default() }
    }
}

/// Certificates of predictions at T points, for P target columns.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionCertificate {
    /// Never below |mean − exact posterior mean|, `[T, P]`, of the mean that v gives.
    pub mean_error: Array2<f64>,
    /// Never above the exact posterior mean, the prior's mean subtracted, `[T, P]`.
    pub mean_lower: Array2<f64>,
    /// Never below it, `[T, P]`: what any other approximation can be compared with.
    pub mean_upper: Array2<f64>,
    /// Never above the exact variance of the latent function, `[T]`.
    pub var_lower: Array1<f64>,
    /// Never below it, `[T]`; the predictive variance of a target adds σ².
    pub var_upper: Array1<f64>,
    /// Steps of the solves for the variances, the longest of each block added up.
    pub steps: usize,
}

/// Certifies the predictions that an auxiliary `v [N, P]` gives at `x_new [T, D]`.
///
/// ```text
/// mean   m = k*ᵀv + q*ᵀQ⁻¹r,   r = y − Kv,   q* = K_fu K_uu⁻¹ k_u*
///        |m − m_exact| ≤ (√(k*ᵀK⁻¹k*) + √(q*ᵀQ⁻¹q*)) √(rᵀQ⁻¹r)
///        |k*ᵀv + wᵀr − m_exact| ≤ √(r*ᵀQ⁻¹r*) √(rᵀQ⁻¹r),   r* = k* − Kw
/// var    k** − U(w) ≤ var ≤ k** − L(w),   U, L the quadratic bounds for the targets k*, K w ≈ k*
///        var ≤ k** − k*_SᵀK_SS⁻¹k*_S,     S the nearest training points
/// ```
///
/// Both intervals around the exact mean hold, so their intersection does. Without inducing points
/// Q = σ²I and q* = 0. k*ᵀK⁻¹k* = k** − var is bounded by the lower end of the variance. Everything is
/// widened by what rounding does. Cost: O(N²) per step for 32 points, O(T k³) for the neighbours;
/// O(N · 32) memory beside the problem's. Which other points are solved beside one moves its certificate within the tolerance.
///
/// # Errors
/// When a shape disagrees, a number is not finite, or the tolerance is not positive; when the problem
/// lacks what the preconditioner is made of.
///
/// Source: Artemev, Burt & van der Wilk (2021), eq. 16, for the mean; `docs/src/math/prediction.md`.
pub fn certify_predictions(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
    x_new: &ArrayRef2<f64>,
    options: &VarianceOptions,
) -> Result<PredictionCertificate, BoundError> {
    check_shapes(problem, y, v, x_new)?;
    let means = Means::new(problem, y, v)?;
    let mut found = Found::new(x_new.nrows(), y.ncols());
    let cheap = variances::by_neighbours(problem, x_new, options.neighbours)?;
    for start in (0..x_new.nrows()).step_by(BLOCK) {
        let rows = start..(start + BLOCK).min(x_new.nrows());
        let block = x_new.slice(s![rows.clone(), ..]);
        let mut ends = Variances::solve(problem, &block, options)?;
        ends.lower_upper_end(&cheap.slice(s![rows]));
        let mean = means.at_v(&block);
        let interval = means.near_mean(&mean, &block, &ends).and(&means.near_solution(&ends));
        found.put(start, &mean, &interval, &ends);
    }
    Ok(found.0)
}

/// Certifies predictions whose `variance [T]` a dense factorisation gave, with v = K⁻¹y from it: both
/// intervals are what rounding leaves.
///
/// ```text
/// |k*ᵀv − m_exact| ≤ √(k*ᵀK⁻¹k*) ‖y − Kv‖/σ
/// |variance − var| ≤ 4ε [N (s² + σ²) ‖K⁻¹k*‖² + …],   ‖K⁻¹k*‖² ≤ k*ᵀK⁻¹k*/σ²
/// ```
///
/// Cost: one product with K, O(N T).
///
/// # Errors
/// When a shape disagrees or a number is not finite.
pub fn certify_exact_predictions(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
    x_new: &ArrayRef2<f64>,
    variance: &ArrayRef1<f64>,
) -> Result<PredictionCertificate, BoundError> {
    check_shapes(problem, y, v, x_new)?;
    check::length("variance", variance.len(), x_new.nrows())?;
    let means = Means::new(problem, y, v)?;
    let ends = Variances::of_exact(problem, x_new, variance);
    let mean = means.at_v(x_new);
    let interval = means.near_mean(&mean, x_new, &ends);
    let mut found = Found::new(x_new.nrows(), y.ncols());
    found.put(0, &mean, &interval, &ends);
    Ok(found.0)
}

fn check_shapes(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
    x_new: &ArrayRef2<f64>,
) -> Result<(), BoundError> {
    check::length("y", y.nrows(), problem.n())?;
    check::length("v", v.nrows(), problem.n())?;
    check::length("columns of v", v.ncols(), y.ncols())?;
    check::length("columns of x_new", x_new.ncols(), problem.x().ncols())?;
    check::finite("y", y)?;
    check::finite("v", v)?;
    check::finite("x_new", x_new)
}

/// The certificate as it is filled block by block.
struct Found(PredictionCertificate);

impl Found {
    fn new(points: usize, targets: usize) -> Self {
        let pairs = || Array2::zeros((points, targets));
        Self(PredictionCertificate {
            mean_error: pairs(),
            mean_lower: pairs(),
            mean_upper: pairs(),
            var_lower: Array1::zeros(points),
            var_upper: Array1::zeros(points),
            steps: 0,
        })
    }

    fn put(&mut self, start: usize, mean: &Array2<f64>, interval: &Interval, ends: &Variances) {
        let rows = s![start..start + mean.nrows(), ..];
        self.0.mean_error.slice_mut(rows).assign(&interval.reach_from(mean));
        self.0.mean_lower.slice_mut(rows).assign(&interval.lower);
        self.0.mean_upper.slice_mut(rows).assign(&interval.upper);
        let rows = s![start..start + mean.nrows()];
        self.0.var_lower.slice_mut(rows).assign(&ends.lower);
        self.0.var_upper.slice_mut(rows).assign(&ends.upper);
        self.0.steps += ends.steps;
    }
}
