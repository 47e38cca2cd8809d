//! The fit of one neighbourhood.

use ndarray::{Array1, Array2, ArrayRef1, Axis};

use crate::SsgpError;
use crate::component::{Component, Marginals, mixed};
use crate::local::{Answer, LocalSsgpVb};
use crate::local_options::Origin;
use crate::local_report::StageReport;
use crate::model::component;
use crate::options::Start;
use crate::problem::SparseSpectrum;
use crate::scaling::HalfRange;
use crate::starts::Candidates;

/// Training rows near a query, centred and scaled.
pub(crate) struct Neighbourhood {
    rows: Vec<usize>,
    x: Array2<f64>,
    y: Array1<f64>,
    target_mean: f64,
    /// What every column was divided by.
    scale: Vec<f64>,
    /// The query, centred and scaled in the same way.
    query: Array2<f64>,
}

/// The posterior of a neighbourhood, and its prediction.
pub(crate) struct LocalFit {
    rows: Vec<usize>,
    scale: Vec<f64>,
    components: Vec<Component>,
    bound: f64,
    answer: Answer,
    noise_variance: f64,
}

impl Neighbourhood {
    pub(crate) fn new(model: &LocalSsgpVb, query: &ArrayRef1<f64>, rows: Vec<usize>) -> Self {
        let mut x = model.x.select(Axis(0), &rows);
        let y = model.y.select(Axis(0), &rows);
        let mut query = query.to_owned().insert_axis(Axis(0));
        let d = query.ncols();
        let origin = match model.options.origin {
            Origin::Mean => x.mean_axis(Axis(0)).unwrap_or_default(),
            Origin::Query => query.row(0).to_owned(),
            Origin::Unmoved => Array1::zeros(d),
        };
        x -= &origin;
        query -= &origin;
        let measured = model.options.rescale.then(|| HalfRange::fit(&x, "x").ok()).flatten();
        let scale = measured.map_or_else(|| vec![1.0; d], |range| range.half_range);
        let divide = Array1::from(scale.clone());
        x /= &divide;
        query /= &divide;
        let target_mean = y.mean().unwrap_or(0.0);
        Self { rows, x, y: y - target_mean, target_mean, scale, query }
    }

    /// Fits every draw, and mixes those that are kept; from the q(λ) of `warm` if there is one.
    pub(crate) fn fit(
        &self,
        model: &LocalSsgpVb,
        warm: Option<&LocalFit>,
    ) -> Result<LocalFit, SsgpError> {
        let components = match warm {
            Some(first) => self.continued(model, first)?,
            None => self.fresh(model)?,
        };
        let weighting = model.options.weighting;
        let bounds: Vec<f64> = components.iter().map(|component| component.bound).collect();
        let weights = weighting.weights(&bounds);
        let parts: Result<Vec<Marginals>, _> =
            components.iter().map(|component| component.marginals(&self.query)).collect();
        let mixture = mixed(&parts?, &weights, self.target_mean);
        let (mean, var_latent) = (mixture.mean[[0, 0]], mixture.var_latent[0]);
        let answer = Answer { mean, var_latent, var_y: mixture.var_y[0] };
        let bound = weighting.bound(&bounds);
        let (rows, scale) = (self.rows.clone(), self.scale.clone());
        let noises = components.iter().map(|component| component.noise_variance);
        let noise_variance = noises.zip(&weights).map(|(noise, weight)| noise * weight).sum();
        Ok(LocalFit { rows, scale, components, bound, answer, noise_variance })
    }

    fn fresh(&self, model: &LocalSsgpVb) -> Result<Vec<Component>, SsgpError> {
        let (sets, options) = (&model.sets, &model.options);
        let (starts, fit, priors) = (&options.starts, &options.fit, &options.priors);
        let candidates =
            Candidates { x: &self.x, y: &self.y, priors, sets, starts, fit, done: &[] };
        let (finished, _) = candidates.run(&mut ())?;
        Ok(finished.into_iter().map(component).collect())
    }

    fn continued(
        &self,
        model: &LocalSsgpVb,
        first: &LocalFit,
    ) -> Result<Vec<Component>, SsgpError> {
        let go_on = |component: &Component| {
            let frequencies = &component.frequencies;
            let priors = &model.options.priors;
            let problem = SparseSpectrum::new(&self.x, &self.y, frequencies, priors)?;
            let start = Start::Lambda(component.factors.lambda.clone());
            let run = problem.run(&start, &model.options.fit, &mut ())?;
            let noise_variance = problem.gamma(run.factors.c_gamma)?.square;
            let frequencies = frequencies.clone();
            let (factors, bound) = (run.factors, run.bound);
            Ok(Component { frequencies, factors, bound, noise_variance })
        };
        first.components.iter().map(go_on).collect()
    }

    /// The mean of the neighbourhood's target, and its variance as that of an observation.
    pub(crate) fn trivial(&self, y: &Array1<f64>) -> Answer {
        let k = self.rows.len() as f64;
        let mean = self.rows.iter().map(|&row| y[row]).sum::<f64>() / k;
        let squares: f64 = self.rows.iter().map(|&row| (y[row] - mean).powi(2)).sum();
        let variance = squares / (k - 1.0);
        Answer { mean, var_latent: variance / k, var_y: variance * (1.0 + 1.0 / k) }
    }
}

impl LocalFit {
    /// |μ_j| of the best component in the units of the search; none when all are 0.
    pub(crate) fn metric(&self) -> Option<Vec<f64>> {
        let mean = &self.components[0].factors.lambda.mean;
        let weights: Vec<f64> =
            mean.iter().zip(&self.scale).map(|(mean, scale)| mean.abs() / scale).collect();
        weights.iter().any(|weight| *weight > 0.0).then_some(weights)
    }

    pub(crate) fn answer(&self) -> Answer {
        self.answer
    }

    pub(crate) fn report(&self, model: &LocalSsgpVb) -> Result<StageReport, SsgpError> {
        let Answer { mean, var_latent, var_y } = self.answer;
        let best = &self.components[0];
        let half_range = &model.scaling.half_range;
        let scale: Vec<f64> = self.scale.iter().zip(half_range).map(|(a, b)| a * b).collect();
        Ok(StageReport {
            rows: self.rows.clone(),
            lambda: best.factors.lambda.mean.to_vec(),
            lengthscales: best.lengthscales(&scale),
            signal_variance: best.signal_variance(&model.options.priors)?,
            noise_variance: self.noise_variance,
            bound: self.bound,
            mean,
            var_latent,
            var_y,
        })
    }
}
