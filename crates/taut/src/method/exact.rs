//! The exact method: a Cholesky factorisation of the whole covariance matrix.

use bounds::exact::bytes_needed;
use exact_gp::{ExactGp, ExactGpOptions};
use gp_core::{GpError, Hyperparameters, Observer, Prediction, Trained};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{Conditioned, Inference, Method, Outcome, Part, Rows, Setting};
use crate::{CgSummary, Evidence, EvidenceOptions, FitOptions};

pub(crate) struct Cholesky;

impl Inference for Cholesky {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn about(&self) -> &'static str {
        "Cholesky factorisation of the full covariance matrix: time n³, memory n²"
    }

    fn settings(&self) -> &'static [Setting] {
        &[]
    }

    fn fit(
        &self,
        template: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, GpError> {
        let memory_budget = options.memory_budget;
        let exact = ExactGpOptions { plan: options.plan.clone(), memory_budget };
        let (gp, trained) = ExactGp::fit(template, &rows.x, &rows.y, &exact, observer)?;
        Ok(outcome(gp, Some(trained)))
    }

    fn condition(
        &self,
        hyper: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        _stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, GpError> {
        let gp = ExactGp::condition(hyper, &rows.x, &rows.y, options.memory_budget)?;
        Ok(outcome(gp, None))
    }
}

fn outcome(gp: ExactGp, trained: Option<Trained>) -> Outcome {
    Outcome { gp: Box::new(gp), trained, notices: Vec::new(), cg: CgSummary::default() }
}

impl Conditioned for ExactGp {
    fn method(&self) -> Method {
        Method::Exact
    }

    fn hyperparameters(&self) -> &Hyperparameters {
        self.hyperparameters()
    }

    fn part(&self) -> Part {
        Part::Exact(Saved { alpha: self.alpha().clone() })
    }

    fn objective(&self) -> Result<f64, GpError> {
        Ok(self.lml()?.value)
    }

    /// The exact value, and the bracket rounding leaves around it.
    fn evidence(&self, _: &Rows, _: &EvidenceOptions) -> Result<Evidence, GpError> {
        let lml = self.lml()?;
        let rounding = lml.rounding_quad + lml.rounding_logdet;
        Ok(Evidence {
            lower: Some(lml.value - rounding),
            upper: Some(lml.value + rounding),
            exact: Some(lml.value),
            slack_quad: Some(2.0 * lml.rounding_quad),
            slack_logdet: Some(2.0 * lml.rounding_logdet),
            bound: Some("exact".to_owned()),
            bound_lower: Some("exact".to_owned()),
            ..Evidence::default()
        })
    }

    fn auxiliary(&self) -> Option<&Array2<f64>> {
        Some(self.alpha())
    }

    fn prediction_bytes(&self) -> u64 {
        bytes_needed(self.x().nrows(), false)
    }

    fn leave_one_out(&self) -> Result<Option<Prediction>, GpError> {
        self.leave_one_out().map(Some)
    }
}

/// α = K⁻¹(y − m(X)).
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saved {
    alpha: Array2<f64>,
}

impl Saved {
    pub(crate) fn restore(
        self,
        hyper: Hyperparameters,
        rows: &Rows,
    ) -> Result<Box<dyn Conditioned>, GpError> {
        let (x, y) = (rows.x.clone(), rows.y.clone());
        Ok(Box::new(ExactGp::from_parts(hyper, x, y, self.alpha)?))
    }
}
