//! The lecture's data, where they are.

#[path = "../../examples/movies/films.rs"]
mod films;

use std::path::PathBuf;

use films::Films;
use naive_bayes::evaluation::{Confusion, Ranking, log_loss};
use naive_bayes::probability::Frequencies;
use naive_bayes::{EvidencePriors, Levels, Model, Options, Predictor, Smoothing, Training};
use serde_json::Value;

use crate::support::*;

const TOLERANCE: f64 = 1e-10;

fn films() -> Option<Films> {
    let Some(folder) = std::env::var_os("TAUT_DATA_DIR") else {
        eprintln!("TAUT_DATA_DIR is not set: skipped");
        return None;
    };
    Some(Films::read(&PathBuf::from(folder).join("movies/film-death-counts.csv")).unwrap())
}

fn fit(films: &Films, rows: &[usize]) -> Predictor {
    let batch = films.batch(|x| x).unwrap().select(rows);
    let classes: Levels = films.classes().select(rows);
    let mut model = Model::default();
    model.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
    model.predictor(&Options { smoothing: Smoothing::None, ..Options::default() }).unwrap()
}

#[test]
fn empirical_probabilities() {
    let Some(films) = films() else { return };
    let golden = golden();
    let case = &golden["movies"];
    let events: Vec<_> = films.films.iter().map(|film| Some(film.deaths > 40.0)).collect();
    let years: Vec<_> = films.films.iter().map(|film| Some(film.year as i64)).collect();
    let table = Frequencies::new(&events, &years).unwrap();
    assert_eq!(Some(table.events()), case["over_40"].as_u64());
    close("P(> 40)", table.probability(), number(&case["p_over_40"]), TOLERANCE);
    assert_eq!(table.groups().count(), list(&case["per_year"]).len());
    for (group, expected) in table.groups().zip(list(&case["per_year"])) {
        let (rows, events) = (group.rows as f64, group.events as f64);
        let found = [group.value as f64, rows, events, group.conditional(), group.joint()];
        all_close("year", &found, &vector(expected), TOLERANCE);
    }
    let most = films.films.iter().max_by(|a, b| a.deaths.total_cmp(&b.deaths)).unwrap();
    assert_eq!(Some(most.title.as_str()), case["max_film"].as_str());
}

fn check_fit(films: &Films, case: &Value) {
    let predictor = fit(films, &(0..films.films.len()).collect::<Vec<_>>());
    close("prior", predictor.log_prior()[1].exp(), number(&case["prior_R"]), 1e-12);
    let batch = films.batch(|x| x).unwrap();
    let case = &case["full_fit_training"];
    let odds = predictor.log_odds(&batch).unwrap().to_vec();
    all_close("log odds", &odds[..5], &vector(&case["first5_log_odds"]), TOLERANCE);
    let actual: Vec<usize> = films.is_r().into_iter().map(usize::from).collect();
    let confusion = Confusion::new(&actual, &predictor.predict(&batch).unwrap(), 2).unwrap();
    let expected: Vec<Vec<u64>> = serde_json::from_value(case["confusion"].clone()).unwrap();
    assert_eq!(confusion.matrix(), expected);
    let loss = log_loss(&predictor.log_proba(&batch).unwrap(), &actual).unwrap();
    close("log loss", loss, number(&case["log_loss"]), TOLERANCE);
    let ranking = Ranking::new(&odds, &films.is_r()).unwrap();
    close("auc", ranking.auc().unwrap(), number(&case["auc"]), TOLERANCE);
    let safe = ranking.no_misses().unwrap();
    close("no misses", safe.lowest_positive, number(&case["zero_fn_log_odds"]), TOLERANCE);
    assert_eq!(Some(safe.outcome.false_positives), case["zero_fn_false_positives"].as_u64());
}

#[test]
fn fits_and_factors_with_and_without_unrated_films() {
    let Some(films) = films() else { return };
    let golden = golden();
    let movies = &golden["movies"];
    for (films, case) in [(films.rated(), &movies["rated_only"]), (films, movies)] {
        check_fit(&films, case);
        let model = fitted(&films.batch(|x| x).unwrap(), &films.classes());
        for feature in model.evidence(&EvidencePriors::default()).unwrap().features {
            let expected = number(&case["log_bayes_factor"][&feature.name]);
            close(&feature.name, feature.log_bayes_factor(), expected, TOLERANCE);
        }
        let splits = &case["splits_100x200"];
        let rows = list(&splits["first3_train_rows"]).iter().map(integers);
        for (train, accuracy) in rows.zip(list(&splits["per_split_accuracy"])) {
            check_split(&films, &train, number(accuracy));
        }
    }
}

fn check_split(films: &Films, train: &[usize], accuracy: f64) {
    let test: Vec<usize> = (0..films.films.len()).filter(|row| !train.contains(row)).collect();
    let questions = films.batch(|x| x).unwrap().select(&test);
    let predicted = fit(films, train).predict(&questions).unwrap();
    let actual: Vec<usize> = test.iter().map(|&row| usize::from(films.is_r()[row])).collect();
    close(
        "accuracy",
        Confusion::new(&actual, &predicted, 2).unwrap().accuracy(),
        accuracy,
        TOLERANCE,
    );
}
