//! A fit to the rows near each query, made when the query comes.

use gp_core::metrics::nlpd;
use gp_core::{GpError, Hyperparameters, Observer, Posterior, Prediction, random_rows};
use kernels::Spectrum;
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use serde::{Deserialize, Serialize};
use ssgp_vb::{
    Fallback, HalfRange, LocalOptions, LocalParts, LocalPrediction, LocalReport, LocalSsgpVb,
    StageReport, Starts,
};

use super::watch::Watch;
use super::{hyperparameters, means, points, refuse, run_options, translated};
use crate::method::{Conditioned, Method, Outcome, Part, Rows};
use crate::{CgSummary, Evidence, EvidenceOptions, FitOptions, SpectralReport};

/// Rows left out for the hyperparameters that are shown, where variances are not calibrated.
const SAMPLE: usize = 16;
/// Queries between looks at the clock and at who watches.
const AT_A_TIME: usize = 32;
/// Said beside bounds.
const NOTE: &str = "each query has its own fit; the hyperparameters are medians over neighbourhoods of some training rows, and `lml` is that of an exact Gaussian process with them, no quantity of the local fits";

pub(super) fn fit(
    spectrum: Spectrum,
    rows: &Rows,
    options: &FitOptions,
    observer: &mut dyn Observer,
) -> Result<Outcome, GpError> {
    let d = rows.x.ncols();
    let spectral = points(spectrum, options);
    let usual = LocalOptions::default();
    let local_options = LocalOptions {
        neighbours: options.spectral.local.unwrap_or(usual.neighbours),
        starts: Starts { means: Some(means(options, d)), keep: spectral.draws, ..usual.starts },
        spectral,
        fit: run_options(options),
        ..usual
    };
    let mut model =
        LocalSsgpVb::condition(&rows.x, &rows.y.column(0), &local_options).map_err(translated)?;
    let mut watch = Watch::new(observer, options.plan.options.time_limit, 0.0);
    let sample = Sample::answered(&model, rows, options, &mut watch)?;
    let mut notices: Vec<String> = sample.notices().into_iter().collect();
    if options.spectral.calibrate.is_some() {
        let factor = sample.variance_factor();
        model.set_variance_factor(factor).map_err(translated)?;
        notices.extend(sample.fewer_than(options.spectral.calibrate, rows.x.nrows()));
    }
    let hyper = sample.hyperparameters(spectrum)?;
    let log_density = sample.log_density(model.variance_factor());
    let gp = Box::new(Local { model, hyper, log_density });
    Ok(Outcome { gp, trained: None, notices, cg: CgSummary::default() })
}

/// Training rows predicted from the others.
#[derive(Default)]
struct Sample {
    y: Vec<f64>,
    mean: Vec<f64>,
    var_y: Vec<f64>,
    reports: Vec<LocalReport>,
}

impl Sample {
    fn answered(
        model: &LocalSsgpVb,
        rows: &Rows,
        options: &FitOptions,
        watch: &mut Watch<'_>,
    ) -> Result<Self, GpError> {
        let n = rows.x.nrows();
        let count = options.spectral.calibrate.unwrap_or(SAMPLE);
        let chosen = random_rows(n, count, options.plan.seed);
        // With all rows in every neighbourhood there is none left to leave out.
        let whole = model.options().neighbours == n && options.spectral.calibrate.is_none();
        let mut sample = Self::default();
        for some in chosen.chunks(AT_A_TIME) {
            let enough = !sample.y.is_empty();
            if watch.is_to_stop() && (enough || watch.was_interrupted()) {
                break;
            }
            let found = match whole {
                true => model.predict(&rows.x.select(Axis(0), some), &()),
                false => model.left_out(some, &()),
            };
            sample.add(some.iter().map(|&row| rows.y[[row, 0]]), found.map_err(translated)?);
            watch.tell(sample.y.len(), sample.log_density(1.0));
        }
        if watch.was_interrupted() { Err(GpError::Interrupted) } else { Ok(sample) }
    }

    fn add(&mut self, y: impl Iterator<Item = f64>, found: LocalPrediction) {
        self.y.extend(y);
        self.mean.extend(found.prediction.mean.column(0));
        self.var_y.extend(found.prediction.var_y);
        self.reports.extend(found.queries);
    }

    /// The fits behind the answers.
    fn fits(&self) -> Vec<&StageReport> {
        self.reports.iter().filter_map(|r| r.second.as_ref().or(r.first.as_ref())).collect()
    }

    fn hyperparameters(&self, spectrum: Spectrum) -> Result<Hyperparameters, GpError> {
        let fits = self.fits();
        let Some(first) = fits.first() else {
            return refuse(
                "on these rows: no neighbourhood could be fitted",
                "give larger ones with --local K, or leave it out",
            );
        };
        let of = |value: &dyn Fn(&StageReport) -> f64| median(fits.iter().map(|fit| value(fit)));
        let d = first.lengthscales.len();
        let lengthscales = (0..d).map(|j| of(&|fit| fit.lengthscales[j])).collect();
        let variance = of(&|fit| fit.signal_variance);
        let mean = self.y.iter().sum::<f64>() / self.y.len() as f64;
        hyperparameters(spectrum, lengthscales, [variance, of(&|fit| fit.noise_variance), mean])
    }

