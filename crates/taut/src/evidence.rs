//! What a fitted model knows of its log marginal likelihood.

use std::f64::consts::PI;
use std::time::Duration;

use gp_core::GpError;

use crate::memory::certificate_bytes;
use crate::method::{Conditioned, Rows};
use crate::{Certificate, CertifyOptions, CgSummary, Model, Selection, Surrogates, certify};

/// The log marginal likelihood, in nats, in the scale of the fit, summed over targets.
///
/// `lower` and `upper` are proven ends, widened for rounding; `exact` is never an estimate. What
/// does not apply, or was not computed, is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// At most the log marginal likelihood.
    pub lower: Option<f64>,
    /// At least the log marginal likelihood.
    pub upper: Option<f64>,
    /// The value itself.
    pub exact: Option<f64>,
    /// The quadratic term's part of `upper − lower`.
    pub slack_quad: Option<f64>,
    /// The log-determinant's part of `upper − lower`.
    pub slack_logdet: Option<f64>,
    /// The upper bound on log|K| behind `lower`.
    pub bound: Option<String>,
    /// The lower bound on log|K| behind `upper`.
    pub bound_lower: Option<String>,
    /// The training objective of methods that maximise a bound, priors apart.
    pub elbo: Option<f64>,
    /// A stochastic estimate of the value, of methods that have no better.
    pub estimate: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// Conjugate gradients behind these numbers.
    pub cg: CgSummary,
    /// What stands on the diagonal of Kuu beside the kernel.
    pub jitter: Option<f64>,
    /// What a reader of the numbers should know.
    pub warnings: Vec<String>,
}

/// How much is spent on the evidence of a model.
///
/// | option | default |
/// | --- | --- |
/// | `surrogates` | see [`Surrogates`]; a model's own inducing points come first |
/// | `exact_limit` | 3000 rows for which the exact value is computed too |
/// | `memory_budget` | none: bytes |
/// | `cg_max_steps` | 1000 steps of conjugate gradients |
/// | `best` | none: the bounds that cost no more than conditioning did; with a time, the best that fit it |
/// | `thorough` | on: every bound, at O(N²), where the method takes that much or rows are few (20 000); off: what conditioning gave already |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvidenceOptions {
    /// Sizes of the surrogates behind the bounds.
    pub surrogates: Surrogates,
    /// Largest number of rows for the exact value.
    pub exact_limit: usize,
    /// Bytes the matrices may take.
    pub memory_budget: Option<u64>,
    /// Cap on the steps of conjugate gradients.
    pub cg_max_steps: usize,
    /// Time for the best bounds there are.
    pub best: Option<Duration>,
    /// Whether to compute bounds beyond those conditioning gave.
    pub thorough: bool,
}

impl Default for EvidenceOptions {
    fn default() -> Self {
        Self {
            surrogates: Surrogates::default(),
            exact_limit: 3000,
            memory_budget: None,
            cg_max_steps: CertifyOptions::default().cg_max_steps,
            best: None,
            thorough: true,
        }
    }
}

impl EvidenceOptions {
    /// Whether `n` rows with `m` inducing points get every bound, by a method that does so for at
    /// most `most` rows.
    pub(crate) fn is_thorough(&self, n: usize, m: usize, most: usize) -> bool {
        let needed = certificate_bytes(n, m);
        let fits = self.memory_budget.is_none_or(|budget| needed <= budget);
        n <= self.exact_limit || (self.thorough && n <= most && fits)
    }
}

impl Model {
    /// The log marginal likelihood at the model's hyperparameters, as well as it is known.
    ///
    /// # Errors
    /// Failures of a factorisation; a model file whose parts do not fit together.
    pub fn evidence(&self, options: &EvidenceOptions) -> Result<Evidence, GpError> {
        self.gp.evidence(&self.rows, options)
    }
}

