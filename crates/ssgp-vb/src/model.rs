//! The fitted model.

use gp_core::{GpError, Posterior, Prediction, check_finite};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};
use serde::{Deserialize, Serialize};

use crate::SsgpError;
use crate::algorithm::Status;
use crate::component::{Component, mixed, mixture_bound, weights};
use crate::gaussian::check_count;
use crate::observer::{Cycle, Observer};
use crate::options::FitOptions;
use crate::prior::Priors;
use crate::scaling::HalfRange;
use crate::scores::nmse;
use crate::starts::{Candidates, Finished, ScreenedStart, SpectralPoints, StartReport, Starts};

/// A normalised error on the training rows above this is no fit at all.
const COLLAPSED: f64 = 0.98;

/// How the model is fitted.
///
/// | option | default |
/// | --- | --- |
/// | `spectral` | 4 draws of 50 points, see [`SpectralPoints`] |
/// | `starts` | see [`Starts`] |
/// | `fit` | Algorithm 2 to a relative rise of 1e-6, see [`FitOptions`] |
/// | `priors` | see [`Priors`] |
/// | `scale` | on: inputs to [−1, 1], target less its mean; priors and starts are for that scale |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SsgpVbOptions {
    /// The spectral points.
    pub spectral: SpectralPoints,
    /// Where runs begin.
    pub starts: Starts,
    /// How a run goes.
    pub fit: FitOptions,
    /// On λ, σ, γ.
    pub priors: Priors,
    /// Whether inputs and target are centred and inputs scaled.
    pub scale: bool,
}

impl Default for SsgpVbOptions {
    fn default() -> Self {
        Self {
            spectral: SpectralPoints::default(),
            starts: Starts::default(),
            fit: FitOptions::default(),
            priors: Priors::default(),
            scale: true,
        }
    }
}

/// All that a model consists of: what a file must hold. No training row is needed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SsgpVbParts {
    /// Of the inputs.
    pub scaling: HalfRange,
    /// What was subtracted from the target.
    pub target_mean: f64,
    /// One posterior for each draw kept, the best bound first.
    pub components: Vec<Component>,
}

/// How a fit came about.
#[derive(Debug, Clone, PartialEq)]
pub struct FitReport {
    /// Every start that was screened.
    pub starts: Vec<StartReport>,
    /// The draw of the best component.
    pub draw: usize,
    /// Why its final run ended.
    pub status: Status,
    /// Cycles of its final run.
    pub cycles: usize,
    /// Every attempt of its final run.
    pub trace: Vec<Cycle>,
    /// Of the best component, on the training rows.
    pub training_nmse: f64,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// Something a fit should not keep to itself.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// The fit explains nothing: λ went to 0. Try other starts, more draws or more spectral points.
    Collapsed {
        /// On the training rows.
        nmse: f64,
    },
    /// The final run did not converge.
    NotConverged {
        /// How it ended.
        status: Status,
    },
}

/// A model and how it came about.
#[derive(Debug)]
pub struct SsgpVbFit {
    /// The model.
    pub model: SsgpVb,
    /// Starts, cycles, warnings.
    pub report: FitReport,
}

/// How much an input matters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Relevance {
    /// The posterior mean of |λ|'s signed version in scaled units: 0 for an input that is not used.
    pub lambda: f64,
    /// Its posterior standard deviation.
    pub lambda_std: f64,
    /// 1/√E(λ²) in the units of the input.
    pub lengthscale: f64,
}

