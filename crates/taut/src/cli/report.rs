//! The report of `taut fit`: one JSON object, its keys fixed.

use gp_core::{Params, Units};
use serde::Serialize;
use taut::{CgSummary, Evidence, Ranking, Scores, SpectralReport, TestScores};

/// Every key is always there; what does not apply is null.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) method: &'static str,
    pub(crate) kernel: String,
    pub(crate) n_train: usize,
    pub(crate) n_test: usize,
    pub(crate) d: usize,
    pub(crate) inducing: Option<usize>,
    pub(crate) neighbours: Option<usize>,
    /// Of models of spectral points.
    pub(crate) spectral: Option<SpectralReport>,
    /// The bound on the log-determinant that was trained.
    pub(crate) bound: Option<String>,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) units: Units,
    pub(crate) params: Params,
    pub(crate) lml: Lml,
    pub(crate) elbo: Option<f64>,
    pub(crate) cg: CgSummary,
    pub(crate) train: Train,
    pub(crate) test: Option<TestScores>,
    pub(crate) loo: Option<Scores>,
    pub(crate) seconds: Seconds,
    pub(crate) peak_rss_bytes: Option<u64>,
    pub(crate) jitter: Option<f64>,
    /// The kernels compared, when there were several.
    pub(crate) kernels: Option<Vec<KernelRow>>,
    /// What their brackets prove, when there were several.
    pub(crate) ranking: Option<RankingPart>,
    pub(crate) warnings: Vec<String>,
}

/// How one of several kernels did.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct KernelRow {
    pub(crate) kernel: String,
    /// What training maximised: the value itself, or the method's lower bound.
    pub(crate) lml: f64,
    /// Ends of its certified bracket.
    pub(crate) lower: Option<f64>,
    pub(crate) upper: Option<f64>,
    /// The value itself, where it is known.
    pub(crate) exact: Option<f64>,
    pub(crate) seconds: f64,
    /// Bracket and value are those of an exact Gaussian process whose hyperparameters stand for the
    /// model: they say nothing of the model itself.
    #[serde(skip)]
    pub(crate) stands_in: bool,
}

/// What kernels are ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RankedBy {
    /// The log marginal likelihoods themselves.
    Exact,
    /// The lower ends of brackets around them.
    Bracket,
    /// What training maximised: nothing is proven.
    Objective,
}

impl RankedBy {
    fn of(kernels: &[KernelRow]) -> Self {
        let own = |end: fn(&KernelRow) -> Option<f64>| {
            move |row: &KernelRow| !row.stands_in && end(row).is_some()
        };
        if kernels.iter().all(own(|row| row.exact)) {
            Self::Exact
        } else if kernels.iter().any(own(|row| row.lower)) {
            Self::Bracket
        } else {
            Self::Objective
        }
    }

    /// Where the quantity lies; an end that is not known is infinite, so an objective proves nothing.
    fn ends(self, row: &KernelRow) -> (f64, f64) {
        match (self, row.exact) {
            (Self::Exact, Some(exact)) => (exact, exact),
            (Self::Objective, _) => (row.lml, f64::INFINITY),
            _ => (row.lower.unwrap_or(f64::NEG_INFINITY), row.upper.unwrap_or(f64::INFINITY)),
        }
    }
}

/// The kernels in order.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RankingPart {
    pub(crate) by: RankedBy,
    pub(crate) order: Vec<String>,
    /// The first is proven to be the best.
    pub(crate) best_is_certain: bool,
    /// No two brackets overlap.
    pub(crate) is_certain: bool,
}

impl RankingPart {
    /// Of several kernels.
    pub(crate) fn new(kernels: &[KernelRow]) -> Option<Self> {
        let Ranking { order, best_is_certain, is_certain } = rank(kernels);
        let order = order.iter().map(|index| kernels[*index].kernel.clone()).collect();
        let by = RankedBy::of(kernels);
        (kernels.len() > 1).then_some(Self { by, order, best_is_certain, is_certain })
    }
}

/// By their values where all are known, else by brackets, and by objectives where there are none.
pub(crate) fn rank(kernels: &[KernelRow]) -> Ranking {
    let by = RankedBy::of(kernels);
    Ranking::new(&kernels.iter().map(|row| by.ends(row)).collect::<Vec<_>>())
}

/// In nats, in the scale of `units`, summed over targets.
#[derive(Debug, Serialize)]
pub(crate) struct Lml {
    pub(crate) lower: Option<f64>,
    pub(crate) upper: Option<f64>,
    pub(crate) exact: Option<f64>,
    pub(crate) estimate: Option<f64>,
    pub(crate) standard_error: Option<f64>,
    pub(crate) slack: Slack,
    pub(crate) bound: Option<String>,
    pub(crate) bound_lower: Option<String>,
    pub(crate) original_offset: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Slack {
    pub(crate) quad: Option<f64>,
    pub(crate) logdet: Option<f64>,
}

impl Lml {
    pub(crate) fn new(evidence: &Evidence, original_offset: f64) -> Self {
        Self {
            lower: evidence.lower,
            upper: evidence.upper,
            exact: evidence.exact,
            estimate: evidence.estimate,
            standard_error: evidence.standard_error,
            slack: Slack { quad: evidence.slack_quad, logdet: evidence.slack_logdet },
            bound: evidence.bound.clone(),
            bound_lower: evidence.bound_lower.clone(),
            original_offset,
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Train {
    pub(crate) iterations: usize,
    pub(crate) evaluations: usize,
    pub(crate) stop_reason: Option<gp_core::StopReason>,
    pub(crate) start: Option<String>,
    /// The starts tried, with the objective each reached on the screening rows.
    pub(crate) starts: Vec<StartRow>,
}

#[derive(Debug, Serialize)]
pub(crate) struct StartRow {
    pub(crate) name: String,
    pub(crate) objective: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Seconds {
    pub(crate) total: f64,
    pub(crate) train: Option<f64>,
    pub(crate) predict: Option<f64>,
}
