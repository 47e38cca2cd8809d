//! Every row predicted by a model of the others.

use ndarray::Array2;
use rand::{Rng, RngExt};

use crate::{
    Batch, Label, Levels, Model, NaiveBayesError, Options, Predictor, Training, error::length,
};

/// Predictions of rows by models that have not seen them.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// The classes of all rows together, sorted.
    pub classes: Vec<Label>,
    /// Position of each row's class, `None` where it has none.
    pub actual: Vec<Option<usize>>,
    /// log p(c | x) `[N, C]`; −∞ for a class that no other fold has.
    pub log_proba: Array2<f64>,
}

/// Predicts each fold with the model of all others; `folds` has the number of each row's fold.
///
/// One pass over the rows: the statistics of each fold are made once and merged, so that K folds cost little more than one fit.
///
/// # Errors
/// [`NaiveBayesError::Length`], and those of [`Model::observe`] and [`Predictor::log_proba`].
pub fn cross_validate(
    training: &Training<'_>,
    folds: &[usize],
    options: &Options,
) -> Result<CrossValidation, NaiveBayesError> {
    length("folds", training.batch().n_rows(), folds.len(), "row")?;
    let mut names = folds.to_vec();
    names.sort_unstable();
    names.dedup();
    let rows = |fold: &usize| (0..folds.len()).filter(|&row| folds[row] == *fold).collect();
    let rows: Vec<Vec<usize>> = names.iter().map(rows).collect();
    let models = rows.iter().map(|rows| model_of(training, rows)).collect::<Result<Vec<_>, _>>()?;
    let mut all = Model::default();
    models.iter().try_for_each(|model| all.merge(model))?;
    let classes: Vec<Label> = all.classes().into_iter().map(|(label, _)| label.clone()).collect();
    let mut log_proba = Array2::from_elem((folds.len(), classes.len()), f64::NEG_INFINITY);
    for (fold, rows) in rows.iter().enumerate() {
        let predictor = others(&models, fold)?.predictor(options)?;
        let found = predictor.log_proba(&training.batch().select(rows))?;
        place(&mut log_proba, &found, rows, &places(&predictor, &classes));
    }
    let position =
        |row| classes.iter().position(|class| Some(class) == training.classes().label(row));
    Ok(CrossValidation { actual: (0..folds.len()).map(position).collect(), classes, log_proba })
}

fn model_of(training: &Training<'_>, rows: &[usize]) -> Result<Model, NaiveBayesError> {
    let batch: Batch<'_> = training.batch().select(rows);
    let classes: Levels = training.classes().select(rows);
    let weights: ndarray::Array1<f64> = rows.iter().map(|&row| training.weight(row)).collect();
    let mut model = Model::default();
    let part = Training::new(&batch, &classes)?.weights(&weights)?;
    model.observe(&part.unlabelled(training.policy()))?;
    Ok(model)
}

fn others(models: &[Model], fold: usize) -> Result<Model, NaiveBayesError> {
    let mut merged = Model::default();
    let rest = models.iter().enumerate().filter(|(other, _)| *other != fold);
    rest.map(|(_, model)| model).try_for_each(|model| merged.merge(model))?;
    Ok(merged)
}

fn places(predictor: &Predictor, classes: &[Label]) -> Vec<Option<usize>> {
    predictor
        .classes()
        .iter()
        .map(|class| classes.iter().position(|other| other == class))
        .collect()
}

fn place(all: &mut Array2<f64>, found: &Array2<f64>, rows: &[usize], places: &[Option<usize>]) {
    for (&row, found) in rows.iter().zip(found.rows()) {
        for (&value, place) in found.iter().zip(places) {
            if let Some(place) = *place {
                all[[row, place]] = value;
            }
        }
    }
}

/// Assigns `n` rows to `k` folds at random, their sizes differing by at most one.
///
/// # Errors
/// [`NaiveBayesError::Option`] unless 2 ≤ k ≤ n.
pub fn random_folds(n: usize, k: usize, rng: &mut impl Rng) -> Result<Vec<usize>, NaiveBayesError> {
    let accepted = "whole numbers from 2 to the number of rows";
    crate::error::option("k", k as f64, k >= 2 && k <= n, accepted)?;
    let mut folds: Vec<usize> = (0..n).map(|row| row % k).collect();
    for row in (1..n).rev() {
        folds.swap(row, rng.random_range(0..=row));
    }
    Ok(folds)
}