/// Variational sparse-spectrum Gaussian-process regression.
///
/// ```text
/// mean(x*) = E(Z*)'μ_α
/// var(x*)  = ⟨Cov(Z*), Σ_α + μ_αμ_α'⟩ + E(Z*)'Σ_α E(Z*)     (+ E γ² for an observation)
/// ```
///
/// The variance holds the uncertainty of the weights and of the lengthscales. Several components
/// are mixed with weights proportional to exp(bound). A mean costs O(M D), a variance O(M² D).
/// Source: Tan, Ong, Nott & Jasra (2016), eqs. 5, 12 and section 5.
///
/// ```
/// use gp_core::Posterior;
/// use ndarray::{Array1, Array2};
/// use ssgp_vb::{SpectralPoints, SsgpVb, SsgpVbOptions};
///
/// let x = Array2::from_shape_fn((60, 1), |(i, _)| i as f64 / 30.0);
/// let y: Array1<f64> = x.column(0).mapv(|t| 5.0 + (3.0 * t).sin());
/// let spectral = SpectralPoints { points: 8, draws: 2, ..SpectralPoints::default() };
/// let fit = SsgpVb::fit(&x, &y, &SsgpVbOptions { spectral, ..Default::default() }, &mut ())?;
///
/// assert!(fit.report.warnings.is_empty());
/// let prediction = fit.model.predict(&x)?;
/// assert!((prediction.mean[[30, 0]] - y[30]).abs() < 0.1);
/// # Ok::<(), ssgp_vb::SsgpError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SsgpVb {
    parts: SsgpVbParts,
    weights: Vec<f64>,
}

impl SsgpVb {
    /// Fits `y` `[N]` at `x` `[N, D]`. Costs O(N M² D) a cycle.
    ///
    /// # Errors
    /// Data that are empty, not finite or of disagreeing shapes; fewer than two rows; a constant
    /// target; options out of range; no start that can be evaluated.
    pub fn fit(
        x: &ArrayRef2<f64>,
        y: &ArrayRef1<f64>,
        options: &SsgpVbOptions,
        observer: &mut dyn Observer,
    ) -> Result<SsgpVbFit, SsgpError> {
        Self::resume(x, y, options, &[], observer)
    }

    /// As [`fit`](Self::fit), with starts an earlier call has screened, as
    /// [`Observer::screened`] was given them in order: to the same bits.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn resume(
        x: &ArrayRef2<f64>,
        y: &ArrayRef1<f64>,
        options: &SsgpVbOptions,
        done: &[ScreenedStart],
        observer: &mut dyn Observer,
    ) -> Result<SsgpVbFit, SsgpError> {
        check_finite(x, "x")?;
        check_finite(&y.view().insert_axis(Axis(1)), "y")?;
        check_count("y", "values", y.len(), x.nrows())?;
        if x.nrows() > 1 {
            refuse_constant(y)?;
        }
        let scaling =
            if options.scale { HalfRange::fit(x, "x")? } else { HalfRange::identity(x.ncols()) };
        let target_mean = if options.scale { y.mean().unwrap_or(0.0) } else { 0.0 };
        let (x, y) = (scaling.apply(x)?, y - target_mean);
        let sets = options.spectral.sets(x.ncols())?;
        let SsgpVbOptions { starts, fit, priors, .. } = options;
        let candidates = Candidates { x: &x, y: &y, priors, sets: &sets, starts, fit, done };
        let (finished, reports) = candidates.run(observer)?;
        let report = report(&y, &finished, reports)?;
        let components = finished.into_iter().map(component).collect();
        let model = Self::from_parts(SsgpVbParts { scaling, target_mean, components })?;
        Ok(SsgpVbFit { model, report })
    }

    /// Puts together a model from its parts, read from a file say; it predicts with the same bits.
    ///
    /// # Errors
    /// Parts that do not fit together or are not finite; matrices that are no covariances.
    pub fn from_parts(parts: SsgpVbParts) -> Result<Self, SsgpError> {
        let d = parts.scaling.middle.len();
        check_count("half_range", "values", parts.scaling.half_range.len(), d)?;
        if parts.components.is_empty() {
            return Err(GpError::NoRows { argument: "components" }.into());
        }
        parts.components.iter().try_for_each(|component| component.check(d))?;
        let weights = weights(&bounds(&parts.components));
        Ok(Self { parts, weights })
    }

    /// All that [`from_parts`](Self::from_parts) needs.
    #[must_use]
    pub fn parts(&self) -> &SsgpVbParts {
        &self.parts
    }

    /// The lower bound on log p(y), in nats of the target as given; of a mixture of K components
    /// log(Σ exp(L_k)/K).
    #[must_use]
    pub fn bound(&self) -> f64 {
        mixture_bound(&bounds(&self.parts.components))
    }

    /// How much each component counts; they add up to 1.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The posterior of each λ, by the best component.
    #[must_use]
    pub fn relevance(&self) -> Vec<Relevance> {
        let best = &self.parts.components[0];
        let lambda = &best.factors.lambda;
        let lengthscales = best.lengthscales(&self.parts.scaling.half_range);
        let entry = |(j, lengthscale): (usize, f64)| Relevance {
            lambda: lambda.mean[j],
            lambda_std: lambda.covariance[[j, j]].sqrt(),
            lengthscale,
        };
        lengthscales.into_iter().enumerate().map(entry).collect()
    }

    fn scaled(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let scaled = self.parts.scaling.apply(x_new)?;
        if x_new.nrows() > 0 {
            check_finite(x_new, "x_new")?;
        }
        Ok(scaled)
    }
}

