//! Which method suits a table: decided by formulas, so that the same table gets the same method.
//!
//! The costs were measured on two cores of a server with AVX-512 and are never measured anew: a
//! choice by the clock, or by the number of threads, would give different models on different days.

use bounds::exact;

use crate::memory::SparseNeed;
use crate::{FitOptions, Method};

/// Seconds an evaluation of the exact objective with its gradient takes, times N⁻³.
const EXACT: f64 = 1.9e-11;
/// Seconds an evaluation on inducing points takes with its gradient, times (N M²)⁻¹.
const INDUCING: f64 = 1.3e-10;
/// Seconds a product with K takes, times N⁻²: of an entry, and of each input in it.
const PRODUCT: (f64, f64) = (2.0e-10, 1.5e-11);
/// Seconds the factors of k neighbours with their gradient take, times (N k³)⁻¹.
const NEIGHBOURS: f64 = 3.0e-9;
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
/// Bounds on the log-determinant, the tightest on most tables first, with whether they condition on
/// neighbours.
const BOUNDS: [(&str, bool); 2] = [("vecchia", true), ("arithmetic-geometric", false)];

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
/// 2. CGLB with the bound `vecchia`, or else `arithmetic-geometric`, whichever time allows.
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
    let bounds =
        BOUNDS.iter().filter(|(name, _)| options.bound.as_deref().unwrap_or(name) == *name);
    let fits = |&&(_, neighbours): &&(&str, bool)| cost.cglb(n, n, neighbours) <= seconds;
    if let Some((bound, _)) = bounds.clone().find(fits) {
        return with_bound(options, bound);
    }
    let sparse = may(Method::Sgpr) && cost.cglb_posterior(n) > 0.5 * seconds;
    if sparse {
        let rows = fewer_rows(n, |rows| cost.sgpr(rows, n) <= seconds);
        return FitOptions { method: Method::Sgpr, training_rows: rows, ..options };
    }
    let neighbours = options.bound.as_deref() == Some("vecchia");
    let rows = fewer_rows(n, |rows| cost.cglb(rows, n, neighbours) <= seconds);
    FitOptions { training_rows: rows, ..with_bound(options, "arithmetic-geometric") }
}

/// CGLB with this bound, or with the one asked for.
fn with_bound(options: FitOptions, bound: &str) -> FitOptions {
    let bound = options.bound.clone().unwrap_or_else(|| bound.to_owned());
    FitOptions { method: Method::Cglb, bound: Some(bound), ..options }
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

    fn exact_fits(&self, n: usize, seconds: f64) -> bool {
        let needed = exact::bytes_needed(n, self.options.train);
        let fits = self.options.memory_budget.is_none_or(|budget| needed <= budget);
        let taken = EXACT * (n as f64).powi(3) * (self.evaluations() + 1.0);
        fits && (n <= SMALL || taken <= seconds)
    }

    fn points(&self, n: usize) -> f64 {
        let m = self.options.surrogates.inducing.min(n) as f64;
        INDUCING * n as f64 * m * m
    }

    fn product(&self, n: usize) -> f64 {
        (PRODUCT.0 + PRODUCT.1 * self.d as f64) * (n as f64).powi(2)
    }

    /// Trained on some rows, conditioned on all.
    fn cglb(&self, rows: usize, n: usize, neighbours: bool) -> f64 {
        let k = self.options.surrogates.neighbours.min(rows) as f64;
        let factors = if neighbours { NEIGHBOURS * rows as f64 * k.powi(3) } else { 0.0 };
        let evaluation = self.points(rows) + PRODUCTS * self.product(rows) + factors;
        self.evaluations() * evaluation + self.cglb_posterior(n)
    }

    fn cglb_posterior(&self, n: usize) -> f64 {
        2.0 * self.points(n) + FINAL_PRODUCTS * self.product(n)
    }

    fn sgpr(&self, rows: usize, n: usize) -> f64 {
        self.evaluations() * self.points(rows) + 2.0 * self.points(n)
    }
}
