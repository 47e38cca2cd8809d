//! The report of `taut fit`: one JSON object, its keys fixed.

use gp_core::{Params, Units};
use serde::Serialize;
use taut::{CgSummary, Evidence, Ranking, Scores, TestScores};

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
}

/// The kernels in order, by their values or the lower ends of their brackets.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RankingPart {
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
        (kernels.len() > 1).then_some(Self { order, best_is_certain, is_certain })
    }
}

/// By their values where all are known, else by brackets; an end that is not known is infinite.
pub(crate) fn rank(kernels: &[KernelRow]) -> Ranking {
    let known = kernels.iter().all(|row| row.exact.is_some());
    let ends = |row: &KernelRow| match row.exact {
        Some(exact) if known => (exact, exact),
        _ => (row.lower.unwrap_or(f64::NEG_INFINITY), row.upper.unwrap_or(f64::INFINITY)),
    };
    Ranking::new(&kernels.iter().map(ends).collect::<Vec<_>>())
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
