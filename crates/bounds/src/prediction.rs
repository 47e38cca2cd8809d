//! How far a prediction may be from the exact posterior.

use crate::quad::{residual, step_length};
use crate::surrogate::nearest_rows;
use crate::{BoundError, Problem, check, solve_preconditioned};
use kernels::kernel_matrix;
use linalg_cg::{CgOptions, Cholesky, LinearOperator, Preconditioner, ScaledIdentity, Shards};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis, s};

/// Test points that are solved for together.
const BLOCK: usize = 32;
/// Test points per parallel task of the neighbour bound.
const POINTS_PER_TASK: usize = 64;

/// How posterior variances are certified.
///
/// | option | default |
/// | --- | --- |
/// | `tolerance` | 1e-3: width of the two-sided bound at which a solve stops, as a share of k(x*, x*) |
/// | `neighbours` | 30: training points of the cheap upper end |
/// | `cg` | [`CgOptions::default`] |
#[derive(Debug, Clone)]
pub struct VarianceOptions {
    /// Width of the two-sided bound at which a solve stops, as a share of k(x*, x*).
    pub tolerance: f64,
    /// Nearest training points that the cheap upper end conditions on.
    pub neighbours: usize,
    /// Options of the solves; with 0 iterations only the cheap bounds are left.
    pub cg: CgOptions,
}

impl Default for VarianceOptions {
    fn default() -> Self {
        Self { tolerance: 1e-3, neighbours: 30, cg: CgOptions::default() }
    }
}

/// Certificates of predictions at T points, for P target columns.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionCertificate {
    /// Never below |mean − exact posterior mean|, `[T, P]`.
    pub mean_error: Array2<f64>,
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
/// var    k** − U(w) ≤ var ≤ k** − L(w),   U, L the quadratic bounds for the targets k*, K w ≈ k*
///        var ≤ k** − k*_SᵀK_SS⁻¹k*_S,     S the nearest training points
/// ```
///
/// Without inducing points Q = σ²I and q* = 0. k*ᵀK⁻¹k* = k** − var is bounded by the lower end of the
/// variance. The mean's bound holds for any v and is widened by what rounding does to r.
/// Cost: O(N²) per step for 32 points, O(T k³) for the neighbours; O(N · 32) memory beside the
/// problem's.
///
/// # Errors
/// When a shape disagrees, a number is not finite, or the tolerance is not positive.
///
/// Source: Artemev, Burt & van der Wilk (2021), eq. 16, for the mean; `docs/src/math/prediction.md`.
pub fn certify_predictions(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
    x_new: &ArrayRef2<f64>,
    options: &VarianceOptions,
) -> Result<PredictionCertificate, BoundError> {
    check::length("y", y.nrows(), problem.n())?;
    check::length("v", v.nrows(), problem.n())?;
    check::length("columns of v", v.ncols(), y.ncols())?;
    check::length("columns of x_new", x_new.ncols(), problem.x().ncols())?;
    check::finite("y", y)?;
    check::finite("v", v)?;
    check::finite("x_new", x_new)?;
    let prior = problem.kernel().diag(x_new);
    let mut ends = Ends {
        lower: Array1::zeros(x_new.nrows()),
        upper: by_neighbours(problem, x_new, &prior, options.neighbours),
        steps: 0,
    };
    for start in (0..x_new.nrows()).step_by(BLOCK) {
        let rows = start..(start + BLOCK).min(x_new.nrows());
        ends.solve(problem, &x_new.slice(s![rows.clone(), ..]), &prior, rows.start, options)?;
    }
    let explained = &prior - &ends.lower;
    let mean_error = mean_error(problem, y, v, x_new, &explained)?;
    Ok(PredictionCertificate {
        mean_error,
        var_lower: ends.lower,
        var_upper: ends.upper,
        steps: ends.steps,
    })
}

/// (√(k*ᵀK⁻¹k*) + √(q*ᵀQ⁻¹q*)) √(rᵀQ⁻¹r), with `explained` ≥ k*ᵀK⁻¹k*.
fn mean_error(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
    x_new: &ArrayRef2<f64>,
    explained: &Array1<f64>,
) -> Result<Array2<f64>, BoundError> {
    let r = residual(problem, y, v);
    let noise = ScaledIdentity::new(problem.n(), problem.sigma2())?;
    let mut reach = explained.mapv(|value| value.max(0.0).sqrt());
    let slack = match problem.inducing_points() {
        Some(z) => {
            let system = problem.nystrom()?;
            let a = system.project(problem.kernel(), z, x_new);
            reach += &system.explained_forms(&a).mapv(f64::sqrt);
            system.quad(&r)
        }
        None => noise.quad(&r),
    };
    let rounding = residual_rounding(problem, v);
    let slack = slack.mapv(|value| value.max(0.0).sqrt()) + rounding;
    Ok(&reach.insert_axis(Axis(1)) * &slack)
}

