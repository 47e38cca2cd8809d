//! How well a model predicts rows whose targets are known.

use datasets::Design;
use gp_core::metrics::{coverage, nlpd, rmse};
use gp_core::{Posterior, Prediction};
use ndarray::{Array2, ArrayRef1, ArrayRef2};
use taut::Model;

use super::failure::Failure;
use super::report::{Scores, TargetScores, Test};

/// Scores on test rows, in the model's scale and in the targets' own units.
pub(crate) fn test_scores(model: &Model, test: &Design) -> Result<Test, Failure> {
    let x = model.x_scaling().apply(&test.x)?;
    let y = model.y_scaling().apply(&test.y)?;
    let prediction = model.gp().predict(&x)?;
    let scales = model.y_scaling().scale();
    let target = |(p, name): (usize, &String)| {
        let scores = target_scores(&y, &prediction, p);
        // Dividing a target by s divides its error by s and raises its density by s.
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
    Ok(Test {
        scores: together(&all),
        rmse_original: (squares / count).sqrt(),
        nlpd_original: densities / count,
        per_target,
    })
}

/// Leave-one-out scores on the training rows, in the model's scale.
pub(crate) fn leave_one_out_scores(model: &Model) -> Result<Scores, Failure> {
    let prediction = model.gp().leave_one_out()?;
    let y: &Array2<f64> = model.gp().y();
    let all: Vec<_> = (0..y.ncols()).map(|p| target_scores(y, &prediction, p)).collect();
    Ok(together(&all))
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