impl Evidence {
    /// Adds every bound of the catalogue, built on the model's own inducing points and v.
    pub(crate) fn with_certificate(
        self,
        gp: &dyn Conditioned,
        rows: &Rows,
        options: &EvidenceOptions,
    ) -> Result<Self, GpError> {
        let certify_options = CertifyOptions {
            surrogates: options.surrogates,
            inducing_points: gp.inducing_points().cloned(),
            start: gp.auxiliary().cloned(),
            selection: options.best.map_or(Selection::Free, Selection::Best),
            exact_limit: options.exact_limit,
            memory_budget: options.memory_budget,
            cg_max_steps: options.cg_max_steps,
            ..CertifyOptions::default()
        };
        let hyper = gp.hyperparameters();
        let residual = hyper.residual(&rows.x, &rows.y);
        let certificate = certify(hyper, &rows.x, &residual, &certify_options)?;
        let found = Self {
            elbo: self.elbo,
            estimate: self.estimate,
            standard_error: self.standard_error,
            ..Self::from(&certificate)
        };
        Ok(found.narrowed_by(self))
    }

    /// Both brackets hold, so the higher lower end and the lower upper end do.
    fn narrowed_by(mut self, other: Self) -> Self {
        let end = |value: Option<f64>, unknown: f64| value.unwrap_or(unknown);
        let higher = end(other.lower, f64::NEG_INFINITY) > end(self.lower, f64::NEG_INFINITY);
        let lower = end(other.upper, f64::INFINITY) < end(self.upper, f64::INFINITY);
        if higher {
            (self.lower, self.bound) = (other.lower, other.bound);
        }
        if lower {
            (self.upper, self.bound_lower) = (other.upper, other.bound_lower);
        }
        if let (true, Some(lower), Some(upper)) = (higher || lower, self.lower, self.upper) {
            let log_det = self.slack_logdet.or(other.slack_logdet);
            let log_det = log_det.map_or(0.0, |slack| slack.min(upper - lower));
            (self.slack_quad, self.slack_logdet) = (Some(upper - lower - log_det), Some(log_det));
        }
        self
    }

    /// Adds the ends that bounds on the two terms make: `[lower, upper]` each, widened already, with
    /// the names of the log-determinant's `[upper, lower]` bounds.
    ///
    /// ```text
    /// lower = −½ upper quad − ½ P upper log-det − (NP/2) log 2π,   upper likewise
    /// ```
    pub(crate) fn with_ends(
        self,
        (n, p): (usize, usize),
        quad: [f64; 2],
        log_det: [f64; 2],
        [bound, bound_lower]: [&str; 2],
    ) -> Self {
        let (n, p) = (n as f64, p as f64);
        let end = |side: usize| -0.5 * (quad[side] + p * (log_det[side] + n * (2.0 * PI).ln()));
        let finite = |value: f64| value.is_finite().then_some(value);
        Self {
            lower: finite(end(1)),
            upper: finite(end(0)),
            slack_quad: finite(0.5 * (quad[1] - quad[0])),
            slack_logdet: finite(0.5 * p * (log_det[1] - log_det[0])),
            bound: Some(bound.to_owned()),
            bound_lower: Some(bound_lower.to_owned()),
            ..self
        }
    }
}

impl From<&Certificate> for Evidence {
    fn from(certificate: &Certificate) -> Self {
        let bracket = &certificate.bracket;
        let finite = |value: f64| value.is_finite().then_some(value);
        let name = |winners: Option<bounds::Winners>| winners.map(|w| w.logdet.to_owned());
        Self {
            lower: finite(bracket.lower),
            upper: finite(bracket.upper),
            exact: certificate.exact.map(|exact| exact.lml),
            slack_quad: finite(bracket.slack.quad),
            slack_logdet: finite(bracket.slack.logdet),
            bound: name(bracket.lower_bounds),
            bound_lower: name(bracket.upper_bounds),
            elbo: None,
            estimate: None,
            standard_error: None,
            cg: certificate.cg,
            jitter: certificate.jitter,
            warnings: certificate.warnings.clone(),
        }
    }
}
