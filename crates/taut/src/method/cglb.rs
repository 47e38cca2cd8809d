//! CGLB: the conjugate-gradient lower bound, with any bound on the log-determinant.

use bounds::LogDetBound;
use cglb::{
    Bound, CgStats, Cglb, CglbFit, CglbOptions, CglbParts, CglbSettings, Preconditioning,
    VarianceFrom,
};
use gp_core::{GpError, Hyperparameters, Observer};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use sparse_gp::Jitter;

use super::{Conditioned, Inference, Method, Outcome, Part, Rows, Setting, sgpr};
use crate::memory::{SparseNeed, prediction_bytes};
use crate::{CgSummary, Evidence, EvidenceOptions, FitOptions};

pub(crate) struct ConjugateGradients;

impl Inference for ConjugateGradients {
    fn name(&self) -> &'static str {
        "cglb"
    }

    fn about(&self) -> &'static str {
        "Conjugate-gradient lower bound: time n² a product, memory n m"
    }

    fn settings(&self) -> &'static [Setting] {
        &[
            Setting::InducingPoints,
            Setting::Select,
            Setting::FixedPoints,
            Setting::Bound,
            Setting::Preconditioner,
            Setting::CgTolerance,
            Setting::CgMaxSteps,
        ]
    }

    fn fit(
        &self,
        template: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, GpError> {
        let cglb = CglbOptions {
            plan: options.plan.clone(),
            inducing: options.surrogates.inducing,
            selector: options.selector.clone().unwrap_or_default(),
            train_inducing_points: options.train_inducing_points,
            settings: settings(rows, options)?,
        };
        let CglbFit { model, trained, notices, cg, .. } =
            Cglb::fit(template, &rows.x, &rows.y, &cglb, observer)?;
        let notices = notices.iter().map(ToString::to_string).collect();
        let trained = Some(trained);
        Ok(Outcome { gp: Box::new(model), trained, notices, cg: cg.into() })
    }

    fn condition(
        &self,
        hyper: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, GpError> {
        let settings = settings(rows, options)?;
        let chosen = options.choose_inducing_points(hyper, &rows.x)?;
        let Rows { x, y } = rows;
        let model = Cglb::condition_until(hyper, &chosen.z, x, y, &settings, stop)?;
        let notices = chosen.notices.iter().map(ToString::to_string).collect();
        let cg = model.evidence().cg.into();
        Ok(Outcome { gp: Box::new(model), trained: None, notices, cg })
    }
}

fn settings(rows: &Rows, options: &FitOptions) -> Result<CglbSettings, GpError> {
    SparseNeed::new("cglb", &rows.x, options).check(SparseNeed::cglb_bytes)?;
    let defaults = CglbSettings::default();
    let training_tolerance = options.cg_tolerance.unwrap_or(defaults.training_tolerance);
    Ok(CglbSettings {
        bound: options.bound.as_deref().map_or(Ok(defaults.bound), Bound::named)?,
        jitter: Jitter::Relative(options.surrogates.jitter),
        neighbours: options.surrogates.neighbours,
        training_tolerance,
        prediction_tolerance: defaults.prediction_tolerance.min(training_tolerance),
        preconditioning: options.preconditioning.unwrap_or(Preconditioning::Auto),
        cg_max_steps: options.cg_max_steps.unwrap_or(defaults.cg_max_steps),
        ..defaults
    })
}

impl From<CgStats> for CgSummary {
    fn from(stats: CgStats) -> Self {
        let CgStats { solves, steps_total, steps_max, capped } = stats;
        Self { solves, steps_total, steps_max, capped }
    }
}

impl Conditioned for Cglb {
    fn method(&self) -> Method {
        Method::Cglb
    }

    fn hyperparameters(&self) -> &Hyperparameters {
        self.hyperparameters()
    }

    fn part(&self) -> Part {
        let CglbParts { correction, v, residual, evidence, variance, .. } = self.parts();
        let correction = sgpr::Saved::of(&correction);
        Part::Cglb(Box::new(Saved { correction, v, residual, evidence, variance }))
    }

    fn objective(&self) -> Result<f64, GpError> {
        Ok(self.evidence().elbo())
    }

    fn evidence(&self, rows: &Rows, options: &EvidenceOptions) -> Result<Evidence, GpError> {
        let found = self.evidence();
        let finite = |value: f64| value.is_finite().then_some(value);
        // Where there is no end, no bound is behind it.
        let name = |name: &String| (!name.is_empty()).then(|| name.clone());
        let known = Evidence {
            lower: finite(found.lower),
            upper: finite(found.upper),
            slack_quad: finite(found.slack_quad),
            slack_logdet: finite(found.slack_logdet),
            bound: name(&found.lower_bound),
            bound_lower: name(&found.upper_bound),
            elbo: Some(found.elbo()),
            jitter: Some(self.jitter()),
            ..Evidence::default()
        };
        if options.is_thorough(rows.x.nrows(), self.inducing_points().nrows(), usize::MAX) {
            return known.with_certificate(self, rows, options);
        }
        Ok(Evidence { warnings: capped(found), ..known })
    }

    fn prediction_bytes(&self) -> u64 {
        prediction_bytes(self.inducing_points().nrows())
    }

    fn inducing_points(&self) -> Option<&Array2<f64>> {
        Some(self.inducing_points())
    }

    fn auxiliary(&self) -> Option<&Array2<f64>> {
        Some(self.v())
    }

    fn bound(&self) -> Option<&str> {
        Some(&self.evidence().bound)
    }

    fn uses_neighbours(&self) -> bool {
        Bound::named(&self.evidence().bound).is_ok_and(|bound| bound.needs().neighbours)
    }
}

/// A final solve that its cap ended, with what is left to gain.
fn capped(evidence: &cglb::Evidence) -> Vec<String> {
    let slack: f64 = evidence.slack.iter().sum();
    let norm = evidence.residual_norm.iter().fold(0.0, |most: f64, norm| most.max(*norm));
    let said = format!(
        "conjugate gradients stopped after {} steps with residual norm {norm:.1e}: the quadratic bounds are up to {slack:.3e} nats looser than they could be, and still hold",
        evidence.cg.steps_max
    );
    (evidence.cg.capped > 0).then_some(said).into_iter().collect()
}

/// The auxiliary vectors, and the inducing points that correct them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saved {
    correction: sgpr::Saved,
    v: Array2<f64>,
    residual: Array2<f64>,
    evidence: cglb::Evidence,
    variance: VarianceFrom,
}

impl Saved {
    pub(crate) fn restore(
        self,
        hyper: Hyperparameters,
        rows: &Rows,
    ) -> Result<Box<dyn Conditioned>, GpError> {
        let Self { correction, v, residual, evidence, variance } = self;
        let correction = correction.into_parts(hyper, rows)?;
        let (x, y) = (rows.x.clone(), rows.y.clone());
        let parts = CglbParts { correction, x, y, v, residual, evidence, variance };
        Ok(Box::new(Cglb::from_parts(parts)?))
    }
}
