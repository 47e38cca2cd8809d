//! Test scores of every method, and cycles of both algorithms.

use std::time::Instant;

use cglb::{Cglb, CglbOptions};
use exact_gp::{ExactGp, ExactGpOptions};
use gp_core::{Hyperparameters, Posterior, Prediction, Standardiser, metrics};
use kernels::{Mean, SquaredExponential};
use ndarray::{Array1, Axis};
use serde_json::{Value, json};
use sparse_gp::{Sgpr, SgprOptions};
use ssgp_vb::{
    Algorithm, FitOptions, HalfRange, LocalOptions, LocalSsgpVb, Priors, Sampling, SparseSpectrum,
    SpectralPoints, SsgpVb, SsgpVbOptions, Start, Starts, Weighting, draw_frequencies, mnlp, nmse,
};

use crate::Failure;
use crate::data::{Split, split};

pub(crate) fn number(spec: &Value, name: &str, default: usize) -> usize {
    spec[name].as_u64().map_or(default, |value| value as usize)
}

fn chosen(spec: &Value) -> Result<Split, Failure> {
    let set = spec["set"].as_str().ok_or("`set` names a data set")?;
    let mut split = split(set, number(spec, "split", 0))?;
    if let Some(count) = spec["test_rows"].as_u64() {
        let rows: Vec<usize> = (0..split.y_new.len().min(count as usize)).collect();
        split.x_new = split.x_new.select(Axis(0), &rows);
        split.y_new = split.y_new.select(Axis(0), &rows);
    }
    Ok(split)
}

/// NMSE, MNLP and coverage of one method on one split.
pub(crate) fn scores(spec: &Value) -> Result<Value, Failure> {
    let split = chosen(spec)?;
    let begun = Instant::now();
    let (prediction, mut found) = match spec["method"].as_str() {
        Some("exact" | "sgpr" | "cglb") => peer(spec, &split)?,
        Some("global") => global(spec, &split)?,
        Some("local") => local(spec, &split)?,
        _ => return Err("`method` is one of exact, sgpr, cglb, global, local".into()),
    };
    found["seconds"] = json!(begun.elapsed().as_secs_f64());
    let mean = prediction.mean.column(0);
    let (y, var_y) = (&split.y_new, &prediction.var_y);
    found["nmse"] = json!(nmse(y, &mean, split.y.mean().unwrap_or(0.0)));
    found["mnlp"] = json!(mnlp(y, &mean, var_y));
    found["coverage95"] = json!(metrics::coverage(y, &mean, var_y, 0.95));
    let errors = (y - &mean) / var_y.mapv(f64::sqrt);
    found["beyond3"] = json!(errors.iter().filter(|error| error.abs() > 3.0).count());
    Ok(found)
}

/// Gaussian processes with the squared exponential kernel, on standardised columns.
fn peer(spec: &Value, split: &Split) -> Result<(Prediction, Value), Failure> {
    let target = split.y.clone().insert_axis(Axis(1));
    let (x_scale, y_scale) = (Standardiser::fit(&split.x, "x")?, Standardiser::fit(&target, "y")?);
    let (x, y) = (x_scale.apply(&split.x)?, y_scale.apply(&target)?);
    let x_new = x_scale.apply(&split.x_new)?;
    let kernel = Box::new(SquaredExponential::new(vec![1.0; x.ncols()], 1.0)?);
    let template = Hyperparameters { kernel, noise_variance: 0.1, mean: Mean::Constant(0.0) };
    let log_scale = y.nrows() as f64 * y_scale.scale()[0].ln();
    let inducing = number(spec, "m", 100);
    let (mut prediction, value) = match spec["method"].as_str() {
        Some("exact") => {
            let options = ExactGpOptions::default();
            let (model, trained) = ExactGp::fit(&template, &x, &y, &options, &mut ())?;
            (model.predict(&x_new)?, trained.objective)
        }
        Some("sgpr") => {
            let options = SgprOptions { inducing, ..SgprOptions::default() };
            let fit = Sgpr::fit(&template, &x, &y, &options, &mut ())?;
            (fit.model.predict(&x_new)?, fit.model.evidence().elbo())
        }
        _ => {
            let options = CglbOptions { inducing, ..CglbOptions::default() };
            let fit = Cglb::fit(&template, &x, &y, &options, &mut ())?;
            (fit.model.predict(&x_new)?, fit.model.evidence().elbo())
        }
    };
    let square = y_scale.scale()[0].powi(2);
    prediction.mean = y_scale.undo(&prediction.mean)?;
    prediction.var_y *= square;
    Ok((prediction, json!({"bound": value - log_scale})))
}

