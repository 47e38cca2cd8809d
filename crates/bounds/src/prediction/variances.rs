//! Both ends of the exact posterior variance.

use super::VarianceOptions;
use super::rounding::form_rounding;
use crate::quad::step_length;
use crate::{BoundError, Neighbourhood, Problem, solve_preconditioned};
use kernels::kernel_matrix;
use linalg_cg::{LinearOperator, Preconditioner, ScaledIdentity};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Zip};

/// Bounds of T points with the solves behind them.
pub(super) struct Variances {
    pub(super) lower: Array1<f64>,
    pub(super) upper: Array1<f64>,
    pub(super) steps: usize,
    /// k(x*, x*).
    prior: Array1<f64>,
    /// k(X, X*) `[N, T]`.
    pub(super) targets: Array2<f64>,
    /// W with K W ≈ k(X, X*), `[N, T]`.
    pub(super) solution: Array2<f64>,
    /// r*ᵀP⁻¹r* of each column of k(X, X*) − K W.
    pub(super) slack: Array1<f64>,
}

impl Variances {
    /// By solving K W = k(X, X*) until the two-sided bound is narrow.
    pub(super) fn solve(
        problem: &Problem<'_>,
        x_new: &ArrayRef2<f64>,
        options: &VarianceOptions,
    ) -> Result<Self, BoundError> {
        let targets = kernel_matrix(problem.kernel(), problem.x(), x_new);
        let prior = problem.kernel().diag(x_new);
        let noise = ScaledIdentity::new(problem.n(), problem.sigma2())?;
        let measure: &dyn Preconditioner = match problem.inducing_points() {
            Some(_) => problem.nystrom()?,
            None => &noise,
        };
        let preconditioner = match options.preconditioner {
            Some(kind) => problem.surrogate(kind)?,
            None => measure,
        };
        // The width of the bound is rᵀP⁻¹r, twice what the solver counts in nats.
        let widest = problem.largest_variance();
        let nats = 0.5 * options.tolerance * if widest > 0.0 { widest } else { 1.0 };
        let solution =
            solve_preconditioned(problem, &targets, nats, preconditioner, None, &options.cg)?;
        let steps = solution.reports.iter().map(|report| report.steps).max().unwrap_or(0);
        let slack = measure.quad(&solution.residual);
        let [lower, upper] = [prior.clone(), prior.clone()];
        let mut ends = Self { lower, upper, steps, prior, targets, solution: solution.v, slack };
        ends.narrow(problem, &solution.residual);
        Ok(ends)
    }

    /// k** − U(w) and k** − L(w), each moved outward.
    fn narrow(&mut self, problem: &Problem<'_>, residual: &Array2<f64>) {
        let k_r = problem.operator().apply(residual);
        for (at, w) in self.solution.columns().into_iter().enumerate() {
            let (r, slack) = (residual.column(at), self.slack[at]);
            let base = inner(&w, &self.targets.column(at)) + inner(&w, &r);
            let squares = inner(&r, &r);
            let gain = match squares > 0.0 {
                true => {
                    squares * step_length(squares, inner(&r, &k_r.column(at)), problem.sigma2())
                }
                false => 0.0,
            };
            let solution = inner(&w, &w).sqrt() + (slack.max(0.0) / problem.sigma2()).sqrt();
            let rounding = form_rounding(problem, base, solution.powi(2));
            self.lower[at] = (self.prior[at] - (base + slack) - rounding).max(0.0);
            self.upper[at] = self.upper[at].min(self.prior[at] - (base + gain) + rounding).max(0.0);
        }
    }

    /// Around what a dense factorisation gave.
    pub(super) fn of_exact(
        problem: &Problem<'_>,
        x_new: &ArrayRef2<f64>,
        variance: &ArrayRef1<f64>,
    ) -> Self {
        let prior = problem.kernel().diag(x_new);
        let widening = Zip::from(&prior).and(variance).map_collect(|prior, variance| {
            let explained = (prior - variance).max(0.0);
            form_rounding(problem, explained, explained / problem.sigma2())
        });
        Self {
            lower: (variance.to_owned() - &widening).mapv_into(|value| value.max(0.0)),
            upper: variance.to_owned() + widening,
            steps: 0,
            targets: kernel_matrix(problem.kernel(), problem.x(), x_new),
            solution: Array2::zeros((problem.n(), x_new.nrows())),
            slack: Array1::zeros(x_new.nrows()),
            prior,
        }
    }

    /// Takes a further upper end into account.
    pub(super) fn lower_upper_end(&mut self, other: &ArrayRef1<f64>) {
        Zip::from(&mut self.upper).and(other).for_each(|upper, other| *upper = upper.min(*other));
    }

    /// k*ᵀK⁻¹k* = k** − var at most.
    pub(super) fn explained(&self) -> Array1<f64> {
        (&self.prior - &self.lower).mapv(|value| value.max(0.0))
    }
}

/// [`Neighbourhood::variance`] over the nearest `k` training points, moved outward; at most k**.
pub(super) fn by_neighbours(
    problem: &Problem<'_>,
    x_new: &ArrayRef2<f64>,
    k: usize,
) -> Result<Array1<f64>, BoundError> {
    let (kernel, x, sigma2) = (problem.kernel(), problem.x(), problem.sigma2());
    let found = Neighbourhood { kernel, x, sigma2, neighbours: k }.variance(x_new)?;
    // Rounding in the solve, which grows with the condition number of K_SS.
    let condition = k as f64 * (problem.largest_variance() / sigma2 + 1.0);
    let rounding = 4.0 * f64::EPSILON * condition;
    let prior = kernel.diag(x_new);
    Ok(Zip::from(&found).and(&prior).map_collect(|found, k| (found + rounding * k).min(*k)))
}

fn inner(a: &ArrayRef1<f64>, b: &ArrayRef1<f64>) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