/// Refuses a target whose values are all the same.
pub(crate) fn refuse_constant(y: &ArrayRef1<f64>) -> Result<(), SsgpError> {
    match y.first() {
        Some(&value) if y.iter().all(|other| other.total_cmp(&value).is_eq()) => {
            Err(SsgpError::ConstantTarget { value })
        }
        _ => Ok(()),
    }
}

fn bounds(components: &[Component]) -> Vec<f64> {
    components.iter().map(|component| component.bound).collect()
}

pub(crate) fn component(finished: Finished) -> Component {
    let Finished { frequencies, run, noise_variance, .. } = finished;
    Component { frequencies, factors: run.factors, bound: run.bound, noise_variance }
}

fn report(
    y: &Array1<f64>,
    finished: &[Finished],
    starts: Vec<StartReport>,
) -> Result<FitReport, SsgpError> {
    let best = finished.first().ok_or(SsgpError::Interrupted)?;
    let run = &best.run;
    let training_nmse = nmse(y, &best.training_mean, y.mean().unwrap_or(0.0));
    let mut warnings = Vec::new();
    if training_nmse > COLLAPSED {
        warnings.push(Warning::Collapsed { nmse: training_nmse });
    }
    if run.status != Status::Converged && run.status != Status::Stalled {
        warnings.push(Warning::NotConverged { status: run.status });
    }
    let (draw, status, cycles) = (best.draw, run.status, run.cycles);
    let trace = run.trace.clone();
    Ok(FitReport { starts, draw, status, cycles, trace, training_nmse, warnings })
}

impl Posterior for SsgpVb {
    fn predict_mean(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let x = self.scaled(x_new)?;
        let mut mean = Array1::from_elem(x.nrows(), self.parts.target_mean);
        for (component, weight) in self.parts.components.iter().zip(&self.weights) {
            mean.scaled_add(*weight, &component.mean(&x)?);
        }
        Ok(mean.insert_axis(Axis(1)))
    }

    fn predict(&self, x_new: &ArrayRef2<f64>) -> Result<Prediction, GpError> {
        let x = self.scaled(x_new)?;
        let parts = self.parts.components.iter().map(|component| component.marginals(&x));
        let parts = parts.collect::<Result<Vec<_>, SsgpError>>()?;
        let mut prediction = mixed(&parts, &self.weights, self.parts.target_mean);
        prediction.mean = self.predict_mean(x_new)?;
        Ok(prediction)
    }

    /// Costs T² M² D.
    fn covariance(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let x = self.scaled(x_new)?;
        let joint = self.parts.components.iter().map(|component| component.joint(&x));
        let joint = joint.collect::<Result<Vec<_>, SsgpError>>()?;
        let mut mean = Array1::zeros(x.nrows());
        for ((part, _), weight) in joint.iter().zip(&self.weights) {
            mean.scaled_add(*weight, part);
        }
        let mut total = Array2::zeros((x.nrows(), x.nrows()));
        for ((part, covariance), weight) in joint.iter().zip(&self.weights) {
            let shift = part - &mean;
            total.scaled_add(*weight, &crate::gaussian::plus_outer(covariance, &shift));
        }
        Ok(total)
    }
}
