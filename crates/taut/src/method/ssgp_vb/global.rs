//! One fit to all rows.

use gp_core::{
    GpError, Hyperparameters, Observer, Posterior, Prediction, StopReason, TrainState, Trained,
    check_length,
};
use kernels::Spectrum;
use ndarray::{Array2, ArrayRef2};
use serde::{Deserialize, Serialize};
use ssgp_vb::{
    FitReport, Priors, SsgpVb, SsgpVbFit, SsgpVbOptions, SsgpVbParts, Starts, Status, Warning,
};

use super::watch::{Watch, screened};
use super::{check_memory, hyperparameters, means, points, run_options, translated};
use crate::method::{Conditioned, Method, Outcome, Part, Rows};
use crate::{CgSummary, Evidence, EvidenceOptions, FitOptions, SpectralReport};

/// Said beside bounds.
const NOTE: &str = "the hyperparameters are posterior means (of 1/lambda, the root of the mean square), and `lml` is that of an exact Gaussian process with them; `elbo` bounds another quantity, the evidence of the sparse-spectrum model with priors, and is no bound on `lml`";
/// Rows in memory with their features while variances are computed.
const PREDICTED_ROWS: u64 = 8192;

pub(super) fn fit(
    spectrum: Spectrum,
    rows: &Rows,
    options: &FitOptions,
    observer: &mut dyn Observer,
) -> Result<Outcome, GpError> {
    let (n, d) = rows.x.dim();
    let spectral = points(spectrum, options);
    check_memory(n, spectral.points, options)?;
    let means = means(options, d);
    let resumed = options.plan.resume.clone().unwrap_or_default();
    let done = screened(&resumed, &means, (d, spectral.points));
    let fit_options = SsgpVbOptions {
        spectral,
        starts: Starts { means: Some(means), ..Starts::default() },
        fit: run_options(options),
        ..SsgpVbOptions::default()
    };
    let mut watch = Watch::new(observer, options.plan.options.time_limit, resumed.seconds);
    let y = rows.y.column(0);
    let fit = SsgpVb::resume(&rows.x, &y, &fit_options, &done, &mut watch).map_err(translated)?;
    let SsgpVbFit { model, report } = fit;
    let notices = notices(&report);
    let trained = trained(&model, report, watch);
    let hyper = shown(&model, spectrum, &fit_options.priors)?;
    let gp = Box::new(Global { model, hyper });
    Ok(Outcome { gp, trained: Some(trained), notices, cg: CgSummary::default() })
}

/// Posterior means: 1/√E(λ²), E(σ²), E(γ²).
fn shown(model: &SsgpVb, spectrum: Spectrum, priors: &Priors) -> Result<Hyperparameters, GpError> {
    let SsgpVbParts { target_mean, components, .. } = model.parts();
    let best = &components[0];
    let lengthscales = model.relevance().iter().map(|input| input.lengthscale).collect();
    let variance = best.signal_variance(priors).map_err(translated)?;
    hyperparameters(spectrum, lengthscales, [variance, best.noise_variance, *target_mean])
}

fn notices(report: &FitReport) -> Vec<String> {
    let text = |warning: &Warning| match warning {
        Warning::Collapsed { nmse } => Some(format!(
            "the fit has collapsed: every start went to lambda = 0, and the mean squared error on the training rows is {:.0} % of the target's variance; try more --spectral-points, --draws or --starts, or another method",
            100.0 * nmse
        )),
        // Training says so itself.
        _ => None,
    };
    report.warnings.iter().filter_map(text).collect()
}

fn trained(model: &SsgpVb, report: FitReport, watch: Watch<'_>) -> Trained {
    let stop_reason = watch.stopped.get().unwrap_or(match report.status {
        Status::Converged => StopReason::Value,
        Status::MaxCycles => StopReason::MaxIterations,
        _ => StopReason::LineSearch,
    });
    let (seconds, state) = (watch.seconds(), watch.state);
    let best = |start: &ssgp_vb::StartReport| start.bound.unwrap_or(f64::NEG_INFINITY);
    let won = report.starts.iter().enumerate().filter(|(_, start)| start.draw == report.draw);
    let won = won.max_by(|a, b| best(a.1).total_cmp(&best(b.1)).then(b.0.cmp(&a.0)));
    Trained {
        u: Vec::new(),
        objective: model.bound(),
        iterations: report.cycles,
        evaluations: state.evaluations + report.cycles,
        stop_reason,
        start: won.map_or(0, |(index, _)| index),
        starts: state.starts.clone(),
        seconds,
        state: TrainState { seconds, ..state },
    }
}

/// The model, and the hyperparameters that stand for its posterior.
#[derive(Debug)]
pub(super) struct Global {
    model: SsgpVb,
    hyper: Hyperparameters,
}

impl Posterior for Global {
    fn predict_mean(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.model.predict_mean(x_new)
    }

    fn predict(&self, x_new: &ArrayRef2<f64>) -> Result<Prediction, GpError> {
        self.model.predict(x_new)
    }

    fn covariance(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        self.model.covariance(x_new)
    }
}

impl Conditioned for Global {
    fn method(&self) -> Method {
        Method::SsgpVb
    }

    fn hyperparameters(&self) -> &Hyperparameters {
        &self.hyper
    }

    fn part(&self) -> Part {
        let saved = Saved { parts: self.model.parts().clone() };
        Part::SsgpVb(Box::new(super::Saved::Global(saved)))
    }

    fn objective(&self) -> Result<f64, GpError> {
        Ok(self.model.bound())
    }

    fn evidence(&self, rows: &Rows, options: &EvidenceOptions) -> Result<Evidence, GpError> {
        let elbo = Some(self.model.bound());
        super::evidence(self, Evidence { elbo, ..Evidence::default() }, rows, options)
    }

    fn prediction_bytes(&self) -> u64 {
        let points = self.model.parts().components[0].frequencies.nrows() as u64;
        8 * 3 * PREDICTED_ROWS * 2 * points
    }

    fn spectral(&self) -> Option<SpectralReport> {
        let components = &self.model.parts().components;
        let relevance = self.model.relevance();
        Some(SpectralReport {
            points: components[0].frequencies.nrows(),
            draws: components.len(),
            local: None,
            variance_factor: None,
            lambda: Some(relevance.iter().map(|input| input.lambda).collect()),
            lambda_std: Some(relevance.iter().map(|input| input.lambda_std).collect()),
        })
    }

    fn note(&self) -> Option<&'static str> {
        Some(NOTE)
    }
}

/// The posterior; no training row is needed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saved {
    parts: SsgpVbParts,
}

impl Saved {
    pub(super) fn restore(
        self,
        hyper: Hyperparameters,
        d: usize,
    ) -> Result<Box<dyn Conditioned>, GpError> {
        check_length("parts", "columns", self.parts.scaling.middle.len(), d)?;
        let model = SsgpVb::from_parts(self.parts).map_err(translated)?;
        Ok(Box::new(Global { model, hyper }))
    }
}