/// What rounding the entries of K may add to √(rᵀQ⁻¹r), per column.
///
/// ```text
/// ‖δr‖/σ,   ‖δr‖ ≤ 4ε (variance + σ²) √N ‖v‖   for independent errors of relative size ε
/// ```
fn residual_rounding(problem: &Problem<'_>, v: &ArrayRef2<f64>) -> Array1<f64> {
    let scale = problem.largest_variance() + problem.sigma2();
    let factor = 4.0 * f64::EPSILON * scale * (problem.n() as f64).sqrt() / problem.sigma2().sqrt();
    v.mapv(|value| value * value).sum_axis(Axis(0)).mapv(|squares| factor * squares.sqrt())
}

/// The two-sided bound as it grows tighter.
struct Ends {
    lower: Array1<f64>,
    upper: Array1<f64>,
    steps: usize,
}

impl Ends {
    /// Tightens the bounds of a block of points from `first` on by solving K W = k(X, X*).
    fn solve(
        &mut self,
        problem: &Problem<'_>,
        x_new: &ArrayRef2<f64>,
        prior: &Array1<f64>,
        first: usize,
        options: &VarianceOptions,
    ) -> Result<(), BoundError> {
        let targets = kernel_matrix(problem.kernel(), problem.x(), x_new);
        let noise = ScaledIdentity::new(problem.n(), problem.sigma2())?;
        let measure: &dyn Preconditioner = match problem.inducing_points() {
            Some(_) => problem.nystrom()?,
            None => &noise,
        };
        // The width of the bound is rᵀP⁻¹r, twice what the solver counts in nats.
        let largest = prior.iter().skip(first).take(x_new.nrows()).fold(0.0, |a: f64, b| a.max(*b));
        let nats = 0.5 * options.tolerance * if largest > 0.0 { largest } else { 1.0 };
        let solution = solve_preconditioned(problem, &targets, nats, measure, None, &options.cg)?;
        self.steps += solution.reports.iter().map(|report| report.steps).max().unwrap_or(0);
        let r = residual(problem, &targets, &solution.v);
        let k_r = problem.operator().apply(&r);
        let slack = measure.quad(&r);
        for (index, w) in solution.v.columns().into_iter().enumerate() {
            let (at, r) = (first + index, r.column(index));
            let base = inner(&w, &targets.column(index)) + inner(&w, &r);
            let squares = inner(&r, &r);
            let curvature = inner(&r, &k_r.column(index));
            let gain = match squares > 0.0 {
                true => squares * step_length(squares, curvature, problem.sigma2()),
                false => 0.0,
            };
            let rounding = rounding(problem, base, slack[index], inner(&w, &w));
            self.lower[at] = (prior[at] - (base + slack[index]) - rounding).max(0.0);
            self.upper[at] = self.upper[at].min(prior[at] - (base + gain) + rounding).max(0.0);
        }
        Ok(())
    }
}

/// What floating point may do to a quadratic bound on k*ᵀK⁻¹k*: its absolute terms only where K is
/// nearly singular.
fn rounding(problem: &Problem<'_>, base: f64, slack: f64, w_squares: f64) -> f64 {
    let scale = problem.largest_variance() + problem.sigma2();
    let solution = (w_squares.sqrt() + (slack.max(0.0) / problem.sigma2()).sqrt()).powi(2);
    4.0 * f64::EPSILON * (problem.n() as f64 * scale * solution + base.abs() + scale)
}

/// k** − k*_SᵀK_SS⁻¹k*_S over the nearest training points; at most k**.
fn by_neighbours(
    problem: &Problem<'_>,
    x_new: &ArrayRef2<f64>,
    prior: &Array1<f64>,
    k: usize,
) -> Array1<f64> {
    if k == 0 {
        return prior.clone();
    }
    let kernel = problem.kernel();
    let nearest = nearest_rows(&kernel.embed(problem.x()), &kernel.embed(x_new), k);
    let entries = problem.entries(None);
    // Rounding in the solve, which grows with the condition number of K_SS.
    let condition = k as f64 * (problem.largest_variance() / problem.sigma2() + 1.0);
    let rounding = 4.0 * f64::EPSILON * condition;
    let parts = Shards::of_length(x_new.nrows(), POINTS_PER_TASK).map(|points| {
        let variance = |at: usize| {
            let points = problem.x().select(Axis(0), &nearest[at]);
            let one = x_new.row(at).to_owned().insert_axis(Axis(0));
            let cross = kernel.block(&one, &points).remove_axis(Axis(0));
            // A block that does not factorise leaves the prior variance.
            Cholesky::factor(entries.block(&nearest[at])).map_or(prior[at], |factor| {
                let half = factor.solve_lower_vec(&cross);
                (prior[at] * (1.0 + rounding) - inner(&half, &half)).clamp(0.0, prior[at])
            })
        };
        points.map(variance).collect::<Vec<f64>>()
    });
    parts.into_iter().flatten().collect()
}

fn inner(a: &ArrayRef1<f64>, b: &ArrayRef1<f64>) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
