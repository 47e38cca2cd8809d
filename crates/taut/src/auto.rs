//! Which method suits a table: decided by formulas, so that the same table gets the same method.
//!
//! The costs are those of the `bounds` crate's plans, on two cores whatever machine it is: a choice by
//! the clock, or by the number of threads, would give different models on different days.

use bounds::{
    Budget, LogDetBound, Part, ProblemSize, Purpose, REFERENCE_THREADS, best_affordable, exact,
};
use cglb::Bound;

use crate::memory::SparseNeed;
use crate::{FitOptions, Method};

/// What asks for the best bound that time and memory allow, in place of a bound's name.
pub(crate) const BEST: &str = "best";
/// Rows in a block of the bounds that use blocks.
pub(crate) const BLOCK: usize = 64;
/// Products, or work like them, in an evaluation of CGLB with the solve it shares.
const PRODUCTS: f64 = 8.0;
/// Products of the solve behind predictions.
const FINAL_PRODUCTS: f64 = 200.0;
/// Evaluations on all rows that training usually takes.
const EVALUATIONS: f64 = 150.0;

/// Rows for which the exact method is taken whatever the time: it takes seconds.
const SMALL: usize = 1000;
/// What is planned for when no time is given: an hour.
const DEFAULT_SECONDS: f64 = 3600.0;
/// Fewest rows hyperparameters are trained on.
const FEWEST_ROWS: usize = 1000;
/// Fewest inducing points worth having.
const FEWEST_POINTS: usize = 16;
/// What CGLB is trained with where nothing better is affordable: the paper's.
const FALLBACK: &str = "arithmetic-geometric";

/// What a choice of method depends on beside the options and the table.
///
/// | option | default |
/// | --- | --- |
/// | `exact_limit` | 3000 rows: the exact method is not taken beyond |
/// | `seconds` | none: an hour is planned for |
/// | `fixed_inducing` | off: fewer inducing points are taken where memory is short |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AutoLimits {
    /// Largest number of rows for the exact method.
    pub exact_limit: usize,
    /// Time for training and conditioning.
    pub seconds: Option<f64>,
    /// Whether the number of inducing points stands.
    pub fixed_inducing: bool,
}

impl Default for AutoLimits {
    fn default() -> Self {
        Self { exact_limit: 3000, seconds: None, fixed_inducing: false }
    }
}

/// The options with a method for `n` rows of `d` inputs.
///
/// 1. Exact, for N ≤ `exact_limit` where memory allows, and time (N ≤ 1000: whatever the time).
/// 2. CGLB with the bound asked for, or with `vecchia`, or else `arithmetic-geometric`, as time allows.
/// 3. The same with hyperparameters trained on some rows, as many as half of the time allows, and
///    the posterior on all.
/// 4. SGPR, where a single solve with all rows would take longer than that.
///
/// Methods that would ignore an option given are passed over. Costs come from formulas in N, D, M
/// and k, so the choice depends on nothing else.
///
/// ```
/// use taut::{AutoLimits, FitOptions, Method, automatic};
///
/// let choose = |n: usize, limits: AutoLimits| automatic(FitOptions::default(), n, 9, &limits);
/// assert_eq!(choose(2_000, AutoLimits::default()).method, Method::Exact);
/// let large = choose(30_000, AutoLimits::default());
/// assert_eq!((large.method, large.training_rows), (Method::Cglb, None));
/// let hurried = choose(30_000, AutoLimits { seconds: Some(200.0), ..AutoLimits::default() });
/// assert!(hurried.training_rows.is_some());
/// ```
#[must_use]
pub fn automatic(options: FitOptions, n: usize, d: usize, limits: &AutoLimits) -> FitOptions {
    let given = options.given_settings();
    let may = |method: Method| given.iter().all(|setting| method.uses(*setting));
    let seconds = limits.seconds.unwrap_or(DEFAULT_SECONDS);
    let cost = Cost { d, options: &options };
    if may(Method::Exact) && n <= limits.exact_limit && cost.exact_fits(n, seconds) {
        return FitOptions { method: Method::Exact, ..options };
    }
    let mut options = options;
    if !limits.fixed_inducing {
        options.surrogates.inducing = affordable_points(&options, n, d);
    }
    let cost = Cost { d, options: &options };
    let asked = options.bound.clone().filter(|name| name != BEST);
    let tried = [asked.as_deref().unwrap_or("vecchia"), asked.as_deref().unwrap_or(FALLBACK)];
    if options.bound.as_deref() == Some(BEST) {
        if let Some(bound) = cost.best(n, seconds).filter(|bound| cost.cglb(n, n, bound) <= seconds)
        {
            return with_bound(options, &bound);
        }
    } else if let Some(bound) = tried.iter().find(|bound| cost.cglb(n, n, bound) <= seconds) {
        return with_bound(options, bound);
    }
    let sparse = may(Method::Sgpr) && cost.cglb_posterior(n) > 0.5 * seconds;
    if sparse {
        let rows = fewer_rows(n, |rows| cost.sgpr(rows, n) <= seconds);
        return FitOptions { method: Method::Sgpr, training_rows: rows, ..options };
    }
    let bound = asked.as_deref().unwrap_or(FALLBACK);
    let rows = fewer_rows(n, |rows| cost.cglb(rows, n, bound) <= seconds);
    FitOptions { training_rows: rows, ..with_bound(options, bound) }
}

