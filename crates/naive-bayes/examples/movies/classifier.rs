//! Rated R or not: fitting, smoothing, predicting, counting mistakes.

use std::path::Path;

use datasets::{TestSize, split};
use naive_bayes::evaluation::{Calibration, Confusion, Platt, Ranking, log_loss};
use naive_bayes::{
    Batch, Levels, Model, NaiveBayesError, Options, Parameters, Predictor, Smoothing, Training,
};

use crate::films::Films;
use crate::{Result, heading, plots, spread};

/// Laplace smoothing of the genres, variances as they are.
pub(crate) fn lecture() -> Options {
    Options { smoothing: Smoothing::None, ..Options::default() }
}

pub(crate) fn fit(
    batch: &Batch<'_>,
    classes: &Levels,
) -> std::result::Result<Predictor, NaiveBayesError> {
    let mut model = Model::default();
    model.observe(&Training::new(batch, classes)?)?;
    model.predictor(&lecture())
}

pub(crate) fn show(films: &Films, folder: &Path) -> Result<()> {
    parameters(films)?;
    one_split(films, folder)?;
    heading("A hundred splits, 200 films to learn from");
    println!("{}", accuracy(films, "as the lecture counts", |deaths| deaths)?);
    println!("{}", accuracy(films, "with log(1 + deaths)", f64::ln_1p)?);
    println!(
        "{}",
        accuracy(&films.rated(), "without the films that have no rating", |deaths| deaths)?
    );
    Ok(())
}

fn parameters(films: &Films) -> Result<()> {
    heading("Parameters, from all films");
    let predictor = fit(&films.batch(|deaths| deaths)?, &films.classes())?;
    println!("P(R) = {:.6}", predictor.log_prior()[1].exp());
    println!("{:<12} {:>22} {:>22}", "", "not R", "R");
    for name in ["Year", "Body_Count"] {
        if let Parameters::Gaussian { mean, variance, .. } = predictor.parameters(name)? {
            let cell = |class: usize| format!("{:.1} ± {:.1}", mean[class], variance[class].sqrt());
            println!("{name:<12} {:>22} {:>22}", cell(0), cell(1));
        }
    }
    for name in &films.genres {
        if let Parameters::Bernoulli { theta } = predictor.parameters(name)? {
            println!("{name:<12} {:>22.4} {:>22.4}", theta[0], theta[1]);
        }
    }
    Ok(())
}

/// Learned from 200 films, judged by the others.
fn one_split(films: &Films, folder: &Path) -> Result<()> {
    heading("One split: 200 films to learn from, chosen by seed 1");
    let test = TestSize::Count(films.films.len() - 200);
    let rows = split(films.films.len(), test, 1)?;
    let (batch, classes) = (films.batch(|deaths| deaths)?, films.classes());
    let predictor = fit(&batch.select(&rows.train), &classes.select(&rows.train))?;
    let questions = batch.select(&rows.test);
    let is_r: Vec<bool> = rows.test.iter().map(|&row| films.is_r()[row]).collect();
    let actual: Vec<usize> = is_r.iter().map(|&is| usize::from(is)).collect();
    let confusion = Confusion::new(&actual, &predictor.predict(&questions)?, 2)?;
    println!("{:<14} {:>18} {:>14}", "", "predicted not R", "predicted R");
    for (name, row) in ["actual not R", "actual R"].into_iter().zip(confusion.matrix()) {
        println!("{name:<14} {:>18} {:>14}", row[0], row[1]);
    }
    let loss = log_loss(&predictor.log_proba(&questions)?, &actual)?;
    println!("{:.1} % right, log loss {loss:.3} nats", 100.0 * confusion.accuracy());
    let odds = predictor.log_odds(&questions)?.to_vec();
    let ranking = Ranking::new(&odds, &is_r)?;
    println!("area under the ROC curve {:.3}", ranking.auc().ok_or("one class only")?);
    plots::roc(&ranking.roc().ok_or("one class only")?, folder)?;
    plots::sweep(&ranking.sweep(), folder)?;
    calibration(&predictor, &questions, &odds, &is_r, folder)?;
    explain(films, &predictor, &batch)
}

fn calibration(
    predictor: &Predictor,
    questions: &Batch<'_>,
    odds: &[f64],
    is_r: &[bool],
    folder: &Path,
) -> Result<()> {
    let proba: Vec<f64> = predictor.proba(questions)?.column(1).to_vec();
    let table = Calibration::new(&proba, is_r, 10)?;
    println!("calibration error {:.3}: naive Bayes is surer than it should be", table.ece);
    // Fitted on one half of what was held out, judged by the other.
    let half = odds.len() / 2;
    let platt = Platt::fit(&odds[..half], &is_r[..half])?;
    let repaired: Vec<f64> = odds[half..].iter().map(|&odds| platt.proba(odds)).collect();
    let before = Calibration::new(&proba[half..], &is_r[half..], 10)?.ece;
    let after = Calibration::new(&repaired, &is_r[half..], 10)?.ece;
    println!(
        "Platt: log odds times {:.2}; error on the other half {before:.3} before, {after:.3} after",
        platt.slope
    );
    plots::reliability(&table, folder)
}

fn explain(films: &Films, predictor: &Predictor, batch: &Batch<'_>) -> Result<()> {
    let explanation = predictor.explain(batch, 1)?;
    let mut parts: Vec<_> =
        explanation.contributions.iter().map(|part| (part.log_odds(1, 0), &part.feature)).collect();
    parts.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    println!("What speaks for R, in nats, for {}:", films.films[1].title);
    parts.iter().take(5).for_each(|(odds, feature)| println!("  {odds:+.2} {feature}"));
    Ok(())
}

/// Mean and deviation over a hundred splits.
fn accuracy(films: &Films, what: &str, deaths: fn(f64) -> f64) -> Result<String> {
    let (batch, classes) = (films.batch(deaths)?, films.classes());
    let actual: Vec<usize> = films.is_r().into_iter().map(usize::from).collect();
    let (mut right, mut majority) = (Vec::new(), Vec::new());
    for seed in 0..100 {
        let rows = split(actual.len(), TestSize::Count(actual.len() - 200), seed)?;
        let predictor = fit(&batch.select(&rows.train), &classes.select(&rows.train))?;
        let actual: Vec<usize> = rows.test.iter().map(|&row| actual[row]).collect();
        let predicted = predictor.predict(&batch.select(&rows.test))?;
        right.push(Confusion::new(&actual, &predicted, 2)?.accuracy());
        majority.push(Confusion::new(&actual, &vec![1; actual.len()], 2)?.accuracy());
    }
    let ((mean, sd), (most, _)) = (spread(&right), spread(&majority));
    Ok(format!("accuracy {mean:.4} ± {sd:.4} {what}; always saying R: {most:.4}"))
}