    /// The mean squared error in units of its variance.
    fn variance_factor(&self) -> f64 {
        let errors = self.y.iter().zip(&self.mean).zip(&self.var_y);
        let squares = errors.map(|((y, mean), var)| (y - mean).powi(2) / var);
        squares.sum::<f64>() / self.y.len() as f64
    }

    /// Of all rows of the sample.
    fn log_density(&self, factor: f64) -> f64 {
        let of = |values: &[f64]| Array1::from(values.to_vec());
        let rows = self.y.len() as f64;
        -nlpd(&of(&self.y), &of(&self.mean), &(of(&self.var_y) * factor)) * rows
    }

    fn notices(&self) -> Option<String> {
        let trivial = |report: &&LocalReport| report.fallback == Some(Fallback::NeighbourhoodMean);
        let count = self.reports.iter().filter(trivial).count();
        (count > 0).then(|| {
            format!(
                "of {} neighbourhoods tried {count} could not be fitted: there the mean of the neighbourhood predicts",
                self.reports.len()
            )
        })
    }

    /// Calibration that time has cut short.
    fn fewer_than(&self, asked: Option<usize>, n: usize) -> Option<String> {
        let (found, asked) = (self.y.len(), asked.unwrap_or(0).min(n));
        (found < asked).then(|| {
            format!(
                "variances were calibrated on {found} rows of {asked}: the time limit was reached"
            )
        })
    }
}

/// The middle value, or the lower of the two.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted[(sorted.len() - 1) / 2]
}

/// Rows and settings, and the hyperparameters that stand for the fits.
#[derive(Debug)]
struct Local {
    model: LocalSsgpVb,
    hyper: Hyperparameters,
    /// Of training rows predicted from the others.
    log_density: f64,
}

impl Posterior for Local {
    /// Costs as much as [`predict`](Self::predict).
    fn predict_mean(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        Ok(self.predict(x_new)?.mean)
    }

    fn predict(&self, x_new: &ArrayRef2<f64>) -> Result<Prediction, GpError> {
        Ok(self.model.predict(x_new, &()).map_err(translated)?.prediction)
    }

    fn covariance(&self, _: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        refuse(
            "with --local for joint draws",
            "each query has its own fit, predict without --samples or fit without --local",
        )
    }
}

impl Conditioned for Local {
    fn method(&self) -> Method {
        Method::SsgpVb
    }

    fn hyperparameters(&self) -> &Hyperparameters {
        &self.hyper
    }

    fn part(&self) -> Part {
        Part::SsgpVb(Box::new(super::Saved::Local(Box::new(Saved {
            scaling: self.model.scaling().clone(),
            options: self.model.options().clone(),
            frequencies: self.model.frequencies().to_vec(),
            variance_factor: self.model.variance_factor(),
            log_density: self.log_density,
        }))))
    }

    /// No bound on anything of the whole table: the log density of rows left out.
    fn objective(&self) -> Result<f64, GpError> {
        Ok(self.log_density)
    }

    fn evidence(&self, rows: &Rows, options: &EvidenceOptions) -> Result<Evidence, GpError> {
        super::evidence(self, Evidence::default(), rows, options)
    }

    /// One neighbourhood's numbers for each thread.
    fn prediction_bytes(&self) -> u64 {
        0
    }

    fn spectral(&self) -> Option<SpectralReport> {
        let frequencies = self.model.frequencies();
        Some(SpectralReport {
            points: frequencies[0].nrows(),
            draws: frequencies.len(),
            local: Some(self.model.options().neighbours),
            variance_factor: Some(self.model.variance_factor()),
            lambda: None,
            lambda_std: None,
        })
    }

    fn note(&self) -> Option<&'static str> {
        Some(NOTE)
    }

    fn rows_at_a_time(&self) -> Option<usize> {
        Some(AT_A_TIME)
    }
}

/// Settings; the rows are the model file's own.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saved {
    scaling: HalfRange,
    options: LocalOptions,
    frequencies: Vec<Array2<f64>>,
    variance_factor: f64,
    log_density: f64,
}

impl Saved {
    pub(super) fn restore(
        self,
        hyper: Hyperparameters,
        rows: &Rows,
    ) -> Result<Box<dyn Conditioned>, GpError> {
        let Self { scaling, options, frequencies, variance_factor, log_density } = self;
        let (x, y) = (scaling.apply(&rows.x)?, rows.y.column(0).to_owned());
        let parts = LocalParts { x, y, scaling, options, frequencies, variance_factor };
        let model = LocalSsgpVb::from_parts(parts).map_err(translated)?;
        Ok(Box::new(Local { model, hyper, log_density }))
    }
}
