//! How well a model predicts rows whose targets are known.

use datasets::Design;
use gp_core::metrics::{coverage, nlpd, rmse};
use gp_core::{GpError, Prediction};
use ndarray::{Array2, ArrayRef1, ArrayRef2, Axis};
use serde::Serialize;

use crate::Model;

/// Scores over rows, and over targets where there are several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scores {
    /// Root mean squared error.
    pub rmse: f64,
    /// Mean of −log p(y) over rows and targets, in nats, from each row's own distribution.
    pub nlpd: f64,
    /// The share of targets inside the central 95 % interval.
    pub coverage95: f64,
}

/// Scores on test rows, in the model's scale and in the targets' own units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestScores {
    /// All targets together, in the model's scale.
    #[serde(flatten)]
    pub scores: Scores,
    /// Root mean squared error in the targets' own units.
    pub rmse_original: f64,
    /// NLPD in the targets' own units.
    pub nlpd_original: f64,
    /// Each target by itself.
    pub per_target: Vec<TargetScores>,
}

/// Scores of one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetScores {
    /// The target's name.
    pub target: String,
    /// In the model's scale.
    #[serde(flatten)]
    pub scores: Scores,
    /// Root mean squared error in the target's own units.
    pub rmse_original: f64,
    /// NLPD in the target's own units.
    pub nlpd_original: f64,
}

/// Some rows of a design, in the order given; its notices are those of the whole.
///
/// # Panics
/// When a row is not below the number of rows.
#[must_use]
pub fn select_rows(design: &Design, rows: &[usize]) -> Design {
    Design {
        x: design.x.select(Axis(0), rows),
        y: design.y.select(Axis(0), rows),
        kept_rows: rows.iter().map(|&row| design.kept_rows[row]).collect(),
        ..design.clone()
    }
}

/// Scores of `model` on the rows of `test`, encoded like its training rows.
///
/// ```text
/// rmse_original = s rmse,   nlpd_original = nlpd + log s      (s: what the target was divided by)
/// ```
///
/// # Errors
/// As [`Model::predict`].
pub fn test_scores(model: &Model, test: &Design) -> Result<TestScores, GpError> {
    let x = model.x_scaling().apply(&test.x)?;
    let y = model.y_scaling().apply(&test.y)?;
    let prediction = model.posterior().predict(&x)?;
    let scales = model.y_scaling().scale();
    let target = |(p, name): (usize, &String)| {
        let scores = target_scores(&y, &prediction, p);
        TargetScores {
            target: name.clone(),
            scores,
            rmse_original: scores.rmse * scales[p],
            nlpd_original: scores.nlpd + scales[p].ln(),
        }
    };
    let per_target: Vec<_> = test.target_names.iter().enumerate().map(target).collect();
    let all: Vec<Scores> = per_target.iter().map(|target| target.scores).collect();
    let count = per_target.len() as f64;
    let squares: f64 = per_target.iter().map(|target| target.rmse_original.powi(2)).sum();
    let densities: f64 = per_target.iter().map(|target| target.nlpd_original).sum();
    Ok(TestScores {
        scores: together(&all),
        rmse_original: (squares / count).sqrt(),
        nlpd_original: densities / count,
        per_target,
    })
}

/// Leave-one-out scores on the training rows, in the model's scale, where its method has them.
///
/// # Errors
/// [`GpError::Bound`] when the covariance matrix cannot be factorised.
pub fn leave_one_out_scores(model: &Model) -> Result<Option<Scores>, GpError> {
    let Some(prediction) = model.gp.leave_one_out()? else { return Ok(None) };
    let y: &Array2<f64> = model.y();
    let all: Vec<_> = (0..y.ncols()).map(|p| target_scores(y, &prediction, p)).collect();
    Ok(Some(together(&all)))
}

fn target_scores(y: &ArrayRef2<f64>, prediction: &Prediction, p: usize) -> Scores {
    let (y, mean) = (y.column(p), prediction.mean.column(p));
    let var_y: &ArrayRef1<f64> = &prediction.var_y;
    Scores {
        rmse: rmse(&y, &mean),
        nlpd: nlpd(&y, &mean, var_y),
        coverage95: coverage(&y, &mean, var_y, 0.95),
    }
}

/// All targets count alike.
fn together(all: &[Scores]) -> Scores {
    let count = all.len() as f64;
    let average = |f: fn(&Scores) -> f64| all.iter().map(f).sum::<f64>() / count;
    Scores {
        rmse: average(|s| s.rmse * s.rmse).sqrt(),
        nlpd: average(|s| s.nlpd),
        coverage95: average(|s| s.coverage95),
    }
}
