//! SGPR: variational inducing points.

use bounds::{Problem, Rounding};
use gp_core::{GpError, Hyperparameters, Observer, check_length};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use sparse_gp::{Jitter, Sgpr, SgprFit, SgprOptions, SgprParts, SgprSettings};

use super::{Conditioned, Inference, Method, Outcome, Part, Rows, Setting};
use crate::memory::{SparseNeed, prediction_bytes};
use crate::{CgSummary, Evidence, EvidenceOptions, FitOptions};

/// Rows up to which a fit, which is linear in them, is followed by bounds that cost N² operations.
const THOROUGH_ROWS: usize = 20_000;

pub(crate) struct InducingPoints;

impl Inference for InducingPoints {
    fn name(&self) -> &'static str {
        "sgpr"
    }

    fn about(&self) -> &'static str {
        "Variational inducing points: time n m², memory n m or m²"
    }

    fn settings(&self) -> &'static [Setting] {
        &[Setting::InducingPoints, Setting::Select, Setting::FixedPoints]
    }

    fn fit(
        &self,
        template: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, GpError> {
        let sgpr = SgprOptions {
            plan: options.plan.clone(),
            inducing: options.surrogates.inducing,
            selector: options.selector.clone().unwrap_or_default(),
            train_inducing_points: options.train_inducing_points,
            settings: settings(rows, options)?,
        };
        let SgprFit { model, trained, notices } =
            Sgpr::fit(template, &rows.x, &rows.y, &sgpr, observer)?;
        let notices = notices.iter().map(ToString::to_string).collect();
        Ok(Outcome {
            gp: Box::new(model),
            trained: Some(trained),
            notices,
            cg: CgSummary::default(),
        })
    }

    fn condition(
        &self,
        hyper: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        _stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, GpError> {
        let settings = settings(rows, options)?;
        let chosen = options.choose_inducing_points(hyper, &rows.x)?;
        let model = Sgpr::condition(hyper, &chosen.z, &rows.x, &rows.y, &settings)?;
        let notices = chosen.notices.iter().map(ToString::to_string).collect();
        Ok(Outcome { gp: Box::new(model), trained: None, notices, cg: CgSummary::default() })
    }
}

/// V `[M, N]` is kept as long as it fits the budget, and formed anew shard by shard beyond.
fn settings(rows: &Rows, options: &FitOptions) -> Result<SgprSettings, GpError> {
    let need = SparseNeed::new("sgpr", &rows.x, options);
    let low_memory = !need.fits(need.bytes());
    if low_memory {
        need.check(SparseNeed::low_bytes)?;
    }
    Ok(SgprSettings { jitter: Jitter::Relative(options.surrogates.jitter), low_memory })
}

impl Conditioned for Sgpr {
    fn method(&self) -> Method {
        Method::Sgpr
    }

    fn hyperparameters(&self) -> &Hyperparameters {
        self.hyperparameters()
    }

    fn part(&self) -> Part {
        Part::Sgpr(Box::new(Saved::of(self.parts())))
    }

    fn objective(&self) -> Result<f64, GpError> {
        Ok(self.evidence().elbo())
    }

    fn evidence(&self, rows: &Rows, options: &EvidenceOptions) -> Result<Evidence, GpError> {
        let known = Evidence { elbo: Some(self.evidence().elbo()), ..Evidence::default() };
        if options.is_thorough(rows.x.nrows(), self.inducing_points().nrows(), THOROUGH_ROWS) {
            return known.with_certificate(self, rows, options);
        }
        Ok(Evidence { jitter: Some(self.jitter()), ..known.with_bracket(self, rows)? })
    }

    fn prediction_bytes(&self) -> u64 {
        prediction_bytes(self.inducing_points().nrows())
    }

    fn inducing_points(&self) -> Option<&Array2<f64>> {
        Some(self.inducing_points())
    }
}

impl Evidence {
    /// The two bounds conditioning gave, widened for rounding: O(N), and no product with K.
    ///
    /// ```text
    /// log|Q| ≤ log|K| ≤ log|Q| + tr(D)/σ²,   yᵀ(Q + tr(D) I)⁻¹y ≤ yᵀK⁻¹y ≤ yᵀQ⁻¹y
    /// ```
    fn with_bracket(self, sgpr: &Sgpr, rows: &Rows) -> Result<Self, GpError> {
        let (found, hyper) = (sgpr.evidence(), sgpr.hyperparameters());
        let problem = Problem::new(hyper.kernel.as_ref(), &rows.x, hyper.noise_variance)?;
        let rounding = Rounding::new(&problem);
        let squares = found.quad.iter().map(|quad| rounding.solution_squares(0.0, *quad)).sum();
        let (quad_up, quad_low) =
            (found.quad.iter().sum::<f64>(), found.quad_lower.iter().sum::<f64>());
        let quad = [(quad_low, -1.0), (quad_up, 1.0)]
            .map(|(value, side)| value + side * rounding.quad(value, squares));
        let log_det = [(found.log_det_q, -1.0), (found.log_det_upper(), 1.0)]
            .map(|(value, side)| value + side * rounding.log_det(value));
        Ok(self.with_ends(rows.y.dim(), quad, log_det, ["trace", "nystrom-log-det"]))
    }
}

/// Inducing points, and what conditioning made of the rows.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saved {
    z: Array2<f64>,
    jitter: f64,
    b: Array2<f64>,
    coefficients: Array2<f64>,
    evidence: sparse_gp::Evidence,
}

impl Saved {
    pub(crate) fn of(parts: &SgprParts) -> Self {
        Self {
            z: parts.z.clone(),
            jitter: parts.jitter,
            b: parts.b.clone(),
            coefficients: parts.coefficients.clone(),
            evidence: parts.evidence.clone(),
        }
    }

    pub(crate) fn into_parts(
        self,
        hyper: Hyperparameters,
        rows: &Rows,
    ) -> Result<SgprParts, GpError> {
        let Self { z, jitter, b, coefficients, evidence } = self;
        check_length("z", "columns", z.ncols(), rows.x.ncols())?;
        check_length("evidence", "rows", evidence.n, rows.x.nrows())?;
        check_length("evidence", "columns", evidence.quad.len(), rows.y.ncols())?;
        check_length("evidence", "columns", evidence.quad_lower.len(), rows.y.ncols())?;
        Ok(SgprParts { hyper, z, jitter, b, coefficients, evidence })
    }

    pub(crate) fn restore(
        self,
        hyper: Hyperparameters,
        rows: &Rows,
    ) -> Result<Box<dyn Conditioned>, GpError> {
        Ok(Box::new(Sgpr::from_parts(self.into_parts(hyper, rows)?)?))
    }
}