fn starts(spec: &Value, default: Starts) -> Starts {
    let list = |name: &str| -> Option<Vec<f64>> {
        spec[name].as_array().map(|list| list.iter().filter_map(Value::as_f64).collect())
    };
    Starts {
        means: list("means").or(default.means),
        variance: spec["variance"].as_f64().unwrap_or(default.variance),
        screening_cycles: number(spec, "screening", default.screening_cycles),
        keep: number(spec, "keep", default.keep),
    }
}

fn spectral(spec: &Value, default: &SpectralPoints) -> SpectralPoints {
    SpectralPoints {
        points: number(spec, "m", default.points),
        draws: number(spec, "draws", default.draws),
        seed: number(spec, "seed", 0) as u64,
        sampling: if spec["quasi"] == true { Sampling::QuasiRandom } else { Sampling::Random },
        ..SpectralPoints::default()
    }
}

fn global(spec: &Value, split: &Split) -> Result<(Prediction, Value), Failure> {
    let usual = SsgpVbOptions::default();
    let options = SsgpVbOptions {
        spectral: spectral(spec, &usual.spectral),
        starts: starts(spec, usual.starts.clone()),
        ..usual
    };
    let fit = SsgpVb::fit(&split.x, &split.y, &options, &mut ())?;
    let prediction = fit.model.predict(&split.x_new)?;
    let found = json!({
        "bound": fit.model.bound(), "cycles": fit.report.cycles,
        "collapsed": !fit.report.warnings.is_empty(),
    });
    Ok((prediction, found))
}

fn local(spec: &Value, split: &Split) -> Result<(Prediction, Value), Failure> {
    let usual = LocalOptions::default();
    let flag = |name: &str, default: bool| spec[name].as_bool().unwrap_or(default);
    let options = LocalOptions {
        neighbours: number(spec, "k", usual.neighbours),
        spectral: spectral(spec, &usual.spectral),
        starts: starts(spec, usual.starts.clone()),
        rescale: flag("rescale", usual.rescale),
        weighting: if flag("equal", true) { Weighting::Equal } else { Weighting::Bound },
        warm_start: flag("warm", usual.warm_start),
        ..usual
    };
    let mut model = LocalSsgpVb::condition(&split.x, &split.y, &options)?;
    let calibrated = number(spec, "calibrate", 0);
    if calibrated > 0 {
        model.calibrate(calibrated, 1, &())?;
    }
    let found = model.predict(&split.x_new, &())?;
    let mean_of = |of: &dyn Fn(&ssgp_vb::LocalReport) -> f64| {
        found.queries.iter().map(of).sum::<f64>() / found.queries.len() as f64
    };
    let bounds = mean_of(&|report| report.second.as_ref().map_or(f64::NAN, |stage| stage.bound));
    let mut prediction = found.prediction.clone();
    if spec["stage"] == 1 {
        let first = |of: fn(&ssgp_vb::StageReport) -> f64| -> Array1<f64> {
            found.queries.iter().map(|q| q.first.as_ref().map_or(f64::NAN, of)).collect()
        };
        prediction.mean = first(|stage| stage.mean).insert_axis(Axis(1));
        prediction.var_y = first(|stage| stage.var_y);
    }
    Ok((prediction, json!({"bound": bounds, "factor": model.variance_factor()})))
}

/// Cycles of Algorithm 1 and of Algorithm 2 from the paper's start, for one seed.
pub(crate) fn cycles(spec: &Value) -> Result<Value, Failure> {
    let split = chosen(spec)?;
    let x = HalfRange::fit(&split.x, "x")?.apply(&split.x)?;
    let y = &split.y - split.y.mean().unwrap_or(0.0);
    let (m, seed) = (number(spec, "m", 10), number(spec, "seed", 0) as u64);
    let s = draw_frequencies(kernels::Spectrum::default(), Sampling::Random, m, x.ncols(), seed);
    let problem = SparseSpectrum::new(&x, &y, &s, &Priors::default())?;
    let mut found = json!({});
    for (name, algorithm) in [("plain", Algorithm::Plain), ("adaptive", Algorithm::Adaptive)] {
        let options = FitOptions { algorithm, max_cycles: 2000, ..FitOptions::default() };
        let start = Start::Isotropic { mean: 0.5, variance: 0.05 };
        let run = problem.run(&start, &options, &mut ())?;
        found[name] =
            json!({"cycles": run.cycles, "bound": run.bound, "monotone": run.is_monotone()});
    }
    Ok(found)
}