/// The options with a bound in the place of `best`: for `n` rows of `d` inputs, the tightest on most
/// tables that `seconds` of training (an hour, if `None`) and memory allow.
#[must_use]
pub fn with_best_bound(options: FitOptions, n: usize, d: usize) -> FitOptions {
    if options.bound.as_deref() != Some(BEST) {
        return options;
    }
    let limit = options.plan.options.time_limit.map(|limit| limit.as_secs_f64());
    let cost = Cost { d, options: &options };
    let best = cost.best(n, limit.unwrap_or(DEFAULT_SECONDS));
    let bound = Some(best.unwrap_or_else(|| FALLBACK.to_owned()));
    FitOptions { bound, ..options }
}

/// CGLB with this bound.
fn with_bound(options: FitOptions, bound: &str) -> FitOptions {
    FitOptions { method: Method::Cglb, bound: Some(bound.to_owned()), ..options }
}

/// Half as many rows again and again until they fit; `None` for all.
fn fewer_rows(n: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let mut rows = n;
    while !fits(rows) && rows > FEWEST_ROWS {
        rows = (rows / 2).max(FEWEST_ROWS);
    }
    (rows < n).then_some(rows)
}

/// Half as many inducing points again and again until they fit the memory.
fn affordable_points(options: &FitOptions, n: usize, d: usize) -> usize {
    let mut m = options.surrogates.inducing.min(n);
    let need = SparseNeed::of_size("cglb", n, n * d, options);
    while m > FEWEST_POINTS && !need.fits(need.with_points(m as u64).cglb_bytes()) {
        m /= 2;
    }
    m
}

/// Seconds that fits of a table take.
struct Cost<'a> {
    d: usize,
    options: &'a FitOptions,
}

impl Cost<'_> {
    fn evaluations(&self) -> f64 {
        if self.options.train { EVALUATIONS } else { 0.0 }
    }

    /// What bounds are built on, of so many rows.
    fn size(&self, n: usize) -> ProblemSize {
        let surrogates = self.options.surrogates;
        ProblemSize {
            n,
            d: self.d,
            inducing: surrogates.inducing.min(n),
            neighbours: surrogates.neighbours,
            block: BLOCK,
            threads: REFERENCE_THREADS,
        }
    }

    fn exact_fits(&self, n: usize, seconds: f64) -> bool {
        let needed = exact::bytes_needed(n, self.options.train);
        let fits = self.options.memory_budget.is_none_or(|budget| needed <= budget);
        let taken = self.size(n).exact_seconds() * (self.evaluations() + 1.0);
        fits && (n <= SMALL || taken <= seconds)
    }

    /// The bound whose evaluations take the time there is for them at most.
    fn best(&self, n: usize, seconds: f64) -> Option<String> {
        let size = self.size(n);
        let left = seconds - self.cglb_posterior(n);
        let one = left / self.evaluations().max(1.0) - PRODUCTS * size.product_seconds();
        let bytes = self.options.memory_budget.unwrap_or(u64::MAX);
        let plan = best_affordable(&size, &Budget { seconds: one, bytes }, Purpose::Training);
        plan.bounds.first().map(|bound| bound.name().to_owned())
    }

    /// Trained on some rows, conditioned on all. A bound of no such name counts for its products.
    fn cglb(&self, rows: usize, n: usize, bound: &str) -> f64 {
        let parts = Bound::named(bound).map(|bound| bound.parts()).unwrap_or_default();
        let size = self.size(rows);
        let evaluation = size.training_seconds(&parts) + PRODUCTS * size.product_seconds();
        self.evaluations() * evaluation + self.cglb_posterior(n)
    }

    fn cglb_posterior(&self, n: usize) -> f64 {
        let size = self.size(n);
        size.training_seconds(&[Part::Nystrom]) + FINAL_PRODUCTS * size.product_seconds()
    }

    fn sgpr(&self, rows: usize, n: usize) -> f64 {
        let evaluation = |rows: usize| self.size(rows).training_seconds(&[Part::Nystrom]);
        self.evaluations() * evaluation(rows) + evaluation(n)
    }
}
